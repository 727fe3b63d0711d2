"""Part C and note H: one good call of each public function, and what is bad for each of its arguments."""

import math

from hypothesis import strategies as st
import numpy as np

from bad_input import anything, distribution, integer, lang, not_finite, numbers, real, rng, tokens
from toyattn import ToyLang, attention, block, cost, differences, head, pointer, positions, projections, scaling, toylang_block

MODULES = [attention, block, cost, differences, head, pointer, positions, projections, scaling, toylang_block]
LANG = ToyLang(N=3, F=2, L=1)
PREFIX = "Ann gave Ben a pen so then".split()
RNG = np.random.default_rng(0)
W = projections.random_head(3, 2, 2, RNG)
(BLOCK,) = block.random_blocks(1, 3, 4, RNG)
HAND = toylang_block.build(LANG)
X = [[0.5, 1.0, -2.0], [0.0, 3.0, 1.0]]

free_real = st.one_of(anything, st.booleans(), not_finite, st.just([0.5]), st.just(1j), st.just(10**400))
beta = st.one_of(anything, st.booleans(), st.just(math.nan), st.just([0.5]), st.just(10**400))
X_bad = numbers(X, least=None, shapes=[(), (3,), (2, 2), (0, 3), (2, 2, 3)])
row = numbers([1.0, 0.5], least=None, shapes=[(), (0,), (1, 2)])
weights = distribution([0.5, 0.5], shapes=[(), (0,)])
one_row = st.one_of(weights, st.just([[0.5, 0.5]]))
holds = st.one_of(anything, st.sampled_from([[0.0, 1.0], [0, 2], [0, -1], [1], [[0, 1]], [0, math.nan], 1]))
scores = st.one_of(
    numbers([[1.0, 2.0]], least=None, shapes=[(), (0,), (2, 0)]).filter(lambda s: not _one_minus_inf(s)),
    st.just([[-math.inf, -math.inf], [1, 2]]),
)
no_call = st.one_of(anything, st.integers()).filter(lambda value: value is not None)
mask = st.one_of(
    st.integers(), st.binary(), st.text(),
    st.sampled_from([[[True, False, True]] * 2, [[True, True], [False, False]], [[1, 0], [1, 1]], [[True], [True, False]], {}]),
)
not_W = st.one_of(anything, st.integers(), st.just((W.W_Q, W.W_K, W.W_V, W.W_O)))
not_block = st.one_of(anything, st.integers(), st.just(W), st.just(ToyLang))
prefix = tokens([], PREFIX[:-1], PREFIX[1:], [*PREFIX[:-1], "thanked"], [*PREFIX[:-1], "Hal"], "then")
size = integer(1)


def _one_minus_inf(value):
    return isinstance(value, np.ndarray) and value.dtype == float and value.shape == (1, 2) and np.isneginf(value).any()


def sizes(**good):
    """A case of positive integers only."""
    return good, {name: size for name in good}


matrix_2 = numbers([[2.0, 1.0], [0.0, 1.0], [1.0, 1.0]], least=None, shapes=[(), (3,), (3, 0), (2, 2, 2)])
READ = {"Q": [[1.0, 0.0], [2.0, 1.0]], "K": [[1.0, 1.0], [0.0, 1.0]], "V": [[1.0], [2.0]]}
SPLIT = {name: np.ones((4, 4)) for name in ("W_Q", "W_K", "W_V", "W_O")}

CASES = {
    attention.softmax: ({"scores": [[1.0, 2.0]], "beta": 2.0}, {"scores": scores, "beta": beta}),
    attention.log_partition: ({"scores": [[1.0, 2.0]], "beta": 2.0}, {"scores": scores, "beta": free_real}),
    attention.jacobian: ({"weights": [0.5, 0.5], "beta": 1.0}, {"weights": one_row, "beta": free_real}),
    attention.concentration: ({"weights": [[0.5, 0.5]]}, {"weights": weights}),
    attention.entropies: ({"weights": [[0.5, 0.5]]}, {"weights": weights}),
    attention.causal_mask: sizes(n=3),
    attention.attention: (
        {**READ, "beta": None, "mask": None, "product": np.matmul},
        {
            "Q": numbers(READ["Q"], least=None, shapes=[(), (2,), (0, 2), (2, 0), (1, 2, 2)]),
            "K": numbers(READ["K"], least=None, shapes=[(), (2,), (0, 2), (2, 3)]),
            "V": numbers(READ["V"], least=None, shapes=[(), (2,), (3, 1), (2, 0)]),
            "beta": beta.filter(lambda value: value is not None),
            "mask": mask.filter(lambda value: value != "causal"),
            "product": st.one_of(anything, st.integers()),
        },
    ),
    block.layer_norm: (
        {"X": X, "gain": 1.0, "shift": [1.0, 2.0, 3.0]},
        {
            "X": st.one_of(numbers(X, least=None, shapes=[(), (0,), (2, 3)]), st.just([[1.0, 1.0, 1.0], [0, 1, 2]])),
            "gain": numbers([1.0], least=None, shapes=[(2,), (2, 3)]),
            "shift": numbers([1.0], least=None, shapes=[(2,), (2, 3)]),
        },
    ),
    block.hidden: (
        {"X": X, "W_1": np.ones((3, 2)), "b_1": 0.0, "activation": "relu"},
        {
            "X": X_bad.filter(lambda bad: np.shape(bad) != (2, 2) if isinstance(bad, np.ndarray) else True),
            "W_1": numbers(np.ones((3, 2)), least=None, shapes=[(), (3,), (2, 2), (3, 0)]),
            "b_1": numbers([1.0], least=None, shapes=[(3,), (1, 2)]),
            "activation": st.one_of(anything, st.integers(), st.just("ReLU")),
        },
    ),
    block.mlp: (
        {"X": X, "W_1": np.ones((3, 2)), "W_2": np.ones((2, 4)), "b_1": 0.0, "activation": "relu"},
        {
            "X": X_bad.filter(lambda bad: np.shape(bad) != (2, 2) if isinstance(bad, np.ndarray) else True),
            "W_1": numbers(np.ones((3, 2)), least=None, shapes=[(), (3,), (2, 2), (3, 0)]),
            "W_2": numbers(np.ones((2, 4)), least=None, shapes=[(), (2,), (3, 4), (2, 0)]),
            "b_1": numbers([1.0], least=None, shapes=[(3,), (1, 2)]),
            "activation": st.one_of(anything, st.integers(), st.just("ReLU")),
        },
    ),
    block.run: (
        {"X": X, "block": BLOCK, "mask": None, "beta": None},
        {
            "X": X_bad,
            "block": not_block,
            "mask": mask.filter(lambda value: value != "causal"),
            "beta": beta.filter(lambda value: value is not None),
        },
    ),
    block.stack: (
        {"X": X, "blocks": [BLOCK], "masks": None, "beta": None},
        {
            "X": X_bad,
            "blocks": st.one_of(not_block, st.just([]), st.just([W]), st.just(BLOCK)),
            "masks": st.one_of(st.integers(), st.just("causal"), st.just([]), st.just([None, None])),
            "beta": beta.filter(lambda value: value is not None),
        },
    ),
    block.random_blocks: (
        {"layers": 1, "d": 2, "d_ff": 3, "rng": RNG},
        {"layers": size, "d": size, "d_ff": size, "rng": rng},
    ),
    block.random_embedding: ({"types": 3, "d": 2, "rng": RNG}, {"types": size, "d": size, "rng": rng}),
    block.rows_without_partner: (
        {"A": X, "B": X, "tolerance": 0.0},
        {
            "A": numbers(X, least=None, shapes=[(), (3,), (0, 3)]),
            "B": numbers(X, least=None, shapes=[(), (3,), (0, 3), (2, 2)]),
            "tolerance": real(0),
        },
    ),
    differences.central: (
        {"f": np.tanh, "at": [1.0, 2.0], "h": 0.5},
        {"f": no_call, "at": numbers([1.0, 2.0], least=None, shapes=[(0,), (2, 0)]), "h": real(1e-12, 1)},
    ),
    cost.layer: ({"n": 2, "d": 3, "d_ff": 4}, {"n": size, "d": size, "d_ff": size.filter(lambda bad: bad is not None)}),
    cost.linear_part: ({"n": 2, "d": 3, "d_ff": 4}, {"n": size, "d": size, "d_ff": size.filter(lambda bad: bad is not None)}),
    cost.cached_step: ({"n": 2, "d": 3, "d_ff": 4}, {"n": size, "d": size, "d_ff": size.filter(lambda bad: bad is not None)}),
    cost.quadratic_part: sizes(n=2, d=3),
    cost.equal_length: ({"d": 3, "d_ff": 4}, {"d": size, "d_ff": size.filter(lambda bad: bad is not None)}),
    cost.parameters: (
        {"d": 4, "n_h": 2, "d_ff": 3},
        {"d": size, "n_h": st.one_of(size, st.just(3)), "d_ff": size.filter(lambda bad: bad is not None)},
    ),
    cost.causal_scores: sizes(n=2),
    cost.cache: sizes(n=2, d=3, layers=1, size=4),
    cost.cache_crossover: sizes(d=3, layers=1),
    cost.head: sizes(n=2, D=3, Dk=4),
    cost.head_pairs: sizes(n=2, Dk=4),
    cost.head_total: sizes(n=2, D=3, Dk=4),
    cost.pair_share: sizes(n=2, D=3),
    cost.doubling: sizes(n=2, D=3),
    cost.crossing: sizes(D=3),
    cost.head_step: sizes(n=2, D=3, Dk=4),
    head.neuron_layer: (
        {"x": [1.0, 2.0], "weights": [[1.0, 2.0]], "biases": [0.5]},
        {
            "x": numbers([1.0, 2.0], least=None, shapes=[(), (0,), (1, 2)]),
            "weights": numbers([[1.0, 2.0]], least=None, shapes=[(), (2,), (1, 3), (0, 2)]),
            "biases": numbers([0.5], least=None, shapes=[(), (2,), (1, 1)]),
        },
    ),
    head.unshifted_softmax: ({"scores": [1.0, 0.5]}, {"scores": row}),
    head.typed_rows: sizes(n=3),
    head.typed_head: ({"scale": True}, {"scale": st.one_of(anything, st.integers())}),
    pointer.unit_arrows: ({"degrees": [1.0, 0.5]}, {"degrees": row}),
    pointer.exponential_series: (
        {"x": [1.0], "beta": 1.0, "K": 2},
        {"x": numbers([1.0], least=None), "beta": free_real, "K": integer(0)},
    ),
    pointer.mean_score: ({"scores": [1.0, 0.5], "beta": 1.0}, {"scores": row, "beta": beta}),
    pointer.score_variance: ({"scores": [1.0, 0.5], "beta": 1.0}, {"scores": row, "beta": beta}),
    pointer.beta_for_mean: (
        {"scores": [1.0, 0.5], "mean": 0.75},
        {"scores": row, "mean": st.one_of(free_real, st.floats(max_value=0.5), st.floats(min_value=1))},
    ),
    pointer.source_weight: ({"m": 3, "beta": 2.0}, {"m": size, "beta": st.one_of(beta, st.floats(max_value=-1e-300))}),
    pointer.source_cost: ({"m": 3, "beta": 2.0}, {"m": size, "beta": st.one_of(beta, st.floats(max_value=-1e-300))}),
    pointer.beta_needed: ({"m": 3, "nats": 0.5}, {"m": integer(2), "nats": st.one_of(real(0), st.just(0))}),
    pointer.target_probability: ({"weights": [0.5, 0.5], "holds": [0, 1]}, {"weights": one_row, "holds": holds}),
    pointer.posterior: (
        {"weights": [0.5, 0.5], "holds": [0, 1]},
        {"weights": one_row, "holds": st.one_of(holds, st.just([0, 0]))},
    ),
    pointer.score_gradient: (
        {"weights": [0.5, 0.5], "holds": [0, 1], "beta": 1.0},
        {"weights": one_row, "holds": st.one_of(holds, st.just([0, 0])), "beta": free_real},
    ),
    pointer.loss_gradient: (
        {"weights": [0.5, 0.5], "V": [[1.0], [2.0]], "g": [1.0], "beta": 1.0},
        {
            "weights": one_row,
            "V": numbers([[1.0], [2.0]], least=None, shapes=[(), (2,), (3, 1), (2, 0)]),
            "g": numbers([1.0], least=None, shapes=[(), (2,), (1, 1)]),
            "beta": free_real,
        },
    ),
    pointer.slot_keys: ({"m": 3}, {"m": integer(3)}),
    pointer.toylang_pointer: (
        {"lang": LANG, "tokens": PREFIX, "beta": 1.0},
        {"lang": lang, "tokens": prefix, "beta": beta},
    ),
    pointer.name_lookup: (
        {"lang": LANG, "tokens": PREFIX, "beta": 1.0},
        {"lang": lang, "tokens": prefix, "beta": st.one_of(beta, st.floats(max_value=-1e-300))},
    ),
    positions.frequencies: ({"d": 4}, {"d": st.one_of(integer(2), st.just(5))}),
    positions.sinusoidal: (
        {"places": [0, 1], "d": 4},
        {
            "places": st.one_of(anything, st.sampled_from([[0.0], [[1]], [], 1, [True]])),
            "d": st.one_of(integer(2), st.just(5)),
        },
    ),
    positions.rotation: ({"b": -2, "d": 4}, {"b": integer(), "d": st.one_of(integer(2), st.just(5))}),
    positions.scaled_rotations: (
        {"alpha": [1.0, 0.5], "eta": [1.0, 0.5]},
        {"alpha": row, "eta": st.one_of(row, st.just([1.0]))},
    ),
    positions.offset_score: (
        {"alpha": [1.0, 0.5], "eta": [1.0, 0.5], "b": 1},
        {"alpha": row, "eta": st.one_of(row, st.just([1.0])), "b": integer()},
    ),
    positions.code_scores: (
        {"B": np.ones((2, 2)), "places": [0, 1], "b": 1},
        {
            "B": numbers(np.ones((2, 2)), least=None, shapes=[(), (2,), (3, 3), (2, 4)]),
            "places": st.one_of(anything, st.sampled_from([[0.0], [[1]], [], 1, [True]])),
            "b": integer(),
        },
    ),
    projections.project: ({"X": X, "W": W, "product": np.matmul}, {"X": X_bad, "W": not_W, "product": st.one_of(anything, st.integers())}),
    projections.head: (
        {"X": X, "W": W, "beta": None, "mask": None, "product": np.matmul},
        {
            "X": X_bad,
            "W": not_W,
            "beta": beta.filter(lambda value: value is not None),
            "mask": mask.filter(lambda value: value != "causal"),
            "product": st.one_of(anything, st.integers()),
        },
    ),
    projections.multi_head: (
        {"X": X, "heads": [W, W], "beta": None, "mask": None},
        {
            "X": X_bad,
            "heads": st.one_of(not_W, st.just([]), st.just([W, 1])),
            "beta": beta.filter(lambda value: value is not None),
            "mask": mask.filter(lambda value: value != "causal"),
        },
    ),
    projections.split: (
        {**SPLIT, "n_h": 2},
        {
            "W_Q": numbers(np.ones((4, 4)), least=None, shapes=[(), (4,), (4, 0)]),
            **{name: numbers(np.ones((4, 4)), least=None, shapes=[(), (4,), (4, 2)]) for name in ("W_K", "W_V", "W_O")},
            "n_h": st.one_of(size, st.just(3)),
        },
    ),
    projections.random_head: (
        {"d": 3, "d_k": 2, "d_v": 2, "rng": RNG},
        {"d": size, "d_k": size, "d_v": size, "rng": rng},
    ),
    projections.regauge: (
        {"W_Q": np.ones((3, 2)), "W_K": np.ones((3, 2)), "G": np.eye(2)},
        {
            "W_Q": matrix_2,
            "W_K": st.one_of(matrix_2, st.just(np.ones((2, 2)))),
            "G": st.one_of(numbers(np.eye(2), least=None, shapes=[(), (2,), (3, 3)]), st.just(np.ones((2, 2)))),
        },
    ),
    projections.tangent_rank: (
        {"W_Q": np.ones((3, 2)), "W_K": np.ones((3, 2))},
        {"W_Q": matrix_2, "W_K": st.one_of(matrix_2, st.just(np.ones((2, 2))))},
    ),
    projections.family_dimension: ({"d": 3, "d_k": 2}, {"d": size, "d_k": integer(1, 3)}),
    projections.generate: (
        {"X": X, "W": W, "beta": None},
        {"X": X_bad, "W": not_W, "beta": beta.filter(lambda value: value is not None)},
    ),
    projections.head_list: (
        {"name": "heads", "heads": [W]},
        {"name": st.nothing(), "heads": st.one_of(not_W, st.just([]), st.just([W, 1]))},
    ),
    scaling.random_scores: (
        {"rows": 3, "m": 2, "d_k": 2, "rng": RNG, "progress": None},
        {"rows": size, "m": size, "d_k": size, "rng": rng, "progress": no_call},
    ),
    scaling.row_statistics: (
        {"scores": [[1.0, 2.0]], "beta": 1.0},
        {"scores": numbers([[1.0, 2.0]], least=None, shapes=[(), (2,), (0, 2), (2, 0)]), "beta": real(0)},
    ),
    scaling.expected_spread: ({"d_k": 3}, {"d_k": integer(1, 10**9)}),
    toylang_block.build: ({"lang": LANG, "beta": 1.0, "kappa": 1.0}, {"lang": lang, "beta": real(0), "kappa": real(0)}),
    toylang_block.embed: ({"block": HAND, "tokens": PREFIX}, {"block": not_block, "tokens": tokens([], ["Hal"])}),
    toylang_block.run: ({"block": HAND, "tokens": PREFIX}, {"block": not_block, "tokens": tokens([], ["Hal"])}),
}
