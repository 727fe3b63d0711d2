"""Hidden Markov models against sums over all state paths, and the hand machine against the listing."""

from collections import Counter
from fractions import Fraction
from itertools import product
import math

import numpy as np
import pytest

from toyattn import ToyLang, hmm

SMALL = [(2, 2, 0), (3, 2, 1), (4, 2, 1), (3, 3, 1), (3, 2, 2), (4, 2, 2), (3, 2, 4)]


def random_model(seed, J, V=3):
    rng = np.random.default_rng(seed)
    return (
        rng.dirichlet(np.ones(J)),
        rng.dirichlet(np.ones(J), size=J),
        rng.dirichlet(np.ones(V), size=J),
    )


def path_probability(pi, T, o, path, tokens):
    probability = pi[path[0]] * o[path[0]][tokens[0]]
    for before, state, token in zip(path, path[1:], tokens[1:]):
        probability *= T[before][state] * o[state][token]
    return probability


models = pytest.mark.parametrize("J, n", [(1, 3), (2, 1), (2, 4), (3, 3), (4, 5)])


@models
def test_forward_rows_add_the_paths_that_end_in_each_state(J, n):
    for seed in range(5):
        model = random_model(seed, J)
        tokens = np.random.default_rng(seed + 50).integers(3, size=n)
        rows = hmm.forward(*model, tokens)
        assert rows.shape == (n, J)
        paths = hmm.path_probabilities(*model, tokens)
        assert paths.shape == (J,) * n
        for path in product(range(J), repeat=n):
            assert paths[path] == pytest.approx(path_probability(*model, path, tokens), abs=1e-15)
        for t in range(1, n + 1):
            ends = [0.0] * J
            for path in product(range(J), repeat=t):
                ends[path[-1]] += path_probability(*model, path, tokens[:t])
            assert rows[t - 1] == pytest.approx(ends, abs=1e-14)


@models
def test_all_texts_of_one_length_have_probability_one(J, n):
    model = random_model(J + n, J)
    texts = product(range(3), repeat=n)
    assert sum(hmm.forward(*model, text)[-1].sum() for text in texts) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("n", range(1, 10))
def test_the_regrouped_product_is_the_same_probability(n):
    for J in (2, 3, 4):
        model = random_model(n, J)
        tokens = np.random.default_rng(n).integers(3, size=n)
        total = hmm.forward(*model, tokens)[-1].sum()
        assert hmm.regrouped_probability(*model, tokens) == pytest.approx(total, rel=1e-12)


@models
def test_next_token_is_the_ratio_of_path_sums(J, n):
    model = random_model(J * n, J)
    tokens = list(np.random.default_rng(n).integers(3, size=n))

    def text(extra):
        whole = tokens + extra
        return sum(
            path_probability(*model, path, whole) for path in product(range(J), repeat=len(whole))
        )

    ratios = [text([token]) / text([]) for token in range(3)]
    assert hmm.next_token(*model, tokens) == pytest.approx(ratios, abs=1e-12)
    first = [sum(path_probability(*model, (j,), [token]) for j in range(J)) for token in range(3)]
    assert hmm.next_token(*model, []) == pytest.approx(first, abs=1e-14)


def test_the_two_state_check():
    model = [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.9, 0.1], [0.2, 0.8]]
    rows = hmm.forward(*model, [0, 1, 0])
    assert rows == pytest.approx(np.array([[0.54, 0.08], [0.041, 0.168], [0.08631, 0.02262]]), abs=1e-15)
    assert hmm.path_probabilities(*model, [0, 1, 0]).size == 8


def test_an_impossible_text_has_no_next_token():
    with pytest.raises(ValueError, match="^tokens: .*probability 0"):
        hmm.next_token([1, 0], np.eye(2), np.eye(2), [0, 1])


@pytest.mark.parametrize("N, F, L", SMALL)
def test_the_hand_machine_is_the_generator(N, F, L):
    lang = ToyLang(N, F, L)
    machine = hmm.hand_machine(lang)
    assert len(set(machine.states)) == len(machine.states) == hmm.n_states(lang) == machine.pi.size
    assert {state[:2] for state in machine.states} == {(t[0], t[2]) for t in lang.sentences()}
    prefixes = Counter(tokens[:t] for tokens in lang.sentences() for t in range(lang.n + 1))
    sentences = list(lang.sentences())
    for tokens in sentences[:: max(len(sentences) // 40, 1)]:
        indices = lang.encode(tokens)
        rows = hmm.forward(*machine[:3], indices)
        for t, row in enumerate(rows, start=1):
            assert row.sum() == pytest.approx(prefixes[tokens[:t]] / len(sentences), rel=1e-12)
            alive = [machine.states[j] for j in np.flatnonzero(row)]
            assert all(x == tokens[0] and phase == t - 1 for x, y, phase in alive)
            if t >= 3:
                assert alive == [(tokens[0], tokens[2], t - 1)]
        for t in range(lang.n):
            found = hmm.next_token(*machine[:3], indices[:t])
            exact = [prefixes[tokens[:t] + (w,)] / prefixes[tokens[:t]] for w in lang.vocabulary]
            assert found == pytest.approx(exact, abs=1e-12)
            if t in (L + 6, L + 8):
                assert found[indices[t]] == 1


def test_the_hand_machine_gives_all_probability_to_sentences():
    lang = ToyLang(N=2, F=1, L=0)
    machine = hmm.hand_machine(lang)
    total = math.fsum(hmm.forward(*machine[:3], lang.encode(t))[-1].sum() for t in lang.sentences())
    assert total == pytest.approx(1, abs=1e-14)


def test_sizes_of_the_hand_machine():
    assert hmm.n_states(ToyLang(N=8, L=10)) == 1120 and hmm.n_states(ToyLang(N=8, L=0)) == 560
    with pytest.raises(ValueError, match="^lang: .*at most 4000, got 22560 states"):
        hmm.hand_machine(ToyLang(N=48, L=0))
    with pytest.raises(ValueError, match="^tokens: .*paths"):
        hmm.path_probabilities(*random_model(0, 4), [0] * 10)
    assert hmm.path_probabilities(*random_model(0, 4), [0] * 9).size == 4**9


@pytest.mark.parametrize("J, n", [(2, 3), (3, 40), (4, 2000)])
def test_next_token_after_texts_of_any_length(J, n):
    """In fractions of the very floats; the probability of 2,000 tokens is below every float."""
    pi, T, o = random_model(n, J)
    tokens = np.random.default_rng(n).integers(3, size=n).tolist()
    exact = lambda matrix: [[Fraction(x) for x in row] for row in matrix]
    belief, moves, says = [Fraction(x) for x in pi], exact(T), exact(o)
    for token in tokens:
        now = [p * row[token] for p, row in zip(belief, says)]
        belief = [sum(p * row[j] for p, row in zip(now, moves)) for j in range(J)]
        largest = max(belief)  # cut to 200 bits, so that the fractions stay short
        belief = [Fraction(int(p / largest * 2**200), 2**200) for p in belief]
    wanted = [sum(p * row[w] for p, row in zip(belief, says)) / sum(belief) for w in range(3)]
    assert hmm.next_token(pi, T, o, tokens) == pytest.approx([float(p) for p in wanted], rel=1e-12)
    assert n < 2000 or hmm.forward(pi, T, o, tokens)[-1].sum() == 0


@pytest.mark.parametrize("function", [hmm.forward, hmm.next_token, hmm.path_probabilities, hmm.regrouped_probability])
def test_ragged_tokens_are_refused(function):
    with pytest.raises(ValueError, match="^tokens: wanted a rectangular array, got rows of unequal length"):
        function(*random_model(0, 2), [[0], [0, 1]])


    assert hmm.path_probabilities(*random_model(0, 10), [0] * 6).size == 10**6
    assert hmm.hand_machine(ToyLang(N=5, F=1, L=190)).pi.size == hmm.n_states(ToyLang(N=5, F=1, L=190)) == 4000
