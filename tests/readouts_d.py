"""Part D: every number of its explorers against a second computation that never calls toyattn.

Where the book draws at random, the same numbers are drawn here in the order that it states, and used by other means: a state is
never built where a sum over the pairs will do.
"""

import math
from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np
from readouts import FILLERS, NAMES, THINGS, nearly, template

PAGES = ("book/d/",)
WORDS = [*NAMES, *THINGS, *FILLERS, *"gave a then thanked .".split()]  # in the order in which their vectors are drawn


def units(rng, *shape):
    """Vectors of length 1: normal numbers, each row over its length."""
    drawn = rng.standard_normal(shape)
    return drawn / np.sqrt((drawn * drawn).sum(axis=-1))[..., None]


# --- D1 and D2: one matrix ---------------------------------------------------------------------------------------------


def weights(drawn, m):
    """By the weights that pair 1 puts on each value. Least squares: the projection, from one system of the size of the dimension."""
    K, V = units(np.random.default_rng(28), 2, 24, 8)[:, :m]
    hebbian = [math.fsum(k * K[0]) for k in K]
    if m <= 8:
        least = [float(i == 0) for i in range(m)]  # independent keys: exact
        assert np.linalg.matrix_rank(K) == m
    else:
        least = (K @ np.linalg.solve(K.T @ K, K[0])).tolist()
    error = lambda row: nearly(sum((math.fsum(a * v for a, v in zip(row, column)) - column[0]) ** 2 for column in V.T))
    return dict(error_draw_hebb=error(hebbian), error_mean_hebb=float(Fraction(m - 1, 8)), error_draw_ls=error(least),
                error_mean_ls=float(max(Fraction(m - 8, m), 0)))


def edit(drawn, c):
    """All in diagonals: an edit along u moves the answer to a key by u . key. A round cloud has no plane; the text takes c = 0.001."""
    spectrum = lambda c: [8 * math.exp(-c * i / 7) / math.fsum(math.exp(-c * j / 7) for j in range(8)) for i in range(8)]
    sizes, c = spectrum(c), float(c)
    keys = np.random.default_rng(331).standard_normal((10, 8)) * np.sqrt(sizes)
    best = [1 / s / math.fsum(1 / s for s in sizes) for s in sizes]
    change = lambda u: math.fsum(math.fsum(a * b for a, b in zip(u, key)) ** 2 for key in keys)
    return dict(total_naive=change(8 * [1 / 8]), total_preconditioned=change(best),
                factor=math.fsum(sizes) / 8 * math.fsum(1 / s for s in sizes) / 8, angle=long_axis(spectrum(c or 0.001)))


def long_axis(sizes):
    """Degrees between the long axis of the cloud, in the plane of (1, ..., 1) and its preconditioned key, and the keys left alone."""
    u = [1 / s for s in sizes]
    mean = math.fsum(u) / 8
    rest = [x - mean for x in u]
    length = math.hypot(*rest)
    across = [x / length for x in rest]
    along, both = math.fsum(sizes) / 8, math.fsum(s * b for s, b in zip(sizes, across)) / math.sqrt(8)
    turn = math.atan2(2 * both, along - math.fsum(s * b * b for s, b in zip(sizes, across))) / 2
    still = math.atan2(mean * math.sqrt(8), -length)
    away = math.degrees(turn - still) % 180
    return min(away, 180 - away)


# --- the memory that reads ToyLang ------------------------------------------------------------------------------------


def cosines(read, table):
    return [math.fsum(read * name) / math.hypot(*read) for name in table[: len(NAMES)]]


def reads(K, V, beta=8):
    """Both answers to the key of the first pair: values weighed by overlap, or by its power of e."""
    overlaps = K @ K[0]
    powers = [math.exp(beta * (s - 1)) for s in overlaps]
    return sum(s * v for s, v in zip(overlaps, V)), sum(p * v for p, v in zip(powers, V)) / math.fsum(powers)


def sentence_memory(seed, tokens):
    """Vectors of all words, then keys of the places: keys and values of the words in front of the last name."""
    rng = np.random.default_rng(seed)
    table = units(rng, len(WORDS), 8)
    K = units(rng, len(tokens), 8)
    return table, K, table[[WORDS.index(token) for token in tokens]]


def write(drawn, t):
    table, K, V = sentence_memory(39, "Flo gave Ann a pen and yes well well and so then Ann thanked".split())
    found, answers = {}, []
    for name, read in zip(("linear", "softmax"), reads(K[:t], V[:t])):
        row = dict(zip(NAMES, cosines(read, table)))
        answers.append(max(row, key=row.get))
        found[f"cos_true_{name}"] = row.pop("Flo")
        found[f"cos_wrong_{name}"] = max(row.values())
    return dict(found, winner=answers)


def delta_read(K, V, q):
    """What one delta pass answers, from the last pair back: pair t adds v (k . q) and leaves q - (k . q) k to the pairs before it."""
    found, q = np.zeros_like(V[..., 0, :]), q.copy()
    for t in reversed(range(K.shape[-2])):
        along = (K[..., t, :] * q).sum(axis=-1, keepdims=True)
        found, q = found + along * V[..., t, :], q - along * K[..., t, :]
    return found


@lru_cache
def scores(gated):
    """Share of 12 tables times 300 sentences in which the first name comes back, for each gap and each read.

    Words are drawn name by name, thing and fillers after them; gated, only the names, the thing and the second Y are written.
    """
    right = {reader: [0] * 41 for reader in ("hebbian", "delta", "cache")}
    for seed in range(12):
        rng = np.random.default_rng(seed)
        table = units(rng, len(WORDS), 8)
        for L in range(41):
            X = rng.integers(8, size=300)
            Y = (X + 1 + rng.integers(7, size=300)) % 8
            T, fillers = rng.integers(3, size=300), rng.integers(6, size=(300, L))
            column = {"X": X, "Y": Y, "T": 8 + T, **{f"f{i}": 11 + fillers[:, i] for i in range(L)}}
            letters = [letter for letter in template(L)[: L + 8] if not gated or letter in "XYT"]
            words = np.stack([column[one] if one in column else np.full(300, WORDS.index(one)) for one in letters], axis=1)
            K, V = units(rng, 300, len(letters), 8), table[words]
            overlaps = np.einsum("sid,sd->si", K, K[:, 0])
            found = {"hebbian": np.einsum("si,sid->sd", overlaps, V), "delta": delta_read(K, V, K[:, 0]),
                     "cache": np.einsum("si,sid->sd", np.exp(8 * overlaps), V)}  # the normalizer leaves the winner alone
            for reader, read in found.items():
                right[reader][L] += int((np.einsum("sd,nd->sn", read, table[:8]).argmax(axis=1) == X).sum())
    return {reader: [count / 3600 for count in counts] for reader, counts in right.items()}


def gap(drawn, L):
    share = scores(False)
    return dict(acc_hebb=share["hebbian"][L], acc_delta=share["delta"][L], acc_softmax=share["cache"][L],
                state_numbers=sum(1 for _ in np.ndindex(8, 8)), cache_numbers=sum(8 + 8 for _ in template(L)[: L + 8]))


def gate(drawn, L):
    before = template(L)[: L + 8]
    return dict(writes_all=len(before), writes_gate=sum(letter in "XYT" for letter in before),
                acc_all=scores(False)["hebbian"][L], acc_gate=scores(True)["hebbian"][L])


def one_program(drawn, giver, receiver):
    """The state differs where the outer products of the exchanged names do."""
    made = [sentence_memory(0, f"{X} gave {Y} a pen and yes well then {Y} thanked".split())
            for X, Y in ((giver, receiver), ("Flo", "Ann"))]
    (table, K, V), (_, _, before) = made
    linear, soft = (NAMES[int(np.argmax(cosines(read, table)))] for read in reads(K, V))
    differ = sum((a - b)[:, None] * k for a, b, k in zip(V, before, K) if (a != b).any()) + np.zeros((8, 8))
    return dict(softmax_answer=soft, linear_answer=linear, fast_changed=int((abs(differ) > 1e-12).sum()))


# --- D4 and D5: errors and capacities ----------------------------------------------------------------------------------

AGES = [0, 4, 8, 9, 12, 23]


def pair_errors(m, d, seed, read):
    """Squared errors (200 draws, m pairs) of a read of every stored key; keys are drawn before values."""
    K, V = units(np.random.default_rng(seed), 2, 200, m, d)
    return np.stack([((read(K, V, K[:, j]) - V[:, j]) ** 2).sum(axis=-1) for j in range(m)], axis=1)


@lru_cache
def delta_by_age():
    return pair_errors(24, 8, 1, delta_read)[:, ::-1].mean(axis=0)


def age(drawn, gamma):
    """In fractions."""
    gamma = Fraction(gamma)
    errors = [(1 - gamma**a) ** 2 + sum(gamma ** (2 * b) for b in range(24) if b != a) / 8 for a in range(24)]
    return dict(err_add=float(sum(Fraction(1, 8) for _ in range(23))), err_decay=[float(errors[a]) for a in AGES],
                cross_age=next(a for a in range(24) if errors[a] > 1), err_delta=[nearly(delta_by_age()[a]) for a in AGES])


@lru_cache
def delta_mean(m, d):
    """Expected squared error of one delta pass, mean over the pairs, in fractions, from the weights that a read puts on the values.

    A read of key k passes the writes from the last one back and meets each with x = (I - kk) ... k. The mean of x x^T is
    a I + b k k^T, and one more uniform key turns (a, b) as `passed` says: fourth moments of the sphere.
    """
    def passed(a, b):
        trace, share = a * d + b, Fraction(1, d * (d + 2))
        return a * (1 - Fraction(2, d)) + share * (trace + 2 * a), b * (1 - Fraction(2, d)) + share * 2 * b

    total = Fraction(0)
    for age in range(m):
        a, b, error = Fraction(0), Fraction(1), Fraction(0)
        for _ in range(age):
            error += (a * d + b) / d  # squared weight of a later value
            a, b = passed(a, b)
        error += a + b - 2 * (1 - Fraction(1, d)) ** age + 1  # its own value: (weight - 1)^2
        b = -a  # its own write erases along its key
        for _ in range(m - 1 - age):
            error += (a * d + b) / d
            a, b = passed(a, b)
        total += error
    return float(total / m)


def softmax_read(K, V, q):
    powers = np.exp(8 * (np.einsum("smd,sd->sm", K, q) - 1))
    return np.einsum("sm,smd->sd", powers, V) / powers.sum(axis=1)[:, None]


def fourways(drawn, m):
    return dict(err_hebb=float(Fraction(m - 1, 16)), err_ls=float(max(1 - Fraction(16, m), 0)), err_delta=delta_mean(m, 16),
                err_softmax=nearly(pair_errors(m, 16, 1000 + m, softmax_read).mean()))


def capacity(drawn, beta):
    """The moment is a Bessel function, here in 30 digits."""
    with mpmath.workdps(30):
        t = mpmath.mpf(2 * beta.numerator) / beta.denominator
        moment = mpmath.gamma(8) * (2 / t) ** 7 * mpmath.besseli(7, t) if t else mpmath.mpf(1)
        return dict(capacity_exact=float(1 + mpmath.exp(t) / moment), capacity_gauss=float(1 + mpmath.exp(t - t**2 / 32)),
                    capacity_hebb=next(m for m in range(1, 99) if Fraction(m - 1, 16) == 1))


COUNTERPARTS = {
    "fig-d1-weights": weights, "fig-d2-edit": edit, "fig-d3-write": write, "fig-d3-gap": gap, "fig-d4-age": age,
    "fig-d4-fourways": fourways, "fig-d4-gate": gate, "fig-d5-capacity": capacity, "fig-d6-one-program": one_program,
}
