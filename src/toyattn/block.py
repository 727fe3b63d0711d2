"""The block: a residual stream that attention and an MLP read and add to.

Source: Vaswani et al. 2017; Ba, Kiros and Hinton 2016 for layer norm; pre-norm form. The random stack
is the book's own.
"""

from dataclasses import dataclass, replace

import numpy as np

from . import arguments
from .projections import Projections, head_list, multi_head, random_head

ACTIVATIONS = {"relu": lambda x: np.maximum(x, 0), "tanh": np.tanh}


@dataclass(frozen=True, eq=False)
class Block:
    """One block as data: heads (tuple of Projections), W_1 (d, d_ff), W_2 (d_ff, d), and its form.

    activation: a name in ACTIVATIONS; norm: whether each sublayer reads the layer norm of the stream.
    """

    heads: tuple[Projections, ...]
    W_1: np.ndarray
    W_2: np.ndarray
    activation: str = "relu"
    norm: bool = True

    def __post_init__(self):
        object.__setattr__(self, "heads", head_list("heads", self.heads))
        object.__setattr__(self, "W_1", arguments.array("W_1", self.W_1, shape=(self.d, None)))
        shape = self.W_1.shape[::-1]
        object.__setattr__(self, "W_2", arguments.array("W_2", self.W_2, shape=shape))
        arguments.choice("activation", self.activation, ACTIVATIONS)
        object.__setattr__(self, "norm", arguments.boolean("norm", self.norm))

    @property
    def d(self):
        """Width of the stream."""
        return self.heads[0].d


@arguments.in_floats("X", "gain", "shift")
def layer_norm(X, gain=1.0, shift=0.0):
    """Each row to mean 0 and norm sqrt(d), then times gain plus shift.

    X: (..., d), no row constant; gain, shift: a number or (d,). The sd is that of the population.
    """
    X = arguments.array("X", X)
    if X.ndim == 0 or X.size == 0:
        arguments.refuse("X", f"shape {X.shape}", "rows of at least one number")
    gain, shift = _per_coordinate("gain", gain, X), _per_coordinate("shift", shift, X)
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=-1, keepdims=True))[1])  # squares neither overflow nor vanish
    sd = X.std(axis=-1, keepdims=True)
    if (np.ptp(X, axis=-1) == 0).any() or not sd.all():
        arguments.refuse("X", "a constant row", "rows that vary")
    return gain * (X - X.mean(axis=-1, keepdims=True)) / sd + shift


@arguments.in_floats("X", "W_1", "b_1")
def hidden(X, W_1, b_1=0.0, activation="relu"):
    """Hidden units of an MLP, phi(X W_1 + b_1), shape (n, d_ff).

    X: (n, d), W_1: (d, d_ff), b_1: a number or (d_ff,), activation: a name in ACTIVATIONS.
    """
    X = arguments.array("X", X, shape=(None, None))
    W_1 = arguments.array("W_1", W_1, shape=(X.shape[1], None))
    b_1 = _per_coordinate("b_1", b_1, W_1)
    return ACTIVATIONS[arguments.choice("activation", activation, ACTIVATIONS)](X @ W_1 + b_1)


@arguments.in_floats("X", "W_1", "W_2", "b_1")
def mlp(X, W_1, W_2, b_1=0.0, activation="relu"):
    """hidden(...) W_2, token by token: the rows of W_2 (d_ff, d_out) with the hidden units as weights."""
    units = hidden(X, W_1, b_1, activation)
    return units @ arguments.array("W_2", W_2, shape=(units.shape[1], None))


@arguments.in_floats("X")
def run(X, block, mask=None, beta=None):
    """The stream (n, d) after one block: X + Attn(LN X), then + MLP(LN of that)."""
    arguments.instance("block", block, Block)
    X = arguments.array("X", X, shape=(None, block.d))
    read = layer_norm if block.norm else np.asarray
    X = X + multi_head(read(X), block.heads, beta, mask)
    return X + mlp(read(X), block.W_1, block.W_2, activation=block.activation)


@arguments.in_floats("X")
def stack(X, blocks, masks=None, beta=None):
    """The streams of a stack: a list of X and of the stream after each block.

    blocks: list of Block of one width; masks: one mask for each (as in attention), None for none.
    """
    if not isinstance(blocks, (list, tuple)) or not blocks:
        arguments.refuse("blocks", repr(blocks), "a list of Block")
    if len({arguments.instance("blocks", block, Block).d for block in blocks}) > 1:
        arguments.refuse("blocks", "blocks of different widths", "blocks on one stream")
    masks = [None] * len(blocks) if masks is None else masks
    if not isinstance(masks, (list, tuple)) or len(masks) != len(blocks):
        arguments.refuse("masks", repr(masks), f"a list of {len(blocks)} masks")
    streams = [arguments.array("X", X, shape=(None, blocks[0].d))]
    for block, mask in zip(blocks, masks):
        streams.append(run(streams[-1], block, mask, beta))
    return streams


def random_blocks(layers, d, d_ff, rng):
    """Blocks of the random model: one head of width d without W_O, tanh MLP, no norm (tuple of Block).

    Entries are normal with standard deviation one over root fan-in.
    """
    layers, d = arguments.size("layers", layers), arguments.size("d", d)
    d_ff, rng = arguments.size("d_ff", d_ff), arguments.generator("rng", rng)
    blocks = []
    for _ in range(layers):
        W = replace(random_head(d, d, d, rng), W_O=None)
        W_1 = rng.standard_normal((d, d_ff)) / np.sqrt(d)
        W_2 = rng.standard_normal((d_ff, d)) / np.sqrt(d_ff)
        blocks.append(Block((W,), W_1, W_2, "tanh", norm=False))
    return tuple(blocks)


def random_embedding(types, d, rng):
    """Vectors (types, d) of the random model, normal entries with standard deviation 0.7."""
    shape = arguments.size("types", types), arguments.size("d", d)
    return 0.7 * arguments.generator("rng", rng).standard_normal(shape)


@arguments.in_floats("A", "B")
def rows_without_partner(A, B, tolerance=1e-9):
    """Indices of the rows of A (n, d) that equal no row of B (m, d) up to the tolerance (tuple of ints)."""
    A = arguments.array("A", A, shape=(None, None))
    B = arguments.array("B", B, shape=(None, A.shape[1]))
    tolerance = arguments.real("tolerance", tolerance, least=0)
    gaps = np.abs(A[:, None] - B).max(axis=-1)
    return tuple(int(i) for i in np.flatnonzero(gaps.min(axis=1) > tolerance))


def _per_coordinate(name, value, X):
    value = arguments.array(name, value)
    if value.shape not in ((), X.shape[-1:]):
        arguments.refuse(name, f"shape {value.shape}", f"a number or shape {X.shape[-1:]}")
    return value
