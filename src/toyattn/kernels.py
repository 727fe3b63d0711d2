"""Kernels and feature maps: what attention becomes when its weights are an inner product of features.

Then the pairs fold into a matrix state. Source: Katharopoulos, Vyas, Pappas and Fleuret 2020; Nadaraya
and Watson 1964 (smoother); Ramsauer et al. 2020 (energy); the tensor features are standard.
"""

import math

import numpy as np

from . import arguments, memory
from .attention import log_partition, softmax
from .pointer import exponential_series
from .recall import unit_vectors

MOST_FEATURES = 10**6
MOST_DEGREE = 10**4


def elu_plus_one(x):
    """Positive feature map, entry by entry: x + 1 above 0, e^x below."""
    x = arguments.array("x", x)
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


@arguments.in_floats("x", "beta")
def tensor_features(x, P, beta=1.0):
    """Tensor powers of x up to degree P, scaled by root(beta^p / p!), side by side.

    x: (..., d_k); beta >= 0. Shape (..., D) with D the sum of d_k^p for p = 0 ... P, at most 10^6. Inner
    products are exponential_series(x . y, beta, P).
    """
    x, beta = arguments.array("x", x), arguments.real("beta", beta, least=0)
    if x.ndim == 0 or x.size == 0:
        arguments.refuse("x", f"shape {x.shape}", "shape (..., d_k)")
    P = arguments.integer("P", P, 0, MOST_DEGREE)
    if sum(x.shape[-1] ** p for p in range(P + 1)) > MOST_FEATURES:
        arguments.refuse("P", P, f"a degree of at most {MOST_FEATURES} features")
    power = np.ones(x.shape[:-1] + (1,))
    found = [power]
    for p in range(1, P + 1):
        power = math.sqrt(beta / p) * (power[..., :, None] * x[..., None, :]).reshape(*x.shape[:-1], -1)
        found.append(power)
    return np.concatenate(found, axis=-1)


def truncated(P, beta=1.0):
    """The kernel exp(beta q . k) cut after power P; with an odd P a weight may be negative."""
    P, beta = arguments.integer("P", P, 0, MOST_DEGREE), arguments.real("beta", beta, least=0)
    return lambda Q, K: exponential_series(Q @ np.swapaxes(K, -1, -2), beta, P)


def gaussian(beta=1.0):
    """The kernel exp(-beta |q - k|^2 / 2), of bandwidth 1 / root beta."""
    beta = arguments.real("beta", beta, least=0)

    def kernel(Q, K):
        return np.exp(-beta / 2 * _squared_distances(Q, K))

    return kernel


@arguments.in_floats("Q", "K", "V")
def linear_attention(Q, K, V, psi=None, normalize=False):
    """Causal attention with weights psi(q_t) . psi(k_i), i <= t, as a masked product: (..., n, d_v).

    Q, K: (..., n, d_k); V: (..., n, d_v); psi: feature map, the identity if None. normalize: divide by
    the sum of the weights, refused where it is 0.
    """
    Q, K, V = _causal(Q, K, V, psi, normalize)
    weights = np.tril(Q @ np.swapaxes(K, -1, -2))
    outputs = weights @ V
    return _divided(outputs, weights.sum(axis=-1, keepdims=True)) if normalize else outputs


@arguments.in_floats("Q", "K", "V")
def linear_attention_by_state(Q, K, V, psi=None, normalize=False):
    """The same outputs token by token, from the Hebbian state S_t and the sum z_t of the features.

    Arguments as in linear_attention. z_t is kept as one more row of the state, with the value 1.
    """
    Q, K, V = _causal(Q, K, V, psi, normalize)
    V_and_1 = np.concatenate([V, np.ones_like(V[..., :1])], axis=-1)
    reads = [memory.read(S, Q[..., t, :]) for t, S in enumerate(memory.stream(K, V_and_1))]
    found = np.stack(reads, axis=-2)
    return _divided(found[..., :-1], found[..., -1:]) if normalize else found[..., :-1]


@arguments.in_floats("xi", "X", "beta")
def hopfield_energy(xi, X, beta=1.0):
    """Energy -ln(sum_i exp(beta x_i . xi)) / beta + xi . xi / 2 of a state xi among the patterns x_i.

    xi: (d,); X: (m, d), patterns as rows; beta > 0. Returns a float. The gradient is
    xi - memory.read_cache(X, X, xi, beta), so that a softmax read is a step to lower energy.
    """
    X = arguments.array("X", X, shape=(None, None))
    xi = arguments.array("xi", xi, shape=X.shape[1:])
    beta = arguments.real("beta", beta, least=0)
    if beta == 0:
        arguments.refuse("beta", beta, "a number above 0")
    return float(xi @ xi / 2 - log_partition(X @ xi, beta) / beta)


@arguments.in_floats("beta")
def truncation_distances(P, rng, draws=1, m=12, d_k=5, d_v=4, beta=0.5):
    """Distance between the read cut at degree P and the softmax read in each draw: array (draws,).

    A draw: m keys, m values and a query of independent standard normal entries.
    """
    kernel, draws = truncated(P, beta), arguments.size("draws", draws)
    m, d_k = arguments.size("m", m), arguments.size("d_k", d_k)
    d_v, rng = arguments.size("d_v", d_v), arguments.generator("rng", rng)
    K, V, q = (rng.standard_normal((draws, *shape)) for shape in ((m, d_k), (m, d_v), (d_k,)))
    difference = memory.read_kernel(K, V, q, kernel) - memory.read_cache(K, V, q, beta)
    return np.linalg.norm(difference, axis=-1)


@arguments.in_floats("scale", "beta")
def smoother_distances(rng, draws=1, scale=(0.7, 1.24), m=20, d=6, beta=3.0):
    """Distance of softmax read and Gaussian smoother, and length of the softmax read: (2, draws).

    A draw: m unit keys, each then scaled by a factor uniform between the two of `scale`, m unit values
    and a unit query, all in R^d. Keys of one length ((1, 1)) give distance 0.
    """
    beta, draws = arguments.real("beta", beta, least=0), arguments.size("draws", draws)
    m, d = arguments.size("m", m), arguments.size("d", d)
    low, high = arguments.array("scale", scale, shape=(2,), least=0)
    K, V = unit_vectors((2, draws, m, d), rng)
    q = unit_vectors((draws, d), rng)
    K = K * rng.uniform(min(low, high), max(low, high), size=(draws, m, 1))
    read = memory.read_cache(K, V, q, beta)
    smoother = lambda Q, K: softmax(-_squared_distances(Q, K) / 2, beta)  # no weight below the floats
    difference = read - memory.read_kernel(K, V, q, smoother)
    return np.linalg.norm([difference, read], axis=-1)


def _squared_distances(Q, K):
    return ((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(axis=-1)


def _features(psi, x):
    return arguments.array("psi", psi(x), shape=x.shape[:-1] + (None,))


def _causal(Q, K, V, psi, normalize):
    """Features of the queries and keys, and the values, checked."""
    arguments.boolean("normalize", normalize)
    K = arguments.array("K", K)
    if K.ndim < 2 or K.size == 0:
        arguments.refuse("K", f"shape {K.shape}", "shape (..., n, d_k)")
    Q = arguments.array("Q", Q, shape=K.shape)
    V = arguments.array("V", V, shape=K.shape[:-1] + (None,))
    if psi is None:
        return Q, K, V
    arguments.function("psi", psi)
    return _features(psi, Q), _features(psi, K), V


def _divided(outputs, total):
    if (total == 0).any():
        arguments.refuse("normalize", "weights that add up to 0", "weights with a mean to divide by")
    return outputs / total
