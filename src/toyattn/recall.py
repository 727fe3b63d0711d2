"""How well random pairs come back from the memory: expected errors in closed form, and simulations.

Keys are independent and uniform on the unit sphere of R^d, values independent of them; an error is the
squared distance between a read and the stored unit value, so that the empty answer 0 costs 1. Source:
the book's own derivations.
"""

import math
from typing import NamedTuple

import numpy as np

from . import arguments, memory


class Recall(NamedTuple):
    """After 1 ... m pairs: share of right names and mean squared interference, both (m, trials)."""

    right: np.ndarray
    interference: np.ndarray


def unit_vectors(shape, rng):
    """Independent vectors uniform on the unit sphere, an array of this shape (..., d)."""
    shape = arguments.array("shape", shape, shape=(None,), integers=True, least=1)
    found = arguments.generator("rng", rng).standard_normal(tuple(shape))
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def hebbian_error(m, d):
    """Expected squared error (interference) of a Hebbian read among m pairs, (m - 1)/d.

    m: number or array >= 1.
    """
    m = arguments.array("m", m, least=1)
    error = (m - 1) / arguments.integer("d", d, 1, arguments.MOST_NUMBER)
    return float(error) if error.ndim == 0 else error


def least_squares_error(m, d):
    """Expected squared error of a least-squares read, mean over the m pairs, max(0, 1 - d/m).

    m: number or array >= 1.
    """
    m = arguments.array("m", m, least=1)
    error = np.maximum(1 - arguments.integer("d", d, 1, arguments.MOST_NUMBER) / m, 0)
    return float(error) if error.ndim == 0 else error


def decay_error(age, n, gamma, d):
    """Expected squared error of a decayed Hebbian read of a pair with `age` writes after it, n in all.

    Lost signal (1 - gamma^age)^2 plus noise (sum_{b<n} gamma^(2b) - gamma^(2 age)) / d; age: whole
    number in 0 ... n - 1 or an array of them. gamma = 1 gives hebbian_error.
    """
    n, d = arguments.size("n", n), arguments.integer("d", d, 1, arguments.MOST_NUMBER)
    age = arguments.array("age", age, integers=True, least=0, most=n - 1)
    gamma = arguments.real("gamma", gamma, 0, 1)
    noise = (gamma ** (2 * np.arange(n))).sum() - gamma ** (2 * age)
    error = (1 - gamma**age) ** 2 + noise / d
    return float(error) if error.ndim == 0 else error


def decay_crossing(n, gamma, d):
    """First age at which the decayed read is worse than the empty answer (None if at no age below n)."""
    n = arguments.size("n", n)
    above = np.flatnonzero(decay_error(np.arange(n), n, gamma, d) > 1)
    return int(above[0]) if len(above) else None


def delta_errors(n, d):
    """Expected squared errors of one delta pass (eta = 1) over n pairs, by age 0 ... n - 1: array (n,).

    A = E|e|^2 and B = E e.v for the error e of each stored pair, and G = E|S|^2 obey a closed recursion
    in the writes, from E (k.k')^2 = 1/d and the fourth moments of the sphere.
    """
    n, d = arguments.size("n", n), arguments.integer("d", d, 1, arguments.MOST_NUMBER)
    A, B, G = np.zeros(1), np.zeros(1), 1.0
    for _ in range(n - 1):
        A_next = A + 2 * (B - A) / d + 1 / d + (G + 2 * (1 - 2 * B + A)) / (d * (d + 2))
        A, B, G = np.append(0, A_next), np.append(0, B + (1 - B) / d), G * (1 - 1 / d) + 1
    return A


def recall_probability(m, d, N):
    """Chance that the right one of N one-hot names scores highest, with the interference as Gaussian.

    Integral of the normal density times Phi(z + 1/s)^(N-1) over z, with s^2 = (m - 1)/(N d); m: a number
    >= 1. An approximation to the Hebbian memory. By the trapezoidal rule, to about 1e-12.
    """
    N = arguments.integer("N", N, 2, arguments.MOST_NUMBER)
    s = math.sqrt(hebbian_error(arguments.real("m", m, least=1), d) / N)
    if s == 0:
        return 1.0
    z = np.linspace(-12, 12, 961)
    below = [math.erfc(-(x + 1 / s) / math.sqrt(2)) / 2 for x in z]
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return float(density @ np.power(below, N - 1) * (z[1] - z[0]))


@arguments.in_floats("eta")
def simulate_recall(m, d, N, rng, trials=200, queries=8, rule="hebbian", eta=1.0, gamma=1.0, ridge=0.0):
    """Memories with random keys and one-hot names, asked after every write (a Recall).

    Each trial writes m pairs, each with a name drawn from N; after t of them the first `queries` keys
    (all t, if fewer) are asked, and the name of the largest entry is the answer. The queries of a trial
    share one memory, and the rows share their trials. rule, eta, gamma and ridge: as in memory.stream.
    """
    m, d, N = arguments.size("m", m), arguments.size("d", d), arguments.size("N", N, 2)
    trials, queries = arguments.size("trials", trials), arguments.size("queries", queries)
    K = unit_vectors((trials, m, d), rng)
    names = rng.integers(N, size=(trials, m))
    V = np.eye(N)[names]
    right, interference = np.empty((2, m, trials))
    for t, S in enumerate(memory.stream(K, V, rule, eta, gamma, ridge)):
        asked = slice(min(t + 1, queries))
        found = memory.read(S, K[:, asked])
        right[t] = (found.argmax(axis=-1) == names[:, asked]).mean(axis=-1)
        interference[t] = ((found - V[:, asked]) ** 2).sum(axis=-1).mean(axis=-1)
    return Recall(right, interference)


@arguments.in_floats("eta")
def simulate_errors(m, d, rule, rng, trials=200, eta=1.0, gamma=1.0, ridge=0.0):
    """Squared errors of all m pairs after the last write, in the order of writing: (trials, m).

    Keys and values are random unit vectors of R^d; rule, eta, gamma and ridge: as in memory.stream.
    """
    K, V = _random_pairs(m, d, trials, rng)
    found = memory.read(memory.write(K, V, rule, eta, gamma, ridge), K)
    return ((found - V) ** 2).sum(axis=-1)


def simulate_cache_errors(m, d, beta, rng, trials=200):
    """The same for the softmax read of all m kept pairs at inverse temperature beta: (trials, m)."""
    K, V = _random_pairs(m, d, trials, rng)
    return ((memory.read_cache(K, V, K, beta) - V) ** 2).sum(axis=-1)


def _random_pairs(m, d, trials, rng):
    m, d = arguments.size("m", m), arguments.size("d", d)
    return unit_vectors((2, arguments.size("trials", trials), m, d), rng)
