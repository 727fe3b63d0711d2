"""One attention head by pencil: typed numbers, every intermediate kept, every multiply-add counted.

The arithmetic is that of attention.py, with a matrix product that counts what it multiplies. Numbers
and layout: the companion note's own; slots, tokens and places are counted from 1 in messages.
"""

from dataclasses import dataclass
import math
from typing import NamedTuple

import numpy as np

from . import arguments
from .attention import attention
from .projections import Projections, head, project

PAIRS_AT_ONCE = 2**22
IN_CACHE = 2**15  # numbers that a processor keeps close by


class Token(NamedTuple):
    """One piece of the entry: its id in the table, its text, and its four typed numbers."""

    id: int
    text: str
    x: tuple


class Cost(NamedTuple):
    """Multiply-adds of a pass, counted where they happened: projections, scores, mixing of values."""

    tokens: int
    project: int
    score: int
    mix: int

    @property
    def quadratic(self):
        """Score and mix: what goes over all pairs of tokens."""
        return self.score + self.mix

    @property
    def total(self):
        """All multiply-adds."""
        return self.project + self.quadratic


class Trace(NamedTuple):
    """All that one pass made of n tokens.

    X (n, D); Q, K, V (n, Dk); raw and scaled scores (n, n); div, what the scores were divided by; shares
    (n, n), rows add up to 1; out (n, Dk); cost.
    """

    X: np.ndarray
    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    raw: np.ndarray
    div: float
    scaled: np.ndarray
    shares: np.ndarray
    out: np.ndarray
    cost: Cost


@dataclass(frozen=True)
class Head:
    """A head of three stored matrices.

    D numbers a token, queries, keys and values Dk wide; Wq, Wk, Wv: flat runs of D * Dk numbers, D for
    each output slot (row j of W is m[j*D : (j+1)*D], so W is the transpose of the book's W_Q). scale:
    divide the scores by root Dk. Refused: a run of another length, a number that is not finite.
    """

    D: int
    Dk: int
    Wq: tuple
    Wk: tuple
    Wv: tuple
    scale: bool = True

    def __post_init__(self):
        D = arguments.integer("D", self.D, 1)
        Dk = arguments.integer("Dk", self.Dk, 1)
        for name in ("Wq", "Wk", "Wv"):
            run = _numbers(name, "", getattr(self, name))
            if len(run) != D * Dk:
                arguments.refuse(name, f"{len(run)} numbers", f"{D * Dk} numbers for a {D} by {Dk} matrix")
            object.__setattr__(self, name, tuple(run.tolist()))
        object.__setattr__(self, "scale", arguments.boolean("scale", self.scale))

    @property
    def div(self):
        """What each score is divided by: root Dk, or 1 with scale off."""
        return math.sqrt(self.Dk) if self.scale else 1.0

    @property
    def projections(self):
        """The three matrices in the book's form (Projections with d = D, d_k = d_v = Dk, no W_O)."""
        matrices = (np.reshape(run, (self.Dk, self.D)).T for run in (self.Wq, self.Wk, self.Wv))
        return Projections(*matrices, None)

    def attend(self, X):
        """One pass over the token rows X, n runs of D numbers (a Trace)."""
        X, counter = self._row(X), CountingProduct()
        made = head(X, self.projections, 1 / self.div, product=counter)
        cost = Cost(len(X), sum(counter.calls[:3]), *counter.calls[3:])
        scaled = made.scores / self.div
        return Trace(X, *made[:4], self.div, scaled, made.weights, made.outputs, cost)

    def count(self, X, progress=None):
        """The Cost of a pass over X that keeps nothing, for long rows.

        progress: called with (tokens done, tokens) now and then.
        """
        X, counter = self._row(X), CountingProduct()
        if progress is not None and not callable(progress):
            arguments.refuse("progress", repr(progress), "None or a function of (done, tokens)")
        Q, K, V = project(X, self.projections, counter)
        at_once = max(1, PAIRS_AT_ONCE // len(X))
        for start in range(0, len(X), at_once):
            attention(Q[start : start + at_once], K, V, 1 / self.div, product=counter)
            if progress:
                progress(min(start + at_once, len(X)), len(X))
        calls = counter.calls
        return Cost(len(X), sum(calls[:3]), sum(calls[3::2]), sum(calls[4::2]))

    def _row(self, X):
        rows = arguments.items("X", X, "a row of tokens, at least one")
        for place, x in enumerate(rows, start=1):
            where = f"token {place} of {len(rows)} with "
            numbers = _numbers("X", where, x)
            if len(numbers) != self.D:
                arguments.refuse("X", f"{where}{len(numbers)} numbers", f"{self.D} numbers for each token")
            rows[place - 1] = numbers
        return np.array(rows)


class CountingProduct:
    """A matrix product that adds up outer products and notes how many numbers each call multiplied.

    calls: multiply-adds of each call so far (list of ints). The sum over the inner index runs in order,
    from zero, so an entry is the same in floats as in a plain loop.
    """

    def __init__(self):
        self.calls = []

    def __call__(self, A, B):
        if np.ndim(A) != 2 or np.ndim(B) != 2 or A.shape[1] != len(B):
            arguments.refuse("A, B", f"shapes {np.shape(A)} and {np.shape(B)}", "two matrices that can be multiplied")
        total, count = np.zeros((len(A), B.shape[1])), 0
        at_once = max(1, IN_CACHE // B.shape[1])
        for start in range(0, len(A), at_once):
            rows, sums = A[start : start + at_once], total[start : start + at_once]
            for column, row in zip(rows.T, B):
                products = column[:, None] * row
                sums += products
                count += products.size
        self.calls.append(count)
        return total


@arguments.in_floats("x", "weights", "biases")
def neuron_layer(x, weights, biases):
    """A row of plain neurons: for each, its bias plus its weights times the inputs (list of floats).

    x: D numbers; weights: for each neuron D numbers; biases: a number for each neuron.
    """
    x = arguments.array("x", x, shape=(None,)).tolist()
    weights = arguments.array("weights", weights, shape=(None, len(x))).tolist()
    biases = arguments.array("biases", biases, shape=(len(weights),)).tolist()
    outputs = []
    for neuron, total in zip(weights, biases):
        for weight, value in zip(neuron, x):
            total += weight * value
        outputs.append(total)
    return outputs


def unshifted_softmax(scores):
    """Powers, and shares, of a row of scores without subtracting the largest: (m,) and (m,).

    An exhibit: from a score of 710 on a power is inf and its share NaN.
    """
    scores = arguments.array("scores", scores, shape=(None,))
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.exp(scores)
        return powers, powers / powers.sum()


def typed_rows(n):
    """The four typed token rows in a cycle, n rows (n, 4)."""
    n = arguments.size("n", n)
    return np.resize([token.x for token in TOKENS], (n, len(SLOTS)))


def _numbers(name, where, value):
    try:
        found = np.asarray(value)
    except ValueError:
        arguments.refuse(name, f"{where}runs of unequal length", "one flat run of numbers")
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iuf"):
        came = f"shape {found.shape}, type {found.dtype}"
        arguments.refuse(name, where + came, "one flat run of numbers")
    found = found.astype(float)
    for place in np.flatnonzero(~np.isfinite(found)):
        arguments.refuse(name, f"{where}{found[place]} at place {place + 1}", "finite numbers")
    return found


ENTRY = "year 40: 235 hobbs standing in The Hollow, 1773 born and 1567 gone"
TABLE_SIZE = 512
SLOTS = ("lone digit", "has a year", "has a count", "portion")
TOKENS = (
    Token(331, "year 4", (0.0, 1.0, 0.0, 0.5)),
    Token(48, "0", (1.0, 0.0, 0.0, 0.0)),
    Token(383, ": 235 hobbs standing in The Hollow, 17", (0.0, 0.0, 1.0, 1.0)),
    Token(55, "7", (1.0, 0.0, 0.0, 0.0)),
)
TYPED = dict(
    D=4,
    Dk=4,
    Wq=(0, 0, 2, 0) + (3, 0, 0, 0) + (0.5, 0, 0, 0) + (0, 0.5, 0, 0),
    Wk=(1, 0, 0, 0) + (0, 1, 0, 0) + (0, 0, 1, 0.5) + (0, 0, 0, 1),
    Wv=(1, 0, 0, 0) + (0, 1, 0, 0) + (0, 0, 1, 0) + (0.5, 0, 0, 1),
)


def typed_head(scale=True):
    """The Head with the 48 typed numbers, with or without the divide."""
    return Head(**TYPED, scale=scale)
