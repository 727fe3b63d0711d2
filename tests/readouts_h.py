"""The note H: every number of its explorers against a second computation that never calls toyattn."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import count

import numpy as np
from readouts import nearly, softmax

PAGES = ("book/h/",)
TOKENS = [(0, 1, 0, 0.5), (1, 0, 0, 0), (0, 0, 1, 1), (1, 0, 0, 0)]  # lone digit, has a year, has a count, portion
MATRICES = dict(
    query=[(0, 0, 2, 0), (3, 0, 0, 0), (0.5, 0, 0, 0), (0, 0.5, 0, 0)],
    key=[(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0.5), (0, 0, 0, 1)],
    value=[(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0.5, 0, 0, 1)],
)


def dot(one, other):
    return float(sum(Fraction(a) * Fraction(b) for a, b in zip(one, other)))


def made(token, matrix):
    """One token, four numbers, through a matrix, a line for each output slot."""
    return [dot(line, token) for line in MATRICES[matrix]]


def attend(tokens, scale=True):
    """For each token: its raw scores, its shares and the row it leaves with."""
    keys, values = ([made(token, matrix) for token in tokens] for matrix in ("key", "value"))
    for token in tokens:
        scores = [dot(made(token, "query"), key) for key in keys]
        shares = softmax([score / math.sqrt(4) if scale else score for score in scores])
        yield scores, shares, [math.fsum(a * v for a, v in zip(shares, slot)) for slot in zip(*values)]


def project(drawn, token, matrix, slot):
    row = made(TOKENS[token - 1], matrix)
    return dict(sum=row[slot - 1], row=row)


def square(drawn, query, view, scale):
    scores, shares, out = list(attend(TOKENS, scale))[query - 1]
    best = scores.index(max(scores))
    return dict(scores=scores, shares=shares, top=f"{shares[best]:.4f} on token {best + 1}", out=out)


def shuffle(drawn, order):
    """The rows of any order against those of the first one, token by token."""
    order = [int(digit) - 1 for digit in order.split()]
    rows = dict(zip(order, (out for _, _, out in attend([TOKENS[i] for i in order]))))
    first = [out for _, _, out in attend(TOKENS)]
    return dict(moved=nearly(max(abs(x - y) for i in range(4) for x, y in zip(rows[i], first[i]))), same24=rows[1] == rows[3])


def width(drawn, width, redraw):
    """1000 rows of four scores: the draws are the book's, query first."""
    draws = np.random.default_rng(81 + redraw).standard_normal((1000, 5, width))
    scores = (draws[:, 1:] @ draws[:, 0, :, None])[..., 0]
    found = dict(spread=[], share=[], n99=[])
    for rows in (scores / math.sqrt(width), scores):
        top = rows.max(axis=1)
        share = 1 / np.exp(rows - top[:, None]).sum(axis=1)
        found["spread"].append((top - rows.min(axis=1)).mean())
        found["share"].append(share.mean())
        found["n99"].append(int((share >= 0.99).sum()))
    return found


def overflow(drawn, top):
    """In decimals. A power beyond the largest float is infinite, and its share is no number."""
    rest = (-Decimal(top)).exp()
    shares = [float(1 / (1 + 3 * rest)), *3 * [float(rest / (1 + 3 * rest))]]
    fits = Decimal(top).exp() <= Decimal(np.finfo(float).max)
    return dict(plain=shares if fits else "not a number", shifted=shares)


def multiply_adds(n, D, Dk):
    """Three matrices of D by Dk for each token; a score and a mix of Dk numbers for each pair."""
    return 3 * n * D * Dk, 2 * n * n * Dk


def cost(drawn, n, D, Dk):
    project, pairs = multiply_adds(n, D, Dk)
    first = next(m for m in count(1) if multiply_adds(m, D, Dk)[1] > multiply_adds(m, D, Dk)[0])
    return dict(project=project, pairs=pairs, total=project + pairs, pairshare=float(Fraction(100 * pairs, project + pairs)),
                crossing=first)


def doubling(drawn, n, D):
    return dict(growth=float(Fraction(sum(multiply_adds(2 * n, D, 1)), sum(multiply_adds(n, D, 1)))))


COUNTERPARTS = {
    "fig-h2-project": project, "fig-h3-square": square, "fig-h3-shuffle": shuffle, "fig-h4-width": width, "fig-h4-overflow": overflow,
    "fig-h5-cost": cost, "fig-h5-doubling": doubling,
}
