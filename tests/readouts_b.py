"""Part B: every number of its explorers against a second computation that never calls toyattn."""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from readouts import N, contents, rows_needed, template

PAGES = ("book/b/",)


def needed_state(drawn, L):
    """What is still to come depends on the names that have been read and will be repeated."""
    tokens = template(L)
    futures = [contents({*tokens[:t]} & {*tokens[t:]}) for t in range(len(tokens) + 1)]
    return dict(plateau_nats=math.log(max(futures)), plateau_bits=math.log2(max(futures)), after_first_name=math.log(futures[1]),
                plateau_length=futures.count(max(futures)), table_contexts=rows_needed(L))


def orthogonal(matrices):
    """Gram and Schmidt on the columns, each made orthogonal twice: the Haar matrix behind a normal one."""
    made = np.zeros_like(matrices)
    for j in range(matrices.shape[-1]):
        column = matrices[:, :, j]
        for _ in range(2):
            column = column - np.einsum("nij,nkj,nk->ni", made, made, column)
        made[:, :, j] = column / np.sqrt((column**2).sum(axis=1))[:, None]
    return made


def gradient_distance(drawn, g):
    """20 tanh nets, with the product of their Jacobians written out; the draws are those of the book, in its order."""
    rng = np.random.default_rng(20)
    nets, d, warm_up, D, back = 20, 16, 12, 60, 48
    W_h = float(g) * orthogonal(rng.standard_normal((nets, d, d)))
    W_x = 0.1 * rng.standard_normal((nets, 6, d))
    words = rng.integers(6, size=(nets, warm_up + D))
    start = rng.standard_normal((nets, d))
    sizes = []
    for net in range(nets):
        h, jacobians = np.zeros(d), []
        for word in words[net]:
            h = np.tanh(W_h[net] @ h + W_x[net, word])
            jacobians.append(np.diag(1 - h**2) @ W_h[net])
        chain = np.eye(d)
        for jacobian in jacobians[-back:]:
            chain = jacobian @ chain
        sizes.append(math.hypot(*(start[net] @ chain)) / math.hypot(*start[net]))
    sizes.sort()
    return dict(linear_48=float(g**back), tanh_48=(sizes[9] + sizes[10]) / 2, tanh_48_band=[sizes[0], sizes[-1]],
                gate_48=0.99**back)


def simulated(rng, m, d, trials=200, asked=8):
    """Share of right names and mean squared interference after 1, …, m pairs, without ever building the memory.

    The score of a name is the sum of the overlaps between the key asked for and the keys written with this name.
    """
    keys = rng.standard_normal((trials, m, d))
    keys /= np.sqrt((keys**2).sum(axis=2))[:, :, None]
    names = rng.integers(N, size=(trials, m))
    overlaps = np.einsum("tjd,tid->tji", keys[:, :asked], keys)
    scores = np.stack([np.cumsum(overlaps * (names == name)[:, None], axis=2) for name in range(N)], axis=-1)
    answers, wanted = scores.argmax(axis=3), names[:, :asked, None]  # scores: trial, key asked for, pairs written, name
    noise = (scores**2).sum(axis=3) - 2 * np.take_along_axis(scores, wanted[..., None], 3)[..., 0] + 1
    rows = []
    for t in range(m):
        there = slice(min(t + 1, asked))
        rows.append(((answers[:, there, t] == wanted[:, there, 0]).mean(), noise[:, there, t].mean()))
    return rows, keys


@lru_cache
def runs_of_b3():
    rng = np.random.default_rng(3)
    return {d: simulated(rng, 4 * d, d)[0] for d in (8, 16, 32, 64)}


def closed_form(m, d):
    """The integral by Gauss and Legendre, 16 points on each of 36 pieces."""
    lead = 1 / math.sqrt(Fraction(m - 1, N * d))
    points, shares = np.polynomial.legendre.leggauss(16)
    density = lambda z: math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    below = lambda z: math.erfc(-z / math.sqrt(2)) / 2
    places = [(left + 0.25 * (point + 1), 0.25 * share) for left in np.arange(-9, 9, 0.5) for point, share in zip(points, shares)]
    return math.fsum(share * density(z) * below(z + lead) ** (N - 1) for z, share in places)


def linear_memory(drawn, ratio):
    m = int(32 * ratio)
    found = [run[int(ratio * d) - 1] for d, run in runs_of_b3().items()]
    right = [share for share, _ in found]
    return dict(acc_d=right, acc_closed=closed_form(m, 32), ratio_measured=math.sqrt(found[2][1]),
                ratio_formula=math.sqrt((m - 1) / 32), width_spread=100 * (max(right) - min(right)))


def scan(drawn, rounds):
    """In fractions. After r rounds a place has merged its last 2^r steps, and holds what they make of 0."""
    rng = np.random.default_rng(6)
    tenths, shifts = (10 * rng.uniform(0.4, 1, 8)).round().astype(int).tolist(), rng.integers(-5, 6, 8).tolist()

    def run(steps):
        h = Fraction(0)
        for tenth, shift in list(zip(tenths, shifts))[-steps:]:
            h = Fraction(tenth, 10) * h + shift
        return float(h)

    merged = 1
    for _ in range(rounds):
        merged += merged
    return dict(rounds=rounds, reach=merged, done=sum(place <= merged for place in range(1, 9)),
                last_held=run(merged), last_wanted=run(8))


@lru_cache
def run_of_b4():
    """The same draws serve both memories. The look-back is asked for all 256 pairs: who loses here loses in a smaller memory."""
    rows, keys = simulated(np.random.default_rng(4), 256, 32)
    best = np.stack([(one @ one.T).argmax(axis=1) for one in keys])
    return [right for right, _ in rows], float((best == np.arange(256)).mean())


def storage(drawn, m):
    right, found = run_of_b4()
    return dict(acc_fixed=right[m - 1], acc_lookback=found, numbers_fixed=N * 32, numbers_kept=sum(32 + N for _ in range(m)))


COUNTERPARTS = {
    "fig-b1-needed-state": needed_state, "fig-b2-gradient-distance": gradient_distance, "fig-b3-linear-memory": linear_memory,
    "fig-b3-scan": scan, "fig-b4-storage": storage,
}
