"""Parts B and D: one good call of each public function, and what is bad for each of its arguments."""

import math

from hypothesis import strategies as st
import numpy as np

from bad_input import (
    LANG,
    NO_SENTENCE,
    RNG,
    SENTENCE,
    anything,
    integer,
    lang,
    not_finite,
    numbers,
    real,
    rng,
)
from toyattn import (
    capacity,
    edit,
    kernels,
    memory,
    recall,
    recurrence,
    storage,
    toylang_memory,
)

MODULES = [capacity, edit, kernels, memory, recall, recurrence, storage, toylang_memory]


def no_none(bad):
    """Bad values for an argument that may be None."""
    return bad.filter(lambda value: value is not None)


whole = st.one_of(anything, not_finite, st.sampled_from([-1, 1.5, [1, -2], True, [0.0]]))
no_beta = st.one_of(anything, st.booleans(), st.sampled_from([math.nan, 1j, [0.5]]))
no_function = st.one_of(
    anything,
    st.integers(),
    st.sampled_from([lambda *x: x[0][..., :1], lambda *x: math.nan, lambda *x: "s"]),
)
a_key = st.one_of(numbers([1, 2], None, shapes=[(), (0,), (1, 2)]), st.just([0, 0]))
Sigma = st.one_of(
    numbers(np.eye(2), None, shapes=[(), (2,), (2, 3), (3, 3)]),
    st.sampled_from([[[1, 2], [0, 1]], [[1, 0], [0, -1]], [[1, 0], [0, 0]]]),
)
UNEVEN = {"k": [1, 1], "Sigma": [[2, 0], [0, 1]]}
STATE = [[1, 2, 3], [4, 5, 6]]
state = numbers(STATE, None, shapes=[(), (3,), (0, 3)])
state_key = numbers([1, 0, 2], None, shapes=[(), (2,), (1, 3)])
step_rule = st.one_of(anything, st.integers(), st.sampled_from(["Hebbian", "least squares", ["delta"]]))
PAIRS_KV = {"K": [[1, 0, 2], [0, 1, 1], [1, 1, 1]], "V": [[1, 2], [0, 1], [1, 1]]}
no_pairs = {
    "K": numbers(PAIRS_KV["K"], None, shapes=[(), (3,), (0, 3)]),
    "V": numbers(PAIRS_KV["V"], None, shapes=[(), (3,), (2, 2), (1, 3, 2), (3, 0)]),
}
no_query = numbers([1, 0, 2], None, shapes=[(), (2,), (0, 3), (1, 2), (1, 1, 3)])
SETTINGS = {"rule": "hebbian", "eta": [1, 0, 1], "gamma": 1, "ridge": 0}
no_settings = {
    "rule": st.one_of(anything, st.integers(), st.sampled_from(["Hebbian", ["delta"], "softmax cache"])),
    "eta": numbers([1, 0, 1], shapes=[(2,), (1, 3), (1,)]),
    "gamma": real(0, 1),
    "ridge": st.one_of(real(0), st.just(0.5)),
}
LINEAR = {"Q": [[1, 2], [0, 1]], "K": [[1, 2], [1, 1]], "V": [[1], [2]], "psi": np.exp, "normalize": True}
no_linear = {
    "Q": numbers(LINEAR["Q"], None, shapes=[(), (2,), (3, 2), (1, 2, 2)]),
    "K": numbers(LINEAR["K"], None, shapes=[(), (2,), (0, 2)]),
    "V": numbers(LINEAR["V"], None, shapes=[(), (2,), (3, 1), (2, 0)]),
    "psi": no_none(st.one_of(anything, st.integers(), st.sampled_from([lambda x: 3, lambda x: x[:1]]))),
    "normalize": st.one_of(anything, st.integers(), st.floats()),
}
NET = {"W_h": [[0.5, 0], [1, 0.5]], "x": [[1, 2], [3, 4], [5, 6]]}
no_net = {
    "W_h": numbers(NET["W_h"], None, shapes=[(), (2,), (2, 3), (0, 0)]),
    "x": numbers(NET["x"], None, shapes=[(), (2,), (3, 3), (0, 2), (1, 3, 2)]),
}
no_phi = st.one_of(anything, st.integers(), st.sampled_from(["Tanh", "relu", ["tanh"]]))
STEPS = {"lam": [0.5, 1], "nu": [1, 2], "h_0": 1}
no_steps = {
    "lam": numbers([0.5, 1], None, shapes=[(), (3,), (2, 2)]),
    "nu": numbers([1, 2], None, shapes=[(), (0,)]),
    "h_0": no_none(numbers(1, None, shapes=[(2,)])),
}

ACCURACY = {"gaps": [0, 1], "readers": ("delta",), "gated": False, "sentences": 2, "N": 3, "F": 2, "d": 2, "beta": 1}
NO_ACCURACY = {
    "gaps": st.one_of(anything, st.sampled_from([3, [], [-1], [0.5], [[1]], [True]])),
    "readers": st.one_of(anything, st.sampled_from([(), "delta", ["Delta"], [None], 3])),
    "gated": st.one_of(anything, st.integers(), st.floats()),
    **{"sentences": integer(1), "N": integer(2, 48), "F": integer(1, 6), "d": integer(1), "beta": real(0)},
}

CASES = {
    capacity.overlap_mean: ({"phi": np.square, "d": 3}, {"phi": no_function, "d": integer(2, 2000)}),
    capacity.exponential_moment: ({"t": 1, "d": 3}, {"t": real(0, 700), "d": integer(2, 2000)}),
    capacity.tail_share: (
        {"cut": 0.5, "d": 3, "t": 1},
        {"cut": real(-1, 1), "d": integer(2, 2000), "t": real(0, 700)},
    ),
    capacity.squared_ratio: (
        {"m": [1, 2], "beta": 1, "d": 3},
        {"m": numbers([1, 2], 1), "beta": real(0, 350), "d": integer(2, 2000)},
    ),
    capacity.softmax_capacity: ({"beta": 1, "d": 3}, {"beta": real(0, 350), "d": integer(2, 2000)}),
    capacity.gaussian_capacity: ({"beta": 1, "d": 3}, {"beta": real(0, 350), "d": integer(2)}),
    capacity.hebbian_capacity: ({"d": 3}, {"d": integer(1)}),
    capacity.capacity_spread: ({"beta": 1, "d": 3}, {"beta": real(0, 175), "d": integer(2, 2000)}),
    capacity.simulate_ratio: (
        {"m": 3, "beta": 1, "d": 3, "draws": 2, "rng": RNG},
        {"m": integer(1), "beta": real(0, 350), "d": integer(2), "draws": integer(1), "rng": rng},
    ),
    edit.direction: ({"k": [1, 2], "Sigma": np.eye(2)}, {"k": a_key, "Sigma": no_none(Sigma)}),
    edit.edit: (
        {"W": [[1, 2], [0, 1], [1, 1]], "k": [1, 2], "v": [1, 2, 3], "Sigma": None},
        {
            "W": numbers([[1, 2], [0, 1], [1, 1]], None, shapes=[(), (2,), (3, 3), (0, 2)]),
            "k": a_key,
            "v": numbers([1, 2, 3], None, shapes=[(), (2,), (1, 3)]),
            "Sigma": no_none(Sigma),
        },
    ),
    edit.changes: (
        {"u": [1, 2], "keys": [[1, 2]]},
        {
            "u": numbers([1, 2], None, shapes=[(), (0,), (1, 2)]),
            "keys": numbers([[1, 2]], None, shapes=[(), (2,), (1, 3), (0, 2)]),
        },
    ),
    edit.naive_factor: ({"k": [1, 2], "Sigma": np.eye(2)}, {"k": a_key, "Sigma": Sigma}),
    edit.uneven: ({"c": 1, "d": 3}, {"c": real(0, 500), "d": integer(2)}),
    edit.typical_keys: (
        {"Sigma": np.eye(2), "n": 3, "rng": RNG},
        {"Sigma": Sigma, "n": integer(1), "rng": rng},
    ),
    edit.plane: (UNEVEN, {"k": st.one_of(a_key, st.just([0, 1.5])), "Sigma": Sigma}),
    edit.angle: (UNEVEN, {"k": st.one_of(a_key, st.just([0, 1.5])), "Sigma": Sigma}),
    kernels.elu_plus_one: ({"x": [1, -1]}, {"x": numbers([1, -1], None)}),
    kernels.tensor_features: (
        {"x": [1, 2], "P": 2, "beta": 1},
        {"x": numbers([1, 2], None, shapes=[(), (0,)]), "P": integer(0), "beta": real(0)},
    ),
    kernels.truncated: ({"P": 2, "beta": 1}, {"P": integer(0), "beta": real(0)}),
    kernels.gaussian: ({"beta": 1}, {"beta": real(0)}),
    kernels.linear_attention: (LINEAR, no_linear),
    kernels.linear_attention_by_state: (LINEAR, no_linear),
    kernels.hopfield_energy: (
        {"xi": [1, 2], "X": [[1, 2], [0, 1]], "beta": 1},
        {
            "xi": numbers([1, 2], None, shapes=[(), (3,), (1, 2)]),
            "X": numbers([[1, 2], [0, 1]], None, shapes=[(), (2,), (0, 2), (1, 1, 2)]),
            "beta": st.one_of(real(0), st.just(0)),
        },
    ),
    kernels.truncation_distances: (
        {"P": 1, "rng": RNG, "draws": 2, "m": 3, "d_k": 2, "d_v": 1, "beta": 0.1},
        {
            **{size: integer(1) for size in ("draws", "m", "d_k", "d_v")},
            "P": integer(0),
            "rng": rng,
            "beta": real(0),
        },
    ),
    kernels.smoother_distances: (
        {"rng": RNG, "draws": 2, "scale": (0.5, 1), "m": 3, "d": 2, "beta": 1},
        {
            **{size: integer(1) for size in ("draws", "m", "d")},
            "rng": rng,
            "scale": numbers([0.5, 1], shapes=[(), (3,), (1, 2)]),
            "beta": real(0),
        },
    ),
    memory.erase: (
        {"S": STATE, "k": [1, 0, 2], "rule": "delta", "eta": 1, "gamma": 1},
        {"S": state, "k": state_key, "rule": step_rule, "eta": real(0), "gamma": real(0, 1)},
    ),
    memory.step: (
        {"S": STATE, "k": [1, 0, 2], "v": [1, 2], "rule": "delta", "eta": 1, "gamma": 1},
        {
            "S": state,
            "k": state_key,
            "v": numbers([1, 2], None, shapes=[(), (3,), (1, 2)]),
            "rule": step_rule,
            "eta": real(0),
            "gamma": real(0, 1),
        },
    ),
    memory.recursive_step: (
        {"S": STATE, "R": np.eye(3), "k": [1, 0, 2], "v": [1, 2]},
        {
            "S": state,
            "R": st.one_of(numbers(np.eye(3), None, shapes=[(), (3,), (2, 2), (1, 3, 3)]), st.just(-np.eye(3)), st.just(np.triu(np.ones((3, 3))))),
            "k": state_key,
            "v": numbers([1, 2], None, shapes=[(), (3,), (1, 2)]),
        },
    ),
    memory.stream: ({**PAIRS_KV, **SETTINGS}, {**no_pairs, **no_settings}),
    memory.write: ({**PAIRS_KV, **SETTINGS}, {**no_pairs, **no_settings}),
    memory.read: ({"S": STATE, "q": [1, 0, 2]}, {"S": state, "q": no_query}),
    memory.read_scored: (
        {**PAIRS_KV, "q": [1, 0, 2], "phi": np.tanh},
        {**no_pairs, "q": no_query, "phi": no_function},
    ),
    memory.read_kernel: (
        {**PAIRS_KV, "q": [1, 0, 2], "kernel": lambda Q, K: np.ones((len(Q), len(K)))},
        {**no_pairs, "q": no_query, "kernel": no_function},
    ),
    memory.read_cache: (
        {**PAIRS_KV, "q": [1, 0, 2], "beta": 1},
        {**no_pairs, "q": no_query, "beta": no_beta},
    ),
    recall.unit_vectors: (
        {"shape": (2, 3), "rng": RNG},
        {
            "shape": st.one_of(anything, st.sampled_from([3, (), [0, 2], [2.0], [[1]], [-1], [True]])),
            "rng": rng,
        },
    ),
    recall.hebbian_error: ({"m": [1, 2], "d": 3}, {"m": numbers([1, 2], 1), "d": integer(1)}),
    recall.least_squares_error: ({"m": [1, 2], "d": 3}, {"m": numbers([1, 2], 1), "d": integer(1)}),
    recall.decay_error: (
        {"age": 1, "n": 3, "gamma": 0.5, "d": 2},
        {"age": st.one_of(whole, st.just([3])), "n": integer(1), "gamma": real(0, 1), "d": integer(1)},
    ),
    recall.decay_crossing: (
        {"n": 3, "gamma": 0.5, "d": 2},
        {"n": integer(1), "gamma": real(0, 1), "d": integer(1)},
    ),
    recall.delta_errors: ({"n": 3, "d": 2}, {"n": integer(1), "d": integer(1)}),
    recall.recall_probability: (
        {"m": 2.5, "d": 2, "N": 3},
        {"m": real(1), "d": integer(1), "N": integer(2)},
    ),
    recall.simulate_recall: (
        {"m": 3, "d": 2, "N": 3, "rng": RNG, "trials": 2, "queries": 2, **SETTINGS},
        {
            **{size: integer(1) for size in ("m", "d", "trials", "queries")},
            "N": integer(2),
            "rng": rng,
            **no_settings,
        },
    ),
    recall.simulate_errors: (
        {"m": 3, "d": 2, "rng": RNG, "trials": 2, **SETTINGS},
        {**{size: integer(1) for size in ("m", "d", "trials")}, "rng": rng, **no_settings},
    ),
    recall.simulate_cache_errors: (
        {"m": 3, "d": 2, "beta": 1, "rng": RNG, "trials": 2},
        {**{size: integer(1) for size in ("m", "d", "trials")}, "beta": no_beta, "rng": rng},
    ),
    recurrence.n_parameters: ({"d": 2, "V": 3}, {"d": integer(1), "V": integer(1)}),
    recurrence.states: ({**NET, "phi": "tanh"}, {**no_net, "phi": no_phi}),
    recurrence.pull_back: (
        {"W_h": NET["W_h"], "h": NET["x"], "gradient": [1, 2], "phi": "tanh"},
        {
            "W_h": no_net["W_h"],
            "h": no_net["x"],
            "gradient": numbers([1, 2], None, shapes=[(), (3,), (1, 2)]),
            "phi": no_phi,
        },
    ),
    recurrence.linear_gradient: ({"g": 0.9, "D": [0, 3]}, {"g": real(0), "D": whole}),
    recurrence.power_bounds: (
        {"W_h": [[0.5, 0], [1, 0.25]], "D": 3},
        {"W_h": st.one_of(no_net["W_h"], st.sampled_from([NET["W_h"], [[0, 1], [0, 0]]])), "D": integer(0)},
    ),
    recurrence.cell_gradient: (
        {"f": [0.5, 1]},
        {"f": st.one_of(numbers([0.5, 1], shapes=[(), (0,)]), st.just([0.5, 1.5]))},
    ),
    recurrence.random_orthogonal: (
        {"d": 2, "size": 3, "rng": RNG},
        {"d": integer(1), "size": integer(1), "rng": rng},
    ),
    recurrence.tanh_gradients: (
        {"g": 1, "rng": RNG, "nets": 2, "d": 2, "D": 1, "warm_up": 1, "scale": 0, "F": 1},
        {
            **{size: integer(1) for size in ("nets", "d", "warm_up", "F")},
            "g": real(0),
            "rng": rng,
            "D": integer(0),
            "scale": real(0),
        },
    ),
    recurrence.loop: (STEPS, no_steps),
    recurrence.scan: (STEPS, no_steps),
    storage.counting_bound: (
        {"b": 2, "d": 3, "N": 4},
        {"b": integer(1), "d": integer(1, 50_000), "N": integer(2)},
    ),
    storage.numbers_needed: ({"states": 5, "b": 2}, {"states": integer(1), "b": integer(1)}),
    storage.state_numbers: ({"d_k": 2, "d_v": 3}, {"d_k": integer(1), "d_v": integer(1)}),
    storage.cache_numbers: (
        {"m": 4, "d_k": 2, "d_v": 3},
        {"m": integer(0), "d_k": integer(1), "d_v": integer(1)},
    ),
    storage.state_work: (
        {"n": 4, "d_k": 2, "d_v": 3},
        {"n": integer(0), "d_k": integer(1), "d_v": integer(1)},
    ),
    storage.cache_work: (
        {"n": 4, "d_k": 2, "d_v": 3},
        {"n": integer(0), "d_k": integer(1), "d_v": integer(1)},
    ),
    storage.equal_numbers: ({"d_k": 2, "d_v": 3}, {"d_k": integer(1), "d_v": integer(1)}),
    storage.equal_work: ({"d_k": 2, "d_v": 3}, {"d_k": integer(1), "d_v": integer(1)}),
    toylang_memory.gate: ({"lang": LANG}, {"lang": lang}),
    toylang_memory.draw_words: (
        {"lang": LANG, "sentences": 2, "rng": RNG},
        {"lang": lang, "sentences": integer(1), "rng": rng},
    ),
    toylang_memory.accuracy: ({**ACCURACY, "rng": RNG}, {**NO_ACCURACY, "rng": rng}),
    toylang_memory.shares: (
        {**ACCURACY, "rngs": [RNG]},
        {**NO_ACCURACY, "rngs": st.one_of(anything, st.sampled_from([[], RNG, [RNG, None], [1]]))},
    ),
    toylang_memory.trace: (
        {"lang": LANG, "tokens": SENTENCE, "rng": RNG, "d": 2, "beta": 1},
        {"lang": lang, "tokens": NO_SENTENCE, "rng": rng, "d": integer(1), "beta": real(0)},
    ),
}

EDGES = [
    (capacity.simulate_ratio, {"m": 1, "beta": 0, "d": 2, "draws": 1, "rng": RNG}),
    (capacity.tail_share, {"cut": 1, "d": 2}),
    (edit.edit, {"W": [[1]], "k": [1], "v": [1], "Sigma": [[2]]}),
    (edit.angle, {"k": [1, 1], "Sigma": [[1, 0], [0, 2]]}),
    (kernels.tensor_features, {"x": [1], "P": 0, "beta": 0}),
    (kernels.truncation_distances, {"P": 0, "rng": RNG, "m": 1, "d_k": 1, "d_v": 1, "beta": 0}),
    (kernels.smoother_distances, {"rng": RNG, "m": 1, "d": 1, "beta": 0, "scale": (0, 0)}),
    (memory.write, {"K": [[0]], "V": [[1]], "rule": "least squares"}),
    (memory.write, {"K": [[1]], "V": [[1]], "rule": "recursive least squares", "ridge": 1e-3}),
    (memory.step, {"S": [[0]], "k": [0], "v": [0], "eta": 0, "gamma": 0}),
    (recall.simulate_recall, {"m": 1, "d": 1, "N": 2, "rng": RNG, "trials": 1, "queries": 1}),
    (capacity.overlap_mean, {"phi": abs, "d": 2}),
    (recall.delta_errors, {"n": 1, "d": 1}),
    (recall.decay_error, {"age": 0, "n": 1, "gamma": 1, "d": 1}),
    (recall.least_squares_error, {"m": 1, "d": 1}),
    (recall.recall_probability, {"m": 1, "d": 1, "N": 2}),
    (recurrence.tanh_gradients, {"g": 0, "rng": RNG, "nets": 1, "d": 1, "D": 0, "warm_up": 1, "F": 1}),
    (recurrence.scan, {"lam": [0], "nu": [0]}),
    (recurrence.power_bounds, {"W_h": [[0]], "D": 0}),
    (storage.cache_work, {"n": 0, "d_k": 1, "d_v": 1}),
    (toylang_memory.accuracy, {"gaps": [0], "rng": RNG, "sentences": 1, "N": 2, "F": 1, "d": 1}),
]
