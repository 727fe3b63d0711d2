"""The stack of layers beside descent in exact fractions and finite differences."""

from fractions import Fraction

import numpy as np
import pytest

from toyattn import in_context_regression as icr
from toyattn import memory

X_3, Y_3 = [1, 2, 1], [1, 2, 3]


def exact_slopes(x, y, eta, steps):
    x, y, eta = [Fraction(str(v)) for v in x], [Fraction(str(v)) for v in y], Fraction(str(eta))
    slopes = [Fraction(0)]
    for _ in range(steps):
        slope = slopes[-1]
        slopes.append(slope - eta * sum((slope * a - b) * a for a, b in zip(x, y)) / len(x))
    return slopes


@pytest.mark.parametrize("x, y, eta", [(X_3, Y_3, 0.3), (icr.X_8, icr.Y_8, 0.5), ([2.0], [1.0], 0.1)])
def test_layers_in_fractions(x, y, eta):
    slopes = exact_slopes(x, y, eta, 12)
    Z = icr.stack(x, y, 0.6, eta, 12)
    for found in (icr.descent(x, y, eta, 12)[:, 0], icr.closed_form(x, y, eta, 12)[:, 0]):
        assert found == pytest.approx([float(s) for s in slopes], abs=1e-13)
    residuals = [[float(Fraction(str(b)) - s * Fraction(str(a))) for a, b in zip(x, y)] for s in slopes]
    np.testing.assert_allclose(Z[:, :-1, 1], residuals, atol=1e-13)
    np.testing.assert_allclose(Z[:, :-1, 0], [x] * 13)
    assert icr.predictions(Z) == pytest.approx([0.6 * float(s) for s in slopes], abs=1e-13)
    losses = [
        float(sum((s * Fraction(str(a)) - Fraction(str(b))) ** 2 for a, b in zip(x, y)) / (2 * len(x))) for s in slopes
    ]
    assert [icr.loss([float(s)], x, y) for s in slopes] == pytest.approx(losses, abs=1e-14)


def test_the_printed_digits():
    slopes, star = icr.descent(icr.X_8, icr.Y_8, 0.5, 10)[:, 0], icr.least_squares(icr.X_8, icr.Y_8)
    assert slopes[[1, 3, 10]] == pytest.approx([0.215, 0.512, 0.890], abs=5e-4)
    assert star == pytest.approx([0.970], abs=5e-4)
    losses = [icr.loss([s], icr.X_8, icr.Y_8) for s in slopes[[0, 1, 3, 10]]] + [icr.loss(star, icr.X_8, icr.Y_8)]
    assert losses == pytest.approx([0.2100562, 0.1280796, 0.04825917, 0.003278832, 0.001883614], abs=1e-7)
    assert icr.moments(X_3, Y_3)[0].tolist() == [[2]] and icr.moments(X_3, Y_3)[1] == pytest.approx([8 / 3])
    assert icr.predictions(icr.stack(X_3, Y_3, 1, 0.3, 3)) == pytest.approx([0, 0.8, 1.12, 1.248])


def loop_layer(Z, eta, with_query):
    m = len(Z) - 1
    found = [list(row) for row in Z]
    for j, z in enumerate(Z):
        for i in range(m + with_query):
            score = sum(a * b for a, b in zip(Z[i][:-1], z[:-1]))
            found[j][-1] -= eta / m * Z[i][-1] * score
    return found


@pytest.mark.parametrize("with_query", [False, True])
def test_a_layer_beside_the_loop(with_query):
    rng = np.random.default_rng(0)
    x, y, x_q = rng.standard_normal((5, 3)), rng.standard_normal(5), rng.standard_normal(3)
    Z = icr.stack(x, y, x_q, 0.4, 4, with_query)
    rows = [[*a, b] for a, b in zip(x, y)] + [[*x_q, 0.0]]
    for found in Z:
        np.testing.assert_allclose(found, rows, atol=1e-12)
        rows = loop_layer(rows, 0.4, with_query)


def test_a_query_that_is_a_key_leaves_the_descent():
    found = icr.predictions(icr.stack(X_3, Y_3, 1, 0.3, 200, True))
    assert found[1:3] == pytest.approx([0.8, 1.04])
    assert abs(found[-1] - 4 / 3) > 0.1


def test_many_inputs_reach_least_squares():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((9, 4)), rng.standard_normal(9)
    x_q = rng.standard_normal(4)
    wanted = np.linalg.lstsq(x, y, rcond=None)[0]
    assert icr.least_squares(x, y) == pytest.approx(wanted, abs=1e-10)
    assert icr.descent(x, y, 0.4, 3000)[-1] == pytest.approx(wanted, abs=1e-8)
    Theta = np.zeros(4)
    for found, closed in zip(icr.descent(x, y, 0.4, 7), icr.closed_form(x, y, 0.4, 7)):
        assert found == pytest.approx(Theta, abs=1e-12) and closed == pytest.approx(Theta, abs=1e-12)
        Theta = Theta - 0.4 / 9 * sum((Theta @ a - b) * a for a, b in zip(x, y))
    Z = icr.stack(x, y, x_q, 0.4, 7)
    slots = icr.descent(x, y, 0.4, 7)
    np.testing.assert_allclose(Z[:, :-1, -1], y - slots @ x.T, atol=1e-12)
    np.testing.assert_allclose(icr.predictions(Z), slots @ x_q, atol=1e-12)


def test_gradient_is_the_slope_of_the_loss():
    rng = np.random.default_rng(2)
    x, y, Theta = rng.standard_normal((5, 3)), rng.standard_normal(5), rng.standard_normal(3)
    found = icr.gradient(Theta, x, y)
    for i, step in enumerate(1e-6 * np.eye(3)):
        slope = (icr.loss(Theta + step, x, y) - icr.loss(Theta - step, x, y)) / 2e-6
        assert found[i] == pytest.approx(slope, abs=1e-7)


def test_the_family():
    # a Hebbian write is the first step on one pair, a delta write any step on one pair
    x, y, Theta, eta = np.array([[1.0, 2.0]]), np.array([3.0]), np.array([0.5, -1.0]), 0.1
    first = memory.write(x, y[:, None], "hebbian", eta)
    np.testing.assert_allclose(first[0], icr.descent(x, y, eta, 1)[1])
    later = memory.step(Theta[None], x[0], y, "delta", eta)
    np.testing.assert_allclose(later[0], Theta - eta * icr.gradient(Theta, x, y))


def test_the_head():
    W = icr.weights(2, 0.25)
    assert W.W_Q.tolist() == W.W_K.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert W.W_V.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, -1]]
    assert W.W_O.tolist() == [[0.25, 0, 0], [0, 0.25, 0], [0, 0, 0.25]]


def test_no_steps_and_the_usual_sum():
    x, y = np.array([[1.0, 2.0], [0.5, -1.0]]), np.array([3.0, 1.0])
    assert icr.descent(x, y, 0.1, 0).tolist() == icr.closed_form(x, y, 0.1, 0).tolist() == [[0, 0]]
    Z = np.array([[1.0, 2.0], [2.0, 1.0], [0.5, 0.0]])  # the sum spares the query, the last row, unless told otherwise
    pairs = 0.1 / 2 * sum(a * b for a, b in Z[:2])
    assert icr.layer(Z, 0.1)[2, 1] == pytest.approx(-pairs * 0.5)
    Z[2, 1] = 4.0
    all_three = pairs + 0.1 / 2 * 0.5 * 4.0
    assert icr.layer(Z, 0.1)[2, 1] == pytest.approx(4.0 - pairs * 0.5)
    assert icr.layer(Z, 0.1, query_is_key=True)[2, 1] == pytest.approx(4.0 - all_three * 0.5)
