"""Counts against loops that count the products of an actual pass, and against search."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from toyattn import cost
from toyattn.head import CountingProduct, Head
from toyattn.projections import head, random_head

quick = settings(max_examples=40, deadline=None)
SIZE = st.integers(1, 7)


@quick
@given(SIZE, SIZE, st.integers(1, 3), SIZE)
def test_layer_counts_are_those_of_an_actual_layer(n, d_k, n_h, d_ff):
    rng, d = np.random.default_rng(n), n_h * d_k
    X, calls = rng.standard_normal((n, d)), []
    for _ in range(n_h):
        product = CountingProduct()
        head(X, random_head(d, d_k, d_k, rng), product=product)
        calls.append(product.calls)
    q, k, v, score, mix, out = np.sum(calls, axis=0)
    units = CountingProduct()
    units(units(X, np.ones((d, d_ff))), np.ones((d_ff, d)))
    parts = cost.layer(n, d, d_ff)
    assert parts == {"projections": q + k + v + out, "scores": score, "weighted sum": mix, "MLP": sum(units.calls)}
    assert cost.linear_part(n, d, d_ff) == q + k + v + out + sum(units.calls)
    assert cost.quadratic_part(n, d) == score + mix


@quick
@given(SIZE, SIZE)
def test_both_parts_are_equal_at_the_equal_length(d, d_ff):
    n = cost.equal_length(d, d_ff)
    assert cost.linear_part(n, d, d_ff) == cost.quadratic_part(n, d)
    assert cost.linear_part(n + 1, d, d_ff) < cost.quadratic_part(n + 1, d)


def test_the_base_model():
    assert cost.equal_length(512) == 3072
    assert (cost.linear_part(110, 512), cost.quadratic_part(110, 512)) == (346_030_080, 12_390_400)
    assert (cost.linear_part(4096, 512), cost.quadratic_part(4096, 512)) == (12_884_901_888, 17_179_869_184)
    assert cost.parameters(512, 8) == {"attention": 1_048_576, "MLP": 2_097_152}
    assert cost.cache(110, 512, 6) == 675_840 and cost.cache(4096, 512, 6) == 25_165_824
    assert cost.cache_crossover(512, 6) == 12_287
    assert cost.parameters(3) == {"attention": 36, "MLP": 72}
    assert {type(count) for count in (*cost.parameters(3).values(), cost.causal_scores(3))} == {int}


@pytest.mark.parametrize("n_h", [1, 2, 3, 6])
def test_parameters_are_the_entries_of_the_matrices(n_h):
    rng, d = np.random.default_rng(0), 6
    heads = [random_head(d, d // n_h, d // n_h, rng) for _ in range(n_h)]
    assert cost.parameters(d, n_h, 10)["attention"] == sum(W.size for one in heads for W in vars(one).values())
    assert cost.parameters(d, n_h, 10)["MLP"] == np.ones((6, 10)).size + np.ones((10, 6)).size


@quick
@given(st.integers(1, 40))
def test_causal_scores_are_the_pairs_up_to_the_diagonal(n):
    assert cost.causal_scores(n) == sum(1 for i in range(n) for j in range(n) if j <= i)


@quick
@given(st.integers(1, 12), st.integers(1, 4))
def test_the_crossover_of_scores_and_cache_by_search(d, layers):
    n = cost.cache_crossover(d, layers)
    assert cost.causal_scores(n) == cost.cache(n, d, layers)
    assert next(m for m in range(1, n + 2) if cost.causal_scores(m) > cost.cache(m, d, layers)) == n + 1


@quick
@given(SIZE, SIZE, SIZE)
def test_what_the_cache_holds_and_what_a_step_costs(n, d, layers):
    keys, values = np.ones((2, layers, n, d))
    assert cost.cache(n, d, layers) == keys.size + values.size
    assert cost.cache(n, d) == 2 * keys[0].size and cost.cache_crossover(d) == 4 * d - 1
    assert cost.cache(n, d, layers, size=8) == keys.nbytes + values.nbytes
    full, before = cost.layer(n, d), cost.layer(1, d)
    assert cost.cached_step(n, d, 3) == before["projections"] + 2 * d * 3 + 2 * n * d
    assert cost.cached_step(n, d) == before["projections"] + before["MLP"] + full["scores"] // n + full["weighted sum"] // n


@quick
@given(SIZE, SIZE, SIZE)
def test_the_bare_head_counts_what_it_does(n, D, Dk):
    zeros = (0,) * (D * Dk)
    counted = Head(D, Dk, zeros, zeros, zeros).attend(np.zeros((n, D))).cost
    assert cost.head(n, D, Dk) == {"project": counted.project, "score": counted.score, "mix": counted.mix}
    assert cost.head_pairs(n, Dk) == counted.quadratic and cost.head_total(n, D, Dk) == counted.total
    assert cost.pair_share(n, D) == pytest.approx(counted.quadratic / counted.total)
    twice = Head(D, Dk, zeros, zeros, zeros).attend(np.zeros((2 * n, D))).cost
    assert cost.doubling(n, D) == pytest.approx(twice.total / counted.total)
    assert 2 < cost.doubling(n, D) < 4
    assert cost.head_step(n, D, Dk) == counted.project // n + counted.quadratic // n


@pytest.mark.parametrize("D", range(1, 9))
@pytest.mark.parametrize("Dk", [1, 2, 4])
def test_the_crossing_by_search(D, Dk):
    first = next(n for n in range(1, 100) if cost.head_pairs(n, Dk) > cost.head(n, D, Dk)["project"])
    assert cost.crossing(D) == first


def test_doubling_a_wide_head_is_far_from_fourfold():
    assert round(cost.doubling(1000, 4), 3) == 3.988 and round(cost.doubling(1000, 4096), 3) == 2.280
