"""Learned readings of one vector: heads, their sum, the freedom in their matrices, and the cache.

Source: Vaswani et al. 2017, section 3.2; gauge freedom, counts and cache are standard.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from . import arguments
from .attention import attention


@dataclass(frozen=True, eq=False)
class Projections:
    """The matrices of one head: W_Q, W_K (d, d_k), W_V (d, d_v), W_O (d_v, d) or None for no write map."""

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray | None = None

    def __post_init__(self):
        W_Q, W_K = _pair(self.W_Q, self.W_K)
        W_V = arguments.array("W_V", self.W_V, shape=(len(W_Q), None))
        W_O = self.W_O
        if W_O is not None:
            W_O = arguments.array("W_O", W_O, shape=(W_V.shape[1], len(W_Q)))
        for name, matrix in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V), ("W_O", W_O)):
            object.__setattr__(self, name, matrix)

    @property
    def d(self):
        """Width of the rows that the head reads."""
        return len(self.W_Q)


class HeadPass(NamedTuple):
    """All that one head makes of the rows X; `write` is outputs W_O, or the outputs without a W_O."""

    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    outputs: np.ndarray
    write: np.ndarray


@arguments.in_floats("X")
def project(X, W, product=np.matmul):
    """Queries, keys and values of the rows X (n, d) under a head's Projections W."""
    arguments.instance("W", W, Projections)
    X = arguments.array("X", X, shape=(None, W.d))
    arguments.function("product", product, "a matrix product")
    return product(X, W.W_Q), product(X, W.W_K), product(X, W.W_V)


@arguments.in_floats("X")
def head(X, W, beta=None, mask=None, product=np.matmul):
    """One head on the rows X (n, d), a HeadPass; beta, mask and product as in attention."""
    Q, K, V = project(X, W, product)
    read = attention(Q, K, V, beta, mask, product)
    write = read.outputs if W.W_O is None else product(read.outputs, W.W_O)
    return HeadPass(Q, K, V, *read, write)


@arguments.in_floats("X")
def multi_head(X, heads, beta=None, mask=None):
    """Sum of the writes of several heads on X (n, d); the same as concatenation followed by one W_O."""
    heads = head_list("heads", heads)
    return sum(head(X, W, beta, mask).write for W in heads)


def head_list(name, heads):
    """A tuple of Projections that read rows of one width and write rows of one width, at least one."""
    if not isinstance(heads, (list, tuple)) or not heads:
        arguments.refuse(name, repr(heads), "a list of Projections")
    for W in heads:
        arguments.instance(name, W, Projections)
    if len({(W.d, W.W_V.shape[1] if W.W_O is None else W.d) for W in heads}) > 1:
        arguments.refuse(name, "heads of different widths", "heads that read and write one stream")
    return tuple(heads)


def split(W_Q, W_K, W_V, W_O, n_h):
    """The n_h heads inside matrices of d columns: column blocks, and row blocks of W_O.

    W_Q, W_K, W_V: (d, n_h d_k); W_O: (n_h d_k, d). Returns a tuple of Projections.
    """
    n_h = arguments.integer("n_h", n_h, 1)
    W_Q = arguments.array("W_Q", W_Q, shape=(None, None))
    W_K = arguments.array("W_K", W_K, shape=W_Q.shape)
    W_V = arguments.array("W_V", W_V, shape=W_Q.shape)
    W_O = arguments.array("W_O", W_O, shape=W_Q.shape[::-1])
    if W_Q.shape[1] % n_h:
        arguments.refuse("n_h", n_h, f"a divisor of {W_Q.shape[1]}")
    columns = (np.split(W, n_h, axis=1) for W in (W_Q, W_K, W_V))
    return tuple(map(Projections, *columns, np.split(W_O, n_h)))


def random_head(d, d_k, d_v, rng):
    """A head of independent normal entries with standard deviation one over root fan-in."""
    d, d_k = arguments.size("d", d), arguments.size("d_k", d_k)
    d_v, rng = arguments.size("d_v", d_v), arguments.generator("rng", rng)
    shapes = (d, d_k), (d, d_k), (d, d_v), (d_v, d)
    return Projections(*(rng.standard_normal(shape) / np.sqrt(shape[0]) for shape in shapes))


@arguments.in_floats("W_Q", "W_K", "G")
def regauge(W_Q, W_K, G):
    """Another pair with the same product W_Q W_K^T: (W_Q G, W_K G^-T) for an invertible G (d_k, d_k)."""
    W_Q, W_K = _pair(W_Q, W_K)
    G = arguments.array("G", G, shape=(W_Q.shape[1],) * 2)
    if np.linalg.matrix_rank(G) < len(G):
        arguments.refuse("G", "a singular matrix", "an invertible one")
    return W_Q @ G, W_K @ np.linalg.inv(G).T


def tangent_rank(W_Q, W_K):
    """Directions in which W_Q W_K^T can move, rank of (dQ, dK) -> dQ W_K^T + W_Q dK^T (int)."""
    W_Q, W_K = _pair(W_Q, W_K)
    eye = np.eye(len(W_Q))
    by_Q = np.kron(eye, W_K)
    by_K = np.kron(W_Q, eye)
    return int(np.linalg.matrix_rank(np.hstack([by_Q, by_K])))


def family_dimension(d, d_k):
    """Dimension of the d by d matrices of rank d_k: d_k (2 d - d_k) (exact int; d_k <= d)."""
    d = arguments.integer("d", d, 1)
    return (d_k := arguments.integer("d_k", d_k, 1, d)) * (2 * d - d_k)


@arguments.in_floats("X")
def generate(X, W, beta=None):
    """The causal head run token by token with stored keys and values; its writes (n, d).

    X: (n, d) rows, W: Projections. Equal to head(X, W, beta, "causal").write up to rounding.
    """
    arguments.instance("W", W, Projections)
    X = arguments.array("X", X, shape=(None, W.d))
    writes, keys, values = [], [], []
    for x in X[:, None]:
        q, k, v = project(x, W)
        keys.append(k)
        values.append(v)
        outputs = attention(q, np.vstack(keys), np.vstack(values), beta).outputs
        writes.append(outputs if W.W_O is None else outputs @ W.W_O)
    return np.vstack(writes)


def _pair(W_Q, W_K):
    W_Q = arguments.array("W_Q", W_Q, shape=(None, None))
    return W_Q, arguments.array("W_K", W_K, shape=W_Q.shape)
