"""The latent pointer against enumeration, finite differences and sympy."""

import math

from hypothesis import given, settings, strategies as st
import mpmath
import numpy as np
import pytest
import sympy

from toyattn import ToyLang, information
from toyattn.attention import jacobian, log_partition, softmax
from toyattn.pointer import (
    beta_for_mean,
    beta_needed,
    exponential_series,
    loss_gradient,
    mean_score,
    name_lookup,
    posterior,
    score_gradient,
    score_variance,
    slot_keys,
    source_cost,
    source_weight,
    target_probability,
    toylang_pointer,
    unit_arrows,
)

SEEDS = st.integers(0, 10**6)
quick = settings(max_examples=50, deadline=None)
SCORES, HOLDS = [1, 0, 0, 0, 0.5, 0, 0], [0, 1, 0, 0, 1, 0, 0]


def central(f, x, step=1e-6):
    x = np.asarray(x, dtype=float)
    return np.array([(f(x + e) - f(x - e)) / (2 * step) for e in step * np.eye(len(x))])


def test_arrows_and_the_rank_of_the_series():
    np.testing.assert_allclose(unit_arrows([0, 90, 225]), [[1, 0], [0, 1], [-math.sqrt(0.5)] * 2], atol=1e-15)
    x = unit_arrows([71, 13, 148, 301, 96, 208, 341, 236]) @ unit_arrows([10, 54, 103, 143, 193, 243, 288, 329]).T
    ranks = [np.linalg.matrix_rank(exponential_series(x, 3.0, K), tol=1e-9) for K in range(6)]
    assert ranks == [1, 3, 5, 7, 8, 8]


def test_the_series_term_by_term():
    x = np.array([[0.5, -2.0], [0.0, 1.5]])
    for K in (0, 1, 4):
        expected = sum((0.7 * x) ** k / math.factorial(k) for k in range(K + 1))
        np.testing.assert_allclose(exponential_series(x, 0.7, K), expected, rtol=1e-14)
    np.testing.assert_allclose(exponential_series(x, 0.7, 40), np.exp(0.7 * x), rtol=1e-14)


@quick
@given(SEEDS, st.floats(-3, 3))
def test_derivatives_of_log_z_mean_and_entropy_in_beta(seed, beta):
    scores = np.random.default_rng(seed).standard_normal(4)

    def slope(f):
        return central(lambda b: f(float(b[0])), [beta], 1e-5)[0]

    mean, variance = mean_score(scores, beta), score_variance(scores, beta)
    assert slope(lambda b: log_partition(scores, b)) == pytest.approx(mean, abs=1e-7)
    assert slope(lambda b: mean_score(scores, b)) == pytest.approx(variance, abs=1e-7)
    entropy = slope(lambda b: information.entropy(softmax(scores, b)))
    assert entropy == pytest.approx(-beta * variance, abs=1e-7)


def test_the_identities_in_symbols():
    beta, *s = sympy.symbols("beta s1 s2 s3", real=True)
    Z = sum(sympy.exp(beta * x) for x in s)
    a = [sympy.exp(beta * x) / Z for x in s]
    at = {beta: sympy.Rational(3, 2), s[0]: 1, s[1]: sympy.Rational(1, 4), s[2]: -2}
    values = [float(at[x]) for x in s]
    mean = sum(p * x for p, x in zip(a, s))
    variance = sympy.diff(mean, beta)
    assert float(variance.subs(at)) == pytest.approx(score_variance(values, 1.5), rel=1e-12)
    assert float(mean.subs(at)) == pytest.approx(mean_score(values, 1.5), rel=1e-12)


@quick
@given(SEEDS, st.floats(-6, 6))
def test_beta_for_mean_undoes_mean_score(seed, beta):
    scores = np.random.default_rng(seed).standard_normal(5)
    assert beta_for_mean(scores, mean_score(scores, beta)) == pytest.approx(beta, abs=1e-6)


def test_maximum_entropy_of_three_positions():
    beta = beta_for_mean([1, 0, 0], 0.5)
    assert beta == pytest.approx(math.log(2), abs=1e-12)
    np.testing.assert_allclose(softmax([1, 0, 0], beta), [0.5, 0.25, 0.25], atol=1e-12)


@quick
@given(SEEDS)
def test_no_rival_with_the_same_mean_has_more_entropy(seed):
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(5)
    rival = rng.dirichlet(np.ones(5))
    beta = beta_for_mean(scores, float(rival @ scores))
    assert information.entropy(rival) <= information.entropy(softmax(scores, beta)) + 1e-9


@quick
@given(st.integers(1, 300), st.floats(0, 30))
def test_source_weight_and_cost_are_the_softmax_of_one_and_zeros(m, beta):
    weight = softmax([1.0] + [0.0] * (m - 1), beta)[0]
    assert source_weight(m, beta) == pytest.approx(weight, rel=1e-12)
    assert source_cost(m, beta) == pytest.approx(-math.log(weight), abs=1e-12)


@quick
@given(SEEDS)
def test_the_best_weight_is_at_least_that_of_its_lead_over_equal_rivals(seed):
    rng = np.random.default_rng(seed)
    scores = np.sort(3 * rng.standard_normal(rng.integers(2, 17)))
    assert softmax(scores).max() >= source_weight(len(scores), float(scores[-1] - scores[-2])) - 1e-12


@quick
@given(st.integers(2, 10**6), st.floats(1e-6, 3))
def test_beta_needed_is_the_root_of_the_cost(m, nats):
    low, high = 0.0, 60.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if source_cost(m, middle) > nats else (low, middle)
    assert beta_needed(m, nats) == pytest.approx(high, abs=1e-8)


def test_the_printed_costs_of_the_pointer():
    assert [round(beta_needed(m, 0.01), 2) for m in (8, 18, 108)] == [6.55, 7.43, 9.27]
    assert [round(source_cost(18, b), 4) for b in (0, 6, 9)] == [round(math.log(18), 4), 0.0413, 0.0021]
    assert source_cost(18, math.inf) == 0 and source_weight(1, 0) == 1
    assert beta_needed(18, math.log(18)) == 0.0


@quick
@given(SEEDS, st.floats(-3, 3))
def test_posterior_by_enumeration_and_gradient_by_differences(seed, beta):
    rng = np.random.default_rng(seed)
    m = rng.integers(1, 7)
    scores, holds = rng.standard_normal(m), rng.integers(0, 2, m)
    holds[rng.integers(m)] = 1
    a = softmax(scores, beta)
    joint = [a[j] if holds[j] else 0.0 for j in range(m)]
    np.testing.assert_allclose(posterior(a, holds), np.array(joint) / sum(joint), atol=1e-12)
    assert target_probability(a, holds.astype(bool)) == pytest.approx(sum(joint))
    slopes = central(lambda s: math.log(target_probability(softmax(s, beta), holds)), scores)
    np.testing.assert_allclose(score_gradient(a, holds, beta), slopes, atol=1e-7)
    complete = sum(r * beta * (np.eye(m)[j] - a) for j, r in enumerate(posterior(a, holds)))
    np.testing.assert_allclose(score_gradient(a, holds, beta), complete, atol=1e-12)


def test_the_worked_gradient():
    Z = math.exp(3) + 5 + math.exp(1.5)
    a = softmax(SCORES, 3)
    assert target_probability(a, HOLDS) == pytest.approx((1 + math.exp(1.5)) / Z)
    r = posterior(a, HOLDS)
    assert r[1] == pytest.approx(1 / (1 + math.exp(1.5))) and r[1] + r[4] == pytest.approx(1)
    np.testing.assert_allclose(posterior(softmax(SCORES, 0), HOLDS)[[1, 4]], [0.5, 0.5])


@quick
@given(SEEDS, st.floats(-2, 2))
def test_the_gradient_of_a_squared_loss_on_vector_values(seed, beta):
    rng = np.random.default_rng(seed)
    m, d_v = rng.integers(1, 5, size=2)
    scores, V, target = rng.standard_normal(m), rng.standard_normal((m, d_v)), rng.standard_normal(d_v)

    def loss(s):
        return 0.5 * np.sum((softmax(s, beta) @ V - target) ** 2)

    a = softmax(scores, beta)
    g = a @ V - target
    np.testing.assert_allclose(loss_gradient(a, V, g, beta), central(loss, scores), atol=1e-7)
    np.testing.assert_allclose(loss_gradient(a, V, g, beta), jacobian(a, beta) @ V @ g, atol=1e-12)


@pytest.mark.parametrize("L", [0, 1, 10, 40])
@pytest.mark.parametrize("beta", [0.0, 6.0, math.inf])
def test_the_hand_set_pointer_pays_the_closed_form_for_both_names(L, beta):
    lang = ToyLang(N=8, F=6, L=L)
    sentence = lang.sample(np.random.default_rng(L))
    for place, repeats in ((lang.last_x, 0), (lang.second_y, 0)):
        read = toylang_pointer(lang, sentence[:place], beta)
        index = lang.vocabulary.index(sentence[place])
        assert read.weights.shape == (1, place)
        assert -math.log(read.outputs[0, index]) == pytest.approx(source_cost(place, beta), abs=1e-12)


def test_moving_the_source_changes_nothing():
    weights = [softmax(6 * np.eye(18)[place])[place] for place in range(18)]
    assert np.ptp(weights) < 1e-15
    np.testing.assert_array_equal(slot_keys(4), [[1, 0], [0, 0], [0, 1], [0, 0]])


@quick
@given(st.sampled_from([0.0, 0.5, 5.0, math.inf]), st.integers(0, 12), st.integers(2, 9), SEEDS)
def test_the_name_lookup_pays_ln_2_on_a_prefix_and_on_its_twin(beta, L, N, seed):
    lang = ToyLang(N=N, F=6, L=L)
    sentence = lang.sample(np.random.default_rng(seed))
    xi = list(sentence[: lang.second_y])
    twin = [xi[2], xi[1], xi[0], *xi[3:]]
    X, Y = lang.names.index(xi[0]), lang.names.index(xi[2])
    p = name_lookup(lang, xi, beta)
    np.testing.assert_allclose(name_lookup(lang, twin, beta), p, atol=1e-15)
    assert -math.log(p[Y]) == pytest.approx(math.log(2)) and -math.log(p[X]) == pytest.approx(math.log(2))


def test_at_thanked_counting_tells_the_names_apart():
    lang = ToyLang(N=3, F=2, L=0)
    p = name_lookup(lang, "Ann gave Cy a pen then Cy thanked".split(), 2)
    np.testing.assert_allclose(p, [1 / 3, 0, 2 / 3])


@pytest.mark.parametrize("m, nats", [(2, 5e-324), (10**150, 1e-300), (7, 1e-17)])
def test_beta_needed_at_the_edges(m, nats):
    with mpmath.workdps(40):
        wanted = mpmath.log((m - 1) / mpmath.expm1(mpmath.mpf(nats)))
    assert beta_needed(m, nats) == pytest.approx(float(wanted), rel=1e-14)


@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_a_mean_at_an_end_takes_an_endless_beta_and_is_refused(mean):
    with pytest.raises(ValueError, match="^mean: wanted a number between"):
        beta_for_mean([1, 0, 0], mean)


def test_gradients_at_beta_1_unless_told_otherwise():
    a = np.array([0.5, 0.3, 0.2])
    np.testing.assert_allclose(score_gradient(a, [1, 0, 1]), np.array([5 / 7, 0, 2 / 7]) - a)
    np.testing.assert_allclose(loss_gradient(a, [[1.0], [2.0], [4.0]], [3.0]), [3 * w * (v - 1.9) for w, v in zip(a, (1, 2, 4))])


def test_a_prefix_is_refused_with_its_last_token():
    with pytest.raises(ValueError, match="^tokens: .*3 that end in 'Ben'$"):
        name_lookup(ToyLang(), "Ann gave Ben".split(), 1)
