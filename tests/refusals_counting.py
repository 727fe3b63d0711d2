"""Part A: one good call of each public function, what is bad for each of its arguments, and the smallest good calls."""

from hypothesis import strategies as st

from bad_input import LANG, NO_SENTENCE, RNG, SENTENCE, UNKNOWN, WORD, anything, distribution, integer, lang, no_text, numbers, real, rng, tokens
from toyattn import ToyLang, bag, copy_rule, hmm, information, mixtures, naive_bayes, neural_window, toylang, windows

MODULES = [bag, copy_rule, hmm, information, mixtures, naive_bayes, neural_window, toylang, windows]
TABLE = windows.fit([SENTENCE], 1)
MACHINE = {"pi": [0.5, 0.5], "T": [[0.5, 0.5], [0.2, 0.8]], "o": [[0.5, 0.5], [1, 0]], "tokens": [0, 1]}
FIT = {"counts": [[1, 0], [2, 1]], "pi": [0.5, 0.5], "theta": [[0.5, 0.5], [0.2, 0.8]]}

TEXTS = st.one_of(no_text, st.just([]), st.just([[]]), st.just(SENTENCE), st.just([[1]]))
event_model = st.one_of(anything, st.integers(), st.just("Multinomial"), st.just(["multinomial"]))
any_table = st.one_of(anything, st.integers(), st.just([SENTENCE]), st.just({"Ann": 1}))

counts = numbers(FIT["counts"], shapes=[(), (2,), (2, 3), (0, 2), (2, 2, 2)])
pi = distribution(FIT["pi"], shapes=[(), (0,)])
theta = distribution(FIT["theta"], shapes=[(), (2,), (3, 2), (2, 2, 2)])
rho = distribution([[0.3, 0.7], [0.5, 0.5]], shapes=[(), (2,), (3, 2)])
machine = {
    "pi": distribution(MACHINE["pi"], shapes=[(), (0,), (1, 2)]),
    "T": distribution(MACHINE["T"], shapes=[(2,), (2, 3), (3, 2)]),
    "o": distribution(MACHINE["o"], shapes=[(2,), (3, 2)]),
}
indices = st.one_of(
    anything,
    st.just([0.0, 1.0]),
    st.just([True]),
    st.just([0, 2]),
    st.just([-1]),
    st.just([[0]]),
    st.just(1),
)
model = {"counts": counts, "pi": pi, "theta": theta}
one_row = {
    "counts": numbers([1, 2], shapes=[(), (3,), (1, 2)]),
    "pi": distribution(FIT["pi"], shapes=[(), (1, 2)]),
    "theta": theta,
}
too_large = st.one_of(lang, st.just(ToyLang(L=4)))
only_lang = ({"lang": LANG}, {"lang": lang})
r = integer(0)

CASES = {
    bag.count: (
        {"tokens": SENTENCE, "vocabulary": LANG.vocabulary},
        {"tokens": tokens(UNKNOWN), "vocabulary": tokens([], ["Ann", "Ann"])},
    ),
    bag.smoothed: (
        {"count": 1, "total": 2, "alpha": 0.5, "n_types": 3},
        {
            "count": st.one_of(numbers(1), st.just(2.5)),
            "total": numbers(2),
            "alpha": real(0),
            "n_types": integer(1),
        },
    ),
    bag.uniform_weight: (
        {"total": 2, "alpha": 0.5, "n_types": 3},
        {"total": numbers(2), "alpha": real(0), "n_types": integer(1)},
    ),
    bag.fit: (
        {"counts": [[1, 2], [0, 1]], "alpha": 0},
        {
            "counts": st.one_of(
                numbers([1, 2], shapes=[(), (0,), (2, 2, 2)]), st.just([[1, 2], [0, 0]])
            ),
            "alpha": real(0),
        },
    ),
    bag.log_likelihood: (
        {"counts": [1, 2], "theta": [0.5, 0.5]},
        {
            "counts": numbers([1, 2], shapes=[(), (3,), (1, 2)]),
            "theta": distribution([0.5, 0.5], shapes=[(), (1, 2)]),
        },
    ),
    bag.draw: (
        {"theta": [0.5, 0.5], "n": 3, "rng": RNG},
        {"theta": distribution([0.5, 0.5], shapes=[(), (1, 2)]), "n": integer(0), "rng": rng},
    ),
    bag.orderings: (
        {"counts": [1, 2]},
        {"counts": st.one_of(numbers([1, 2], shapes=[(1, 2)]), st.just([1.0, 2.0]), st.just([-1, 2]))},
    ),
    bag.swap_cells: (
        {"n": 4, "swaps": 2, "rng": RNG},
        {"n": integer(2), "swaps": integer(0), "rng": rng},
    ),
    bag.composition: only_lang,
    bag.toylang_shares: only_lang,
    bag.cost_by_kind: only_lang,
    bag.sentence_cost: only_lang,
    bag.copy_cost: only_lang,
    bag.chance_of_a_sentence: only_lang,
    copy_rule.n_offsets: only_lang,
    copy_rule.surviving_offsets: (
        {"sentences": [SENTENCE]},
        {"sentences": st.one_of(TEXTS, NO_SENTENCE.map(lambda text: [text]))},
    ),
    copy_rule.bindings_needed: only_lang,
    copy_rule.distinct_futures: ({"lang": LANG, "t": 3}, {"lang": lang, "t": integer(0, LANG.n)}),
    copy_rule.distinct_next_tokens: (
        {"lang": LANG, "t": 3},
        {"lang": lang, "t": integer(0, LANG.n - 1)},
    ),
    copy_rule.met_once: ({"lang": LANG, "tokens": SENTENCE}, {"lang": lang, "tokens": NO_SENTENCE}),
    hmm.forward: (MACHINE, {**machine, "tokens": st.one_of(indices, st.just([]))}),
    hmm.path_probabilities: (
        MACHINE,
        {**machine, "tokens": st.one_of(indices, st.just([]), st.just([0] * 20))},
    ),
    hmm.regrouped_probability: (MACHINE, {**machine, "tokens": st.one_of(indices, st.just([]))}),
    hmm.next_token: (MACHINE, {**machine, "tokens": indices}),
    hmm.n_states: only_lang,
    hmm.hand_machine: ({"lang": LANG}, {"lang": st.one_of(lang, st.just(ToyLang(N=48)))}),
    information.cost: ({"p": [0.5, 0]}, {"p": st.one_of(numbers([0.5, 0]), st.floats(min_value=1.001))}),
    information.entropy: ({"P": [0.5, 0.5]}, {"P": distribution([0.5, 0.5], shapes=[(0,)])}),
    information.cross_entropy: (
        {"P": [0.5, 0.5], "p": [0.5, 0.5]},
        {"P": distribution([0.5, 0.5]), "p": distribution([0.5, 0.5], shapes=[(), (3,), (1, 2)])},
    ),
    information.kl_divergence: (
        {"P": [0.5, 0.5], "p": [0.5, 0.5]},
        {"P": distribution([0.5, 0.5]), "p": distribution([0.5, 0.5], shapes=[(), (3,), (1, 2)])},
    ),
    information.perplexity: ({"nats_per_token": 1.5}, {"nats_per_token": real(0)}),
    information.hit_entropy: ({"share": 0.5, "n": 3}, {"share": real(0, 1), "n": integer(2)}),
    mixtures.responsibilities: (FIT, model),
    mixtures.m_step: (
        {"counts": FIT["counts"], "rho": [[1, 0], [0.5, 0.5]]},
        {"counts": numbers(FIT["counts"], shapes=[(), (2,), (0, 2), (2, 2, 2)]), "rho": rho},
    ),
    mixtures.log_likelihood: (FIT, model),
    mixtures.lower_bound: ({**FIT, "rho": [[1, 0], [0.5, 0.5]]}, {**model, "rho": rho}),
    mixtures.em: (
        {"counts": FIT["counts"], "start": [[0.6, 0.4], [0.5, 0.5]], "rounds": 2},
        {
            "counts": numbers(FIT["counts"], shapes=[(), (2,), (3, 2), (2, 2, 2)]),
            "start": distribution([[0.6, 0.4], [0.5, 0.5]], shapes=[(), (2,), (2, 2, 2)]),
            "rounds": integer(0),
        },
    ),
    mixtures.next_token: ({**FIT, "counts": [1, 2]}, one_row),
    mixtures.pairs: only_lang,
    mixtures.pair_bags: only_lang,
    mixtures.pair_posterior: (
        {"lang": LANG, "prefix": SENTENCE[:3]},
        {"lang": lang, "prefix": tokens(UNKNOWN, ["Ann", "Ben", "Cy"])},
    ),
    mixtures.pair_next_token: (
        {"lang": LANG, "prefix": SENTENCE[:3]},
        {"lang": lang, "prefix": tokens(UNKNOWN, ["Ann", "Ben", "Cy"])},
    ),
    mixtures.pair_copy_cost: only_lang,
    mixtures.pair_first_y_cost: only_lang,
    mixtures.pair_saving: only_lang,
    mixtures.pair_sentence_cost: only_lang,
    mixtures.random_starts: (
        {"lang": ToyLang(N=2, F=1, L=0), "runs": 2, "rng": RNG, "rounds": 1},
        {"lang": lang, "runs": integer(1), "rng": rng, "rounds": integer(1)},
    ),
    mixtures.distinct_bags: ({"lang": LANG}, {"lang": too_large}),
    naive_bayes.fit: (
        {"counts": FIT["counts"], "labels": [1, 0], "alpha": 0, "event_model": "bernoulli"},
        {
            "counts": numbers(FIT["counts"], shapes=[(), (2,), (0, 2), (2, 2, 2)]),
            "labels": st.one_of(
                anything,
                st.sampled_from([[0], [0, 1, 1], [0.0, 1.0], [0, 2], [-1, 0], [[0, 1]], [1, 1]]),
            ),
            "alpha": real(0),
            "event_model": event_model,
        },
    ),
    naive_bayes.estimate: (
        {"counts": FIT["counts"], "rho": [[1, 0], [0.5, 0.5]], "alpha": 0, "event_model": "multinomial"},
        {
            "counts": st.one_of(
                numbers(FIT["counts"], shapes=[(), (2,), (0, 2), (2, 2, 2)]), st.just([[0, 0], [1, 2]])
            ),
            "rho": rho,
            "alpha": real(0),
            "event_model": event_model,
        },
    ),
    naive_bayes.log_joint: (
        {**FIT, "event_model": "multinomial"},
        {**model, "event_model": event_model},
    ),
    naive_bayes.posterior: (
        {**FIT, "event_model": "multinomial"},
        {**model, "event_model": event_model},
    ),
    naive_bayes.log_likelihood: (
        {**FIT, "event_model": "multinomial"},
        {**model, "event_model": event_model},
    ),
    naive_bayes.direction: ({"lang": LANG, "tokens": SENTENCE}, {"lang": lang, "tokens": NO_SENTENCE}),
    neural_window.n_parameters: (
        {"V": 2, "d": 3, "d_h": 4, "r": 5},
        {size: integer(1) for size in ("V", "d", "d_h", "r")},
    ),
    windows.window: (
        {"tokens": SENTENCE, "place": 2, "r": 3},
        {"tokens": no_text, "place": integer(0, len(SENTENCE)), "r": r},
    ),
    windows.fit: ({"sentences": [SENTENCE], "r": 1}, {"sentences": TEXTS, "r": r}),
    windows.probability: (
        {"table": TABLE, "window": ("Ann",), "token": "gave", "alpha": 0.5, "n_types": 13},
        {
            "table": any_table,
            "window": tokens((), ("Ann", "gave")),
            "token": st.one_of(st.none(), st.integers(), st.binary()),
            "alpha": real(0),
            "n_types": integer(1),
        },
    ),
    windows.costs: (
        {"table": TABLE, "tokens": SENTENCE, "alpha": 0.5, "n_types": 13},
        {"table": any_table, "tokens": tokens([]), "alpha": real(0), "n_types": integer(1)},
    ),
    windows.mean_cost: (
        {"table": TABLE, "sentences": [SENTENCE], "place": 2},
        {"table": any_table, "sentences": TEXTS, "place": integer(0, len(SENTENCE) - 1)},
    ),
    windows.interpolate: (
        {"longer": [0.5, 0.5], "shorter": [1, 0], "weight": 0.5},
        {
            "longer": st.one_of(numbers([0.5, 0.5]), st.just([1.5, 0])),
            "shorter": st.one_of(numbers([1, 0], shapes=[(), (3,)]), st.just([1.5, 0])),
            "weight": real(0, 1),
        },
    ),
    windows.cost_x: ({"lang": LANG, "r": 2}, {"lang": lang, "r": r}),
    windows.cost_y: ({"lang": LANG, "r": 2}, {"lang": lang, "r": r}),
    windows.window1_sentence_cost: only_lang,
    windows.rows_before: (
        {"lang": LANG, "place": 3, "r": 2},
        {"lang": lang, "place": integer(0, LANG.n - 1), "r": r},
    ),
    windows.rows_before_last_x: ({"lang": LANG, "r": 2}, {"lang": lang, "r": r}),
    windows.rows_before_second_y: ({"lang": LANG, "r": 2}, {"lang": lang, "r": r}),
    windows.rows_needed: only_lang,
    windows.rows_in_use: ({"lang": LANG, "r": 2}, {"lang": lang, "r": integer(1)}),
    windows.rows_total: only_lang,
    windows.harmonic: ({"n": 3}, {"n": integer(1, 10**300)}),
    windows.expected_sentences: ({"n": 3}, {"n": integer(1)}),
    windows.share_seen: ({"n": 3, "M": 2}, {"n": integer(1), "M": numbers(2)}),
    windows.fallback_cost: ({"lang": LANG, "M": 2}, {"lang": lang, "M": numbers(2)}),
    windows.simulate_collection: (
        {"n": 3, "runs": 2, "rng": RNG},
        {"n": integer(1, 10**6), "runs": integer(1), "rng": rng},
    ),
    windows.simulate_fallback: (
        {"lang": LANG, "M": 2, "trials": 3, "rng": RNG},
        {
            "lang": st.one_of(lang, st.just(ToyLang(L=40))),
            "M": integer(0),
            "trials": integer(1),
            "rng": rng,
        },
    ),
    toylang.listing: ({"lang": LANG}, {"lang": too_large}),
    ToyLang: ({"N": 3, "F": 2, "L": 1}, {"N": integer(2, 48), "F": integer(1, 6), "L": integer(0)}),
    LANG.kinds: ({}, {}),
    LANG.place_costs: ({}, {}),
    LANG.entropy: ({}, {}),
    LANG.entropy_per_token: ({}, {}),
    LANG.perplexity: ({}, {}),
    LANG.binding_entropy: ({}, {}),
    LANG.sentences: ({}, {}),
    LANG.slots: ({"X": "Ann", "Y": "Ben"}, {"X": WORD, "Y": st.one_of(WORD, st.just("Ann"))}),
    LANG.sentence: (
        {"X": "Ann", "Y": "Ben", "T": "pen", "fillers": ["so"]},
        {
            "X": WORD,
            "Y": st.one_of(WORD, st.just("Ann")),
            "T": WORD,
            "fillers": tokens([], ["so", "so"], ["ok"]),
        },
    ),
    LANG.sample: (
        {"rng": RNG, "size": 2},
        {"rng": rng, "size": integer(0).filter(lambda size: size is not None)},
    ),
    LANG.parse: ({"tokens": SENTENCE}, {"tokens": NO_SENTENCE}),
    LANG.is_sentence: ({"tokens": SENTENCE}, {"tokens": no_text}),
    LANG.encode: ({"tokens": SENTENCE}, {"tokens": tokens(UNKNOWN)}),
    LANG.decode: (
        {"indices": [0, 3]},
        {"indices": st.one_of(anything, st.sampled_from([[13], [-1], [0.0], [[0]], [True], 3]))},
    ),
    copy_rule.futures_by_length: only_lang,
    copy_rule.state_needed: only_lang,
    copy_rule.deciding_window: ({"lang": LANG}, {"lang": too_large}),
}

EDGES = [
    (bag.swap_cells, {"n": 2, "swaps": 0, "rng": RNG}),
    (bag.draw, {"theta": [1], "n": 0, "rng": RNG}),
    (mixtures.em, {"counts": [[1]], "start": [[1]], "rounds": 0}),
    (mixtures.random_starts, {"lang": ToyLang(N=2, F=1, L=0), "runs": 1, "rng": RNG, "rounds": 1}),
    (windows.costs, {"table": TABLE, "tokens": ["Ann"]}),
    (windows.probability, {"table": TABLE, "window": ("a",), "token": "pen", "alpha": 1, "n_types": 1}),
    (windows.interpolate, {"longer": 1, "shorter": 0, "weight": 1}),
    (windows.interpolate, {"longer": 0, "shorter": 1, "weight": 0}),
    (windows.rows_before, {"lang": LANG, "place": LANG.n - 1, "r": 0}),
    (windows.rows_before, {"lang": LANG, "place": 0, "r": 0}),
    (windows.simulate_collection, {"n": 1, "runs": 1, "rng": RNG}),
    (windows.simulate_collection, {"n": 100, "runs": 1, "rng": RNG}),
    (windows.simulate_fallback, {"lang": LANG, "M": 0, "trials": 1, "rng": RNG}),
]
