"""Expected errors against other exact routes and simulations; simulations against single draws."""

import math

import mpmath
import numpy as np
import pytest

from toyattn import memory, recall


def inside(draws, expected, width=4.5):
    """Whether an expectation lies within `width` standard errors (and rounding) of the mean of draws."""
    error = draws.std(axis=0, ddof=1) / math.sqrt(len(draws))
    return bool((np.abs(draws.mean(axis=0) - expected) <= width * error + 1e-12).all())


@pytest.mark.parametrize("d", [1, 2, 5])
def test_unit_vectors_are_uniform(d):
    found = recall.unit_vectors((20_000, d), np.random.default_rng(d))
    np.testing.assert_allclose((found**2).sum(axis=-1), 1)
    assert inside(found, 0)
    if d > 1:
        assert inside(found**2, 1 / d)
        assert inside(found[:, 0] ** 4, 3 / (d * (d + 2)))  # a projected cube is not uniform
        assert inside(found[:, 0] ** 2 * found[:, 1] ** 2, 1 / (d * (d + 2)))


@pytest.mark.parametrize("m, d", [(1, 4), (7, 5), (12, 3), (30, 10)])
def test_hebbian_and_least_squares_errors(m, d):
    rng = np.random.default_rng(m)
    overlaps = sum(1 / d for _ in range(m - 1))
    assert recall.hebbian_error(m, d) == pytest.approx(overlaps)
    assert inside(recall.simulate_errors(m, d, "hebbian", rng, 4000).mean(axis=1), overlaps)
    K = rng.standard_normal((m, d))
    lost = 1 - np.diag(K @ np.linalg.pinv(K)).mean()
    assert recall.least_squares_error(m, d) == pytest.approx(lost, abs=1e-9)
    found = recall.simulate_errors(m, d, "least squares", rng, 2000).mean(axis=1)
    assert inside(found, recall.least_squares_error(m, d))
    np.testing.assert_allclose(recall.hebbian_error([m, m + 1], d), [overlaps, overlaps + 1 / d])


def test_arrays_of_pairs():
    np.testing.assert_allclose(recall.least_squares_error([3, 4, 5, 16], 4), [0, 0, 0.2, 0.75])
    single = recall.hebbian_error(2, 3), recall.least_squares_error(2, 3), recall.decay_error(0, 2, 0.5, 3)
    assert set(map(type, single)) == {float}


def test_a_decay_that_grows_is_refused():
    with pytest.raises(ValueError, match="^gamma: wanted .* from 0 to 1, got 1.5"):
        recall.decay_error(0, 2, 1.5, 3)


def test_what_is_simulated_unless_told_otherwise():
    seed = lambda: np.random.default_rng(0)
    usual = recall.simulate_recall(10, 4, 3, seed(), trials=200, queries=8)
    for found, wanted in zip(recall.simulate_recall(10, 4, 3, seed()), usual):
        np.testing.assert_array_equal(found, wanted)
    assert recall.simulate_errors(2, 3, "hebbian", seed()).shape == (200, 2)
    assert recall.simulate_cache_errors(2, 3, 1, seed()).shape == (200, 2)
    assert recall.simulate_errors(1, 1, "hebbian", seed(), trials=1).shape == (1, 1)


@pytest.mark.parametrize(
    "n, gamma, d", [(1, 0.9, 3), (15, 0.8, 5), (9, 1.0, 2), (6, 0.0, 4), (30, 0.95, 8)]
)
def test_decay_error_by_age(n, gamma, d):
    wanted = []
    for age in range(n):
        noise = sum(gamma ** (2 * b) / d for b in range(n) if b != age)
        wanted.append((1 - gamma**age) ** 2 + noise)
    found = recall.decay_error(np.arange(n), n, gamma, d)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    assert recall.decay_error(n - 1, n, gamma, d) == pytest.approx(wanted[-1])
    errors = recall.simulate_errors(n, d, "hebbian", np.random.default_rng(n), 3000, gamma=gamma)
    assert inside(errors[:, ::-1], wanted)
    crossing = recall.decay_crossing(n, gamma, d)
    above = [age for age in range(n) if wanted[age] > 1]
    assert crossing == (above[0] if above else None)


def test_a_crossing_is_above_the_empty_answer():
    assert recall.decay_crossing(4, 1.0, 3) is None  # an error of exactly 1 at every age
    assert recall.decay_crossing(5, 1.0, 3) == 0


def delta_error_by_weights(n, d, age):
    """The same expectation from the weights that a read puts on each value.

    S k_j = sum_i v_i (k_i . M_{i+1} ... M_n k_j), M = I - k k^T; values are independent, so weights add
    in squares. T averages X -> M X M over a uniform key.
    """

    def T(X):
        return X - 2 * X / d + (np.trace(X) * np.eye(d) + 2 * X) / (d * (d + 2))

    first = np.eye(d)[0]  # k_j
    X, later = np.outer(first, first), 0.0
    for _ in range(age):
        later += np.trace(X) / d  # the pair written next before the ones already passed
        X = T(X)
    own = X[0, 0] - 2 * (1 - 1 / d) ** age + 1
    erased = np.eye(d) - np.outer(first, first)
    X, earlier = erased @ X @ erased, 0.0
    for _ in range(n - 1 - age):
        earlier += np.trace(X) / d
        X = T(X)
    return own + later + earlier


@pytest.mark.parametrize("n, d", [(1, 3), (5, 2), (12, 4), (20, 7)])
def test_delta_errors_by_age(n, d):
    found = recall.delta_errors(n, d)
    wanted = [delta_error_by_weights(n, d, age) for age in range(n)]
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)
    errors = recall.simulate_errors(n, d, "delta", np.random.default_rng(n), 4000)
    assert inside(errors[:, ::-1], found)


@pytest.mark.parametrize("m, d, N", [(2, 7, 3), (9, 8, 8), (33, 32, 8), (60, 9, 30), (2.5, 1000, 5)])
def test_recall_probability_by_another_quadrature(m, d, N):
    s = mpmath.sqrt(mpmath.mpf(m - 1) / (N * d))
    wanted = mpmath.quad(
        lambda z: mpmath.npdf(z) * mpmath.ncdf(z + 1 / s) ** (N - 1), mpmath.linspace(-14, 14, 29)
    )
    assert recall.recall_probability(m, d, N) == pytest.approx(float(wanted), abs=1e-11)


def test_recall_probability_of_two_names_and_in_the_limits():
    for m, d in ((5, 3), (100, 3)):
        s = math.sqrt((m - 1) / (2 * d))
        wanted = math.erfc(-1 / (s * math.sqrt(2)) / math.sqrt(2)) / 2
        assert recall.recall_probability(m, d, 2) == pytest.approx(wanted, abs=1e-12)
    assert recall.recall_probability(1, 5, 8) == 1
    assert recall.recall_probability(10**12, 5, 8) == pytest.approx(1 / 8, abs=1e-5)


def test_recall_trial_by_trial():
    found = recall.simulate_recall(9, 4, 3, np.random.default_rng(1), trials=5, queries=4)
    rng = np.random.default_rng(1)
    K, names = recall.unit_vectors((5, 9, 4), rng), rng.integers(3, size=(5, 9))
    for trial in range(5):
        for m in range(1, 10):
            right, noise = [], []
            for j in range(min(m, 4)):
                scores = [0.0] * 3
                for i in range(m):
                    scores[names[trial, i]] += K[trial, i] @ K[trial, j]
                right.append(max(range(3), key=scores.__getitem__) == names[trial, j])
                scores[names[trial, j]] -= 1
                noise.append(sum(x * x for x in scores))
            assert found.right[m - 1, trial] == np.mean(right)
            assert found.interference[m - 1, trial] == pytest.approx(np.mean(noise), abs=1e-12)


def test_recall_by_other_rules():
    found = recall.simulate_recall(5, 3, 4, np.random.default_rng(3), trials=6, queries=2, rule="delta", eta=0.8, gamma=0.9)
    rng = np.random.default_rng(3)
    K, names = recall.unit_vectors((6, 5, 3), rng), rng.integers(4, size=(6, 5))
    for trial in range(6):
        S = np.zeros((4, 3))
        for m in range(5):
            k = K[trial, m]
            S = 0.9 * S
            S = S + 0.8 * np.outer(np.eye(4)[names[trial, m]] - S @ k, k)
            asked = range(min(m + 1, 2))
            reads = [S @ K[trial, j] for j in asked]
            assert found.right[m, trial] == np.mean([read.argmax() == names[trial, j] for j, read in zip(asked, reads)])
            misses = [read - np.eye(4)[names[trial, j]] for j, read in zip(asked, reads)]
            assert found.interference[m, trial] == pytest.approx(np.mean([miss @ miss for miss in misses]))
    least = recall.simulate_recall(4, 4, 3, np.random.default_rng(4), trials=5, rule="least squares")
    assert (least.right == 1).all() and np.abs(least.interference).max() < 1e-18
    ridged = recall.simulate_recall(4, 4, 3, np.random.default_rng(4), trials=5, rule="least squares", ridge=0.5)
    assert (ridged.interference > 1e-3).all()


@pytest.mark.parametrize("m, d, N", [(20, 12, 5), (40, 24, 8), (50, 100, 3)])
def test_recall_beside_its_laws(m, d, N):
    found = recall.simulate_recall(m, d, N, np.random.default_rng(m), trials=2500)
    assert (found.right[0] == 1).all()
    assert inside(found.interference[1:].T, (np.arange(2, m + 1) - 1) / d)
    assert found.right[-1].mean() == pytest.approx(recall.recall_probability(m, d, N), abs=0.02)


def test_errors_draw_by_draw():
    rng = np.random.default_rng(2)
    found = recall.simulate_errors(6, 3, "delta", rng, 4, eta=0.8, gamma=0.9)
    soft = recall.simulate_cache_errors(6, 3, 2.5, np.random.default_rng(2), 4)
    K, V = recall.unit_vectors((2, 4, 6, 3), np.random.default_rng(2))
    for trial in range(4):
        S = memory.write(K[trial], V[trial], "delta", 0.8, 0.9)
        weights = np.exp(2.5 * K[trial] @ K[trial].T)
        weights /= weights.sum(axis=1, keepdims=True)
        for j in range(6):
            miss = S @ K[trial, j] - V[trial, j]
            assert found[trial, j] == pytest.approx(miss @ miss)
            miss = weights[j] @ V[trial] - V[trial, j]
            assert soft[trial, j] == pytest.approx(miss @ miss)


@pytest.mark.parametrize("n, gamma, d", [(11, 0.7, 6), (40, 0.97, 3)])
def test_decay_error_inside_streams_that_are_drawn_here(n, gamma, d):
    """The state number by number, 2,000 streams, 4.5 standard errors at each age."""
    rng = np.random.default_rng(n)
    K, V = rng.standard_normal((2, 2000, n, d))
    K, V = (x / np.sqrt((x * x).sum(axis=-1))[..., None] for x in (K, V))
    S = np.zeros((2000, d, d))
    for t in range(n):
        S = gamma * S + V[:, t, :, None] * K[:, t, None, :]
    errors = np.stack([((np.einsum("sij,sj->si", S, K[:, t]) - V[:, t]) ** 2).sum(axis=1) for t in reversed(range(n))], axis=1)
    assert inside(errors, recall.decay_error(np.arange(n), n, gamma, d))
