"""Note H: the eight requirements, the typed numbers, counted cost against plain loops."""

from fractions import Fraction
import math

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
import sympy

from toyattn.attention import softmax
from toyattn.head import (
    ENTRY,
    TABLE_SIZE,
    TOKENS,
    CountingProduct,
    Head,
    neuron_layer,
    typed_head,
    typed_rows,
    unshifted_softmax,
)

SEEDS = st.integers(0, 10**6)
quick = settings(max_examples=60, deadline=None)


def random_case(seed):
    rng = np.random.default_rng(seed)
    n, D, Dk = (int(size) for size in rng.integers(1, 7, size=3))
    runs = rng.standard_normal((3, D * Dk))
    return rng, Head(D, Dk, *runs.tolist(), scale=bool(rng.integers(2))), rng.standard_normal((n, D))


def loop_pass(head, X):
    """The head in plain loops on flat lists; returns queries, keys, values, scores, shares, outputs, counts."""
    count = dict(project=0, score=0, mix=0)
    projected = []
    for matrix in (head.Wq, head.Wk, head.Wv):
        rows = []
        for x in X.tolist():
            row = [0.0] * head.Dk
            for j in range(head.Dk):
                for i in range(head.D):
                    row[j] += matrix[j * head.D + i] * x[i]
                    count["project"] += 1
            rows.append(row)
        projected.append(rows)
    Q, K, V = projected
    raw = [[0.0] * len(X) for _ in X]
    shares, outputs = [], []
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            for c in range(head.Dk):
                raw[i][j] += q[c] * k[c]
                count["score"] += 1
        divided = [score / (math.sqrt(head.Dk) if head.scale else 1) for score in raw[i]]
        powers = [math.exp(score - max(divided)) for score in divided]
        shares.append([power / sum(powers) for power in powers])
        out = [0.0] * head.Dk
        for share, v in zip(shares[-1], V):
            for c in range(head.Dk):
                out[c] += share * v[c]
                count["mix"] += 1
        outputs.append(out)
    return Q, K, V, raw, shares, outputs, count


@quick
@given(SEEDS)
def test_a_pass_and_its_counters_are_plain_loops(seed):
    _, head, X = random_case(seed)
    made = head.attend(X)
    Q, K, V, raw, shares, outputs, count = loop_pass(head, X)
    for ours, theirs in ((made.Q, Q), (made.K, K), (made.V, V), (made.raw, raw)):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(made.shares, shares, atol=1e-14)
    np.testing.assert_allclose(made.out, outputs, atol=1e-13)
    np.testing.assert_array_equal(made.X, X)
    assert made.cost._asdict() == dict(tokens=len(X), **count)
    assert made.cost.quadratic == count["score"] + count["mix"] and made.cost.total == sum(count.values())


@quick
@given(SEEDS)
def test_projection_is_a_weighted_sum_and_nothing_else(seed):
    _, head, X = random_case(seed)
    made = head.attend(X)
    for run, rows in ((head.Wq, made.Q), (head.Wk, made.K), (head.Wv, made.V)):
        weights = np.reshape(run, (head.Dk, head.D))
        assert [neuron_layer(x, weights, [0.0] * head.Dk) for x in X] == rows.tolist()


def test_the_projections_worked_by_hand():
    made = typed_head().attend(typed_rows(4))
    np.testing.assert_array_equal(made.Q[1], [0, 3, 0.5, 0])
    np.testing.assert_array_equal(made.K[1], [1, 0, 0, 0])
    np.testing.assert_array_equal(made.K[0], [0, 1, 0.25, 0.5])
    assert neuron_layer([1, 2], [[3, 4], [5, 6]], [0.5, -1]) == [11.5, 16.0]


def test_every_score_is_a_query_times_a_key_divided_by_two():
    made = typed_head().attend(typed_rows(4))
    for i, j in np.ndindex(4, 4):
        exact = sum(Fraction(q) * Fraction(k) for q, k in zip(made.Q[i], made.K[j]))
        assert Fraction(made.raw[i, j]) == exact and Fraction(made.scaled[i, j]) * 2 == exact
    assert made.div == 2 and made.raw[1].tolist() == [3.125, 0, 0.75, 0]
    assert made.raw[1, 0] != made.raw[0, 1]


@quick
@given(SEEDS)
def test_every_attention_row_is_shares_of_one(seed):
    _, head, X = random_case(seed)
    made = head.attend(X)
    assert (made.shares >= 0).all()
    np.testing.assert_allclose(made.shares.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(made.scaled, made.raw / made.div, rtol=1e-15)


def test_two_tokens_with_the_same_numbers_get_the_same_row():
    for scale in (True, False):
        made = typed_head(scale).attend(typed_rows(4))
        np.testing.assert_array_equal(made.X[1], made.X[3])
        np.testing.assert_array_equal(made.shares[1], made.shares[3])
        np.testing.assert_array_equal(made.out[1], made.out[3])


def test_the_share_rows_in_closed_form():
    e, half = sympy.exp, sympy.Rational(1, 2)
    powers = {
        True: [[e(half / 4), 1, e(half / 2), 1], [e(sympy.Rational(25, 16)), 1, e(sympy.Rational(3, 8)), 1], [1, e(1), 1, e(1)]],
        False: [[e(half / 2), 1, e(half), 1], [e(sympy.Rational(25, 8)), 1, e(sympy.Rational(3, 4)), 1], [1, e(2), 1, e(2)]],
    }
    for scale, rows in powers.items():
        shares = typed_head(scale).attend(typed_rows(4)).shares
        for ours, row in zip(shares, rows):
            np.testing.assert_allclose(ours, [float(power / sum(row)) for power in row], atol=1e-14)


def test_the_cost_is_three_projections_and_two_passes():
    for n in (1, 4, 6, 8, 16, 32):
        cost = typed_head().attend(typed_rows(n)).cost
        assert cost == (n, 3 * n * 4 * 4, n * n * 4, n * n * 4)
        assert typed_head(scale=False).attend(typed_rows(n)).cost == cost


@quick
@given(SEEDS, st.integers(1, 40))
def test_counting_in_parts_is_counting_at_once(seed, pairs):
    _, head, X = random_case(seed)
    told = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toyattn.head.PAIRS_AT_ONCE", pairs)
        assert head.count(X, lambda *done: told.append(done)) == head.attend(X).cost
    assert told[-1] == (len(X), len(X)) and told == sorted(told)
    assert len(told) == -(-len(X) // max(1, pairs // len(X)))


def test_softmax_survives_a_score_nothing_can_raise_e_to():
    row = [800.0, 0.0, 0.0, 0.0]
    a = softmax(row)
    assert np.isfinite(a).all() and a.sum() == 1 and a.argmax() == 0
    with pytest.raises(OverflowError):
        math.exp(800)
    powers, shares = unshifted_softmax(row)
    assert powers[0] == math.inf and np.isnan(shares[0]) and not shares[1:].any()
    np.testing.assert_allclose(unshifted_softmax([1, 2, 0.5])[1], softmax([1, 2, 0.5]))
    big = Head(1, 1, [40], [40], [1]).attend([[1.0], [-1.0]])
    np.testing.assert_array_equal(big.raw, [[1600, -1600], [-1600, 1600]])
    np.testing.assert_array_equal(big.shares, np.eye(2))


def refused(call):
    with pytest.raises(ValueError) as found:
        call()
    return str(found.value)


def test_a_matrix_of_the_wrong_size_is_refused():
    said = refused(lambda: Head(2, 2, [1] * 4, [1] * 4, [1] * 3))
    assert said == "Wv: wanted 4 numbers for a 2 by 2 matrix, got 3 numbers"
    assert "3 by 2" in refused(lambda: Head(3, 2, [1] * 6, [1] * 4, [1] * 6))
    assert refused(lambda: Head(2, 2, [1], [1], [1])).startswith("Wq: ")


def test_a_token_of_the_wrong_width_is_refused():
    rows = typed_rows(4).tolist()
    rows[1] = [1, 2]
    said = refused(lambda: typed_head().attend(rows))
    assert said == "X: wanted 4 numbers for each token, got token 2 of 4 with 2 numbers"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_by_place(bad):
    rows = typed_rows(4)
    rows[2, 3] = bad
    for call in (typed_head().attend, typed_head().count):
        assert refused(lambda: call(rows)) == f"X: wanted finite numbers, got token 3 of 4 with {bad} at place 4"
    assert refused(lambda: Head(1, 2, [1, bad], [1, 1], [1, 1])) == f"Wq: wanted finite numbers, got {bad} at place 2"


@pytest.mark.parametrize(
    "name, value",
    [("D", 0), ("D", 1.0), ("Dk", -1), ("Dk", True), ("Wq", "1"), ("Wk", [[1]]), ("Wv", [[1], [1, 2]]), ("Wv", ["1"]), ("Wv", None), ("scale", 1)],
)
def test_a_bad_field_is_refused_by_name(name, value):
    good = dict(D=1, Dk=1, Wq=[1], Wk=[1], Wv=[1], scale=True)
    Head(**good)
    assert refused(lambda: Head(**{**good, name: value})).startswith(f"{name}: wanted ")


@pytest.mark.parametrize("X", [[], None, 3, "1234", [1.0], [["a"] * 4], [[True] * 4], [[[1, 2, 3, 4]]], np.zeros((0, 4)), [[[1], [1, 2]]]])
def test_no_row_of_tokens_is_refused(X):
    for call in (typed_head().attend, typed_head().count):
        assert refused(lambda: call(X)).startswith("X: wanted ")
    assert refused(lambda: typed_head().count(typed_rows(2), 3)).startswith("progress: wanted ")


@quick
@given(SEEDS)
def test_permuting_tokens_permutes_everything(seed):
    rng, head, X = random_case(seed)
    order = rng.permutation(len(X))
    made, moved = head.attend(X), head.attend(X[order])
    np.testing.assert_allclose(moved.out, made.out[order], atol=1e-12)
    np.testing.assert_allclose(moved.shares, made.shares[np.ix_(order, order)], atol=1e-12)
    assert moved.cost == made.cost


@quick
@given(SEEDS, st.integers(1, 20))
def test_the_counting_product_is_a_product_that_counts(seed, in_cache):
    rng = np.random.default_rng(seed)
    n, inner, m = rng.integers(1, 6, size=3)
    A, B = rng.standard_normal((n, inner)), rng.standard_normal((inner, m))
    product = CountingProduct()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toyattn.head.IN_CACHE", in_cache)
        np.testing.assert_allclose(product(A, B), A @ B, atol=1e-12)
        product(B.T, A.T)
    assert product.calls == [n * inner * m] * 2


def test_the_typed_data():
    assert len(ENTRY.encode()) == 66
    assert [len(token.text.encode()) for token in TOKENS] == [6, 1, 38, 1]
    assert [ord(token.text) for token in TOKENS if len(token.text) == 1] == [token.id for token in TOKENS[1::2]]
    assert ENTRY.startswith("".join(token.text for token in TOKENS))
    assert max(token.id for token in TOKENS) < TABLE_SIZE
    np.testing.assert_array_equal(typed_rows(6)[4:], [TOKENS[0].x, TOKENS[1].x])
    head = typed_head()
    assert len(head.Wq) + len(head.Wk) + len(head.Wv) == 48
    np.testing.assert_array_equal(head.projections.W_Q.T, [[0, 0, 2, 0], [3, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0]])
    np.testing.assert_array_equal(head.projections.W_K, np.eye(4) + 0.5 * np.eye(4)[:, [3]] * np.eye(4)[2])
    np.testing.assert_array_equal(head.projections.W_V, np.eye(4) + 0.5 * np.eye(4)[:, [0]] * np.eye(4)[3])


@pytest.mark.parametrize("A, B", [(np.ones(2), np.ones((2, 1))), (np.ones((1, 2)), np.ones(2)), (np.ones((2, 2)), np.ones((3, 1)))])
def test_only_matrices_that_fit_are_multiplied(A, B):
    with pytest.raises(ValueError, match="^A, B: wanted two matrices"):
        CountingProduct()(A, B)
