"""Sinusoidal codes entry by entry, rotations against angle addition, offset scores."""

import math

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from toyattn.positions import (
    code_scores,
    frequencies,
    offset_score,
    rotation,
    scaled_rotations,
    sinusoidal,
)

quick = settings(max_examples=50, deadline=None)
D = st.integers(1, 8).map(lambda half: 2 * half)


def test_the_code_entry_by_entry():
    places, d = [0, 3, 7, -2], 6
    codes = sinusoidal(places, d)
    for row, t in zip(codes, places):
        for j in range(d // 2):
            assert row[2 * j] == pytest.approx(math.sin(t / 10000 ** (2 * j / d)), abs=1e-14)
            assert row[2 * j + 1] == pytest.approx(math.cos(t / 10000 ** (2 * j / d)), abs=1e-14)
    np.testing.assert_allclose(frequencies(8), [1, 0.1, 0.01, 0.001])


@quick
@given(D, st.integers(0, 200), st.integers(-200, 200))
def test_a_rotation_shifts_the_code(d, t, b):
    here, there = sinusoidal([t, t + b], d)
    np.testing.assert_allclose(rotation(b, d) @ here, there, atol=1e-12)
    np.testing.assert_allclose(rotation(b, d).T @ rotation(b, d), np.eye(d), atol=1e-14)


def test_the_worked_shift_is_exact_to_rounding():
    code = sinusoidal([3, 7], 8)
    assert np.abs(rotation(4, 8) @ code[0] - code[1]).max() < 1e-15


@quick
@given(D, st.integers(-20, 20), st.integers(0, 10**6))
def test_scores_of_scaled_rotations_see_the_offset_alone(d, b, seed):
    alpha, eta = np.random.default_rng(seed).standard_normal((2, d // 2))
    B = scaled_rotations(alpha, eta)
    np.testing.assert_allclose(B @ rotation(b, d), rotation(b, d) @ B, atol=1e-12)
    scores = code_scores(B, np.arange(30), b)
    np.testing.assert_allclose(scores, offset_score(alpha, eta, b), atol=1e-11)
    by_hand = sinusoidal([4], d)[0] @ B @ sinusoidal([4 + b], d)[0]
    assert scores[4] == pytest.approx(by_hand, abs=1e-11)


def test_blocks_of_a_scaled_rotation():
    np.testing.assert_array_equal(scaled_rotations([2], [5]), [[2, 5], [-5, 2]])


def test_a_general_form_sees_the_place_too():
    B = np.random.default_rng(0).standard_normal((8, 8))
    assert np.ptp(code_scores(B, np.arange(50), 4)) > 0.1
