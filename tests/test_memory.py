"""The memory against explicit sums, other solvers, finite differences and numbers worked by hand."""

import math

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from toyattn import block, memory

RNG = np.random.default_rng(0)
K, V, Q = RNG.standard_normal((7, 4)), RNG.standard_normal((7, 3)), RNG.standard_normal((5, 4))
ETA = np.array([1, 0.5, 0, 2, 1, 0, 0.7])
LAST = ("least squares", "recursive least squares")


def close(found, wanted, tolerance=1e-12):
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def by_entries(K, V, rule, eta, gamma):
    """The stepwise rules, number by number."""
    d_v, d_k = V.shape[1], K.shape[1]
    S, found = [[0.0] * d_k for _ in range(d_v)], []
    for k, v, strength in zip(K, V, eta):
        S = [[gamma * entry for entry in row] for row in S]
        for row, target in zip(S, v):
            answer = sum(entry * x for entry, x in zip(row, k)) if rule == "delta" else 0.0
            for j in range(d_k):
                row[j] += strength * (target - answer) * k[j]
        found.append([list(row) for row in S])
    return np.array(found)


@pytest.mark.parametrize("rule", ["hebbian", "delta"])
@pytest.mark.parametrize("gamma", [1.0, 0.8, 0.0])
def test_stepwise_rules_by_entries(rule, gamma):
    for eta in (np.ones(7), ETA):
        wanted = by_entries(K, V, rule, eta, gamma)
        close(list(memory.stream(K, V, rule, eta, gamma)), wanted)
        close(memory.write(K, V, rule, eta, gamma), wanted[-1])
    close(memory.write(K, V, rule, 0.3, gamma), by_entries(K, V, rule, [0.3] * 7, gamma)[-1])


def test_the_hebbian_state_is_a_sum_and_decay_weighs_it_by_age():
    close(memory.write(K, V), sum(np.outer(v, k) for k, v in zip(K, V)))
    aged = sum(0.9 ** (6 - i) * np.outer(V[i], K[i]) for i in range(7))
    close(memory.write(K, V, gamma=0.9), aged)


def test_a_gate_leaves_out_what_it_does_not_write():
    gate = np.array([1, 0, 1, 1, 0, 0, 1.0])
    for rule in ("hebbian", "delta"):
        close(memory.write(K, V, rule, gate), memory.write(K[gate > 0], V[gate > 0], rule))


@pytest.mark.parametrize("rule", ["hebbian", "delta"])
def test_a_step_is_an_erasure_and_an_outer_product(rule):
    S, k, v = RNG.standard_normal((3, 4)), K[0], V[0]
    erased = 0.8 * S
    if rule == "delta":
        erased = erased @ (np.eye(4) - 0.6 * np.outer(k, k))
    close(memory.erase(S, k, rule, 0.6, 0.8), erased)
    close(memory.step(S, k, v, rule, 0.6, 0.8), erased + 0.6 * np.outer(v, k))
    close(memory.step(np.zeros((3, 4)), k, v, rule), memory.write(K[:1], V[:1], rule))


def test_the_writes_are_gradient_steps():
    S, k, v, h = RNG.standard_normal((3, 4)), K[0], V[0], 1e-6
    losses = {"delta": lambda S: 0.5 * ((S @ k - v) ** 2).sum(), "hebbian": lambda S: -v @ S @ k}
    for rule, loss in losses.items():
        gradient = np.empty_like(S)
        for place in np.ndindex(S.shape):
            bump = np.zeros_like(S)
            bump[place] = h
            gradient[place] = (loss(S + bump) - loss(S - bump)) / (2 * h)
        np.testing.assert_allclose(memory.step(S, k, v, rule, 0.3), S - 0.3 * gradient, atol=1e-8)


def test_the_delta_rule_with_a_unit_key():
    S, k, other = RNG.standard_normal((3, 4)), K[0] / np.linalg.norm(K[0]), K[1]
    once = memory.step(S, k, V[0], "delta")
    close(once @ k, V[0])
    close(memory.step(once, k, V[0], "delta"), once)
    close(once @ other - S @ other, (V[0] - S @ k) * (k @ other))


def test_orthonormal_keys_are_read_exactly_by_every_rule():
    keys = np.linalg.qr(RNG.standard_normal((4, 4)))[0]
    for rule, settings in (("hebbian", {}), ("delta", {}), ("least squares", {})):
        close(memory.read(memory.write(keys, V[:4], rule, **settings), keys), V[:4])


@pytest.mark.parametrize("m", range(1, 8))
def test_least_squares_of_least_norm(m):
    wanted = np.linalg.lstsq(K[:m], V[:m], rcond=None)[0].T
    close(memory.write(K[:m], V[:m], "least squares"), wanted, 1e-11)
    repeated = np.vstack([K[:m], K[:2]])
    values = np.vstack([V[:m], V[2:4]])
    wanted = np.linalg.lstsq(repeated, values, rcond=None)[0].T
    close(memory.write(repeated, values, "least squares"), wanted, 1e-11)
    states = list(memory.stream(K[:m], V[:m], "least squares"))
    for t, S in enumerate(states, 1):
        close(S, np.linalg.lstsq(K[:t], V[:t], rcond=None)[0].T, 1e-11)


@pytest.mark.parametrize("m", range(1, 8))
def test_ridge_is_least_squares_with_rows_for_the_penalty(m):
    longer = np.vstack([K[:m], math.sqrt(0.3) * np.eye(4)])
    wanted = np.linalg.lstsq(longer, np.vstack([V[:m], np.zeros((4, 3))]), rcond=None)[0].T
    close(memory.write(K[:m], V[:m], "least squares", ridge=0.3), wanted)


@settings(max_examples=60, deadline=None)
@given(
    m=st.integers(1, 12),
    d_k=st.integers(1, 6),
    d_v=st.integers(1, 4),
    ridge=st.floats(0.01, 10),
    seed=st.integers(0, 2**32),
)
def test_recursive_least_squares_is_ridge_after_every_pair(m, d_k, d_v, ridge, seed):
    rng = np.random.default_rng(seed)
    K, V = rng.standard_normal((m, d_k)), rng.standard_normal((m, d_v))
    S, R = np.zeros((d_v, d_k)), np.eye(d_k) / ridge
    for t, state in enumerate(memory.stream(K, V, "recursive least squares", ridge=ridge), 1):
        moment = ridge * np.eye(d_k) + K[:t].T @ K[:t]
        batch = np.linalg.solve(moment, K[:t].T @ V[:t]).T
        S, R = memory.recursive_step(S, R, K[t - 1], V[t - 1])
        for found, wanted in ((state, batch), (S, batch), (R, np.linalg.inv(moment))):
            np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9)


def test_the_weights_of_a_read_are_a_projection():
    weights = memory.read(memory.write(K, np.eye(7), "least squares"), K)
    close(weights, K @ np.linalg.inv(K.T @ K) @ K.T)
    close(memory.read(memory.write(K, np.eye(7)), K), K @ K.T)


def test_reads_by_explicit_sums():
    S, beta = RNG.standard_normal((3, 4)), 1.7
    linear, scored, smooth, soft = np.zeros((4, 5, 3))
    for n, q in enumerate(Q):
        linear[n] = [sum(S[i, j] * q[j] for j in range(4)) for i in range(3)]
        similarity = [sum(a * b for a, b in zip(k, q)) for k in K]
        scored[n] = sum(max(s, 0) * v for s, v in zip(similarity, V))
        weights = [math.exp(-sum((a - b) ** 2 for a, b in zip(k, q))) for k in K]
        smooth[n] = sum(w * v for w, v in zip(weights, V)) / sum(weights)
        weights = [math.exp(beta * s) for s in similarity]
        soft[n] = sum(w * v for w, v in zip(weights, V)) / sum(weights)

    def kernel(Q, K):
        return np.exp(-((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(axis=-1))

    for read, wanted in (
        (lambda q: memory.read(S, q), linear),
        (lambda q: memory.read_scored(K, V, q, lambda s: np.maximum(s, 0)), scored),
        (lambda q: memory.read_kernel(K, V, q, kernel), smooth),
        (lambda q: memory.read_cache(K, V, q, beta), soft),
    ):
        close(read(Q), wanted)
        close(read(Q[2]), wanted[2])


def test_the_scored_read_is_an_mlp():
    found = memory.read_scored(K, V, Q, lambda s: np.maximum(s, 0))
    close(found, block.mlp(Q, K.T, V))
    close(memory.read_scored(K, V, Q, lambda s: s), memory.read(memory.write(K, V), Q))


def test_looking_back_finds_every_pair():
    keys = RNG.standard_normal((256, 32))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    values = np.eye(8)[RNG.integers(8, size=256)]
    assert (memory.read_cache(keys, values, keys, math.inf) == values).all()


def exponentials(Q, K):
    return np.exp(Q @ np.swapaxes(K, -1, -2))


def test_memories_side_by_side():
    K, V = RNG.standard_normal((2, 3, 5, 4)), RNG.standard_normal((2, 3, 5, 2))
    many = RNG.standard_normal((2, 3, 6, 4))
    cases = [(rule, {}) for rule in memory.RULES[:3]] + [("recursive least squares", {"ridge": 0.2})]
    for rule, settings in cases:
        S = memory.write(K, V, rule, **settings)
        single, several = memory.read(S, many[..., 0, :]), memory.read(S, many)
        for i in np.ndindex(2, 3):
            close(S[i], memory.write(K[i], V[i], rule, **settings), 1e-10)
            close(several[i], many[i] @ S[i].T)
            close(single[i], S[i] @ many[i][0])
    S, R = RNG.standard_normal((2, 3, 2, 4)), np.broadcast_to(np.eye(4), (2, 3, 4, 4))
    k, v = K[..., 0, :], V[..., 0, :]
    stepped, (recursive, R_next) = memory.step(S, k, v, "delta", 0.5), memory.recursive_step(S, R, k, v)
    soft, scored = memory.read_cache(K, V, many, 2), memory.read_scored(K, V, many, np.tanh)
    smooth = memory.read_kernel(K, V, many, exponentials)
    single = memory.read_kernel(K, V, many[..., 0, :], exponentials)
    for i in np.ndindex(2, 3):
        close(scored[i], np.tanh(many[i] @ K[i].T) @ V[i])
        weights = np.exp(many[i] @ K[i].T)
        close(smooth[i], weights @ V[i] / weights.sum(axis=1)[:, None])
        close(single[i], smooth[i][0])
        close(stepped[i], memory.step(S[i], k[i], v[i], "delta", 0.5))
        for found, wanted in zip((recursive[i], R_next[i]), memory.recursive_step(S[i], R[i], k[i], v[i])):
            close(found, wanted)
        close(soft[i], memory.read_cache(K[i], V[i], many[i], 2))


def test_three_pairs_in_two_dimensions_by_hand():
    keys, values = [[1, 0], [0, 1], [1 / math.sqrt(2)] * 2], [[3], [5], [2]]
    root = math.sqrt(2)
    close(memory.write(keys, values), [[3 + root, 5 + root]])
    close(memory.write(keys, values, "least squares"), [[1 + 1 / root, 3 + 1 / root]])


def test_ann_becomes_cy_by_hand():
    keys = [[1, 0], [1, 0]]
    close(memory.write(keys, [[3], [5]]), [[8, 0]])
    close(memory.write(keys, [[3], [5]], "delta"), [[5, 0]])
    neighbor = list(memory.stream([[0.6, 0.8], [1, 0]], [[7], [3]], "delta"))
    close(neighbor, [[[4.2, 5.6]], [[3, 5.6]]])
    close(memory.read(neighbor[1], [0.6, 0.8]), [6.28])


@pytest.mark.parametrize(
    "rule, settings, name",
    [(rule, {"eta": 0.5}, "eta") for rule in LAST]
    + [(rule, {"gamma": 0.5}, "gamma") for rule in LAST]
    + [(rule, {"ridge": 0.5}, "ridge") for rule in ("hebbian", "delta")]
    + [("recursive least squares", {}, "ridge"), ("hebbian", {"eta": [1, 1]}, "eta")],
)
def test_settings_that_a_rule_does_not_have(rule, settings, name):
    for function in (memory.write, memory.stream):
        with pytest.raises(ValueError, match=f"^{name}: wanted .*, got "):
            function(K, V, rule, **settings)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_least_squares_of_keys_of_every_size(size):
    """A state that undoes the size of the keys: no square of theirs is ever taken."""
    keys, values = size * np.array([[1.0, 0.0], [1.0, 2.0]]), np.array([[3.0], [7.0]])
    close(memory.write(keys, values, "least squares") * size, [[3.0, 2.0]])
    shrunk = memory.write([[size]], [[3.0]], "least squares", ridge=0.5)
    assert shrunk.item() == pytest.approx(3 / size if size > 1 else 3 * size / 0.5, rel=1e-12)


def test_recursive_steps_refuse_what_is_no_inverse_moment():
    S, k, v = np.zeros((1, 2)), [1.0, 1.0], [1.0]
    for R in ([[1.0, 0.5], [0.0, 1.0]], [[-1.0, 0.0], [0.0, 0.0]], [[-3.0, 0.0], [0.0, 1.0]]):
        with pytest.raises(ValueError, match="^R: wanted a (symmetric|positive definite) matrix"):
            memory.recursive_step(S, R, k, v)


def test_what_happens_unless_told_otherwise():
    rng = np.random.default_rng(0)
    S, k, K, V = rng.standard_normal((3, 2)), rng.standard_normal(2), rng.standard_normal((4, 2)), rng.standard_normal((4, 3))
    close(memory.erase(S, k), S)
    close(memory.erase(S, k, "delta"), S - np.outer(S @ k, k))
    powers = np.exp(K @ k)
    close(memory.read_cache(K, V, k), powers @ V / powers.sum())


def test_least_squares_of_keys_that_are_tiny_or_zero_beside_others():
    """Each memory has its own rank: neither the size nor the number of the others counts."""
    flat = np.array([[1, 0], [0, 1e-13]])
    K, V = np.tile(flat, (1000, 1, 1)), np.ones((1000, 2, 1))
    K[1], K[2] = 1e-20 * flat, 0
    found = memory.write(K, V, "least squares")
    np.testing.assert_allclose(found[0], [[1, 1e13]])
    np.testing.assert_allclose(found[1], [[1e20, 1e33]])
    assert (found[2] == 0).all()


def test_settings_beyond_their_range():
    S, k, v = np.zeros((1, 2)), np.ones(2), np.ones(1)
    for call in (lambda: memory.step(S, k, v, gamma=1.5), lambda: memory.write([k], [v], gamma=1.5)):
        with pytest.raises(ValueError, match="^gamma: wanted .* from 0 to 1, got 1.5"):
            call()
    with pytest.raises(ValueError, match="^ridge: wanted .* of at least 0"):
        memory.write([k], [v], "least squares", ridge=-0.1)


def test_what_counts_as_symmetric_scales_with_the_matrix():
    S, k, v = np.zeros((1, 2)), np.array([1.0, 0.0]), np.array([1.0])
    for size in (1e6, 1e-6):
        R = size * np.array([[2.0, 1.0], [1.0 + 1e-9, 2.0]])
        memory.recursive_step(S, R, k, v)
        R[1, 0] = size * (1 + 1e-6)
        with pytest.raises(ValueError, match="^R: "):
            memory.recursive_step(S, R, k, v)


def test_a_state_that_is_sure_of_everything_is_left_alone():
    S, R = np.array([[1.0, 2.0]]), np.zeros((2, 2))
    after, _ = memory.recursive_step(S, R, np.array([1.0, 1.0]), np.array([5.0]))
    assert after.tolist() == [[1, 2]]
