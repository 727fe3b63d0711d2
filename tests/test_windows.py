"""Windows against tables that are counted here from listed languages, and exact sums."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
import math

import mpmath
import numpy as np
import pytest

from toyattn import ToyLang, bag, windows
from toyattn.corpora import TINY_CORPUS

SMALL = [(2, 2, 0), (2, 1, 1), (3, 2, 1), (4, 2, 1), (3, 3, 1), (3, 2, 2), (4, 2, 2), (3, 2, 4)]
small = pytest.mark.parametrize("N, F, L", SMALL)


def context(tokens, place, r):
    reach = [tokens[i] if i >= 0 else "<s>" for i in range(place - r, place)]
    return tuple(reach)


def counted_table(sentences, r):
    table = defaultdict(Counter)
    for tokens in sentences:
        for place, token in enumerate(tokens):
            table[context(tokens, place, r)][token] += 1
    return table


def test_window_and_fit_pool_all_places_behind_start_markers():
    text = ("a", "b", "a", "b", "b")
    for r in range(8):
        for place in range(6):
            assert windows.window(text, place, r) == context(text, place, r)
        assert windows.fit([text, ("b",)], r) == counted_table([text, ("b",)], r)
    assert windows.fit([text], 1) == {("<s>",): {"a": 1}, ("a",): {"b": 2}, ("b",): {"a": 1, "b": 1}}
    assert windows.fit([text], 0) == {(): {"a": 2, "b": 3}}


def test_the_tiny_corpus():
    table = windows.fit([TINY_CORPUS], 1)
    assert table[("the",)] == {"cat": 2, "dog": 2, "pond": 1, "barn": 1}

    def p(token, alpha=0.0):
        return windows.probability(table, ("the",), token, alpha=alpha, n_types=13)

    for alpha in (Fraction(0), Fraction(1, 100), Fraction(1), Fraction(3)):
        for token in set(TINY_CORPUS):
            exact = (table[("the",)][token] + alpha) / (6 + 13 * alpha)
            assert p(token, alpha) == pytest.approx(float(exact), abs=1e-15)
    assert p("cat") == windows.probability(table, ("the",), "cat")
    unigram = windows.fit([TINY_CORPUS], 0)
    bird = windows.interpolate(p("bird"), windows.probability(unigram, (), "bird"), 0.75)
    cat = windows.interpolate(p("cat"), windows.probability(unigram, (), "cat"), 0.75)
    assert bird == pytest.approx(1 / 4 * 2 / 24, abs=1e-15) and type(bird) is float
    assert cat == pytest.approx(3 / 4 * 2 / 6 + 1 / 4 * 2 / 24, abs=1e-15)


def test_a_window_never_met_is_zero_over_zero_or_uniform():
    table = windows.fit([TINY_CORPUS], 2)
    never = ("bird", "barn")
    with pytest.raises(ValueError, match="^window: .*0/0"):
        windows.probability(table, never, "the")
    assert windows.probability(table, never, "the", alpha=0.2, n_types=13) == pytest.approx(1 / 13)
    with pytest.raises(ValueError, match="^tokens: "):
        windows.costs(table, ["bird", "barn"])
    with pytest.raises(ValueError, match="^sentences: "):
        windows.mean_cost(table, [["bird", "barn"]], 1)


def test_costs_of_each_token_of_a_text():
    table = windows.fit([TINY_CORPUS], 1)
    text = "the bird saw the cat".split()
    assert windows.costs(table, text).tolist()[:2] == [0.0, math.inf]
    smoothed = [Fraction(2, 14), Fraction(1, 19), Fraction(2, 15), Fraction(2, 14), Fraction(3, 19)]
    found = windows.costs(table, text, alpha=1, n_types=13)
    assert found == pytest.approx([-math.log(p) for p in smoothed], abs=1e-12)
    pair = windows.fit([TINY_CORPUS], 2)
    assert windows.costs(pair, TINY_CORPUS[:3]) == pytest.approx([0, 0, math.log(2)], abs=1e-12)


def test_mean_cost_at_the_first_and_behind_the_last_place():
    lang = ToyLang(3, 2, 1)
    table = windows.fit(lang.sentences(), 1)
    assert windows.mean_cost(table, lang.sentences(), 0) == pytest.approx(math.log(3), abs=1e-12)
    assert windows.mean_cost(table, lang.sentences(), lang.n - 1) == pytest.approx(
        math.log(4), abs=1e-12
    )
    with pytest.raises(ValueError, match="^place: "):
        windows.mean_cost(table, lang.sentences(), lang.n)


def test_interpolate_rows():
    mixed = windows.interpolate([1, 0], [0.25, 0.75], 0.6)
    assert mixed == pytest.approx([0.7, 0.3], abs=1e-15)
    with pytest.raises(ValueError, match="^weight: wanted .* from 0 to 1, got 1.5"):
        windows.interpolate(0.5, 0.5, 1.5)


@small
def test_staircases_equal_the_pooled_tables(N, F, L):
    lang = ToyLang(N, F, L)
    sentences = list(lang.sentences())
    for r in range(L + 11):
        table = counted_table(sentences, r)
        fitted = windows.fit(sentences, r)
        for place, cost in ((lang.last_x, windows.cost_x), (lang.second_y, windows.cost_y)):
            total = 0
            for tokens in sentences:
                row = table[context(tokens, place, r)]
                total -= math.log(row[tokens[place]] / sum(row.values()))
            mean = total / len(sentences)
            assert cost(lang, r) == pytest.approx(mean, abs=1e-12)
            assert windows.mean_cost(fitted, sentences, place) == pytest.approx(mean, abs=1e-12)


@small
def test_rows_are_the_distinct_windows_of_the_listing(N, F, L):
    lang = ToyLang(N, F, L)
    sentences = list(lang.sentences())
    for r in range(L + 11):
        distinct = [{context(tokens, place, r) for tokens in sentences} for place in range(lang.n)]
        for place in range(lang.n):
            assert windows.rows_before(lang, place, r) == len(distinct[place])
        assert windows.rows_before_last_x(lang, r) == len(distinct[L + 8])
        assert windows.rows_before_second_y(lang, r) == len(distinct[L + 6])
        if r > 0:
            assert windows.rows_in_use(lang, r) == len(set().union(*distinct))
        if r == L + 8:
            assert windows.rows_total(lang) == len(set().union(*distinct))
            assert windows.rows_needed(lang) == len(distinct[L + 8])


def test_rows_stay_exact_beyond_the_floats():
    lang = ToyLang(N=8, F=6, L=40)
    rows = 8 * 7 * 3 * 6**40
    assert windows.rows_needed(lang) == rows > 2**53
    before_the_gap = 1 + 2 * 8 + 2 * 8 * 7
    inside = sum(3 * 8 * 7 * 6**k for k in range(40))
    assert windows.rows_total(lang) == before_the_gap + inside + 5 * rows
    assert windows.rows_in_use(ToyLang(L=10), 2) == 1 + 8 + 8 + 8 + 8 + 3 + 18 + 36 + 6 + 8 + 8 + 8


@small
def test_window_of_one_token_on_a_whole_sentence(N, F, L):
    lang = ToyLang(N, F, L)
    sentences = list(lang.sentences())
    table = counted_table(sentences, 1)
    rows = {window: sum(row.values()) for window, row in table.items()}
    for tokens in sentences:
        pairs = list(zip(("<s>",) + tokens, tokens))
        price = -sum(math.log(table[(before,)][token] / rows[(before,)]) for before, token in pairs)
        assert windows.window1_sentence_cost(lang) == pytest.approx(price, abs=1e-9)
    assert windows.costs(windows.fit(sentences, 1), sentences[0]).sum() == pytest.approx(price, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 36, 999, 1000, 1001, 2000])
def test_harmonic_numbers_are_exact_sums(n):
    exact = sum(Fraction(1, k) for k in range(1, n + 1))
    assert windows.harmonic(n) == pytest.approx(float(exact), rel=1e-14)
    assert windows.expected_sentences(n) == pytest.approx(float(n * exact), rel=1e-14)


@pytest.mark.parametrize("n", [10**4, 36288, 10158317568, 10**15 + 1, 10**30])
def test_large_harmonic_numbers_are_digamma_values(n):
    with mpmath.workdps(60):
        exact = mpmath.digamma(n + 1) + mpmath.euler
        assert windows.harmonic(n) == pytest.approx(float(exact), rel=1e-14)
        assert windows.expected_sentences(n) == pytest.approx(float(n * exact), rel=1e-14)


@pytest.mark.parametrize("n, M", [(1, 0), (1, 1), (1, 3), (2, 0), (2, 1), (2, 5), (3, 4), (4, 4)])
def test_share_seen_is_the_mean_over_all_readings(n, M):
    readings = [len(set(reading)) for reading in product(range(n), repeat=M)]
    assert windows.share_seen(n, M) == pytest.approx(sum(readings) / len(readings) / n, abs=1e-14)


@pytest.mark.parametrize("n, M", [(36288, 1), (10158317568, 10**9), (10**30, 10**3), (10**12, 10**13)])
def test_share_seen_keeps_its_digits(n, M):
    with mpmath.workdps(80):
        exact = 1 - (1 - mpmath.mpf(1) / n) ** M
        assert windows.share_seen(n, M) == pytest.approx(float(exact), rel=1e-13)


def test_share_seen_and_fallback_draw_curves():
    lang = ToyLang(3, 2, 1)
    assert type(windows.share_seen(36, 1)) is type(windows.fallback_cost(lang, 1)) is float
    M = np.array([0, 1, 2.5])
    assert windows.share_seen(36, M) == pytest.approx([windows.share_seen(36, m) for m in M], abs=1e-15)
    assert windows.fallback_cost(lang, M) == pytest.approx(
        [windows.fallback_cost(lang, m) for m in M], abs=1e-15
    )


@pytest.mark.parametrize("M", [0, 1, 2])
def test_fallback_cost_is_the_mean_over_all_readings(M):
    lang = ToyLang(3, 1, 0)
    sentences = list(lang.sentences())
    total = 0.0
    for *read, new in product(sentences, repeat=M + 1):
        open_names = [name for name in lang.names if name != new[2]]
        total += 0.0 if new in read else math.log(len(open_names))
    assert windows.fallback_cost(lang, M) == pytest.approx(total / len(sentences) ** (M + 1), abs=1e-12)


def test_simulated_collection_of_two_rows_has_the_geometric_law():
    runs = 20000
    needed = windows.simulate_collection(2, runs, np.random.default_rng(1))
    assert needed.shape == (runs,) and needed.min() == 2 and needed.dtype == np.int64
    for k in (2, 3, 4, 5):
        chance = 0.5 ** (k - 1)
        assert abs((needed == k).mean() - chance) < 4 * math.sqrt(chance * (1 - chance) / runs)
    assert (windows.simulate_collection(1, 10, np.random.default_rng(0)) == 1).all()


def test_simulated_collection_agrees_with_the_expectation():
    n, runs = 36, 3000
    needed = windows.simulate_collection(n, runs, np.random.default_rng(2))
    variance = sum(n * k / (n - k) ** 2 for k in range(n))  # of a sum of geometric waits
    assert needed.min() >= n
    assert abs(needed.mean() - windows.expected_sentences(n)) < 4 * math.sqrt(variance / runs)
    again = windows.simulate_collection(n, runs, np.random.default_rng(2))
    assert (needed == again).all()


@pytest.mark.parametrize("N, F, L, M", [(4, 2, 2, 100), (3, 2, 1, 0), (3, 2, 1, 40)])
def test_simulated_fallback_agrees_with_the_closed_form(N, F, L, M):
    lang, trials = ToyLang(N, F, L), 20000
    nats = windows.simulate_fallback(lang, M, trials, np.random.default_rng(3))
    assert nats.shape == (trials,) and set(nats) <= {0.0, math.log(N - 1)}
    chance = (1 - 1 / lang.n_sentences) ** M
    error = math.log(N - 1) * math.sqrt(chance * (1 - chance) / trials)
    assert abs(nats.mean() - windows.fallback_cost(lang, M)) <= 4 * error + 1e-12


def test_more_rows_than_can_be_counted_or_drawn_are_refused():
    with pytest.raises(ValueError, match="^n: wanted an integer from 1 to "):
        windows.share_seen(10**300 + 1, 1)
    lang = ToyLang(N=2, F=2, L=61)
    assert 2**63 < windows.rows_needed(lang) < 2**64
    with pytest.raises(ValueError, match="^lang: wanted fewer"):
        windows.simulate_fallback(lang, 1, 1, np.random.default_rng(0))


def test_window_zero_is_the_bag():
    lang = ToyLang(N=8, F=6, L=10)
    assert windows.cost_x(lang, 0) == windows.cost_y(lang, 0) == bag.copy_cost(lang)
