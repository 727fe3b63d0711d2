"""Random rows of scores against their moments, quadrature and one long run."""

import math

import numpy as np
import pytest

from toyattn.attention import concentration, entropies, softmax
from toyattn.scaling import expected_spread, random_scores, row_statistics


def test_draws_come_row_by_row_query_first():
    rng = np.random.default_rng(82)
    for row in random_scores(5, 3, 7, np.random.default_rng(82)):
        q = [rng.standard_normal() for _ in range(7)]
        keys = [[rng.standard_normal() for _ in range(7)] for _ in range(3)]
        np.testing.assert_allclose(row, [sum(a * b for a, b in zip(q, k)) for k in keys], atol=1e-12)


def test_long_runs_are_drawn_in_parts_with_progress(monkeypatch):
    told = []
    whole = random_scores(10, 4, 6, np.random.default_rng(0))
    monkeypatch.setattr("toyattn.scaling.DRAWN_AT_ONCE", 90)
    parts = random_scores(10, 4, 6, np.random.default_rng(0), lambda *done: told.append(done))
    np.testing.assert_array_equal(parts, whole)
    assert told == [(3, 10), (6, 10), (9, 10), (10, 10)]
    monkeypatch.setattr("toyattn.scaling.DRAWN_AT_ONCE", 1)
    assert random_scores(2, 1, 1, np.random.default_rng(0), lambda *done: told.append(done)).shape == (2, 1)
    assert told[4:] == [(1, 2), (2, 2)]
    assert random_scores(1, 1, 1, np.random.default_rng(0)).shape == (1, 1)


@pytest.mark.parametrize("d_k", [4, 64])
def test_the_variance_of_a_score_is_the_key_width(d_k):
    scores = random_scores(20_000, 1, d_k, np.random.default_rng(d_k))
    error = math.sqrt((2 + 6 / d_k) / 20_000)  # of a sample variance: kurtosis of a score is 3 + 6/d_k
    assert scores.var() / d_k == pytest.approx(1, abs=4 * error)


def test_row_statistics_by_hand():
    rows = row_statistics([[1.0, 0.0], [0.0, 8.0], [-2.0, -2.0]], 2.0)
    shares = [1 / (1 + math.exp(-2)), 1 / (1 + math.exp(-16)), 0.5]
    assert rows.spread == pytest.approx(2 * (1 + 8 + 0) / 3)
    assert rows.share == pytest.approx(sum(shares) / 3)
    assert rows.decided == 1
    assert row_statistics([[math.log(99), 0.0]], 1.0)[1:] == (0.99, 1)  # at the limit itself


def test_undivided_spread_is_exactly_root_d_k_times_the_divided():
    scores = random_scores(200, 4, 16, np.random.default_rng(1))
    raw, divided = row_statistics(scores), row_statistics(scores, 1 / 4)
    assert raw.spread == 4 * divided.spread


def test_the_expected_spread_by_quadrature_and_by_a_run():
    x = np.linspace(-9, 9, 20_001)
    Phi = np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])
    four = np.trapezoid(1 - Phi**4 - (1 - Phi) ** 4, x)
    assert expected_spread(10**9) == pytest.approx(four, rel=1e-6)
    r = np.linspace(0, 12, 20_001)
    for d_k in (1, 4, 16):
        density = r ** (d_k - 1) * np.exp(-(r**2) / 2)
        length = np.trapezoid(r * density, r) / np.trapezoid(density, r)
        assert expected_spread(d_k) == pytest.approx(four * length / math.sqrt(d_k), rel=1e-5)


@pytest.mark.parametrize("width, undivided", [(4, (0.6275, 0.6764, 6, 42)), (64, (0.892, 0.928, 430, 556))])
def test_a_run_of_1000_rows_lands_where_it_should(width, undivided):
    scores = random_scores(1000, 4, width, np.random.default_rng(82))
    divided, raw = row_statistics(scores, width**-0.5), row_statistics(scores)
    assert divided.spread == pytest.approx(expected_spread(width), abs=0.15) and divided.decided <= 4
    least, most, fewest, many = undivided
    assert least < raw.share < most and fewest <= raw.decided <= many


def test_sixteen_random_keys():
    scores = random_scores(2000, 16, 64, np.random.default_rng(5))
    raw, scaled = softmax(scores), softmax(scores, 1 / 8)
    assert 0.2 < np.mean(1 - concentration(raw)) < 0.245 and 0.855 < np.mean(1 - concentration(scaled)) < 0.88
    assert 0.36 < entropies(raw).mean() < 0.46 and 2.32 < entropies(scaled).mean() < 2.39
    assert 0.82 < raw.max(axis=1).mean() < 0.87 and 0.235 < scaled.max(axis=1).mean() < 0.265
