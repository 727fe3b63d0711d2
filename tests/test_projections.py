"""Heads, their sum, gauge freedom and the cache, for random shapes."""

from dataclasses import replace

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from toyattn.attention import attention, softmax
from toyattn.projections import (
    family_dimension,
    generate,
    head,
    multi_head,
    project,
    random_head,
    regauge,
    split,
    tangent_rank,
)

SEEDS = st.integers(0, 10**6)
quick = settings(max_examples=50, deadline=None)


def random_case(seed):
    rng = np.random.default_rng(seed)
    n, d, d_k, d_v = rng.integers(1, 7, size=4)
    return rng, rng.standard_normal((n, d)), random_head(d, d_k, d_v, rng)


@quick
@given(SEEDS)
def test_a_head_is_its_five_products(seed):
    _, X, W = random_case(seed)
    made = head(X, W)
    Q, K, V = (np.einsum("nd,dk->nk", X, matrix) for matrix in (W.W_Q, W.W_K, W.W_V))
    scores = np.einsum("ik,jk->ij", Q, K)
    weights = softmax(scores / np.sqrt(Q.shape[1]))
    expected = Q, K, V, scores, weights, np.einsum("ij,jv->iv", weights, V)
    for ours, theirs in zip(made, (*expected, np.einsum("nv,vd->nd", expected[-1], W.W_O))):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    for ours, theirs in zip(project(X, W), (Q, K, V)):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    np.testing.assert_array_equal(head(X, replace(W, W_O=None)).write, made.outputs)


@quick
@given(SEEDS)
def test_permuting_tokens_permutes_the_write(seed):
    rng, X, W = random_case(seed)
    order = rng.permutation(len(X))
    made, moved = head(X, W, 1.5), head(X[order], W, 1.5)
    np.testing.assert_allclose(moved.write, made.write[order], atol=1e-12)
    np.testing.assert_allclose(moved.weights, made.weights[np.ix_(order, order)], atol=1e-12)


@quick
@given(SEEDS)
def test_a_masked_row_is_a_bag_of_the_past(seed):
    rng, X, W = random_case(seed)
    order = np.append(rng.permutation(len(X) - 1), len(X) - 1)
    last = head(X, W, mask="causal").write[-1]
    np.testing.assert_allclose(head(X[order], W, mask="causal").write[-1], last, atol=1e-12)


@quick
@given(SEEDS)
def test_heads_add(seed):
    rng = np.random.default_rng(seed)
    n, d, d_k, n_h = rng.integers(1, 5, size=4)
    X, readings = rng.standard_normal((n, d)), rng.standard_normal((3, d, n_h * d_k))
    W_O, slices = rng.standard_normal((n_h * d_k, d)), []
    for u in range(n_h):
        Q, K, V = (X @ matrix[:, u * d_k : (u + 1) * d_k] for matrix in readings)
        slices.append(attention(Q, K, V, mask="causal").outputs)
    heads = split(*readings, W_O, n_h)
    assert [W.W_O.shape for W in heads] == [(d_k, d)] * n_h
    np.testing.assert_allclose(multi_head(X, heads, mask="causal"), np.hstack(slices) @ W_O, atol=1e-10)


def test_a_random_head_has_unit_fan_in():
    W = random_head(100, 90, 80, np.random.default_rng(0))
    for matrix, shape in ((W.W_Q, (100, 90)), (W.W_K, (100, 90)), (W.W_V, (100, 80)), (W.W_O, (80, 100))):
        assert matrix.shape == shape and np.std(matrix) == pytest.approx(shape[0] ** -0.5, rel=0.04)


@quick
@given(SEEDS)
def test_scores_depend_on_the_product_of_query_and_key_matrix_alone(seed):
    rng, X, W = random_case(seed)
    size = W.W_Q.shape[1]
    G = rng.standard_normal((size, size)) + 3 * np.eye(size)
    W_Q, W_K = regauge(W.W_Q, W.W_K, G)
    scale = max(1, np.linalg.cond(G))
    np.testing.assert_allclose(W_Q, W.W_Q @ G, atol=1e-12)
    np.testing.assert_allclose(W_Q @ W_K.T, W.W_Q @ W.W_K.T, atol=1e-12 * scale)
    moved = head(X, replace(W, W_Q=W_Q, W_K=W_K))
    np.testing.assert_allclose(moved.scores, head(X, W).scores, atol=1e-10 * scale)


@pytest.mark.parametrize("d, d_k", [(6, 2), (5, 1), (4, 4), (3, 2)])
def test_dimension_of_the_family_is_the_rank_of_its_tangent_map(d, d_k):
    rng = np.random.default_rng(d)
    W_Q, W_K = rng.standard_normal((2, d, d_k))
    columns = []  # the image of each coordinate direction, one at a time
    for place in np.ndindex(d, d_k):
        direction = np.zeros((d, d_k))
        direction[place] = 1
        columns += [(direction @ W_K.T).ravel(), (W_Q @ direction.T).ravel()]
    rank = np.linalg.matrix_rank(np.array(columns))
    assert tangent_rank(W_Q, W_K) == family_dimension(d, d_k) == rank
    assert 2 * d * d_k - rank == d_k**2


@quick
@given(SEEDS, st.sampled_from([None, 0.0, 2.0]), st.booleans())
def test_generation_with_a_cache_is_the_causal_pass(seed, beta, writes):
    _, X, W = random_case(seed)
    W = W if writes else replace(W, W_O=None)
    np.testing.assert_allclose(generate(X, W, beta), head(X, W, beta, "causal").write, atol=1e-12)


def test_heads_that_do_not_fit_are_refused():
    rng = np.random.default_rng(0)
    one, other = random_head(3, 2, 2, rng), random_head(4, 2, 2, rng)
    for call, name in (
        (lambda: head(np.ones((2, 4)), one), "X"),
        (lambda: multi_head(np.ones((2, 4)), [one, one]), "X"),
        (lambda: multi_head(np.ones((2, 3)), [one, other]), "heads"),
        (lambda: multi_head(np.ones((2, 3)), [one, replace(one, W_O=None)]), "heads"),
        (lambda: replace(one, W_O=np.ones((2, 5))), "W_O"),
        (lambda: replace(one, W_K=np.ones((3, 1))), "W_K"),
        (lambda: replace(one, W_V=np.full((3, 2), np.nan)), "W_V"),
    ):
        with pytest.raises(ValueError, match=f"^{name}: wanted"):
            call()


def test_a_change_of_gauge_beyond_the_floats_is_refused():
    W, G = np.ones((3, 2)), np.diag([1e-310, 1e-310])
    with pytest.raises(ValueError, match="^G: wanted numbers whose result is within the floats"):
        regauge(W, W, G)
    tiny = regauge(W, W, np.diag([1e-300, 1e-300]))
    np.testing.assert_allclose(tiny[0] @ tiny[1].T, W @ W.T)


def test_a_head_makes_its_six_products_with_the_one_given():
    rng, X, W = random_case(3)
    made = []
    head(X, W, product=lambda A, B: made.append((A.shape, B.shape)) or A @ B)
    (n, d), d_k, d_v = X.shape, W.W_Q.shape[1], W.W_V.shape[1]
    projected = [((n, d), (d, width)) for width in (d_k, d_k, d_v)]
    assert made == [*projected, ((n, d_k), (d_k, n)), ((n, n), (n, d_v)), ((n, d_v), (d_v, d))]


def test_heads_must_fit_their_rows_and_each_other():
    rng = np.random.default_rng(0)
    X, narrow, wide = rng.standard_normal((2, 4)), random_head(4, 2, 2, rng), random_head(4, 2, 3, rng)
    np.testing.assert_allclose(multi_head(X, [narrow, wide]), head(X, narrow).write + head(X, wide).write)
    with pytest.raises(ValueError, match="^heads: .*different widths"):
        multi_head(X, [replace(narrow, W_O=None), replace(wide, W_O=None)])
    with pytest.raises(ValueError, match="^W_V: wanted shape"):
        replace(narrow, W_V=narrow.W_V[1:])


def test_vectors_of_one_number():
    assert family_dimension(1, 1) == 1
    with pytest.raises(ValueError, match="^product: wanted a matrix product, got 3$"):
        project([[1.0]], random_head(1, 1, 1, np.random.default_rng(0)), 3)
