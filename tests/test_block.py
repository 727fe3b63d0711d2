"""Layer norm, MLP, blocks and stacks; the random stack of chapter C2; the block that solves ToyLang."""

from dataclasses import replace
from fractions import Fraction
import math

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
import sympy

from toyattn import ToyLang
from toyattn import block as blocks
from toyattn import toylang_block
from toyattn.attention import attention
from toyattn.positions import sinusoidal
from toyattn.projections import random_head

SEEDS = st.integers(0, 10**6)
quick = settings(max_examples=40, deadline=None)
LANG = ToyLang(N=8, F=6, L=2)
XI = "Flo gave Ann a pen so ok then".split()
TWIN = "Ann gave Flo a pen so ok then".split()
TEN = "Flo gave Ann a pen then Ann thanked Flo .".split()


@quick
@given(SEEDS, st.floats(0.1, 50), st.floats(-50, 50))
def test_layer_norm_has_mean_0_norm_root_d_and_ignores_shift_and_scale(seed, c, b):
    X = np.random.default_rng(seed).standard_normal((3, 5))
    normed = blocks.layer_norm(X)
    np.testing.assert_allclose(normed.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(normed, axis=1), math.sqrt(5))
    np.testing.assert_allclose(blocks.layer_norm(c * X + b), normed, atol=1e-9)


def test_layer_norm_of_the_worked_vector_in_symbols():
    x = [2, 0, -2, 4]
    mean = sympy.Rational(sum(x), 4)
    sd = sympy.sqrt(sum((v - mean) ** 2 for v in x) / 4)
    expected = [float((v - mean) / sd) for v in x]
    np.testing.assert_allclose(blocks.layer_norm(x), expected, rtol=1e-14)
    np.testing.assert_allclose(blocks.layer_norm(x, [1, 2, 3, 4], 5), np.array([1, 2, 3, 4]) * expected + 5)


@quick
@given(SEEDS, st.sampled_from(["relu", "tanh"]))
def test_mlp_is_a_sum_of_rows_weighted_by_hidden_units(seed, activation):
    rng = np.random.default_rng(seed)
    X, W_1, W_2, b_1 = (rng.standard_normal(shape) for shape in ((3, 4), (4, 5), (5, 2), (5,)))
    phi = {"relu": lambda u: max(u, 0.0), "tanh": math.tanh}[activation]
    for x, units, out in zip(X, blocks.hidden(X, W_1, b_1, activation), blocks.mlp(X, W_1, W_2, b_1, activation)):
        expected = [phi(b_1[h] + sum(x[i] * W_1[i, h] for i in range(4))) for h in range(5)]
        np.testing.assert_allclose(units, expected, atol=1e-12)
        np.testing.assert_allclose(out, sum(unit * row for unit, row in zip(expected, W_2)), atol=1e-12)


@pytest.mark.parametrize("norm", [True, False])
def test_a_block_adds_what_its_two_sublayers_read(norm):
    rng = np.random.default_rng(3)
    X, heads = rng.standard_normal((4, 6)), [random_head(6, 2, 3, rng) for _ in range(2)]
    W_1, W_2 = rng.standard_normal((6, 7)), rng.standard_normal((7, 6))
    LN = (lambda x: (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)) if norm else (lambda x: x)
    x = X.copy()
    for W in heads:
        x = x + attention(LN(X) @ W.W_Q, LN(X) @ W.W_K, LN(X) @ W.W_V, 0.9, "causal").outputs @ W.W_O
    expected = x + np.maximum(LN(x) @ W_1, 0) @ W_2
    block = blocks.Block(tuple(heads), W_1, W_2, norm=norm)
    np.testing.assert_allclose(blocks.run(X, block, "causal", 0.9), expected, atol=1e-12)


def test_a_stack_feeds_each_block_with_the_one_before():
    rng = np.random.default_rng(4)
    X, layers = rng.standard_normal((5, 4)), blocks.random_blocks(2, 4, 6, rng)
    streams = blocks.stack(X, layers, [None, "causal"])
    np.testing.assert_array_equal(streams[0], X)
    np.testing.assert_array_equal(streams[1], blocks.run(X, layers[0]))
    np.testing.assert_array_equal(streams[2], blocks.run(streams[1], layers[1], "causal"))


def test_the_random_model_as_a_loop():
    rng = np.random.default_rng(5)
    X, (block,) = rng.standard_normal((3, 8)), blocks.random_blocks(1, 8, 16, rng)
    (W,) = block.heads
    A = np.exp((X @ W.W_Q) @ (X @ W.W_K).T / math.sqrt(8))
    x = X + (A / A.sum(1, keepdims=True)) @ X @ W.W_V
    np.testing.assert_allclose(blocks.run(X, block), x + np.tanh(x @ block.W_1) @ block.W_2, atol=1e-12)


def test_entries_of_the_random_model():
    rng = np.random.default_rng(6)
    (block,) = blocks.random_blocks(1, 200, 100, rng)
    assert np.std(block.W_1) == pytest.approx(1 / math.sqrt(200), rel=0.03)
    assert np.std(block.W_2) == pytest.approx(1 / math.sqrt(100), rel=0.03)
    assert np.std(block.heads[0].W_Q) == pytest.approx(1 / math.sqrt(200), rel=0.03)
    assert np.std(blocks.random_embedding(200, 100, rng)) == pytest.approx(0.7, rel=0.03)


@quick
@given(SEEDS)
def test_a_stack_without_positions_moves_outputs_with_tokens(seed):
    rng = np.random.default_rng(seed)
    layers = blocks.random_blocks(2, 8, 16, rng)
    X = blocks.random_embedding(22, 8, rng)[LANG.encode(TEN)]
    order = rng.permutation(10)
    out = blocks.stack(X, layers)[-1]
    np.testing.assert_allclose(blocks.stack(X[order], layers)[-1], out[order], atol=1e-12)
    np.testing.assert_allclose([out[0], out[2]], [out[8], out[6]], atol=1e-12)
    coded = blocks.stack(X + sinusoidal(np.arange(10), 8), layers)[-1]
    assert np.linalg.norm(coded[0] - coded[8]) > 1e-3


def gap(seed, masks, positions=False):
    """Distance of the outputs at "then" for the two prefixes, and the first layers' streams."""
    rng = np.random.default_rng(seed)
    layers = blocks.random_blocks(len(masks), 8, 16, rng)
    table = blocks.random_embedding(len(LANG.vocabulary), 8, rng)
    code = sinusoidal(np.arange(8), 8) if positions else 0
    one, other = (blocks.stack(table[LANG.encode(tokens)] + code, layers, masks) for tokens in (XI, TWIN))
    return np.linalg.norm(one[-1][-1] - other[-1][-1]), one[1], other[1]


@pytest.mark.parametrize("seed", range(5))
def test_only_a_masked_layer_that_is_read_later_tells_the_order(seed):
    for masks in ([None, None], ["causal"], [None, "causal"]):
        assert gap(seed, masks)[0] < 1e-12
    first, one, other = gap(seed, ["causal", None])
    assert first > 1e-3 and first == pytest.approx(gap(seed, ["causal", "causal"])[0], abs=1e-12)
    assert blocks.rows_without_partner(one, other) == (0, 1, 2)
    assert blocks.rows_without_partner(*gap(seed, [None, None])[1:]) == ()
    assert gap(seed, [None, None], positions=True)[0] > 1e-3


def test_the_intervals_of_the_random_model():
    gaps = [gap(seed, ["causal", None])[0] for seed in range(60)]
    assert 0.4 < np.median(gaps) < 0.9
    coded = [gap(seed, ["causal", "causal"], positions=True)[0] for seed in range(60)]
    assert 0.5 < np.median(coded) < 1.4


def test_a_block_that_does_not_fit_is_refused():
    rng = np.random.default_rng(0)
    (block,), (other,) = blocks.random_blocks(1, 4, 5, rng), blocks.random_blocks(1, 3, 5, rng)
    bad = {"W_1": np.ones((3, 5)), "W_2": np.ones((5, 3)), "activation": "x", "norm": 1, "heads": ()}
    for name, value in bad.items():
        with pytest.raises(ValueError, match=f"^{name}: wanted"):
            replace(block, **{name: value})
    with pytest.raises(ValueError, match="^X: wanted"):
        blocks.run(np.ones((2, 3)), block)
    with pytest.raises(ValueError, match="^blocks: wanted"):
        blocks.stack(np.ones((2, 4)), [block, other])


SENTENCE = "Flo gave Gus a book then Gus thanked Flo .".split()


def loop_pass(lang, tokens, beta, kappa):
    """The hand-built block at the last of the tokens without a matrix: dictionaries and loops."""
    copies = {}
    for copy, (trigger, source) in {"subject": ("thanked", 0), "object": ("then", 2)}.items():
        asks = tokens[-1] == trigger
        powers = [math.exp(beta) if asks and j == source else 1.0 for j in range(len(tokens))]
        copy_of = dict.fromkeys(lang.names, 0.0)
        for token, power in zip(tokens, powers):
            if token in copy_of:
                copy_of[token] += power / sum(powers)
        copies[copy] = [max(value + asks - 1, 0.0) for value in copy_of.values()]
    logits = [kappa * (x + y) for x, y in zip(copies["subject"], copies["object"])]
    total = sum(math.exp(logit) for logit in logits)
    return copies, logits, [math.exp(logit) / total for logit in logits]


@quick
@given(SEEDS, st.floats(0, 9), st.floats(0, 12), st.integers(0, 6), st.integers(2, 9))
def test_the_hand_built_block_against_dictionaries(seed, beta, kappa, L, N):
    lang = ToyLang(N=N, F=3, L=L)
    tokens = lang.sample(np.random.default_rng(seed))
    made = toylang_block.run(toylang_block.build(lang, beta, kappa), tokens)
    for t in range(lang.n):
        copies, logits, probabilities = loop_pass(lang, tokens[: t + 1], beta, kappa)
        np.testing.assert_allclose(made.gate[t], copies["subject"] + copies["object"], atol=1e-12)
        np.testing.assert_allclose(made.logits[t], logits, atol=1e-12)
        np.testing.assert_allclose(made.probabilities[t], probabilities, atol=1e-12)


def test_the_printed_forward_pass():
    lang = ToyLang(N=8, F=6, L=0)
    block = toylang_block.build(lang)
    made = toylang_block.run(block, SENTENCE)
    e, flo, gus = math.exp(6), 5, 6
    subject, object_ = (made.written[:, block.subspaces[name]] for name in ("subject", "object"))
    thanked, then = made.heads["subject"].weights[7], made.heads["object"].weights[5]
    np.testing.assert_allclose(thanked[:2], [e / (e + 7), 1 / (e + 7)])
    np.testing.assert_allclose(made.heads["object"].weights[7, :8], 1 / 8)
    np.testing.assert_allclose([subject[7, flo], subject[7, gus]], [e / (e + 7), 2 / (e + 7)])
    np.testing.assert_allclose([object_[7, flo], object_[7, gus]], [1 / 8, 2 / 8])
    np.testing.assert_allclose([then[2], then[0], then[6]], [e / (e + 5), 1 / (e + 5), 0])
    np.testing.assert_allclose([object_[5, gus], object_[5, flo]], [e / (e + 5), 1 / (e + 5)])
    np.testing.assert_allclose(subject[5, [flo, gus]], 1 / 6)
    assert not made.gate[7, 8:].any() and not made.gate[5, :8].any()
    assert [round(float(made.probabilities[t, name]), 4) for t, name in ((7, flo), (5, gus))] == [0.9996, 0.9996]


def test_sizes_and_subspaces_of_the_hand_built_block():
    lang = ToyLang(N=8, F=6, L=0)
    block = toylang_block.build(lang)
    assert {name: part.stop - part.start for name, part in block.subspaces.items()} == {
        "token": 22, "position": 5, "subject": 8, "object": 8,
    }
    stream = toylang_block.embed(block, SENTENCE)
    assert stream.shape == (10, 43) and block.W_1.shape == (43, 16)
    np.testing.assert_array_equal(stream[:, block.subspaces["token"]].argmax(1), lang.encode(SENTENCE))
    np.testing.assert_array_equal(stream[:, block.subspaces["position"]], np.eye(10, 5))
    assert stream[:, :22].sum() == 10 and not stream[:, 27:].any()
    assert {W.W_Q.shape[1] for W in block.heads.values()} == {5}
    assert {W.W_V.shape[1] for W in block.heads.values()} == {8}


@pytest.mark.parametrize("L", range(0, 201, 20))
def test_the_right_name_leads_at_every_gap(L):
    lang = ToyLang(N=8, F=6, L=L)
    tokens = lang.sample(np.random.default_rng(L))
    made = toylang_block.run(toylang_block.build(lang), tokens)
    for place in (lang.second_y, lang.last_x):
        assert lang.names[made.logits[place - 1].argmax()] == tokens[place]


@pytest.mark.parametrize("scale", [1e300, 1.0, 1e-300])
def test_layer_norm_at_the_edges_of_floats(scale):
    """In fractions: no square overflows, and none vanishes."""
    X = np.array([[3.0, -1.5, 0.25, 8.0], [-1.0, 1.0, 0.0, 1e-3]]) * scale
    for row, found in zip(X, blocks.layer_norm(X, gain=2.0, shift=0.5)):
        row = [Fraction(x) for x in row]
        mean = sum(row) / 4
        squares = [(x - mean) ** 2 / (sum((y - mean) ** 2 for y in row) / 4) for x in row]
        assert found == pytest.approx([0.5 + 2 * math.copysign(math.sqrt(s), x - mean) for s, x in zip(squares, row)], rel=1e-14)


def test_layer_norm_of_the_largest_floats():
    largest = np.finfo(float).max
    assert blocks.layer_norm([largest, -largest]).tolist() == [1, -1]
    assert blocks.layer_norm([5e-324, 0.0]).tolist() == [1, -1]


def test_a_block_is_a_frozen_value_that_equals_itself_alone():
    block, = blocks.random_blocks(1, 1, 1, np.random.default_rng(0))
    with pytest.raises(AttributeError):
        block.norm = True
    assert block == block and block != replace(block) and len({block, replace(block)}) == 2


def test_what_a_block_does_unless_told_otherwise():
    rng = np.random.default_rng(1)
    X, head = rng.standard_normal((3, 4)), random_head(4, 2, 2, rng)
    W_1, W_2 = rng.standard_normal((4, 5)), rng.standard_normal((5, 4))
    np.testing.assert_array_equal(blocks.hidden(X, W_1), np.maximum(X @ W_1, 0))
    usual = blocks.Block((head,), W_1, W_2, "relu", norm=True)
    np.testing.assert_array_equal(blocks.run(X, blocks.Block((head,), W_1, W_2)), blocks.run(X, usual))


def test_a_constant_row_beside_one_that_varies_is_refused():
    with pytest.raises(ValueError, match="^X: .*constant row"):
        blocks.layer_norm([[0.1] * 3, [1, 2, 3]])


def test_the_smallest_random_model_and_a_gap_of_exactly_the_tolerance():
    assert blocks.random_embedding(1, 1, np.random.default_rng(0)).shape == (1, 1)
    assert blocks.rows_without_partner([[1.0], [0.0]], [[1.5]], tolerance=0.5) == (1,)


def test_the_hand_built_block_is_frozen_and_reads_a_single_token():
    built = toylang_block.build(LANG)
    with pytest.raises(AttributeError):
        built.lang = None
    assert len(toylang_block.embed(built, ["Ann"])) == 1


def test_rows_of_all_sizes_side_by_side():
    rows, sizes = np.array([[1.0, 2.0, 4.0], [1.0, 3.0, -1.0], [1.0, -2.0, 3.0]]), np.array([[1.0], [1e-200], [1e200]])
    wanted = (rows - rows.mean(axis=1, keepdims=True)) / rows.std(axis=1, keepdims=True)  # whatever the size
    np.testing.assert_allclose(blocks.layer_norm(sizes * rows), wanted, rtol=1e-12)
