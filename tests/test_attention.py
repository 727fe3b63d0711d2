"""Softmax and attention against plain loops, exact arithmetic, finite differences and torch."""

from fractions import Fraction
import math

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
import sympy

from toyattn.attention import (
    attention,
    causal_mask,
    concentration,
    entropies,
    jacobian,
    log_partition,
    softmax,
)

SEEDS = st.integers(0, 10**6)
quick = settings(max_examples=60, deadline=None)
ANGLES = [71, 13, 148, 301, 96, 208, 341, 236], [10, 54, 103, 143, 193, 243, 288, 329]
VALUES = [0.9, -0.6, 0.1, -0.5, 0.2, 0.3, 0.5, 0.7]


def loop_softmax(scores, beta):
    powers = [sympy.exp(sympy.Rational(Fraction(beta)) * sympy.Rational(Fraction(s))) for s in scores]
    return [float(sympy.N(power / sum(powers), 30)) for power in powers]


def loop_attention(Q, K, V, beta, allowed):
    """Triple loops without a shift; returns weights and outputs."""
    weights, outputs = np.zeros((len(Q), len(K))), np.zeros((len(Q), len(V[0])))
    for i, q in enumerate(Q):
        powers = []
        for j, k in enumerate(K):
            score = 0.0
            for c in range(len(q)):
                score += q[c] * k[c]
            powers.append(math.exp(beta * score) if allowed(i, j) else 0.0)
        for j in range(len(K)):
            weights[i, j] = powers[j] / math.fsum(powers)
            for c in range(len(V[j])):
                outputs[i, c] += weights[i, j] * V[j][c]
    return weights, outputs


def random_read(seed, n_q=None):
    rng = np.random.default_rng(seed)
    m, d_k, d_v = rng.integers(1, 6, size=3)
    n_q = rng.integers(1, 6) if n_q is None else m
    return rng, *(rng.standard_normal(shape) for shape in ((n_q, d_k), (m, d_k), (m, d_v)))


@quick
@given(st.lists(st.floats(-30, 30), min_size=1, max_size=6), st.floats(-3, 3))
def test_softmax_is_the_quotient_of_exact_powers(scores, beta):
    np.testing.assert_allclose(softmax(scores, beta), loop_softmax(scores, beta), rtol=1e-11, atol=1e-300)


@quick
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=6), st.sampled_from([0, 1e-3, 1, 8, 1e6, math.inf, -1, -math.inf]))
def test_softmax_survives_every_finite_row(scores, beta):
    with np.errstate(all="raise", under="ignore"):
        a = softmax(scores, beta)
    assert np.isfinite(a).all() and (a >= 0).all()
    assert a.sum() == pytest.approx(1, abs=1e-12)
    best = max(scores) if beta >= 0 else min(scores)
    assert a[scores.index(best)] == a.max()


def test_softmax_at_800_and_beyond():
    np.testing.assert_array_equal(softmax([800, 0, 0, 0]), [1, 0, 0, 0])
    np.testing.assert_allclose(softmax([-800, -801]), loop_softmax([0, -1], 1), rtol=1e-14)
    np.testing.assert_allclose(softmax([1000, 999, 998]), loop_softmax([2, 1, 0], 1), rtol=1e-14)
    np.testing.assert_array_equal(softmax([1e308, -1e308], 1e308), [1, 0])
    np.testing.assert_array_equal(softmax([3000, 0], 0.5), [1, 0])
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(softmax([1e308, -1e308], 8), [1, 0])
        np.testing.assert_array_equal(softmax([-800, 0]), [0, 1])


def test_the_ends_of_beta():
    np.testing.assert_array_equal(softmax([3, -1, 7, 2], 0), [0.25] * 4)
    np.testing.assert_array_equal(softmax([1, 1, 0], math.inf), [0.5, 0.5, 0])
    np.testing.assert_array_equal(softmax([1, 1, 0], -math.inf), [0, 0, 1])
    np.testing.assert_array_equal(softmax([1e308, -1e308], 0), [0.5, 0.5])
    np.testing.assert_allclose(softmax([1, 1, 0], 400), softmax([1, 1, 0], np.inf), atol=1e-15)


@pytest.mark.parametrize("beta", [-math.inf, -2, 0, 1, 8, math.inf])
def test_minus_inf_hides_a_position_at_every_beta(beta):
    a = softmax([[-np.inf, 2, 1], [0, -np.inf, -np.inf]], beta)
    assert a[0, 0] == 0
    np.testing.assert_array_equal(a[0, 1:], softmax([2, 1], beta))
    np.testing.assert_array_equal(a[1], [1, 0, 0])


@quick
@given(SEEDS, st.floats(-50, 50))
def test_a_common_shift_of_a_row_changes_nothing(seed, shift):
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((3, 4))
    by_row = shift * rng.standard_normal((3, 1))
    np.testing.assert_allclose(softmax(scores + by_row, 2), softmax(scores, 2), atol=1e-12)


def test_softmax_takes_the_last_axis_and_leaves_its_argument_alone():
    scores = np.arange(24.0).reshape(2, 3, 4)
    kept = scores.copy()
    a = softmax(scores, 0.3)
    np.testing.assert_array_equal(scores, kept)
    for place in np.ndindex(2, 3):
        np.testing.assert_allclose(a[place], loop_softmax(scores[place], 0.3), rtol=1e-12)


def test_log_partition_is_the_log_of_the_sum_of_powers():
    scores = [1.0, 0.25, -2.0]
    for beta in (-1.5, 0.0, 0.5, 3.0):
        assert log_partition(scores, beta) == pytest.approx(math.log(sum(math.exp(beta * s) for s in scores)))
    assert log_partition([800.0, 800.0]) == pytest.approx(800 + math.log(2))
    assert log_partition([-np.inf, 3.0], 2) == pytest.approx(6)
    assert log_partition([-np.inf, 3.0, 1.0], 0) == pytest.approx(math.log(2))
    np.testing.assert_allclose(log_partition([[0, 0], [1, 1]]), [math.log(2), 1 + math.log(2)])
    assert type(log_partition([0, 1])) is float
    short = log_partition(np.array([[0.3, 0], [0, 0]], dtype=np.float32), 0.77)
    np.testing.assert_allclose(short, [math.log(math.exp(0.77 * float(np.float32(0.3))) + 1), math.log(2)], rtol=1e-14)


def test_jacobian_by_central_differences():
    scores, beta, step = np.array([0.3, -1.0, 2.0, 0.5]), 1.7, 1e-6
    found = jacobian(softmax(scores, beta), beta)
    for j in range(4):
        up, down = scores + step * np.eye(4)[j], scores - step * np.eye(4)[j]
        difference = (softmax(up, beta) - softmax(down, beta)) / (2 * step)
        np.testing.assert_allclose(found[:, j], difference, atol=1e-9)
    assert not jacobian([0, 1, 0]).any()
    assert np.trace(jacobian([0.5, 0.3, 0.2])) == pytest.approx(0.5 * 0.5 + 0.3 * 0.7 + 0.2 * 0.8)


def test_concentration_and_entropies_row_by_row():
    rows = np.array([[0.5, 0.3, 0.2], [1, 0, 0], [1 / 3] * 3])
    np.testing.assert_allclose(concentration(rows), [0.38, 1, 1 / 3])
    np.testing.assert_allclose(entropies(rows), [-sum(p * math.log(p) for p in rows[0]), 0, math.log(3)], atol=1e-12)
    assert concentration(np.full(16, 1 / 16)) == pytest.approx(1 - 0.9375)
    assert entropies(np.full((2, 3, 4), 0.25)) == pytest.approx(np.full((2, 3), math.log(4)))
    assert entropies(rows[0]) == pytest.approx(entropies(rows)[0]) and concentration(np.full((2, 3, 4), 0.25)).shape == (2, 3)


@quick
@given(SEEDS, st.sampled_from([None, 0.0, 0.7, 3.0]))
def test_attention_is_three_plain_loops(seed, beta):
    _, Q, K, V = random_read(seed)
    weights, outputs = loop_attention(Q, K, V, 1 / math.sqrt(Q.shape[1]) if beta is None else beta, lambda i, j: True)
    read = attention(Q, K, V, beta)
    np.testing.assert_allclose(read.weights, weights, atol=1e-12)
    np.testing.assert_allclose(read.outputs, outputs, atol=1e-12)
    np.testing.assert_allclose(read.scores, [[float(np.sum(q * k)) for k in K] for q in Q], atol=1e-12)


@quick
@given(SEEDS)
def test_masks_against_loops(seed):
    rng, Q, K, V = random_read(seed, "square")
    causal = attention(Q, K, V, 1.3, "causal")
    np.testing.assert_allclose(causal.outputs, loop_attention(Q, K, V, 1.3, lambda i, j: j <= i)[1], atol=1e-12)
    assert (causal.weights[np.triu_indices(len(Q), 1)] == 0).all()
    mask = rng.random((len(Q), len(K))) < 0.5
    mask[:, rng.integers(len(K))] = True
    read = attention(Q, K, V, 1.3, mask)
    weights, outputs = loop_attention(Q, K, V, 1.3, lambda i, j: mask[i, j])
    np.testing.assert_allclose(read.weights, weights, atol=1e-12)
    np.testing.assert_allclose(read.outputs, outputs, atol=1e-12)


@quick
@given(SEEDS, st.sampled_from([0.0, 2.0, math.inf]))
def test_what_is_masked_has_no_effect(seed, beta):
    rng, Q, K, V = random_read(seed, "square")
    later_K, later_V = K.copy(), V.copy()
    cut = rng.integers(len(K))
    later_K[cut + 1 :] += 5
    later_V[cut + 1 :] -= 7
    before, after = (attention(Q, *pair, beta, "causal").outputs for pair in ((K, V), (later_K, later_V)))
    np.testing.assert_array_equal(before[: cut + 1], after[: cut + 1])


@quick
@given(SEEDS)
def test_the_order_of_the_pairs_does_not_matter(seed):
    rng, Q, K, V = random_read(seed)
    order = rng.permutation(len(K))
    read, shuffled = attention(Q, K, V, 2), attention(Q, K[order], V[order], 2)
    np.testing.assert_allclose(shuffled.outputs, read.outputs, atol=1e-12)
    np.testing.assert_allclose(shuffled.weights, read.weights[:, order], atol=1e-12)


def test_a_product_of_ones_own_makes_scores_and_outputs():
    shapes = []

    def product(A, B):
        shapes.append((*A.shape, B.shape[1]))
        return A @ B

    attention(np.ones((2, 3)), np.ones((4, 3)), np.ones((4, 5)), product=product)
    assert shapes == [(2, 3, 4), (2, 4, 5)]


def test_scores_beyond_the_floats_are_refused():
    with pytest.raises(ValueError, match="^Q: wanted numbers whose result is within the floats"):
        attention([[1e200]], [[1e200]], [[1.0]])


@pytest.mark.parametrize("n_q, m", [(1, 3), (3, 1), (2, 3)])
def test_a_causal_mask_needs_as_many_queries_as_keys(n_q, m):
    with pytest.raises(ValueError, match="^mask: wanted"):
        attention(np.ones((n_q, 2)), np.ones((m, 2)), np.ones((m, 2)), mask="causal")


def test_causal_mask():
    assert causal_mask(3).dtype == bool
    np.testing.assert_array_equal(causal_mask(3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])


def test_the_soft_dictionary():
    angle = np.radians([20, 85, 150, 205, 265, 325])
    keys, values = np.column_stack([np.cos(angle), np.sin(angle)]), [0.8, -0.5, -0.4, -0.7, 0.3, 0.6]
    query = [[0.5, math.sqrt(3) / 2]]
    read = {beta: attention(query, keys, np.reshape(values, (6, 1)), beta) for beta in (0, 1, 8, math.inf)}
    assert read[math.inf].outputs[0, 0] == -0.5
    powers = [math.exp(8 * math.cos(math.radians(60 - a))) for a in (20, 85, 150, 205, 265, 325)]
    np.testing.assert_allclose(read[8].weights[0], np.array(powers) / sum(powers), atol=1e-14)
    told = [round(float(read[b].outputs[0, 0]), 2) for b in (8, 1, 0)]
    assert told == [-0.18, 0.06, 0.02]


def test_the_attention_matrix_of_plane_arrows():
    Q, K = (np.column_stack([np.cos(np.radians(a)), np.sin(np.radians(a))]) for a in ANGLES)
    V = np.reshape(VALUES, (8, 1))
    full, causal = attention(Q, K, V, 3), attention(Q, K, V, 3, "causal")
    told = [full.weights[5, 4], full.weights[5, 5], full.weights[2, 3], full.weights[1, 0], causal.weights[2, 2]]
    np.testing.assert_allclose(told, [0.506, 0.326, 0.52, 0.49, 0.90], atol=5e-3)
    np.testing.assert_allclose([full.outputs[5, 0], causal.outputs[5, 0]], [0.18, 0.16], atol=5e-3)
    assert causal.weights[0, 0] == 1
    assert np.linalg.matrix_rank(full.scores) == 2
    for beta in np.arange(0.5, 8.1, 0.5):
        assert np.linalg.matrix_rank(attention(Q, K, V, beta).weights) == 8
    assert np.linalg.matrix_rank(attention(Q, K, V, 0).weights) == 1


def test_attention_is_that_of_torch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    Q, K, V = (rng.standard_normal(shape) for shape in ((7, 4), (7, 4), (7, 3)))
    mask = rng.random((7, 7)) < 0.6
    mask[:, 2] = True
    peer = torch.nn.functional.scaled_dot_product_attention
    q, k, v = map(torch.tensor, (Q, K, V))
    for ours, theirs in (
        (attention(Q, K, V), peer(q, k, v)),
        (attention(Q, K, V, 1.7), peer(q, k, v, scale=1.7)),
        (attention(Q, K, V, mask="causal"), peer(q, k, v, is_causal=True)),
        (attention(Q, K, V, mask=mask), peer(q, k, v, attn_mask=torch.tensor(mask))),
    ):
        np.testing.assert_allclose(ours.outputs, theirs.numpy(), atol=1e-12)


def test_what_is_no_product_is_refused():
    with pytest.raises(ValueError, match="^product: wanted a matrix product, got 3$"):
        attention([[1.0]], [[1.0]], [[1.0]], product=3)
