"""Attention: scores, softmax, a mean of values. The one softmax and the one attention of the book.

Rows are tokens. Source: Vaswani et al. 2017, section 3.2.1; Bahdanau, Cho and Bengio 2014 for the soft
alignment; the rest is standard.
"""

import math
from typing import NamedTuple

import numpy as np

from . import arguments, information


class Read(NamedTuple):
    """One read: scores Q K^T before mask and beta, weights (rows add up to 1), outputs weights V."""

    scores: np.ndarray
    weights: np.ndarray
    outputs: np.ndarray


def softmax(scores, beta=1.0):
    """Weights proportional to exp(beta * score) along the last axis.

    scores: (..., m); -inf hides a position (weight 0 at every beta), but one in each row must be
    finite. beta: inverse temperature, any real or +-inf: 0 gives equal weights, inf the best
    positions only (ties share), -inf the worst. The best score is subtracted first, so no finite
    score overflows.
    """
    scores = _scores("scores", scores)
    if scores.ndim == 0 or scores.shape[-1] == 0:
        arguments.refuse("scores", f"shape {scores.shape}", "at least one score in a row")
    return _softmax(scores, _beta(beta))


@arguments.in_floats("scores", "beta")
def log_partition(scores, beta=1.0):
    """ln Z = ln sum_j exp(beta s_j) along the last axis (float or array); scores as in softmax."""
    beta = arguments.real("beta", beta)
    weights = softmax(scores, beta)
    place = weights.argmax(axis=-1)[..., None]
    best, share = (np.take_along_axis(np.asarray(x, dtype=float), place, -1) for x in (scores, weights))
    total = (beta * best - np.log(share))[..., 0]
    return float(total) if total.ndim == 0 else total


def jacobian(weights, beta=1.0):
    """Derivatives of softmax weights in the scores, beta a_i (delta_ij - a_j), shape (m, m).

    weights: (m,), a distribution. All zeros at a one-hot: a saturated softmax passes no gradient.
    """
    a = arguments.distribution("weights", weights, shape=(None,))
    return arguments.real("beta", beta) * (np.diag(a) - np.outer(a, a))


def concentration(weights):
    """Sum of the squared weights along the last axis: 1/m if equal, 1 at a one-hot.

    1 minus it is the trace of the Jacobian at beta = 1. weights: (..., m), rows add up to 1.
    """
    weights = arguments.distribution("weights", weights, axis=-1)
    return np.sum(weights**2, axis=-1)


def entropies(weights):
    """Entropy in nats of each row of weights, shape (...) for weights (..., m)."""
    weights = arguments.distribution("weights", weights, axis=-1)
    return np.sum(weights * information.cost(np.where(weights > 0, weights, 1)), axis=-1)


def causal_mask(n):
    """Booleans (n, n): True where row i may read column j, j <= i."""
    return np.tri(arguments.size("n", n), dtype=bool)


@arguments.in_floats("Q", "K", "V")
def attention(Q, K, V, beta=None, mask=None, product=np.matmul):
    """Read the values V at the keys K with the queries Q (a Read).

    Q: (n_q, d_k), K: (m, d_k), V: (m, d_v). beta: as in softmax, 1/sqrt(d_k) if None. mask: None,
    "causal" (needs n_q = m), or booleans (n_q, m), True where reading is allowed, at least once a row.
    product: the matrix product, called for the scores and then for the outputs.
    """
    Q = arguments.array("Q", Q, shape=(None, None))
    K = arguments.array("K", K, shape=(None, Q.shape[1]))
    V = arguments.array("V", V, shape=(len(K), None))
    beta = 1 / math.sqrt(Q.shape[1]) if beta is None else _beta(beta)
    mask = _mask(mask, (len(Q), len(K)))
    arguments.function("product", product, "a matrix product")
    scores = product(Q, K.T)
    weights = _softmax(scores if mask is None else np.where(mask, scores, -np.inf), beta)
    return Read(scores, weights, product(weights, V))


def _softmax(scores, beta):
    if beta < 0:
        scores, beta = np.where(scores > -np.inf, -scores, -np.inf), -beta
    best = scores.max(axis=-1, keepdims=True)
    if not np.isfinite(best).all():
        worst = best[~np.isfinite(best)][0]
        arguments.refuse("scores", f"{worst} as the best of a row", "a finite score in each row")
    if beta == 0:
        powers = (scores > -np.inf).astype(float)
    elif beta == np.inf:
        powers = (scores == best).astype(float)
    else:
        with np.errstate(over="ignore", under="ignore"):
            powers = scores - best
            powers *= beta
            np.exp(powers, out=powers)
    powers /= powers.sum(axis=-1, keepdims=True)
    return powers


def _scores(name, value):
    try:
        hidden = np.isneginf(value)
    except (TypeError, ValueError):
        return arguments.array(name, value)
    if not hidden.any():
        return arguments.array(name, value)
    return np.where(hidden, -np.inf, arguments.array(name, np.where(hidden, 0.0, value)))


def _beta(beta):
    infinite = isinstance(beta, float) and math.isinf(beta)
    return float(beta) if infinite else arguments.real("beta", beta)


def _mask(mask, shape):
    wanted = f'None, "causal" or booleans of shape {shape}'
    if mask is None:
        return None
    if isinstance(mask, str):
        if mask != "causal" or shape[0] != shape[1]:
            arguments.refuse("mask", f"{mask!r} for shape {shape}", wanted)
        return causal_mask(shape[0])
    try:
        mask = np.asarray(mask)
    except ValueError:
        arguments.refuse("mask", "rows of unequal length", wanted)
    if mask.dtype != bool or mask.shape != shape:
        arguments.refuse("mask", f"{mask.dtype} of shape {mask.shape}", wanted)
    if not mask.any(axis=1).all():
        arguments.refuse("mask", "a row that may read nothing", "a position to read in each row")
    return mask
