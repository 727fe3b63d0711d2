"""How many pairs a softmax read keeps apart, from the law of the overlap of two random unit vectors.

The overlap s in R^d has density proportional to (1 - s^2)^((d-3)/2). Interference over signal is taken
in squares, averaged over independent unit values; a capacity is the number of pairs at which it is 1.
Source: the book's own derivation.
"""

from functools import lru_cache
import math

import numpy as np

from . import arguments

PANELS, NODES = 60, 12
MOST_T, MOST_D = 700, 2000  # the panels resolve these to 1e-12, and exp(-700) is still a float


def overlap_mean(phi, d):
    """E phi(s) for the overlap s of two random unit vectors in R^d; d: 2 to 2000.

    phi: a function of an array of overlaps. To 1e-12 where phi is smooth but for kinks at s = 0 and s = +-1/2.
    """
    phi, d = arguments.function("phi", phi), arguments.integer("d", d, 2, MOST_D)
    x, weights = _nodes()
    density = weights * np.sin(math.pi * x) ** (d - 2)
    values = arguments.array("phi", phi(np.cos(math.pi * x)), shape=x.shape)
    return float(density @ values / density.sum())


def exponential_moment(t, d):
    """E exp(t (s - 1)) for the overlap s of two random unit vectors in R^d; t: 0 to 700, d: 2 to 2000.

    Over the angle: integral of exp(t (cos a - 1)) sin(a)^(d-2), by Gauss-Legendre quadrature.
    """
    t, d = _moment_of(t, d)
    return math.exp(_log_integral(t, d, math.pi) - _log_integral(0, d, math.pi))


def tail_share(cut, d, t=0.0):
    """Share of E exp(t s) that overlaps above `cut` carry; at t = 0 the probability of such an overlap.

    cut: in [-1, 1]; t and d: as in exponential_moment.
    """
    cut = arguments.real("cut", cut, -1, 1)
    t, d = _moment_of(t, d)
    if cut == 1:
        return 0.0
    return math.exp(_log_integral(t, d, math.acos(cut)) - _log_integral(t, d, math.pi))


def squared_ratio(m, beta, d):
    """Expected squared interference over squared signal of a softmax read among m pairs.

    (m - 1) E exp(2 beta (s - 1)); m: number or array >= 1; beta: 0 to 350.
    """
    m = arguments.array("m", m, least=1)
    ratio = (m - 1) * exponential_moment(2 * _beta(beta), d)
    return float(ratio) if ratio.ndim == 0 else ratio


def softmax_capacity(beta, d):
    """Pairs at which squared_ratio is 1: 1 + 1 / E exp(2 beta (s - 1)) (float)."""
    return 1 + 1 / exponential_moment(2 * _beta(beta), d)


def gaussian_capacity(beta, d):
    """The same with overlaps taken as normal of variance 1/d: 1 + exp(2 beta (1 - beta/d)) (float)."""
    beta, d = _beta(beta), arguments.integer("d", d, 2, arguments.MOST_NUMBER)
    return 1 + math.exp(2 * beta * (1 - beta / d))


def hebbian_capacity(d):
    """Pairs at which the Hebbian read has squared interference 1, d + 1 (exact int)."""
    return arguments.integer("d", d, 1) + 1


def capacity_spread(beta, d):
    """Relative standard deviation over draws of the squared ratio at capacity (float).

    Root of E exp(4 beta (s - 1)) / E exp(2 beta (s - 1)) - E exp(2 beta (s - 1)).
    """
    beta = arguments.real("beta", beta, 0, MOST_T / 4)
    second, mean = exponential_moment(4 * beta, d), exponential_moment(2 * beta, d)
    return math.sqrt(max(second / mean - mean, 0))


def simulate_ratio(m, beta, d, draws, rng):
    """Squared interference over squared signal of a softmax read in each of `draws` draws of m keys.

    Sum over the m - 1 other keys of exp(2 beta (s - 1)), averaged over the values. Array (draws,).
    """
    m, d = arguments.size("m", m), arguments.integer("d", d, 2, arguments.MOST_NUMBER)
    beta, draws = _beta(beta), arguments.size("draws", draws)
    arguments.generator("rng", rng)
    shape = (d - 1) / 2  # (1 + s)/2 is Beta distributed
    halves = (rng.beta(shape, shape, size=m - 1) for _ in range(draws))
    return np.array([np.exp(4 * beta * (half - 1)).sum() for half in halves])


@lru_cache
def _nodes():
    """Nodes and weights on [0, 1]: Gauss-Legendre in each of many panels."""
    x, weights = np.polynomial.legendre.leggauss(NODES)
    x = (np.arange(PANELS)[:, None] + (x + 1) / 2) / PANELS
    return x.ravel(), np.tile(weights / 2 / PANELS, PANELS)


def _log_integral(t, d, top):
    """ln of the integral of exp(t (cos a - 1)) sin(a)^(d-2) over a from 0 to top."""
    x, weights = _nodes()
    angle = top * x
    logs = t * (np.cos(angle) - 1) + (d - 2) * np.log(np.sin(angle))
    best = logs.max()
    return best + math.log(weights @ np.exp(logs - best) * top)


def _moment_of(t, d):
    return arguments.real("t", t, 0, MOST_T), arguments.integer("d", d, 2, MOST_D)


def _beta(beta):
    return arguments.real("beta", beta, 0, MOST_T / 2)
