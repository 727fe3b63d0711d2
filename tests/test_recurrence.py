"""Recurrent nets against single steps, finite differences, matrix powers; the scan against the loop."""

import math

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from toyattn import recurrence

PHI = {"tanh": math.tanh, "identity": lambda u: u}
phis = pytest.mark.parametrize("phi", PHI)


def one_step(W_h, h, x, phi):
    return np.array([PHI[phi](sum(w * a for w, a in zip(row, h)) + b) for row, b in zip(W_h, x)])


def net(seed, n=6, d=4):
    rng = np.random.default_rng(seed)
    return 0.7 * rng.standard_normal((d, d)), 0.5 * rng.standard_normal((n, d)), rng


@pytest.mark.parametrize("d, V", [(1, 1), (3, 7), (32, 22)])
def test_parameters_are_the_sizes_of_the_arrays(d, V):
    W_h, W_x, b = np.zeros((d, d)), np.zeros((d, V)), np.zeros(d)
    W_out, b_out = np.zeros((V, d)), np.zeros(V)
    sizes = (W_h.size, W_x.size, b.size, W_out.size, b_out.size)
    assert recurrence.n_parameters(d, V) == sum(sizes)


@phis
def test_states_step_by_step(phi):
    W_h, x, _ = net(0)
    h, wanted = np.zeros(4), []
    for row in x:
        h = one_step(W_h, h, row, phi)
        wanted.append(h)
    np.testing.assert_allclose(recurrence.states(W_h, x, phi), wanted, rtol=1e-13)


@phis
def test_many_nets_side_by_side(phi):
    nets = [net(seed)[:2] for seed in range(6)]
    W_h = np.array([W for W, _ in nets]).reshape(2, 3, 4, 4)
    x = np.array([x for _, x in nets]).reshape(2, 3, 6, 4)
    h = recurrence.states(W_h, x, phi)
    gradient = np.arange(24.0).reshape(2, 3, 4)
    pulled = recurrence.pull_back(W_h, h, gradient, phi)
    for i in range(6):
        place = divmod(i, 3)
        np.testing.assert_allclose(h[place], recurrence.states(*nets[i], phi), rtol=1e-13)
        alone = recurrence.pull_back(nets[i][0], h[place], gradient[place], phi)
        np.testing.assert_allclose(pulled[place], alone, rtol=1e-13)


@phis
def test_pulled_back_gradient_by_finite_differences(phi):
    W_h, x, rng = net(1)
    gradient, h = rng.standard_normal(4), recurrence.states(W_h, x, phi)
    pulled = recurrence.pull_back(W_h, h, gradient, phi)

    def loss(start, s):
        for row in x[s + 1 :]:
            start = one_step(W_h, start, row, phi)
        return gradient @ start

    for s in range(len(x)):
        for i, unit in enumerate(np.eye(4)):
            slope = (loss(h[s] + 1e-6 * unit, s) - loss(h[s] - 1e-6 * unit, s)) / 2e-6
            assert pulled[s, i] == pytest.approx(slope, abs=1e-8)


def test_scaled_orthogonal_nets_scale_the_gradient_by_a_power():
    Q = recurrence.random_orthogonal(5, 3, np.random.default_rng(2))
    gradient = np.random.default_rng(3).standard_normal((3, 5))
    for g in (0.5, 0.93, 1.0, 1.1):
        pulled = recurrence.pull_back(g * Q, np.zeros((3, 49, 5)), gradient, "identity")
        sizes = np.linalg.norm(pulled, axis=-1) / np.linalg.norm(gradient, axis=-1)[:, None]
        wanted = recurrence.linear_gradient(g, np.arange(48, -1, -1))
        np.testing.assert_allclose(sizes, np.tile(wanted, (3, 1)), rtol=1e-11)
    assert recurrence.linear_gradient(0.5, 48) == 2.0**-48
    assert recurrence.linear_gradient(0, 0) == 1 and type(recurrence.linear_gradient(2, 1)) is float


def test_tanh_gradients_stay_below_the_linear_ones():
    for g in (0.5, 0.9, 0.99):
        sizes = recurrence.tanh_gradients(g, np.random.default_rng(4), nets=50)
        assert (sizes <= recurrence.linear_gradient(g, np.arange(49)) * (1 + 1e-12)).all()


@pytest.mark.parametrize("seed", range(5))
def test_matrix_powers_lie_between_their_bounds(seed):
    W_h = np.random.default_rng(seed).standard_normal((6, 6))
    for D in (0, 1, 7, 30):
        power = np.eye(6)
        for _ in range(D):
            power = power @ W_h
        low, size, high = recurrence.power_bounds(W_h, D)
        assert size == pytest.approx(math.sqrt(np.linalg.eigvalsh(power.T @ power)[-1]), rel=1e-9)
        assert low * (1 - 1e-9) <= size <= high * (1 + 1e-9)


def test_bounds_of_a_triangular_matrix_by_hand():
    low, size, high = recurrence.power_bounds([[0.9, 1], [0, 0.5]], 3)
    power = np.array([[0.729, (0.729 - 0.125) / 0.4], [0, 0.125]])
    cosine = 1 / math.hypot(1, 0.4)  # eigenvectors (1, 0) and (1, -0.4)
    assert low == pytest.approx(0.729)
    assert size == pytest.approx(math.sqrt(np.linalg.eigvalsh(power.T @ power)[-1]))
    assert high == pytest.approx(0.729 * math.sqrt((1 + cosine) / (1 - cosine)))


def test_cell_gradient_by_finite_differences_of_the_cell():
    rng = np.random.default_rng(5)
    f, i, candidate = rng.uniform(0.1, 1, (3, 7, 4))
    c_0, found = rng.standard_normal(4), recurrence.cell_gradient(f)
    assert found.shape == (8, 4) and (found[0] == 1).all()
    for D in range(1, 8):
        f_D, nu = f[7 - D :], (i * candidate)[7 - D :]
        for unit in np.eye(4):
            ends = [recurrence.loop(f_D, nu, c_0 + step * unit)[-1] for step in (0.5, -0.5)]
            np.testing.assert_allclose(ends[0] - ends[1], found[D] * unit, atol=1e-12)


def test_random_orthogonal_matrices_are_orthogonal_and_uniform():
    Q = recurrence.random_orthogonal(4, 20_000, np.random.default_rng(6))
    products = Q[:50] @ Q[:50].transpose(0, 2, 1)
    np.testing.assert_allclose(products, np.tile(np.eye(4), (50, 1, 1)), atol=1e-12)
    assert (np.abs(Q.mean(axis=0)) < 4.5 / math.sqrt(4 * 20_000)).all()
    trace = np.trace(Q, axis1=1, axis2=2)
    assert np.mean(trace**2) == pytest.approx(1, abs=4.5 * np.std(trace**2) / math.sqrt(20_000))


def test_tanh_gradients_net_by_net():
    settings = dict(nets=3, d=5, D=9, warm_up=4, scale=0.3, F=2)
    found = recurrence.tanh_gradients(1.05, np.random.default_rng(7), **settings)
    rng = np.random.default_rng(7)
    Q, W_x = recurrence.random_orthogonal(5, 3, rng), 0.3 * rng.standard_normal((3, 2, 5))
    words, start = rng.integers(2, size=(3, 13)), rng.standard_normal((3, 5))
    for i in range(3):
        h, jacobians = np.zeros(5), []
        for word in words[i]:
            h = np.tanh(1.05 * Q[i] @ h + W_x[i, word])
            jacobians.append(np.diag(1 - h**2) @ (1.05 * Q[i]))
        gradient, sizes = start[i] / math.sqrt(start[i] @ start[i]), [1.0]
        for jacobian in jacobians[:3:-1]:
            gradient = jacobian.T @ gradient
            sizes.append(math.sqrt(gradient @ gradient))
        np.testing.assert_allclose(found[i], sizes, rtol=1e-10)


def test_equal_seeds_give_the_same_nets_for_every_gain():
    seed = lambda: np.random.default_rng(8)
    low, high = (recurrence.tanh_gradients(g, seed(), D=1, scale=0.0) for g in (0.5, 1))
    np.testing.assert_allclose(2 * low[:, 1], high[:, 1], rtol=1e-12)


def test_the_printed_order_of_magnitude():
    usual = dict(nets=20, d=16, D=48, warm_up=12, scale=0.1, F=6)
    few = [recurrence.tanh_gradients(1.0, np.random.default_rng(9), **settings) for settings in ({}, usual)]
    np.testing.assert_array_equal(*few)
    sizes = recurrence.tanh_gradients(1.0, np.random.default_rng(9), nets=2000)[:, 48]
    assert 0.040 < np.median(sizes) < 0.047
    assert 0.01 < np.quantile(sizes, 0.05) < 0.02 and 0.1 < np.quantile(sizes, 0.995) < 0.16


floats = st.floats(-2, 2)


@st.composite
def recurrences(draw):
    n, wide, numbers = draw(st.integers(1, 40)), draw(st.integers(0, 2)), draw(st.booleans())
    shape = (n, 3, 2)[: wide + 1]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    lam = rng.uniform(-1.2, 1.2, shape[:1] if numbers else shape)
    lam[rng.random(lam.shape) < 0.1] = 0
    start = rng.standard_normal(shape[1:]) if draw(st.booleans()) else None
    return lam, rng.standard_normal(shape), start


@settings(max_examples=150, deadline=None)
@given(recurrences())
def test_the_scan_is_the_loop(case):
    lam, nu, h_0 = case
    kept = lam.copy(), nu.copy()
    looped, scanned = recurrence.loop(lam, nu, h_0), recurrence.scan(lam, nu, h_0)
    np.testing.assert_allclose(scanned.h, looped, rtol=1e-9, atol=1e-9 * np.abs(looped).max())
    assert scanned.rounds == math.ceil(math.log2(len(nu)))
    assert (kept[0] == lam).all() and (kept[1] == nu).all()


@given(st.lists(st.tuples(floats, floats), min_size=1, max_size=12), floats)
def test_the_loop_on_python_numbers(steps, start):
    h, wanted = start, []
    for lam, nu in steps:
        h = lam * h + nu
        wanted.append(h)
    lam, nu = np.array(steps).T
    np.testing.assert_allclose(recurrence.loop(lam, nu, start), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [*range(1, 20), 31, 32, 33, 50, 64, 65, 128, 129])
def test_rounds_of_the_scan(n):
    rounds = next(r for r in range(10) if 2**r >= n)
    found = recurrence.scan(np.ones(n), np.ones(n))
    assert found.rounds == rounds
    assert found.h.tolist() == list(range(1, n + 1))


@pytest.mark.parametrize("lam, nu, h_0", [
    ([1e200] * 5, [0.0] * 5, None),  # the products overflow and meet only zeros
    ([1e200] * 3 + [0.0, 1e200], [0.0, 0.0, 1.0, 2.0, 3.0], None),
    ([1e200, 1e200, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0, 1.0], None),  # 0 times an overflown product
    ([1e-200] * 4, [1e300] * 4, 1e300),
    ([1.0, 0.0, 1e200, 1e200, 1.0], [0.0] * 5, 5.0),  # an overflown product after a 0
])
def test_scan_and_loop_where_products_leave_the_floats(lam, nu, h_0):
    wanted, h = [], 0.0 if h_0 is None else h_0
    for factor, shift in zip(lam, nu):
        h = factor * h + shift
        wanted.append(h)
    for found in (recurrence.scan(lam, nu, h_0).h, recurrence.loop(lam, nu, h_0)):
        assert found.tolist() == pytest.approx(wanted, rel=1e-12)


def test_states_beyond_the_floats_are_refused():
    for function in (recurrence.scan, recurrence.loop):
        with pytest.raises(ValueError, match="^lam: wanted numbers whose result is within the floats"):
            function([1e200, 1e200, 1e200], [1.0, 1.0, 1.0])


def test_no_bounds_without_a_basis_of_eigenvectors():
    """The nilpotent matrix has size 1 and spectral radius 0: no multiple of a power of 0 lies above."""
    for W_h in ([[0.0, 1.0], [0.0, 0.0]], [[0.5, 1.0], [0.0, 0.5]]):
        with pytest.raises(ValueError, match="^W_h: wanted one that has such a basis"):
            recurrence.power_bounds(W_h, 1)
