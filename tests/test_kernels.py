"""Feature maps and kernels against products written out; both forms of causal attention; the energy."""

from itertools import product
import math

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from toyattn import kernels, memory

RNG = np.random.default_rng(0)
K, V, Q = RNG.standard_normal((6, 3)), RNG.standard_normal((6, 2)), RNG.standard_normal((4, 3))

MAPS = {
    "identity": None,
    "elu + 1": kernels.elu_plus_one,
    "squares": lambda x: np.concatenate([x**2, np.ones_like(x)], axis=-1),
    "tensors": lambda x: kernels.tensor_features(x, 2, 0.7),
}


def by_pairs(Q, K, V, psi, normalize):
    """Causal attention pair by pair."""
    psi = psi or (lambda x: x)
    found = []
    for t in range(len(Q)):
        weights = [sum(a * b for a, b in zip(psi(Q[t]), psi(K[i]))) for i in range(t + 1)]
        total = sum(w * v for w, v in zip(weights, V))
        found.append(total / sum(weights) if normalize else total)
    return np.array(found)


@settings(max_examples=120, deadline=None)
@given(
    leading=st.lists(st.integers(1, 3), max_size=2).map(tuple),
    n=st.integers(1, 14),
    d_k=st.integers(1, 5),
    d_v=st.integers(1, 4),
    psi=st.sampled_from(sorted(MAPS)),
    normalize=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_masked_product_recurrence_and_pairs_agree(leading, n, d_k, d_v, psi, normalize, seed):
    rng = np.random.default_rng(seed)
    Q, K = rng.standard_normal((2, *leading, n, d_k))
    V = rng.standard_normal((*leading, n, d_v))
    normalize = normalize and psi in ("elu + 1", "squares")  # the others may add up to almost 0
    masked = kernels.linear_attention(Q, K, V, MAPS[psi], normalize)
    by_state = kernels.linear_attention_by_state(Q, K, V, MAPS[psi], normalize)
    np.testing.assert_allclose(masked, by_state, rtol=1e-9, atol=1e-9)
    for i in np.ndindex(leading):
        pairs = by_pairs(Q[i], K[i], V[i], MAPS[psi], normalize)
        np.testing.assert_allclose(masked[i], pairs, rtol=1e-9, atol=1e-9)


def test_the_last_output_is_a_kernel_read():
    for psi in (kernels.elu_plus_one, MAPS["squares"]):
        outputs = kernels.linear_attention(K, K[::-1], V, psi, normalize=True)
        for t in range(6):
            read = memory.read_kernel(K[::-1][: t + 1], V[: t + 1], K[t], lambda q, k: psi(q) @ psi(k).T)
            np.testing.assert_allclose(read, outputs[t])


def test_elu_plus_one():
    found = kernels.elu_plus_one([-800.0, -1.0, 0.0, 0.5, 800.0])
    np.testing.assert_allclose(found, [math.exp(-800), math.exp(-1), 1, 1.5, 801])


@pytest.mark.parametrize("P", range(5))
def test_tensor_features_entry_by_entry(P):
    x, wanted = Q[0], []
    for p in range(P + 1):
        for places in product(range(3), repeat=p):
            wanted.append(math.sqrt(0.8**p / math.factorial(p)) * math.prod(x[i] for i in places))
    found = kernels.tensor_features(x, P, 0.8)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    np.testing.assert_allclose(kernels.tensor_features(Q[None], P, 0.8)[0, 0], wanted, rtol=1e-12)


@pytest.mark.parametrize("P", range(6))
def test_features_and_series_are_one_truncated_kernel(P):
    by_features = kernels.tensor_features(Q, P, 0.6) @ kernels.tensor_features(K, P, 0.6).T
    series = [[sum((0.6 * q @ k) ** p / math.factorial(p) for p in range(P + 1)) for k in K] for q in Q]
    np.testing.assert_allclose(by_features, series, rtol=1e-12)
    np.testing.assert_allclose(kernels.truncated(P, 0.6)(Q, K), series, rtol=1e-12)


def test_the_truncated_read_tends_to_the_softmax_read():
    soft = memory.read_cache(K, V, Q, 0.6)
    np.testing.assert_allclose(memory.read_kernel(K, V, Q, kernels.truncated(40, 0.6)), soft, rtol=1e-12)
    plain = memory.read_kernel(K, V, Q, kernels.truncated(0, 0.6))
    np.testing.assert_allclose(plain, np.tile(V.mean(axis=0), (4, 1)))


def test_the_gaussian_kernel_entry_by_entry():
    wanted = [[math.exp(-1.3 / 2 * sum((a - b) ** 2 for a, b in zip(q, k))) for k in K] for q in Q]
    np.testing.assert_allclose(kernels.gaussian(1.3)(Q, K), wanted)
    np.testing.assert_allclose(kernels.gaussian(1.3)(Q[None], K[None])[0], wanted)


def test_softmax_is_the_smoother_for_keys_of_one_length():
    for radius in (1, 0.4):
        keys = radius * K / np.linalg.norm(K, axis=1, keepdims=True)
        smooth = memory.read_kernel(keys, V, Q, kernels.gaussian(3))
        np.testing.assert_allclose(memory.read_cache(keys, V, Q, 3), smooth, rtol=1e-12)
    miss = memory.read_cache(K, V, Q, 3) - memory.read_kernel(K, V, Q, kernels.gaussian(3))
    assert np.abs(miss).max() > 0.01


@pytest.mark.parametrize("beta", [0.5, 1, 4])
def test_energy_and_its_gradient(beta):
    xi = RNG.standard_normal(3)
    total = sum(math.exp(beta * sum(a * b for a, b in zip(row, xi))) for row in K)
    energy = kernels.hopfield_energy(xi, K, beta)
    assert energy == pytest.approx(-math.log(total) / beta + sum(x * x for x in xi) / 2)
    read = memory.read_cache(K, K, xi, beta)
    for i, unit in enumerate(np.eye(3)):
        ends = [kernels.hopfield_energy(xi + step * unit, K, beta) for step in (1e-6, -1e-6)]
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(xi[i] - read[i], abs=1e-8)
    assert kernels.hopfield_energy(read, K, beta) < energy


def test_truncation_distances_draw_by_draw():
    found = kernels.truncation_distances(3, np.random.default_rng(1), 4, m=5, d_k=2, d_v=3, beta=0.4)
    rng = np.random.default_rng(1)
    K, V, q = (rng.standard_normal((4, *shape)) for shape in ((5, 2), (5, 3), (2,)))
    for i in range(4):
        s = 0.4 * K[i] @ q[i]
        exact, cut = np.exp(s), 1 + s + s**2 / 2 + s**3 / 6
        miss = cut @ V[i] / cut.sum() - exact @ V[i] / exact.sum()
        assert found[i] == pytest.approx(math.sqrt(miss @ miss))


def test_smoother_distances_draw_by_draw():
    found = kernels.smoother_distances(np.random.default_rng(2), 4, (0.5, 1.5), m=7, d=3, beta=2)
    rng = np.random.default_rng(2)
    K, V = rng.standard_normal((2, 4, 7, 3))
    q = rng.standard_normal((4, 3))
    K, V, q = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (K, V, q))
    K *= rng.uniform(0.5, 1.5, size=(4, 7, 1))
    for i in range(4):
        soft = np.exp(2 * K[i] @ q[i])
        smooth = np.exp(-((K[i] - q[i]) ** 2).sum(axis=1))
        read = soft @ V[i] / soft.sum()
        miss = read - smooth @ V[i] / smooth.sum()
        np.testing.assert_allclose(found[:, i], [math.sqrt(miss @ miss), math.sqrt(read @ read)])
    same = kernels.smoother_distances(np.random.default_rng(2), 50, (1, 1))
    assert same[0].max() < 1e-14 < same[1].min()


def test_weights_that_add_up_to_nothing_are_refused():
    with pytest.raises(ValueError, match="^kernel: wanted weights with a mean"):
        memory.read_kernel([[1, 0]], [[1]], [0, 1], lambda Q, K: Q @ np.swapaxes(K, -1, -2))
    for function in (kernels.linear_attention, kernels.linear_attention_by_state):
        with pytest.raises(ValueError, match="^normalize: wanted weights with a mean"):
            function([[0, 1]], [[1, 0]], [[1]], normalize=True)
    with pytest.raises(ValueError, match="^P: wanted a degree"):
        kernels.tensor_features(np.ones(10), 6)


def test_softmax_is_the_smoother_at_any_sharpness():
    """A Gaussian weight may be below every float, a share is not: keys of length 1, where both reads are one."""
    for beta in (1e3, 1e6):
        apart, length = kernels.smoother_distances(np.random.default_rng(5), 20, (1, 1), beta=beta)
        assert apart.max() < 1e-9 * beta * 1e-3 and length.min() > 0


@settings(max_examples=150, deadline=None)
@given(m=st.integers(1, 12), d=st.integers(1, 6), beta=st.floats(1e-3, 50), spread=st.floats(0.1, 5), seed=st.integers(0, 2**32))
def test_no_read_raises_the_energy(m, d, beta, spread, seed):
    """Energy and read written out: the package's step goes where the loop's goes, and never up."""
    rng = np.random.default_rng(seed)
    X, xi = spread * rng.standard_normal((m, d)), spread * rng.standard_normal(d)

    def energy(state):
        scores = [beta * math.fsum(a * b for a, b in zip(row, state)) for row in X]
        best = max(scores)
        return -(best + math.log(math.fsum(math.exp(s - best) for s in scores))) / beta + math.fsum(x * x for x in state) / 2

    after = memory.read_cache(X, X, xi, beta)
    slack = 1e-10 * (1 + abs(energy(xi)))
    assert kernels.hopfield_energy(xi, X, beta) == pytest.approx(energy(xi), abs=slack)
    assert energy(after) <= energy(xi) + slack


def test_the_smoother_sits_inside_drawn_regressions():
    """What a kernel smoother is for: the mean of noisy values near the query, 4,000 draws of noise, seed 12, 4.5 standard errors."""
    rng = np.random.default_rng(12)
    keys = np.linspace(-2, 2, 31)[:, None]
    curve, noise = np.sin(2 * keys), rng.standard_normal((4000, 31, 1))
    query, beta = np.array([[0.3]]), 20.0
    shares = [math.exp(-beta / 2 * (float(k[0]) - 0.3) ** 2) for k in keys]
    expected = sum(w * float(c[0]) for w, c in zip(shares, curve)) / sum(shares)
    drawn = np.array([memory.read_kernel(keys, curve + e, query, kernels.gaussian(beta))[0, 0] for e in noise])
    assert abs(drawn.mean() - expected) < 4.5 * drawn.std() / math.sqrt(4000)
    variance = sum(w * w for w in shares) / sum(shares) ** 2
    assert drawn.var() == pytest.approx(variance, rel=4.5 * math.sqrt(2 / 4000))


def test_what_happens_unless_told_otherwise():
    seed = lambda: np.random.default_rng(0)
    usual = dict(draws=1, m=12, d_k=5, d_v=4, beta=0.5)
    np.testing.assert_array_equal(kernels.truncation_distances(3, seed()), kernels.truncation_distances(3, seed(), **usual))
    usual = dict(draws=1, scale=(0.7, 1.24), m=20, d=6, beta=3.0)
    np.testing.assert_array_equal(kernels.smoother_distances(seed()), kernels.smoother_distances(seed(), **usual))
    x = np.array([0.5, -2.0])
    np.testing.assert_allclose(kernels.tensor_features(x, 1), [1, 0.5, -2])
    np.testing.assert_allclose(kernels.truncated(2)(Q, K), 1 + Q @ K.T + (Q @ K.T) ** 2 / 2)
    distances = [[sum((a - b) ** 2 for a, b in zip(q, k)) for k in K] for q in Q]
    np.testing.assert_allclose(kernels.gaussian()(Q, K), np.exp(np.negative(distances) / 2))
    assert kernels.hopfield_energy(x, [x, 2 * x]) == pytest.approx(x @ x / 2 - math.log(math.exp(x @ x) + math.exp(2 * x @ x)))
    plain = by_pairs(K, K, V, None, normalize=False)
    np.testing.assert_allclose(kernels.linear_attention(K, K, V), plain)
    np.testing.assert_allclose(kernels.linear_attention_by_state(K, K, V), plain)


def test_a_million_features_are_allowed():
    assert kernels.tensor_features(np.zeros(10**6 - 1), 1).size == 10**6


def test_a_wide_gaussian():
    assert kernels.gaussian(0.5)(np.array([[0.0]]), np.array([[1.0]])) == pytest.approx(math.exp(-0.25))
