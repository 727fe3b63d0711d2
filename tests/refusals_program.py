"""Part E: one good call of each public function, and what is bad for each of its arguments."""

import math

from hypothesis import strategies as st
import numpy as np

from bad_input import anything, integer, lang, numbers, real, rng, tokens
from toyattn import (
    ToyLang,
    in_context_regression,
    induction,
    machine,
    model_classes,
    one_head,
    program,
    sharpness,
)

MODULES = [in_context_regression, induction, machine, model_classes, one_head, program, sharpness]
LANG = ToyLang(N=4, F=2, L=1)
SENTENCE = "Ann gave Ben a pen so then Ben thanked Ann .".split()
RNG = np.random.default_rng(0)
BUILT = program.build(LANG, n_max=12)
STREAM = BUILT.stream
ROWS = machine.run(BUILT, SENTENCE).streams[1]
OTHER = program.build(ToyLang(N=3, F=2, L=1))
SCORES = one_head.draw(4, 1, RNG)
MEAN = one_head.undecided(4)

no_machine = st.one_of(anything, st.integers(), st.just(STREAM), st.just(machine.Machine))
no_stream = st.one_of(anything, st.integers(), st.just(BUILT), st.just(machine.Stream))
no_flag = st.one_of(anything, st.integers(), st.floats())
no_choice = st.one_of(anything, st.integers(), st.sampled_from(["Program", ["program"], "POSITION", "3"]))
sharp = real(0).filter(lambda beta: beta != math.inf or not isinstance(beta, float))
LONG = ["so"] * 2 + SENTENCE
no_tokens = tokens([], ["Hal"], LONG)
no_sentence = tokens(
    [], ["Hal"], SENTENCE[:-1], SENTENCE[1:], SENTENCE * 2, [*SENTENCE, "."], ["gave", *SENTENCE[2:]],
    ["Ann", *SENTENCE[1:9], "Ben", "."],
)
unfit_texts = st.one_of(
    st.none(), st.integers(), st.text(), st.just([]), st.just({}), st.just([SENTENCE, []]), st.just([["Hal"]]),
    st.just([SENTENCE, SENTENCE[:-1]]), st.just([LONG]), st.just(SENTENCE),
)
unfit_sentences = st.one_of(
    st.none(), st.integers(), st.text(), st.just([]), st.just([[]]), st.just([SENTENCE, ["Hal"]]),
    st.just([SENTENCE[:-1]]), st.just([LONG]), st.just(SENTENCE), st.just([SENTENCE * 2]),
)
size = integer(1)
x = numbers([1, 2, 1], None, shapes=[(), (0,), (3, 0), (3, 1, 1)])
y = numbers([1, 2, 3], None, shapes=[(), (0,), (2,), (3, 1)])
PAIRS = {"x": [1, 2, 1], "y": [1, 2, 3]}
no_pairs = {"x": x, "y": y}
Theta = numbers([1], None, shapes=[(), (0,), (2,), (1, 1)])
Z = numbers([[1, 2], [3, 0]], None, shapes=[(), (2,), (1, 2), (2, 1), (0, 2), (2, 2, 2)])
STACK = {**PAIRS, "x_q": 1, "eta": 0.3, "layers": 1, "query_is_key": False}
name = st.one_of(anything.filter(lambda value: not isinstance(value, str)), st.integers())
NAMES = {"n_0": "Ann", "n_2": "Ben", "n_4": "Cy", "n_6": "Di"}
RUN = {"machine": BUILT, "tokens": SENTENCE, "uncoded": False}

CASES = {
    in_context_regression.tokens: (
        {**PAIRS, "x_q": 1},
        {**no_pairs, "x_q": numbers(1, None, shapes=[(0,), (2,), (1, 1)])},
    ),
    in_context_regression.weights: ({"d": 2, "scale": 0.1}, {"d": size, "scale": real(0)}),
    in_context_regression.layer: (
        {"Z": [[1, 2], [3, 0]], "eta": 0.3, "query_is_key": False},
        {"Z": Z, "eta": real(0), "query_is_key": no_flag},
    ),
    in_context_regression.stack: (
        STACK,
        {
            **no_pairs,
            "x_q": numbers(1, None, shapes=[(0,), (2,)]),
            "eta": real(0),
            "layers": integer(0),
            "query_is_key": no_flag,
        },
    ),
    in_context_regression.predictions: (
        {"Z": [[1, 2], [3, 0]]},
        {"Z": numbers([[1, 2], [3, 0]], None, shapes=[(), (2,), (0, 2)])},
    ),
    in_context_regression.moments: (PAIRS, no_pairs),
    in_context_regression.gradient: ({"Theta": [1], **PAIRS}, {"Theta": Theta, **no_pairs}),
    in_context_regression.loss: ({"Theta": [1], **PAIRS}, {"Theta": Theta, **no_pairs}),
    in_context_regression.descent: (
        {**PAIRS, "eta": 0.3, "steps": 2},
        {**no_pairs, "eta": real(0), "steps": integer(0)},
    ),
    in_context_regression.least_squares: (PAIRS, {**no_pairs, "x": st.one_of(x, st.just([0, 0, 0]))}),
    in_context_regression.closed_form: (
        {**PAIRS, "eta": 0.3, "steps": 2},
        {**no_pairs, "eta": real(0), "steps": integer(0)},
    ),
    induction.build: (
        {"vocabulary": ["a", "b"], "beta": 2.0, "kappa": 1.0, "n_max": 4},
        {"vocabulary": tokens([], ["a", "a"]), "beta": sharp, "kappa": real(0), "n_max": integer(3)},
    ),
    induction.matches: (
        {"tokens": ["a", "b", "a"], "place": 2},
        {"tokens": tokens([]), "place": integer(0, 2)},
    ),
    machine.named_units: (
        {"names": "ab", "size": 5, "start": 0},
        {
            "names": st.one_of(st.none(), st.integers(), st.just([[]]), st.just(object()), st.just("aa")),
            "size": integer(2).filter(lambda value: value is not None),
            "start": integer(0, 3),
        },
    ),
    machine.run: (RUN, {"machine": no_machine, "tokens": no_tokens, "uncoded": no_flag}),
    machine.run_many: (
        {"machine": BUILT, "texts": [SENTENCE], "uncoded": False},
        {"machine": no_machine, "texts": unfit_texts, "uncoded": no_flag},
    ),
    machine.register: (
        {"machine": BUILT, "rows": ROWS, "name": "PREV"},
        {"machine": no_machine, "rows": numbers(ROWS, None, shapes=[(), (3,), (2, 3)]), "name": no_choice},
    ),
    machine.held: (
        {"machine": BUILT, "rows": ROWS, "name": "PREV"},
        {
            "machine": no_machine,
            "rows": numbers(ROWS, None, shapes=[(), (3,), (2, 3), ROWS.shape[1:], (1, *ROWS.shape)]),
            "name": no_choice,
        },
    ),
    machine.nonzeros: ({"machine": BUILT}, {"machine": no_machine}),
    machine.shared_probability: (
        {"V": 5, "kappa": 2.0, "k": 1},
        {"V": integer(1, 10**15), "kappa": real(0), "k": integer(1, 5)},
    ),
    machine.merge_places: (
        {"weights": np.eye(3), "start": 0, "stop": 3},
        {
            "weights": numbers(np.eye(3), None, shapes=[(), (3,), (2, 3), (0, 0)]),
            "start": integer(0, 2),
            "stop": integer(1, 3),
        },
    ),
    model_classes.counting_models: ({"lang": LANG, "d": 2, "d_h": 3}, {"lang": lang, "d": integer(1), "d_h": integer(1)}),
    model_classes.table: (
        {"lang": LANG, "r": 2, "d": 2, "slots_beta": 1.0, "beta": 1.0},
        {"lang": lang, "r": integer(1, 8), "d": size, "slots_beta": real(0), "beta": real(0)},
    ),
    model_classes.points: ({"lang": LANG}, {"lang": lang}),
    one_head.sentences: (NAMES, {key: st.one_of(name, st.just("Ann" if key > "n_0" else 3)) for key in NAMES}),
    one_head.ceiling: ({"N": 4}, {"N": integer(4)}),
    one_head.served: (
        {"scores": SCORES[0], "decoded": SCORES[1]},
        {
            "scores": numbers(SCORES[0], None, shapes=[(), (12,), (11, 12), (17, 12), (12, 11)]),
            "decoded": st.one_of(
                anything, st.sampled_from([SCORES[1] - 4, SCORES[1] + 4, SCORES[1] * 1.0, SCORES[1][0]])
            ),
        },
    ),
    one_head.served_by_mean: (
        {"scores": MEAN[0], "values": MEAN[1], "beta": 1.0},
        {
            "scores": numbers(MEAN[0], None, shapes=[(), (12,), (11, 12), (17, 12), (12, 11)]),
            "values": numbers(MEAN[1], None, shapes=[(), (12,), (12, 12), (12, 12, 5), (1, 12, 12, 4)]),
            "beta": sharp,
        },
    ),
    one_head.undecided: ({"N": 4}, {"N": integer(4, 8)}),
    one_head.draw: (
        {"N": 4, "heads": 2, "rng": RNG, "values": "honest"},
        {"N": integer(4, 8), "heads": size, "rng": rng, "values": no_choice},
    ),
    program.vocabulary: ({"lang": LANG}, {"lang": lang}),
    program.build: (
        {"lang": LANG, "machine": "slots", "beta": 2.0, "kappa": 1.0, "n_max": 12},
        {"lang": lang, "machine": no_choice, "beta": sharp, "kappa": real(0), "n_max": integer(3)},
    ),
    program.previous_token_head: ({"stream": STREAM, "beta": 1.0}, {"stream": no_stream, "beta": real(0)}),
    program.output: ({"stream": STREAM}, {"stream": no_stream}),
    program.unembedding: ({"stream": STREAM, "kappa": 1.0}, {"stream": no_stream, "kappa": real(0)}),
    program.parse: ({"lang": LANG, "tokens": SENTENCE}, {"lang": lang, "tokens": no_sentence}),
    program.answers: (
        {"machine": BUILT, "lang": LANG, "sentences": [SENTENCE], "uncoded": False},
        {
            "machine": st.one_of(no_machine, st.just(OTHER)),
            "lang": lang,
            "sentences": unfit_sentences,
            "uncoded": no_flag,
        },
    ),
    program.every_pair: ({"lang": LANG}, {"lang": lang}),
    program.draw: (
        {"lang": LANG, "size": 2, "rng": RNG, "front": "clause"},
        {"lang": st.one_of(lang, st.just(ToyLang(N=3))), "size": size, "rng": rng, "front": no_choice},
    ),
    sharpness.certified_error: (
        {"n": 4, "beta": 3.0},
        {"n": integer(1, 10**20).filter(lambda v: v != 10**20), "beta": real(2.7725)},
    ),
    sharpness.certified_places: ({"beta": 4.0}, {"beta": real(0, 30)}),
    sharpness.certified_sharpness: ({"n": 4}, {"n": integer(1, 10**20)}),
    sharpness.flip: (
        {"lang": LANG, "tokens": SENTENCE, "copy": "second Y", "machine": "program"},
        {"lang": lang, "tokens": no_sentence, "copy": no_choice, "machine": no_choice},
    ),
    sharpness.plain_margin: ({"beta": 1.0}, {"beta": real(0, 60)}),
    sharpness.plain_flip: ({}, {}),
}

EDGES = [
    (in_context_regression.stack, {"x": [[1]], "y": [1], "x_q": [0], "eta": 0, "layers": 0}),
    (induction.build, {"vocabulary": ["a"], "beta": 0, "kappa": 0, "n_max": 3}),
    (machine.run, {"machine": BUILT, "tokens": LONG, "uncoded": True}),
    (machine.run, {"machine": BUILT, "tokens": ["so"]}),
    (machine.merge_places, {"weights": [[1]], "start": 0, "stop": 1}),
    (model_classes.counting_models, {"lang": ToyLang(N=2, F=1, L=0), "d": 1, "d_h": 1}),
    (program.build, {"lang": ToyLang(N=2, F=1, L=0), "beta": math.inf, "kappa": 0, "n_max": 3}),
    (program.answers, {"machine": BUILT, "lang": LANG, "sentences": [["met", *SENTENCE]]}),
    (program.answers, {"machine": BUILT, "lang": LANG, "sentences": [LONG], "uncoded": True}),
    (sharpness.certified_error, {"n": 10**20, "beta": 48}),
    (sharpness.certified_sharpness, {"n": 10**20}),
    (sharpness.certified_places, {"beta": 0}),
    (sharpness.certified_places, {"beta": 30}),
]
