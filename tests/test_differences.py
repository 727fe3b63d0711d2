"""Central differences of functions whose differences can be written down."""

import numpy as np
import pytest

from toyattn.differences import central


def test_a_cube_is_off_by_the_square_of_the_step():
    x = np.array([[0.5, -1.0, 2.0], [3.0, 0.0, 1.5]])
    for h in (1.0, 0.25):  # ((x + h)^3 - (x - h)^3) / 2h = 3x^2 + h^2
        np.testing.assert_allclose(central(lambda x: (x**3).sum(), x, h), 3 * x**2 + h**2, rtol=0, atol=1e-12)


def test_the_derivatives_of_a_linear_map_are_its_entries_in_their_places():
    A = np.random.default_rng(3).normal(size=(2, 3, 4, 5))
    slopes = central(lambda x: np.einsum("ijkl,kl->ij", A, x), np.ones((4, 5)), 0.5)
    np.testing.assert_allclose(slopes, A, rtol=0, atol=1e-13)


def test_a_number_of_a_number_and_the_usual_step():
    slope = central(np.exp, 1)
    assert slope.shape == () and slope == pytest.approx(np.e, rel=1e-9)
    for h in (1e-12, 1):
        assert central(lambda x: 2.0 * x, 0, h) == 2


def test_the_point_is_left_as_it_was():
    x = np.array([1.0, 2.0])
    central(np.sin, x)
    assert x.tolist() == [1.0, 2.0]


def test_steps_beyond_the_range_are_refused():
    for h in (0.9e-12, 1.5):
        with pytest.raises(ValueError, match="^h: wanted a finite number from 1e-12 to 1"):
            central(np.sin, [1.0], h)
    with pytest.raises(ValueError, match="^f: wanted a function of one array, got 3$"):
        central(3, [1.0])
