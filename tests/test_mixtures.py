"""Mixtures and EM against exact fractions, Bayes' rule on listed languages and single runs."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
import math

import numpy as np
import pytest

from toyattn import ToyLang, bag, information, mixtures
from toyattn.corpora import SIX_DOCUMENTS

SMALL = [(2, 2, 0), (3, 2, 1), (4, 2, 1), (3, 3, 1), (3, 2, 2), (4, 2, 2), (3, 2, 4)]
small = pytest.mark.parametrize("N, F, L", SMALL)


def floats(rows):
    return np.array(rows, dtype=float)


def likelihood(document, row):
    return math.prod((p ** int(c) for p, c in zip(row, document)), start=Fraction(1))


def exact_em(counts, start, rounds):
    """EM with fractions, straight from the definitions: a list of (pi, theta, probabilities, rho)."""

    def maximize(rho):
        pi, theta = [], []
        for z in range(len(rho[0])):
            pi.append(sum(row[z] for row in rho) / len(rho))
            sums = [
                sum(row[z] * int(document[w]) for row, document in zip(rho, counts))
                for w in range(len(counts[0]))
            ]
            theta.append([value / sum(sums) for value in sums])
        return pi, theta

    K, rho, trace = len(start[0]), start, []
    for round_ in range(rounds + 1):
        pi, theta = maximize(rho if round_ else [[Fraction(1, K)] * K for _ in counts])
        joint = [[pi[z] * likelihood(document, theta[z]) for z in range(K)] for document in counts]
        if round_:
            rho = [[p / sum(row) for p in row] for row in joint]
        trace.append((pi, theta, [sum(row) for row in joint], rho))
    return trace


def problem(seed, D=6, V=4, K=3):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, size=(D, V))
    counts[:, 0] += 1
    return counts, rng.dirichlet(np.ones(K), size=D)


@pytest.mark.parametrize("first", [Fraction(1, 2), Fraction(3, 5), Fraction(7, 10)])
def test_em_is_the_exact_em_on_the_six_documents(first):
    start = [[first, 1 - first]] + [[Fraction(1, 2)] * 2] * 5
    found = mixtures.em(SIX_DOCUMENTS, floats(start), 3)
    for k, (pi, theta, probabilities, rho) in enumerate(exact_em(SIX_DOCUMENTS, start, 3)):
        assert found.pi[k] == pytest.approx(floats(pi), abs=1e-12)
        assert found.theta[k] == pytest.approx(floats(theta), abs=1e-12)
        assert found.log_likelihood[k] == pytest.approx(sum(map(math.log, probabilities)), abs=1e-10)
        assert found.responsibilities[k] == pytest.approx(floats(rho), abs=1e-12)


def test_em_is_the_exact_em_on_three_topics():
    counts, _ = problem(0, D=4)
    start = [
        [Fraction(a, 10), Fraction(b, 10), Fraction(10 - a - b, 10)]
        for a, b in ((1, 2), (5, 4), (3, 3), (0, 9))
    ]
    found = mixtures.em(counts, floats(start), 2)
    for k, (pi, theta, probabilities, rho) in enumerate(exact_em(counts, start, 2)):
        assert found.pi[k] == pytest.approx(floats(pi), abs=1e-12)
        assert found.theta[k] == pytest.approx(floats(theta), abs=1e-12)
        assert found.log_likelihood[k] == pytest.approx(sum(map(math.log, probabilities)), abs=1e-10)
        assert found.responsibilities[k] == pytest.approx(floats(rho), abs=1e-12)


def test_the_six_documents_find_their_classes_and_gain_twenty_bits():
    run = mixtures.em(SIX_DOCUMENTS, [[0.6, 0.4]] + [[0.5, 0.5]] * 5, 30)
    assert run.responsibilities[-1] == pytest.approx(floats([[1, 0]] * 3 + [[0, 1]] * 3), abs=1e-12)
    assert run.log_likelihood[-1] - run.log_likelihood[0] == pytest.approx(20 * math.log(2), abs=1e-9)
    swapped = mixtures.em(SIX_DOCUMENTS, [[0.5, 0.5]] * 3 + [[0.6, 0.4]] + [[0.5, 0.5]] * 2, 30)
    assert swapped.responsibilities[-1] == pytest.approx(run.responsibilities[-1][:, ::-1], abs=1e-12)
    assert [len(part) for part in run] == [31] * 4


def test_em_never_falls_and_an_even_start_never_moves():
    for seed in range(60):
        counts, start = problem(seed)
        assert np.diff(mixtures.em(counts, start, 40).log_likelihood[1:]).min() > -1e-9
        even = mixtures.em(counts, np.full(start.shape, 1 / 3), 5)
        assert even.responsibilities == pytest.approx(np.full((6, 6, 3), 1 / 3), abs=1e-12)
        assert even.log_likelihood == pytest.approx(np.full(6, even.log_likelihood[0]), abs=1e-9)


def test_the_lower_bound_and_the_divergences_make_the_log_likelihood():
    for seed in range(20):
        counts, rho = problem(seed)
        pi, theta = mixtures.m_step(counts, problem(seed + 100)[1])
        bound = 0.0
        for document, row in zip(counts, rho):
            for z, share in enumerate(row):
                bound += share * math.log(pi[z] * math.prod(theta[z] ** document) / share)
        found = mixtures.lower_bound(counts, rho, pi, theta)
        assert found == pytest.approx(bound, abs=1e-10)
        posterior = mixtures.responsibilities(counts, pi, theta)
        excess = sum(information.kl_divergence(row, p) for row, p in zip(rho, posterior))
        assert found + excess == pytest.approx(mixtures.log_likelihood(counts, pi, theta), abs=1e-10)
        best = mixtures.lower_bound(counts, posterior, pi, theta)
        assert best == pytest.approx(mixtures.log_likelihood(counts, pi, theta), abs=1e-10)
    hard = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    pi, theta = mixtures.m_step(counts, rho)
    direct = sum(math.log(pi[z] * math.prod(theta[z] ** row)) for z, row in zip((0, 1, 2) * 2, counts))
    assert mixtures.lower_bound(counts, hard, pi, theta) == pytest.approx(direct, abs=1e-10)
    with pytest.raises(ValueError, match="^pi: wanted shape"):
        mixtures.lower_bound(counts, [hard], [pi], [theta])


def test_m_step_is_the_maximum_of_the_bound():
    rng = np.random.default_rng(8)
    counts, rho = problem(8)
    pi, theta = mixtures.m_step(counts, rho)
    best = mixtures.lower_bound(counts, rho, pi, theta)
    for _ in range(100):
        other_pi = 0.9 * pi + 0.1 * rng.dirichlet(np.ones(3))
        other_theta = 0.9 * theta + 0.1 * rng.dirichlet(np.ones(4), size=3)
        assert mixtures.lower_bound(counts, rho, other_pi, theta) < best
        assert mixtures.lower_bound(counts, rho, pi, other_theta) < best


def test_next_token_of_a_mixture_is_a_ratio_of_text_probabilities():
    pi, theta = (
        [Fraction(1, 4), Fraction(3, 4)],
        [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 5), Fraction(4, 5)]],
    )
    for counts in ((0, 0), (2, 1), (0, 3)):

        def text(c):
            return sum(prior * likelihood(c, row) for prior, row in zip(pi, theta))

        exact = [
            text((counts[0] + 1, counts[1])) / text(counts),
            text((counts[0], counts[1] + 1)) / text(counts),
        ]
        assert mixtures.next_token(counts, floats(pi), floats(theta)) == pytest.approx(
            floats(exact), abs=1e-14
        )


def fitted_pair_bags(lang):
    """One bag a pair, counted from the listing with fractions: {pair: {token: share}}."""
    counted = {}
    for tokens in lang.sentences():
        counted.setdefault(frozenset((tokens[0], tokens[2])), Counter()).update(tokens)
    return {
        pair: {w: Fraction(c, sum(row.values())) for w, c in row.items()}
        for pair, row in counted.items()
    }


@small
def test_pair_bags_are_fitted_to_the_listing(N, F, L):
    lang = ToyLang(N, F, L)
    fitted = fitted_pair_bags(lang)
    assert mixtures.pairs(lang) == tuple(combinations(lang.names, 2)) and len(fitted) == len(
        mixtures.pairs(lang)
    )
    pi, theta = mixtures.pair_bags(lang)
    assert pi == pytest.approx(np.full(len(fitted), 1 / len(fitted)), abs=1e-15)
    for pair, row in zip(mixtures.pairs(lang), theta):
        exact = [float(fitted[frozenset(pair)].get(token, 0)) for token in lang.vocabulary]
        assert row == pytest.approx(exact, abs=1e-15)


@small
def test_pair_mixture_prices_by_bayes_on_the_listing(N, F, L):
    lang = ToyLang(N, F, L)
    fitted = fitted_pair_bags(lang)
    for tokens in list(lang.sentences())[:: max(lang.n_sentences // 24, 1)]:
        weights = {pair: Fraction(1, len(fitted)) for pair in fitted}
        prices, live = [], []
        for place, token in enumerate(tokens):
            total = sum(weights.values())
            posterior = [float(weights[frozenset(pair)] / total) for pair in mixtures.pairs(lang)]
            assert mixtures.pair_posterior(lang, tokens[:place]) == pytest.approx(posterior, abs=1e-12)
            predicted = [
                float(sum(weights[pair] * fitted[pair].get(w, 0) for pair in fitted) / total)
                for w in lang.vocabulary
            ]
            assert mixtures.pair_next_token(lang, tokens[:place]) == pytest.approx(predicted, abs=1e-12)
            live.append(sum(weight > 0 for weight in weights.values()))
            weights = {pair: weights[pair] * fitted[pair].get(token, 0) for pair in fitted}
            prices.append(-math.log(sum(weights.values()) / total))
        assert live[:4] == [N * (N - 1) // 2, N - 1, N - 1, 1]
        assert bag.copy_cost(lang) == pytest.approx(prices[0], abs=1e-12)
        assert mixtures.pair_first_y_cost(lang) == pytest.approx(prices[2], abs=1e-12)
        for copy in (L + 6, L + 8):
            assert mixtures.pair_copy_cost(lang) == pytest.approx(prices[copy], abs=1e-12)
        assert mixtures.pair_sentence_cost(lang) == pytest.approx(sum(prices), abs=1e-10)
        assert mixtures.pair_saving(lang) == pytest.approx(
            bag.sentence_cost(lang) - sum(prices), abs=1e-10
        )


@pytest.mark.parametrize("N, F, L", [(3, 2, 1), (4, 2, 1), (3, 2, 2)])
def test_distinct_bags_and_the_pair_mixture_as_a_fixed_point_of_em(N, F, L):
    lang = ToyLang(N, F, L)
    counts = mixtures.distinct_bags(lang)
    expected = {tuple(tokens.count(w) for w in lang.vocabulary) for tokens in lang.sentences()}
    assert {tuple(row) for row in counts.tolist()} == expected and len(counts) == len(expected)
    every = np.array([bag.count(tokens, lang.vocabulary) for tokens in lang.sentences()])
    pi, theta = mixtures.pair_bags(lang)
    again = mixtures.m_step(every, mixtures.responsibilities(every, pi, theta))
    assert again[0] == pytest.approx(pi, abs=1e-12) and again[1] == pytest.approx(theta, abs=1e-12)


def test_random_starts_are_single_runs_of_em():
    lang, runs, rounds = ToyLang(N=3, F=6, L=0), 100, 20
    counts = mixtures.distinct_bags(lang)
    starts = np.random.default_rng(5).dirichlet(np.ones(3), size=(runs, len(counts)))
    goal = mixtures.log_likelihood(counts, *mixtures.pair_bags(lang))
    ends = [mixtures.em(counts, start, rounds + 1).log_likelihood[-1] - goal for start in starts]
    found = mixtures.random_starts(lang, runs, np.random.default_rng(5), rounds)
    assert found.share == sum(end > -1e-6 for end in ends) / runs
    assert 0 < found.share < 1
    assert any(-1e-2 < end < -1e-5 for end in ends)  # still on their way: they do not count
    assert found.largest_excess == pytest.approx(max(ends), abs=1e-9)
    still_moving = [mixtures.random_starts(ToyLang(N=5, F=6, L=0), 1, np.random.default_rng(2), *rounds) for rounds in ((), (100,))]
    assert still_moving[0] == still_moving[1]


def test_random_starts_seldom_find_many_pairs_and_never_better_ones():
    shares = {}
    for N in (3, 4, 5, 8):
        found = mixtures.random_starts(ToyLang(N=N, F=6, L=0), 400, np.random.default_rng(0), 60)
        assert found.largest_excess < 1e-9
        shares[N] = found.share
    assert 0.6 < shares[4] < 0.82 and shares[8] <= 0.01
    assert shares[3] > shares[4] > shares[5] > shares[8]
