"""One memory of (key, value) pairs: how a matrix is written, and how it, or the pairs, are read.

K (..., m, d_k) and V (..., m, d_v) hold keys and values as rows, in the order of writing; the state S
(..., d_v, d_k) is read by multiplication. Leading sizes are independent memories side by side. Sources:
Kohonen 1972 and Anderson 1972 (Hebbian), Widrow and Hoff 1960 (delta), Schlag, Irie and Schmidhuber
2021 (both as fast weights), Hinton and Plaut 1987 (decay); least squares: standard.
"""

import numpy as np

from . import arguments
from .attention import softmax

RULES = ("hebbian", "delta", "least squares", "recursive least squares")


@arguments.in_floats("S", "k", "eta")
def erase(S, k, rule="hebbian", eta=1.0, gamma=1.0):
    """What is left of the state before a pair is added: gamma S, for "delta" gamma S (I - eta k k^T).

    S: (..., d_v, d_k); k: (..., d_k); rule: "hebbian" or "delta"; eta >= 0: strength of the write;
    gamma in [0, 1]: decay.
    """
    S, k = _pair(S, k)
    return _erased(S, k, *_one_step(rule, eta, gamma))


@arguments.in_floats("S", "k", "v", "eta")
def step(S, k, v, rule="hebbian", eta=1.0, gamma=1.0):
    """The state after one more pair: erase(...) + eta v k^T, shape (..., d_v, d_k).

    v: (..., d_v), else as in erase. "hebbian" with gamma < 1 is the decay rule, with eta = 0 or 1 the
    gated one; "delta" is the gradient step S + eta (v - S k) k^T.
    """
    S, k = _pair(S, k)
    v = arguments.array("v", v, shape=S.shape[:-1])
    rule, eta, gamma = _one_step(rule, eta, gamma)
    return _erased(S, k, rule, eta, gamma) + eta * _outer(v, k)


@arguments.in_floats("S", "R", "k", "v")
def recursive_step(S, R, k, v):
    """State and inverse second moment (S, R) after one more pair of recursive least squares.

    S: (..., d_v, d_k); R: (..., d_k, d_k), symmetric, I / ridge at the start; k: (..., d_k);
    v: (..., d_v). The write is the delta write along R k / (1 + k . R k); R follows Sherman-Morrison.
    """
    S, k = _pair(S, k)
    v = arguments.array("v", v, shape=S.shape[:-1])
    R = arguments.array("R", R, shape=k.shape + k.shape[-1:])
    if not np.allclose(R, np.swapaxes(R, -1, -2), rtol=0, atol=1e-8 * np.abs(R).max()):
        arguments.refuse("R", "a matrix that is not symmetric", "a symmetric matrix")
    if (1 + (k * _times(R, k)).sum(axis=-1) <= 0).any():
        arguments.refuse("R", "1 + k . R k of at most 0", "a positive definite matrix")
    return _recursive(S, R, k, v)


def stream(K, V, rule="hebbian", eta=1.0, gamma=1.0, ridge=0.0):
    """Iterator over the states S_1 ... S_m after each pair, each (..., d_v, d_k); S_0 = 0.

    rule: one of RULES; eta: strength of the writes, a number or (m,) >= 0, for "hebbian" and "delta";
    gamma in [0, 1]: their decay per write; ridge >= 0: penalty of the least-squares rules (> 0 for the
    recursive one). "least squares" has the least norm among the best matrices.
    """
    K, V = _pairs(K, V)
    eta, gamma, ridge = _settings(rule, eta, gamma, ridge, K.shape[-2])
    return _checked(_stream(K, V, rule, eta, gamma, ridge), K, V, eta)


@arguments.in_floats("K", "V", "eta")
def write(K, V, rule="hebbian", eta=1.0, gamma=1.0, ridge=0.0):
    """The state after all pairs, shape (..., d_v, d_k); arguments as in stream."""
    K, V = _pairs(K, V)
    eta, gamma, ridge = _settings(rule, eta, gamma, ridge, K.shape[-2])
    if rule == "least squares":
        return _least_squares(K, V, ridge)
    for S in _stream(K, V, rule, eta, gamma, ridge):
        pass
    return S


@arguments.in_floats("S", "q")
def read(S, q):
    """Linear read S q: values weighted by similarity, shape (..., d_v) or (..., n, d_v).

    S: (..., d_v, d_k); q: (..., d_k), one query a state, or (..., n, d_k), n queries a state.
    """
    S = _state(S)
    Q, single = _queries(q, S.shape[:-2], S.shape[-1])
    found = Q @ np.swapaxes(S, -1, -2)
    return found[..., 0, :] if single else found


@arguments.in_floats("K", "V", "q")
def read_scored(K, V, q, phi):
    """Read of the pairs with a score of each similarity by itself, sum_i v_i phi(k_i . q).

    K, V: the pairs; q: as in read; phi: function of an array, entry by entry. With keys W_1 and values
    W_2^T this is the MLP W_2 phi(W_1 q); with the identity, the linear read. Source: Geva et al. 2021.
    """
    K, V = _pairs(K, V)
    Q, single = _queries(q, K.shape[:-2], K.shape[-1])
    similarity = Q @ np.swapaxes(K, -1, -2)
    scores = _called("phi", phi, similarity, shape=similarity.shape)
    found = scores @ V
    return found[..., 0, :] if single else found


@arguments.in_floats("K", "V", "q")
def read_kernel(K, V, q, kernel):
    """Kernel read, sum_i v_i w_i / sum_i w_i with w_i = kernel(q, k_i).

    K, V, q: as in read_scored; kernel: function of queries (..., n, d_k) and keys (..., m, d_k) that
    returns the weights (..., n, m). Refused if the weights of a query add up to 0. Source: Nadaraya and
    Watson 1964.
    """
    K, V = _pairs(K, V)
    Q, single = _queries(q, K.shape[:-2], K.shape[-1])
    weights = _called("kernel", kernel, Q, K, shape=Q.shape[:-1] + K.shape[-2:-1])
    total = weights.sum(axis=-1, keepdims=True)
    if (total == 0).any():
        arguments.refuse("kernel", "weights that add up to 0", "weights with a mean to divide by")
    found = weights @ V / total
    return found[..., 0, :] if single else found


@arguments.in_floats("K", "V", "q")
def read_cache(K, V, q, beta=1.0):
    """Softmax read sum_i a_i v_i with a = softmax(beta k_i . q) over all kept pairs.

    K, V, q: as in read_scored; beta: as in attention.softmax, inf for the value of the best key (the
    look-back).
    """
    K, V = _pairs(K, V)
    Q, single = _queries(q, K.shape[:-2], K.shape[-1])
    found = softmax(Q @ np.swapaxes(K, -1, -2), beta) @ V
    return found[..., 0, :] if single else found


def _outer(v, k):
    return v[..., :, None] * k[..., None, :]


def _times(S, k):
    return np.einsum("...ij,...j->...i", S, k)


def _erased(S, k, rule, eta, gamma):
    S = gamma * S
    return S - eta * _outer(_times(S, k), k) if rule == "delta" else S


def _recursive(S, R, k, v):
    Rk = _times(R, k)
    gain = Rk / (1 + (k * Rk).sum(axis=-1, keepdims=True))
    return S + _outer(v - _times(S, k), gain), R - _outer(gain, Rk)


def _least_squares(K, V, ridge):
    """By singular values, since K^T K squares a bad condition number."""
    U, s, W = np.linalg.svd(K, full_matrices=False)
    kept = s > s.max(axis=-1, keepdims=True) * max(K.shape[-2:]) * np.finfo(float).eps
    kept_s = np.where(kept, s, 1)  # s / (s^2 + ridge), where no square leaves the floats
    factors = np.where(kept, 1 / (kept_s + ridge / kept_s), 0)
    return np.swapaxes(V, -1, -2) @ U @ (factors[..., :, None] * W)


def _stream(K, V, rule, eta, gamma, ridge):
    d_k = K.shape[-1]
    S, R = np.zeros(V.shape[:-2] + (V.shape[-1], d_k)), np.eye(d_k) / (ridge or 1)
    for t in range(K.shape[-2]):
        k, v = K[..., t, :], V[..., t, :]
        if rule == "least squares":
            S = _least_squares(K[..., : t + 1, :], V[..., : t + 1, :], ridge)
        elif rule == "recursive least squares":
            S, R = _recursive(S, R, k, v)
        else:
            S = _erased(S, k, rule, eta[t], gamma) + eta[t] * _outer(v, k)
        yield S


def _checked(states, K, V, eta):
    """The states, as long as they are finite."""
    while True:
        with np.errstate(over="ignore", invalid="ignore"):
            S = next(states, None)
        if S is None:
            return
        if not np.isfinite(S).all():
            arguments.refuse_sizes({"K": K, "V": V, "eta": eta})
        yield S


def _state(S):
    S = arguments.array("S", S)
    if S.ndim < 2 or S.size == 0:
        arguments.refuse("S", f"shape {S.shape}", "shape (..., d_v, d_k)")
    return S


def _pair(S, k):
    S = _state(S)
    return S, arguments.array("k", k, shape=S.shape[:-2] + S.shape[-1:])


def _pairs(K, V):
    K = arguments.array("K", K)
    if K.ndim < 2 or K.size == 0:
        arguments.refuse("K", f"shape {K.shape}", "shape (..., m, d_k)")
    return K, arguments.array("V", V, shape=K.shape[:-1] + (None,))


def _queries(q, leading, d_k):
    """Queries as (..., n, d_k), and whether there was a single one for each memory."""
    q = arguments.array("q", q)
    single = q.ndim == len(leading) + 1
    q = arguments.array("q", q, shape=leading + ((d_k,) if single else (None, d_k)))
    return (q[..., None, :] if single else q), single


def _called(name, function, *arrays, shape):
    return arguments.array(name, arguments.function(name, function)(*arrays), shape=shape)


def _one_step(rule, eta, gamma):
    rule = arguments.choice("rule", rule, RULES[:2])
    return rule, arguments.real("eta", eta, least=0), arguments.real("gamma", gamma, 0, 1)


def _settings(rule, eta, gamma, ridge, m):
    """eta as (m,), gamma and ridge, checked; what the rule does not have must keep its default."""
    stepwise = arguments.choice("rule", rule, RULES) in RULES[:2]
    eta = arguments.array("eta", eta, least=0)
    if eta.shape not in ((), (m,)):
        arguments.refuse("eta", f"shape {eta.shape}", f"a number or shape ({m},)")
    gamma, ridge = arguments.real("gamma", gamma, 0, 1), arguments.real("ridge", ridge, least=0)
    if not stepwise and (eta != 1).any():
        arguments.refuse("eta", eta, f"1, as {rule} has no strength")
    if not stepwise and gamma != 1:
        arguments.refuse("gamma", gamma, f"1, as {rule} has no decay")
    if stepwise and ridge != 0:
        arguments.refuse("ridge", ridge, f"0, as {rule} has no penalty")
    if rule == RULES[3] and ridge == 0:
        arguments.refuse("ridge", ridge, "a penalty above 0 for recursive least squares")
    return np.broadcast_to(eta, (m,)), gamma, ridge
