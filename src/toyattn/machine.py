"""Machines that can be read: a residual stream of named registers, attention layers set by hand, a read-out.

The stream holds one row a token: TOK, its one-hot token, POS, its one-hot place, and two registers for
tokens, PREV and OUT, that start empty. A layer is one causal head of attention.py that adds its write to
the stream. Rows are tokens, so every matrix is the transpose of the one in the text. Source: the book's
own; registers in the stream: Elhage et al. 2021; programs from attention: Weiss, Goldberg and Yahav 2021.
"""

from dataclasses import dataclass
from functools import cached_property
import math
from typing import NamedTuple

import numpy as np

from . import arguments
from .attention import attention, softmax
from .kernels import linear_attention
from .projections import HeadPass, head_list, project

REGISTERS = ("TOK", "POS", "PREV", "OUT")
MOST_SLOTS = 10**4  # a matrix of place codes then takes 800 MB
READINGS = ("softmax", "hard", "linear")


@dataclass(frozen=True)
class Stream:
    """The layout of the stream: a vocabulary of |V| different tokens and n_max >= 3 places with a code."""

    vocabulary: tuple
    n_max: int = 64

    def __post_init__(self):
        vocabulary = arguments.tokens("vocabulary", self.vocabulary, least=1)
        if len(set(vocabulary)) < len(vocabulary):
            arguments.refuse("vocabulary", "a token twice", "different tokens")
        object.__setattr__(self, "vocabulary", vocabulary)
        object.__setattr__(self, "n_max", arguments.integer("n_max", self.n_max, 3, MOST_SLOTS))

    @cached_property
    def index(self):
        """Place of each token in the vocabulary ({token: int})."""
        return {token: place for place, token in enumerate(self.vocabulary)}

    @cached_property
    def blocks(self):
        """The coordinates of each register ({name: slice})."""
        V = len(self.vocabulary)
        ends = np.cumsum([V, self.n_max, V, V]).tolist()
        return {name: slice(start, end) for name, start, end in zip(REGISTERS, [0, *ends], ends)}

    @property
    def d(self):
        """Width of the stream, 3 |V| + n_max."""
        return self.blocks["OUT"].stop

    def units(self, register):
        """The unit vectors (d,) of a register: {place: vector} for POS, {token: vector} for the others."""
        block = self.blocks[arguments.choice("register", register, REGISTERS)]
        return named_units(range(self.n_max) if register == "POS" else self.vocabulary, self.d, block.start)


@dataclass(frozen=True, eq=False)
class Machine:
    """A machine as data.

    layers: tuple of Projections on the stream, one head each, sharpness in W_Q; W_U (d, |V|): register
    OUT to logits, scale kappa; code (n_max, n_max): what each place writes to POS; reading: "softmax",
    "hard" (all weight on the best scores) or "linear" (the scores are the weights); note_at_0: whether
    place 0, which can read only itself, keeps that note in PREV.
    """

    stream: Stream
    layers: tuple
    W_U: np.ndarray
    code: np.ndarray
    reading: str = "softmax"
    note_at_0: bool = True

    def __post_init__(self):
        stream = arguments.instance("stream", self.stream, Stream)
        layers = head_list("layers", self.layers)
        if any(W.d != stream.d or W.W_O is None for W in layers):
            arguments.refuse("layers", f"heads on {layers[0].d} numbers", f"heads from d to d = {stream.d}")
        shapes = {"W_U": (stream.d, len(stream.vocabulary)), "code": (stream.n_max, stream.n_max)}
        for name, shape in shapes.items():
            object.__setattr__(self, name, arguments.array(name, getattr(self, name), shape=shape))
        object.__setattr__(self, "layers", layers)
        arguments.choice("reading", self.reading, READINGS)
        object.__setattr__(self, "note_at_0", arguments.boolean("note_at_0", self.note_at_0))


class Pass(NamedTuple):
    """All that a machine makes of a text of n tokens.

    streams: the stream (n, d) before the first and after each layer; heads: a HeadPass a layer (its
    weights are the attention map); logits, probabilities: (n, |V|), row t predicts the token after t.
    """

    streams: tuple
    heads: tuple
    logits: np.ndarray
    probabilities: np.ndarray


def named_units(names, size=None, start=0):
    """{name: unit vector}: the i-th of different names owns coordinate start + i out of `size`.

    size: as many as it takes if None.
    """
    try:
        names = list(names)
        found = dict.fromkeys(names)
    except TypeError:
        arguments.refuse("names", repr(names), "a sequence of names")
    if len(found) < len(names):
        arguments.refuse("names", "a name twice", "different names")
    size = len(found) if size is None else arguments.size("size", size, len(found))
    start = arguments.integer("start", start, 0, size - len(found))
    return dict(zip(found, np.eye(size)[start:]))


def run(machine, tokens, uncoded=False):
    """Run a machine on a text (a Pass).

    tokens: of its vocabulary, at most n_max of them; with uncoded=True the places beyond have an empty
    POS instead.
    """
    _machine(machine)
    text = arguments.tokens("tokens", tokens, machine.stream.index, least=1)
    streams, heads = _forward(machine, _embedded(machine, [text], uncoded))
    logits = streams[-1][0] @ machine.W_U
    heads = tuple(HeadPass(*(part[0] for part in one)) for one in heads)
    return Pass(tuple(stream[0] for stream in streams), heads, logits, softmax(logits))


def run_many(machine, texts, uncoded=False):
    """The stream after the last layer for texts of one length n: (texts, n, d); else as run."""
    _machine(machine)
    texts = [arguments.tokens("texts", text, machine.stream.index, least=1) for text in _texts(texts)]
    if len({len(text) for text in texts}) > 1:
        arguments.refuse("texts", "texts of different lengths", "texts of one length")
    return _forward(machine, _embedded(machine, texts, uncoded, "texts"))[0][-1]


def register(machine, rows, name):
    """The part of stream rows (..., d) that holds a register: (..., size of the register)."""
    stream = _machine(machine).stream
    name = arguments.choice("name", name, REGISTERS)
    rows = arguments.array("rows", rows)
    if rows.ndim == 0 or rows.shape[-1] != stream.d:
        arguments.refuse("rows", f"shape {rows.shape}", f"shape (..., {stream.d})")
    return rows[..., stream.blocks[name]]


def held(machine, rows, name):
    """The token (place for POS) with the largest entry of a register in each of the rows (n, d).

    Tuple of n, None where the register is empty. A blurred register holds more than this one.
    """
    entries = register(machine, rows, name)
    if entries.ndim != 2:
        arguments.refuse("rows", f"shape {np.shape(rows)}", "shape (n, d)")
    stream = machine.stream
    words = range(stream.n_max) if name == "POS" else stream.vocabulary
    return tuple(words[row.argmax()] if row.any() else None for row in entries)


def nonzeros(machine):
    """Nonzero weights, counted: {("layer 1", "query"): int, ..., ("read-out", "unembedding"): int}.

    Matrices query, key, value and output of each layer. The one-hot embeddings are not counted.
    """
    parts = ("query", "key", "value", "output")
    counts = {
        (f"layer {number}", part): int(np.count_nonzero(matrix))
        for number, W in enumerate(_machine(machine).layers, 1)
        for part, matrix in zip(parts, (W.W_Q, W.W_K, W.W_V, W.W_O))
    }
    return {**counts, ("read-out", "unembedding"): int(np.count_nonzero(machine.W_U))}


def shared_probability(V, kappa=10.0, k=1):
    """Probability of each of k tokens that share OUT equally: e^(kappa/k) / (k e^(kappa/k) + V - k).

    V: size of the vocabulary, the softmax runs over all of it. k = 1 is the hard limit of one answer.
    """
    V, kappa = arguments.integer("V", V, 1, 10**15), arguments.real("kappa", kappa, least=0)
    k = arguments.integer("k", k, 1, V)
    return 1 / (k + (V - k) * math.exp(-kappa / k))


@arguments.in_floats("weights")
def merge_places(weights, start, stop):
    """An attention map with the places start ... stop - 1 as one: columns added up, rows averaged.

    weights: (n, n). Rows still add up to what they did. 0 <= start < stop <= n.
    """
    weights = arguments.square("weights", weights)
    n = len(weights)
    start = arguments.integer("start", start, 0, n - 1)
    stop = arguments.integer("stop", stop, start + 1, n)
    cuts = [*range(start + 1), *range(stop, n)]
    rows = np.add.reduceat(np.add.reduceat(weights, cuts, axis=1), cuts)
    rows[start] /= stop - start
    return rows


def _forward(machine, stream):
    """The streams (texts, n, d) and the HeadPass of each layer."""
    streams, heads = [stream], []
    for number, W in enumerate(machine.layers):
        heads.append(_layer(machine.reading, stream, W))
        stream = stream + heads[-1].write
        if number == 0 and not machine.note_at_0:
            stream[:, 0, machine.stream.blocks["PREV"]] = 0
        streams.append(stream)
    return streams, heads


def _layer(reading, stream, W):
    """One head on texts side by side: a HeadPass of arrays (texts, n, ...)."""
    texts, n, d = stream.shape
    Q, K, V = (part.reshape(texts, n, -1) for part in project(stream.reshape(-1, d), W))
    if reading == "linear":
        scores, outputs = Q @ np.swapaxes(K, 1, 2), linear_attention(Q, K, V)
        weights = np.tril(scores)
    else:
        scores, weights, outputs = _read(Q, K, V, np.inf if reading == "hard" else 1.0)
    write = (outputs.reshape(texts * n, -1) @ W.W_O).reshape(stream.shape)
    return HeadPass(Q, K, V, scores, weights, outputs, write)


def _read(Q, K, V, beta):
    """Causal attention of each text: scores, weights (texts, n, n) and outputs (texts, n, d_v).

    Texts with equal queries and keys, as all of one layout have, share one read: their values stand
    side by side.
    """
    texts, n, d_v = V.shape
    scores, weights, outputs = np.empty((texts, n, n)), np.empty((texts, n, n)), np.empty(V.shape)
    waiting = np.arange(texts)
    while waiting.size:
        first = waiting[0]
        same = (Q[waiting] == Q[first]).all(axis=(1, 2)) & (K[waiting] == K[first]).all(axis=(1, 2))
        together, waiting = waiting[same], waiting[~same]
        values = np.swapaxes(V[together], 0, 1).reshape(n, -1)
        read = attention(Q[first], K[first], values, beta, "causal")
        scores[together], weights[together] = read.scores, read.weights
        outputs[together] = np.swapaxes(read.outputs.reshape(n, -1, d_v), 0, 1)
    return scores, weights, outputs


def _embedded(machine, texts, uncoded, name="tokens"):
    """The stream (texts, n, d) before the first layer."""
    stream, n = machine.stream, len(texts[0])
    uncoded = arguments.boolean("uncoded", uncoded)
    if n > stream.n_max and not uncoded:
        arguments.refuse(name, f"{n} tokens", f"at most n_max = {stream.n_max}, the places with a code")
    coded = min(n, stream.n_max)
    rows = np.zeros((len(texts), n, stream.d))
    rows[:, :coded, stream.blocks["POS"]] = machine.code[:coded]
    indices = np.array([[stream.index[token] for token in text] for text in texts])
    np.put_along_axis(rows, indices[..., None], 1.0, axis=2)
    return rows


def _machine(machine):
    return arguments.instance("machine", machine, Machine)


def _texts(texts):
    if isinstance(texts, (str, bytes, dict)):
        arguments.refuse("texts", f"a {type(texts).__name__}", "a list of texts")
    return arguments.items("texts", texts, "a list of texts, at least one")
