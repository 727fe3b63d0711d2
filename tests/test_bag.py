"""The bag against exact fractions counted from listed languages."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
import math

import numpy as np
import pytest
import sympy

from toyattn import ToyLang, bag

SMALL = [(2, 2, 0), (3, 2, 1), (4, 2, 1), (3, 3, 1), (3, 2, 2), (4, 2, 2), (3, 2, 4)]
small = pytest.mark.parametrize("N, F, L", SMALL)


def exact_shares(lang):
    counted = Counter(token for tokens in lang.sentences() for token in tokens)
    return {token: Fraction(counted[token], sum(counted.values())) for token in lang.vocabulary}


def test_count():
    assert bag.count(["b", "a", "b"], ["a", "b", "c"]).tolist() == [1, 2, 0]
    assert bag.count([], ["a"]).tolist() == [0]


def test_fit_is_relative_frequency_and_adds_pseudo_counts():
    assert bag.fit([3, 1]).tolist() == [0.75, 0.25]
    assert bag.fit([[3, 1], [0, 5]]).tolist() == [[0.75, 0.25], [0, 1]]
    assert bag.fit([0.5, 1.5, 0]).tolist() == [0.25, 0.75, 0]
    assert bag.fit([2, 1, 0], alpha=0.5) == pytest.approx([2.5 / 4.5, 1.5 / 4.5, 0.5 / 4.5], abs=1e-15)
    assert bag.fit([[0, 0]], alpha=0.1).tolist() == [[0.5, 0.5]]


def test_an_empty_row_is_zero_over_zero_unless_pseudo_counts_fill_it():
    for function, name in (
        (bag.fit, "counts"),
        (lambda row, alpha: bag.smoothed(0, 0, alpha, 2), "total"),
    ):
        with pytest.raises(ValueError, match=f"^{name}: .*0/0"):
            function([0, 0], 0)
        assert np.ravel(function([0, 0], 1)).tolist() in ([0.5], [0.5, 0.5])
    with pytest.raises(ValueError, match="^counts: .*shape"):
        bag.fit([], 1)
    assert bag.fit([3]).tolist() == [1]


def test_smoothed_row_adds_up_and_is_a_blend_with_the_uniform():
    for counts, alpha in (((2, 0, 5), 1), ((1, 1, 0), 0.01), ((0, 0, 0), 3)):
        total, n = sum(counts), len(counts)
        row = [bag.smoothed(c, total, alpha, n) for c in counts]
        weight = bag.uniform_weight(total, alpha, n)
        assert sum(row) == pytest.approx(1, abs=1e-15)
        for c, p in zip(counts, row):
            frequency = Fraction(c, total) if total else 0
            assert p == pytest.approx(float((1 - weight) * frequency + weight / n), abs=1e-15)
    assert bag.uniform_weight(0, 2, 5) == pytest.approx(1)
    assert bag.uniform_weight(6, 1, 13) == pytest.approx(13 / 19, abs=1e-15)
    assert bag.uniform_weight(6, 0, 13) == 0


@pytest.mark.parametrize("counts, alpha", [((2, 1), 1), ((0, 3), 2), ((4, 0), 1)])
def test_smoothed_row_is_the_posterior_mean_under_a_symmetric_dirichlet_prior(counts, alpha):
    p = sympy.Symbol("p")
    weight = p ** (counts[0] + alpha - 1) * (1 - p) ** (counts[1] + alpha - 1)
    mean = sympy.integrate(p * weight, (p, 0, 1)) / sympy.integrate(weight, (p, 0, 1))
    assert bag.smoothed(counts[0], sum(counts), alpha, 2) == pytest.approx(float(mean), abs=1e-14)


def test_smoothed_broadcasts_rows_and_refuses_shapes_that_do_not_fit():
    found = bag.smoothed([[1, 2], [3, 0]], [[3], [4]], 0, 2)
    assert found == pytest.approx(np.array([[1 / 3, 2 / 3], [3 / 4, 0]]), abs=1e-15)
    with pytest.raises(ValueError, match="^count: "):
        bag.smoothed([1, 2], [3, 3, 3], 0, 2)


def test_log_likelihood_is_the_log_of_a_product():
    theta = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    for counts in ((3, 1, 0), (0, 0, 0), (2, 5, 4)):
        product = math.prod(p**c for p, c in zip(theta, counts))
        found = bag.log_likelihood(counts, [float(p) for p in theta])
        assert found == pytest.approx(math.log(product), abs=1e-12)
    assert math.copysign(1, bag.log_likelihood([3, 0], [1, 0])) == 1
    assert bag.log_likelihood([3, 0], [1, 0]) == 0
    assert bag.log_likelihood([3, 1], [1, 0]) == -math.inf


def test_the_fit_is_the_only_stationary_point():
    c = sympy.symbols("c1:4", positive=True)
    t = sympy.symbols("t1:4", positive=True)
    mu = sympy.Symbol("mu")
    lagrangian = sum(a * sympy.log(b) for a, b in zip(c, t)) - mu * (sum(t) - 1)
    (solution,) = sympy.solve([sympy.diff(lagrangian, v) for v in (*t, mu)], (*t, mu), dict=True)
    values = dict(zip(c, (5, 2, 9)))
    assert bag.fit([5, 2, 9]) == pytest.approx([float(solution[v].subs(values)) for v in t], abs=1e-15)


def test_no_other_proportions_beat_the_fit_zeros_included():
    rng = np.random.default_rng(1)
    for counts in ((3, 1, 0), (7, 2, 4), (1, 0, 0)):
        best = bag.log_likelihood(counts, bag.fit(counts))
        others = rng.dirichlet(np.ones(3), 300)
        assert max(bag.log_likelihood(counts, theta) for theta in others) < best


def test_draw_follows_theta():
    theta, n = np.array([0.5, 0.3, 0.2, 0.0]), 20000
    drawn = bag.draw(theta, n, np.random.default_rng(2))
    counted = np.bincount(drawn, minlength=4)
    error = np.sqrt(n * theta * (1 - theta))
    assert drawn.shape == (n,) and (np.abs(counted - n * theta) <= 4 * error).all()
    assert bag.draw(theta, n, np.random.default_rng(2)).tolist() == drawn.tolist()
    assert bag.draw(theta, 0, np.random.default_rng(2)).tolist() == []


@pytest.mark.parametrize("text", ["a", "aab", "aabb", "abcd", "aaabbc"])
def test_orderings_are_the_distinct_permutations(text):
    assert bag.orderings([text.count(w) for w in "abcd"]) == len(set(permutations(text)))


def test_orderings_of_one_row_only():
    with pytest.raises(ValueError, match="^counts: wanted shape"):
        bag.orderings([[1, 2]])


@pytest.mark.parametrize("counts", [[10**5 + 1], [60_000, 60_000], [2**62] * 4])
def test_orderings_of_texts_that_are_too_long(counts):
    assert bag.orderings([10**5 - 1, 1]) == 10**5
    with pytest.raises(ValueError, match="^counts: wanted .* got"):
        bag.orderings(counts)


def test_orderings_are_exact_beyond_the_floats():
    many = bag.orderings([30, 30])
    assert type(many) is int and many == math.comb(60, 30) > 2**53


def test_swaps_move_two_cells_at_a_time_and_continue_one_shuffle():
    stages = [bag.swap_cells(7, swaps, np.random.default_rng(4)) for swaps in range(12)]
    assert stages[0].tolist() == list(range(7))
    for before, after in zip(stages, stages[1:]):
        assert sorted(after.tolist()) == list(range(7))
        (i, j) = np.flatnonzero(before != after)
        assert before[i] == after[j] and before[j] == after[i]
    assert bag.swap_cells(2, 3, np.random.default_rng(4)).tolist() == [1, 0]
    other = bag.swap_cells(7, 11, np.random.default_rng(5))
    assert other.tolist() != stages[11].tolist()


def test_every_pair_of_cells_is_swapped_equally_often():
    rng, n, draws = np.random.default_rng(6), 4, 6000
    swapped = Counter(
        tuple(np.flatnonzero(bag.swap_cells(n, 1, rng) != np.arange(n))) for _ in range(draws)
    )
    assert len(swapped) == 6
    error = math.sqrt(draws * 1 / 6 * 5 / 6)
    assert all(abs(many - draws / 6) < 4 * error for many in swapped.values())


@small
def test_toylang_shares_are_the_frequencies_of_the_listing(N, F, L):
    lang = ToyLang(N, F, L)
    exact = exact_shares(lang)
    shares = bag.toylang_shares(lang)
    assert shares == pytest.approx([float(exact[token]) for token in lang.vocabulary], abs=1e-15)
    counts = sum(bag.count(tokens, lang.vocabulary) for tokens in lang.sentences())
    assert bag.fit(counts) == pytest.approx(shares, abs=1e-15)


@small
def test_composition_is_that_of_every_sentence(N, F, L):
    lang = ToyLang(N, F, L)
    kinds = {"name": lang.names, "thing": lang.things, "filler": lang.fillers, "template": lang.template}
    exact = exact_shares(lang)
    composition = bag.composition(lang)
    assert list(composition) == list(kinds)
    for kind, types in kinds.items():
        assert {sum(token in types for token in tokens) for tokens in lang.sentences()} == {
            composition[kind][0]
        }
        assert {exact[token] for token in types} == {
            Fraction(composition[kind][1]).limit_denominator(10**4)
        }


@small
def test_prices_of_the_bag_by_listing(N, F, L):
    lang = ToyLang(N, F, L)
    exact = exact_shares(lang)
    for tokens in lang.sentences():
        for copy in (lang.second_y, lang.last_x):
            assert bag.copy_cost(lang) == pytest.approx(-math.log(exact[tokens[copy]]), abs=1e-12)
        price = -math.log(math.prod(exact[token] for token in tokens))
        assert bag.sentence_cost(lang) == pytest.approx(price, abs=1e-9)
        likelihood = bag.log_likelihood(bag.count(tokens, lang.vocabulary), bag.toylang_shares(lang))
        assert likelihood == pytest.approx(-price, abs=1e-9)
    by_kind = bag.cost_by_kind(lang)
    for kind, types in (("name", lang.names), ("thing", lang.things), ("filler", lang.fillers)):
        price = -sum(math.log(exact[token]) for token in tokens if token in types)
        assert by_kind[kind] == pytest.approx(price, abs=1e-12)
    assert by_kind["template"] == pytest.approx(
        -sum(math.log(exact[t]) for t in lang.template), abs=1e-12
    )


@small
def test_chance_of_a_sentence_adds_the_listing_up(N, F, L):
    lang = ToyLang(N, F, L)
    exact = exact_shares(lang)
    chance = sum(math.prod(exact[token] for token in tokens) for tokens in lang.sentences())
    assert bag.chance_of_a_sentence(lang) == pytest.approx(float(chance), rel=1e-12)


def test_smoothing_with_numbers_of_every_size():
    """In fractions."""
    for count, total, alpha, n in [(1e150, 1e150, 1e150, 10**150), (0, 1e150, 1e-150, 3), (1e-320, 1e-310, 0.0, 2), (3, 7, 0.5, 10**150)]:
        wanted = (Fraction(count) + Fraction(alpha)) / (Fraction(total) + Fraction(alpha) * n)
        assert bag.smoothed(count, total, alpha, n) == pytest.approx(float(wanted), rel=1e-12)
    for wrong in ({"total": 1e200}, {"alpha": 1e200}, {"n_types": 10**400}):
        with pytest.raises(ValueError, match=f"^{[*wrong][0]}: wanted "):
            bag.smoothed(**{"count": 1, "total": 2, "alpha": 0.5, "n_types": 3, **wrong})
