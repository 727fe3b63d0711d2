"""Why scores are divided by root d_k: random rows of scores at any key width.

Source: Vaswani et al. 2017, section 3.2.1 and its footnote; the closed form is standard.
"""

import math
from typing import NamedTuple

import numpy as np

from . import arguments
from .attention import softmax

DECIDED = 0.99  # a row whose best weight reaches this is decided
DRAWN_AT_ONCE = 2**20


class Rows(NamedTuple):
    """A set of rows: mean spread of their scores, mean largest weight, how many are decided (int)."""

    spread: float
    share: float
    decided: int


def random_scores(rows, m, d_k, rng, progress=None):
    """Scores (rows, m) of one query against m keys each, all entries independent standard normals.

    Drawn row by row, query first. progress: called with (rows done, rows) now and then.
    """
    rows, m = arguments.size("rows", rows), arguments.size("m", m)
    d_k, rng = arguments.size("d_k", d_k), arguments.generator("rng", rng)
    if progress is not None and not callable(progress):
        arguments.refuse("progress", repr(progress), "None or a function of (done, rows)")
    at_once = max(1, DRAWN_AT_ONCE // ((m + 1) * d_k))
    found = np.empty((rows, m))
    for start in range(0, rows, at_once):
        part = found[start : start + at_once]
        draws = rng.standard_normal((len(part), m + 1, d_k))
        part[:] = np.einsum("rc,rmc->rm", draws[:, 0], draws[:, 1:])
        if progress:
            progress(start + len(part), rows)
    return found


def row_statistics(scores, beta=1.0):
    """What rows of scores (rows, m), multiplied by beta >= 0, come to under a softmax (a Rows)."""
    scores = arguments.array("scores", scores, shape=(None, None))
    beta = arguments.real("beta", beta, least=0)
    share = softmax(scores, beta).max(axis=1)
    spread = beta * np.ptp(scores, axis=1).mean()
    return Rows(float(spread), float(share.mean()), int((share >= DECIDED).sum()))


def expected_spread(d_k):
    """Expected spread of four scores of standard normal entries, divided by root d_k.

    The range of four standard normals, 3/sqrt(pi) (1 + 2/pi arcsin 1/3), times the mean length of a
    query over root d_k; tends to the former as d_k grows.
    """
    d_k = arguments.integer("d_k", d_k, 1, 10**9)  # beyond, the difference of two lgammas loses its digits
    four = 3 / math.sqrt(math.pi) * (1 + 2 / math.pi * math.asin(1 / 3))
    length = math.exp(math.lgamma((d_k + 1) / 2) - math.lgamma(d_k / 2)) * math.sqrt(2 / d_k)
    return four * length
