"""What is bad for each kind of argument: hypothesis strategies shared by the lists of refusals_*.py."""

import math

from hypothesis import strategies as st
import numpy as np

from toyattn import ToyLang

LANG = ToyLang(N=3, F=2, L=1)
SENTENCE = "Ann gave Ben a pen so then Ben thanked Ann .".split()
RNG = np.random.default_rng(0)
LARGEST = float(np.finfo(float).max)

anything = st.one_of(
    st.none(), st.text(max_size=3), st.binary(max_size=3), st.just({}), st.just(object())
)
not_finite = st.sampled_from([math.nan, math.inf, -math.inf])
no_text = st.one_of(
    st.none(),
    st.integers(),
    st.floats(),
    st.text(),
    st.just({"Ann"}),
    st.just(["Ann", 3]),
    st.just([None]),
)


def integer(least=None, most=None):
    """What is no integer, or none between the bounds."""
    bad = [
        anything,
        st.booleans(),
        st.floats(),
        st.just([1]),
        st.just(np.array(1)),
        st.just(np.float64(2)),
    ]
    if least is not None:
        bad += [st.just(least - 1), st.integers(max_value=least - 1)]
    if most is not None:
        bad += [st.just(most + 1), st.integers(min_value=most + 1)]
    return st.one_of(bad)


def real(least=None, most=None):
    bad = [anything, st.booleans(), not_finite, st.just([0.5]), st.just(1j), st.just(10**400)]
    if least is not None:
        bad.append(st.floats(max_value=least, exclude_max=True))
    if most is not None:
        bad.append(st.floats(min_value=most, exclude_min=True))
    return st.one_of(bad)


def numbers(good, least=0, shapes=()):
    """The good array with one entry spoiled, cut to another shape, or no array at all."""
    good = np.array(good, dtype=float)
    entries = [st.sampled_from([math.nan, math.inf, -math.inf])]
    if least is not None:
        entries.append(st.floats(max_value=least, exclude_max=True))

    def spoil(entry, place):
        bad = good.copy()
        bad.flat[place] = entry
        return bad

    spoiled = st.builds(spoil, st.one_of(entries), st.integers(0, good.size - 1))
    wrong_type = st.sampled_from(
        [good.astype(str), good.astype(complex), good > 0, [[1], [1, 2]], None, {}, "1", np.ma.masked_invalid(good)]
    )
    return st.one_of(spoiled, wrong_type, *[st.just(np.ones(shape)) for shape in shapes])


def distribution(good, shapes=()):
    """As numbers, and sums that miss 1."""
    good = np.array(good, dtype=float)
    factors = st.one_of(st.floats(0, 0.999), st.floats(1.001, 10))
    even = [st.just(np.full(shape, 1 / max(shape[-1], 1) if shape else 1.0)) for shape in shapes]
    return st.one_of(numbers(good), factors.map(lambda factor: good * factor), *even)


def tokens(*more):
    """What is no sequence of tokens, and further bad texts."""
    return st.one_of(no_text, *[st.just(text) for text in more])


UNKNOWN = ["Ann", "gave", "Hal"]
NO_SENTENCE = tokens(
    [],
    SENTENCE[:-1],
    SENTENCE + ["."],
    SENTENCE[::-1],
    UNKNOWN,
    ["Zoe"] + SENTENCE[1:],
    SENTENCE[:2] + ["Ann"] + SENTENCE[3:],
)
WORD = st.one_of(anything, st.integers(), st.just("Hal"), st.just(["Ann"]))
lang = st.one_of(anything, st.integers(), st.just((3, 2, 1)), st.just(ToyLang))
rng = st.one_of(anything, st.integers(), st.just(np.random), st.just(np.random.RandomState(0)))


def extremes(good):
    """The number, or the array, at the edges of what a float or an integer of 64 bits can be."""
    if isinstance(good, int) and not isinstance(good, bool):
        return [10**5000, 10**400, 2**64, 2**63]
    try:
        shaped = np.asarray(good, dtype=float)
    except (TypeError, ValueError):
        return []
    found = []
    for edge in (LARGEST, 1e308, -1e308, 1e200, 1e155, 1e-200, 1e-320, 5e-324):
        first, last = shaped.copy(), shaped.copy()
        first.flat[0], last.flat[-1] = edge, edge
        found += [np.full(shaped.shape, edge), first, last] if shaped.ndim else [edge]
    whole = shaped.astype(object)
    whole.flat[0] = 10**400
    return [*found, whole.tolist()]


def is_float(good):
    """Is it a number or an array of floats?"""
    return bool(extremes(good)) and np.asarray(good).dtype == float


def grown(good, size):
    """A number or an array of floats, its largest entry of this size; anything else as it is."""
    if not is_float(good):
        return good
    largest = np.abs(good).max()
    found = np.asarray(good) * (size / largest) if largest else np.full(np.shape(good), size)
    return found if found.ndim else float(found)
