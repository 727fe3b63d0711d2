"""The induction circuit beside a loop over tokens."""

from fractions import Fraction
import math

import numpy as np
import pytest

from toyattn import ToyLang, induction, machine, program

WORDS = program.vocabulary(ToyLang(N=48))
DOUBLED = ". Ann gave Ben a pen Ann gave Ben a pen".split()


def loop(tokens, beta, kappa, V):
    """Probabilities {token: p} of what the circuit says after the last token, and its layer-2 weights."""
    PREV = []
    for t in range(len(tokens)):
        powers = [math.exp(beta * (j == t - 1)) for j in range(t + 1)]
        PREV.append([p / sum(powers) for p in powers])
    scores = [sum(w for w, left in zip(note, tokens) if left == tokens[-1]) for note in PREV]
    powers = [math.exp(beta * s) for s in scores]
    weights = [p / sum(powers) for p in powers]
    OUT = {}
    for weight, token in zip(weights, tokens):
        OUT[token] = OUT.get(token, 0) + weight
    total = sum(math.exp(kappa * amount) for amount in OUT.values()) + V - len(OUT)
    return {token: math.exp(kappa * amount) / total for token, amount in OUT.items()}, weights


@pytest.mark.parametrize("beta, kappa", [(0.0, 10.0), (1.5, 3.0), (12.0, 10.0)])
def test_beside_the_loop(beta, kappa):
    rng = np.random.default_rng(int(beta))
    words = tuple("abcdefg")
    built = induction.build(words, beta, kappa, n_max=20)
    for n in (1, 2, 9, 20):
        text = [words[i] for i in rng.integers(7, size=n)]
        passed = machine.run(built, text)
        for t in range(n):
            wanted, weights = loop(text[: t + 1], beta, kappa, 7)
            for word, p in zip(words, passed.probabilities[t]):
                if word in wanted:
                    assert p == pytest.approx(wanted[word], abs=1e-12)
            assert passed.heads[1].weights[t, : t + 1] == pytest.approx(weights, abs=1e-12)


def test_second_copy_of_a_text_never_met():
    rng = np.random.default_rng(1)
    for _ in range(20):
        text = [WORDS[i] for i in rng.permutation(len(WORDS) - 2)[:12] if WORDS[i] != "."]
        text = [".", *text, *text]
        for beta in (12.0, math.inf):
            passed = machine.run(induction.build(WORDS, beta), text)
            m = (len(text) - 1) // 2
            said = [WORDS[row.argmax()] for row in passed.probabilities[m + 1 : -1]]
            assert said == text[m + 2 :]
            if beta == math.inf:
                OUT = passed.streams[2][m + 1 : -1, -63:]
                assert ((OUT == 0) | (OUT == 1)).all() and (OUT.sum(axis=1) == 1).all()


def test_the_figure_and_the_split():
    built = induction.build(WORDS)
    passed = machine.run(built, DOUBLED)
    for t in range(6, 11):
        assert induction.matches(DOUBLED, t) == (t - 4,)
        assert passed.heads[1].weights[t, t - 4] > 0.9999
        assert passed.probabilities[t, WORDS.index(DOUBLED[t - 4])] == pytest.approx(0.99719, abs=1e-5)
    for text, found in ((". Ann gave Ann pen Ann", (2, 4)), ("Ann gave Ann pen Ann", (0, 1, 3))):
        text = text.split()
        assert induction.matches(text, len(text) - 1) == found
        wanted, _ = loop(text, 12.0, 10.0, 63)
        row = machine.run(built, text).probabilities[-1]
        assert all(row[WORDS.index(word)] == pytest.approx(p, abs=1e-12) for word, p in wanted.items())


def test_matches_beside_the_notes():
    rng = np.random.default_rng(2)
    built = induction.build(("a", "b", "c"), math.inf)
    for _ in range(10):
        text = [("a", "b", "c")[i] for i in rng.integers(3, size=9)]
        notes = machine.held(built, machine.run(built, text).streams[1], "PREV")
        for t in range(9):
            assert induction.matches(text, t) == tuple(j for j in range(t + 1) if notes[j] == text[t])


def test_nonzeros():
    counts = machine.nonzeros(induction.build(WORDS))
    assert list(counts.values()) == [63, 64, 63, 63, 63, 63, 63, 63, 63]


def test_sharpness_is_any_real_number():
    exact, whole = Fraction(7, 2), 3
    for build in (lambda beta: induction.build(("a", "b"), beta), lambda beta: program.build(ToyLang(N=3), beta=beta)):
        for beta in (exact, whole):
            for one, other in zip(build(beta).layers, build(float(beta)).layers):
                np.testing.assert_array_equal(one.W_Q, other.W_Q)


def test_a_single_token_matches_itself():
    assert induction.matches(["a"], 0) == (0,)
