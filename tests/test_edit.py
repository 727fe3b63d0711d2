"""The edit against the full system of its conditions, brute-force search and worked spectra."""

import math

import numpy as np
import pytest

from toyattn import edit


def problem(seed, d_k=5, d_v=3):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((d_k, d_k + 2))
    W, (k, other) = rng.standard_normal((d_v, d_k)), rng.standard_normal((2, d_k))
    return W, k, other, A @ A.T, rng.standard_normal(d_v), rng


@pytest.mark.parametrize("seed", range(5))
def test_the_edit_solves_the_conditions_of_the_minimum(seed):
    W, k, _, Sigma, v, _ = problem(seed)
    d_v, d_k = W.shape
    # unknowns: the change D row by row, then a multiplier a row; D Sigma = lambda k^T, D k = v - W k
    system, right = np.zeros((d_v * (d_k + 1),) * 2), np.zeros(d_v * (d_k + 1))
    for i in range(d_v):
        rows = slice(i * d_k, (i + 1) * d_k)
        system[rows, rows], system[rows, d_v * d_k + i] = Sigma, -k
        system[d_v * d_k + i, rows], right[d_v * d_k + i] = k, (v - W @ k)[i]
    change = np.linalg.solve(system, right)[: d_v * d_k].reshape(d_v, d_k)
    np.testing.assert_allclose(edit.edit(W, k, v, Sigma) - W, change, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(edit.edit(W, k, v, Sigma) @ k, v)


def test_the_naive_edit():
    W, k, other, _, v, _ = problem(1)
    found = edit.edit(W, k, v)
    np.testing.assert_allclose(found @ k, v)
    across = other - (other @ k) / (k @ k) * k
    np.testing.assert_allclose(found @ across, W @ across)
    np.testing.assert_allclose(edit.direction(k), k / sum(x * x for x in k))


def test_the_edit_moves_typical_keys_least():
    W, k, _, Sigma, v, rng = problem(2)
    best = edit.direction(k, Sigma)
    for _ in range(200):
        u = best + rng.standard_normal(5)
        u /= u @ k  # any other direction that meets the constraint
        assert u @ Sigma @ u > best @ Sigma @ best


def test_changes_of_other_keys():
    W, k, _, Sigma, v, rng = problem(3)
    keys, v = rng.standard_normal((6, 5)), W @ k + np.array([0.6, 0, 0.8])  # an error of length 1
    for moment in (None, Sigma):
        moved = edit.edit(W, k, v, moment) - W
        wanted = [((moved @ key) ** 2).sum() for key in keys]
        np.testing.assert_allclose(edit.changes(edit.direction(k, moment), keys), wanted)


@pytest.mark.parametrize("seed", range(5))
def test_the_factor_is_a_ratio_of_expected_disturbances(seed):
    _, k, _, Sigma, _, _ = problem(seed)
    wanted = (k @ Sigma @ k) * (k @ np.linalg.inv(Sigma) @ k) / (k @ k) ** 2
    assert edit.naive_factor(k, Sigma) == pytest.approx(wanted) and wanted >= 1


@pytest.mark.parametrize("c", [0, 0.5, 4, 7])
def test_the_uneven_spectrum(c):
    Sigma = edit.uneven(c)
    steps = [math.exp(-c * i / 7) for i in range(8)]
    np.testing.assert_allclose(np.diag(Sigma), [8 * step / sum(steps) for step in steps])
    assert Sigma.sum() == pytest.approx(8)
    factor = sum(steps) / 8 * sum(1 / step for step in steps) / 8
    assert edit.naive_factor(np.full(8, 0.3), Sigma) == pytest.approx(factor)
    assert edit.naive_factor(np.eye(8)[2], Sigma) == pytest.approx(1)


def test_typical_keys_have_the_moment_and_stretch_with_it():
    _, _, _, Sigma, _, _ = problem(4)
    keys = edit.typical_keys(Sigma, 40_000, np.random.default_rng(0))
    error = np.sqrt((np.outer(np.diag(Sigma), np.diag(Sigma)) + Sigma**2) / 40_000)
    assert (np.abs(keys.T @ keys / 40_000 - Sigma) < 4.5 * error).all()
    round_ = edit.typical_keys(np.eye(8), 3, np.random.default_rng(1))
    flat = edit.typical_keys(edit.uneven(3), 3, np.random.default_rng(1))
    np.testing.assert_allclose(flat, round_ * np.sqrt(np.diag(edit.uneven(3))))


@pytest.mark.parametrize("c", [0.25, 1, 3, 5])
def test_the_plane_and_its_two_directions(c):
    k, Sigma = np.ones(8), edit.uneven(c)
    found = edit.plane(k, Sigma)
    np.testing.assert_allclose(found.basis @ found.basis.T, np.eye(2), atol=1e-12)
    assert found.basis[0] @ k == pytest.approx(math.sqrt(8))
    u = np.linalg.solve(Sigma, k)
    np.testing.assert_allclose(found.basis.T @ (found.basis @ u), u)
    W, v = np.ones((1, 8)), np.array([3.0])
    assert np.hypot(*found.axis) == pytest.approx(1) == np.hypot(*found.unmoved)
    unmoved = found.unmoved @ found.basis
    np.testing.assert_allclose(edit.edit(W, k, v, Sigma) @ unmoved, W @ unmoved)
    turns = np.radians(np.arange(0, 180, 0.01))
    directions = np.column_stack([np.cos(turns), np.sin(turns)])
    spread = [row @ Sigma @ row for row in directions @ found.basis]
    longest = directions[int(np.argmax(spread))]
    assert abs(longest @ found.axis) == pytest.approx(1, abs=1e-7)
    between = math.degrees(math.acos(abs(longest @ found.unmoved)))
    assert edit.angle(k, Sigma) == pytest.approx(between, abs=0.01)


def test_round_clouds_have_no_plane():
    for function in (edit.plane, edit.angle):
        with pytest.raises(ValueError, match="^k: wanted a key with a plane"):
            function(np.ones(8), edit.uneven(0))


@pytest.mark.parametrize("size", [1e-10, 1.0, 1e10])
def test_a_moment_is_symmetric_at_its_own_size(size):
    Sigma = size * np.array([[2.0, 0.5], [0.5, 1.0]])
    np.testing.assert_allclose(edit.direction([1, 3], Sigma), edit.direction([1, 3], Sigma / size), atol=1e-12)
    with pytest.raises(ValueError, match="^Sigma: wanted a symmetric matrix"):
        edit.direction([1, 2], size * np.array([[2.0, 0.5], [0.4, 1.0]]))


def test_a_key_of_any_length_has_the_same_plane():
    _, k, _, Sigma, _, _ = problem(2)
    for length in (1e-8, 1e8):
        for found, wanted in zip(edit.plane(length * k, Sigma), edit.plane(k, Sigma)):
            np.testing.assert_allclose(np.abs(found), np.abs(wanted), rtol=1e-7)


def test_an_angle_of_zero_survives_rounding():
    assert edit.angle([1, 7e-6], np.diag([2, 1e-15])) == 0


def test_a_moment_that_is_not_quite_symmetric_is_refused():
    with pytest.raises(ValueError, match="^Sigma: .*symmetric"):
        edit.direction([1, 2], [[2, 0.5], [0.5 + 5e-9, 2]])


def test_the_smallest_and_the_steepest_settings():
    np.testing.assert_allclose(np.diag(edit.uneven(1, 2)), [2 / (1 + math.exp(-1)), 2 / (1 + math.e)])
    with pytest.raises(ValueError, match="^c: wanted .* from 0 to 500, got 500.5"):
        edit.uneven(500.5)
    assert edit.typical_keys(np.eye(3), 1, np.random.default_rng(0)).shape == (1, 3)
