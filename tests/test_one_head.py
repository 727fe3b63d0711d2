"""The two sentences that one head cannot both serve, beside loops over heads and assignments."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from toyattn import one_head

WORDS = "met . gave a pen and so then".split()


def loop(scores, decoded, N):
    right = []
    for names in permutations(range(N), 4):
        answers = []
        for text in one_head.sentences(*map(str, names)):
            best, said = -np.inf, None
            for place, token in enumerate(text):
                row = int(token) if token.isdigit() else N + WORDS.index(token)
                if scores[row, place] > best:
                    best, said = scores[row, place], decoded[row, place]
            answers.append(said == int(text[text.index("gave") + 1]))
        right.append(all(answers))
    return Fraction(sum(right), len(right))


def test_the_sentences():
    assert [" ".join(text) for text in one_head.sentences("Ann", "Ben", "Cy", "Di")] == [
        "Ann met Ben . Cy gave Di a pen and so then",
        "Ann gave Ben . Cy met Di a pen and so then",
    ]


@pytest.mark.parametrize("N", [4, 5])
@pytest.mark.parametrize("values", one_head.VALUES)
def test_served_beside_the_loop(N, values):
    scores, decoded = one_head.draw(N, 6, np.random.default_rng(N), values)
    assert scores.shape == decoded.shape == (6, N + 8, 12)
    if values == "honest":
        assert all((decoded[:, name] == name).all() for name in range(N))
    found = one_head.served(scores, decoded)
    assert found == pytest.approx([float(loop(s, v, N)) for s, v in zip(scores, decoded)], abs=1e-12)


def test_scores_that_are_drawn():
    """Words: uniform. Names: their own, scaled by a factor of the head, plus one that all names share at a place."""
    N, heads = 6, 400
    scores, decoded = one_head.draw(N, heads, np.random.default_rng(3))
    names, words = scores[:, :N], scores[:, N:]
    assert 0 <= words.min() and words.max() < 1 and abs(words.mean() - 1 / 2) < 0.01
    assert 0 <= names.min() and 1 < names.max() < 2 and abs(names.mean() - 3 / 4) < 0.03
    spread = np.ptp(names, axis=1)
    assert (0 < spread).all() and (spread < 1).all()
    assert np.corrcoef(spread[:, 0], spread[:, 11])[0, 1] > 0.5  # one factor for all places
    assert set(decoded.ravel()) == set(range(N))


def test_heads_by_hand_reach_one_in_N():
    N = 5
    scores, decoded = np.zeros((N + 8, 12)), np.zeros((N + 8, 12), dtype=int)
    decoded[:N] = np.arange(N)[:, None]
    scores[:N, 2] = 1  # the receiver of the second sentence
    scores[N + WORDS.index("gave"), 5] = 2  # and one name for the first
    assert one_head.served(scores, decoded) == pytest.approx(1 / N)
    assert loop(scores, decoded, N) == Fraction(1, N)


@pytest.mark.parametrize("N", [4, 5, 6])
def test_no_head_beats_the_ceiling(N):
    assert one_head.ceiling(N) == pytest.approx(float(Fraction(2, N) - Fraction(1, N * (N - 1))))
    for values in one_head.VALUES:
        found = one_head.served(*one_head.draw(N, 2000, np.random.default_rng(N), values))
        assert 0 < found.max() <= one_head.ceiling(N)


def test_best_head_among_all_rankings_of_places():
    # every order of preference among a few places, every name decoded at the verbs
    N, verbs = 4, [("gave", 5), ("gave", 1), ("met", 5), ("met", 1)]
    best = 0
    for order in permutations(range(6)):
        scores, decoded = np.full((N + 8, 12), -1.0), np.zeros((N + 8, 12), dtype=int)
        decoded[:N] = np.arange(N)[:, None]
        scores[:N, 2], scores[:N, 6] = order[0], order[1]
        for rank, (verb, place) in zip(order[2:], verbs):
            scores[N + WORDS.index(verb), place] = rank
        for name in range(N):
            decoded[N + WORDS.index("gave"), [1, 5]] = 0, name
            best = max(best, one_head.served(scores, decoded))
    assert best == pytest.approx(1 / N)


def test_eight_names_are_the_most():
    assert one_head.served(*one_head.draw(8, 1, np.random.default_rng(0))).shape == (1,)
    with pytest.raises(ValueError, match="^scores: wanted .* N from 4 to 8"):
        one_head.served(np.zeros((17, 12)), np.zeros((17, 12), dtype=int))


def test_only_names_can_be_decoded():
    scores, decoded = np.zeros((12, 12)), np.full((12, 12), 4)
    with pytest.raises(ValueError, match="^decoded: "):
        one_head.served(scores, decoded)


def mean_loop(scores, values, N, beta):
    right = []
    for names in permutations(range(N), 4):
        answers = []
        for text in one_head.sentences(*map(str, names)):
            rows = [int(token) if token.isdigit() else N + WORDS.index(token) for token in text]
            found = np.array([scores[row, place] for place, row in enumerate(rows)])
            shares = (found == found.max()) * 1.0 if beta == np.inf else np.exp(beta * found)
            logits = sum(share * values[row, place] for place, (row, share) in enumerate(zip(rows, shares)))
            answers.append(logits.argmax() == int(text[text.index("gave") + 1]))
        right.append(all(answers))
    return Fraction(sum(right), len(right))


def near_undecided(N, heads, rng):
    """Heads around the one that serves half, from close by to far off."""
    scores, values = one_head.undecided(N)
    far = 10 ** rng.uniform(-3, 1, size=(heads, 1, 1))
    return scores + far * rng.normal(size=(heads, *scores.shape)), values + far[..., None] * rng.normal(size=(heads, *values.shape))


@pytest.mark.parametrize("N", [4, 5])
@pytest.mark.parametrize("beta", [0, 0.7, np.inf])
def test_served_by_mean_beside_the_loop(N, beta):
    scores, values = near_undecided(N, 8, np.random.default_rng(N))
    found = one_head.served_by_mean(scores, values, beta)
    assert found == pytest.approx([float(mean_loop(s, v, N, beta)) for s, v in zip(scores, values)], abs=1e-12)


def test_beta_is_1_unless_told():
    scores, values = near_undecided(4, 50, np.random.default_rng(1))
    assert (one_head.served_by_mean(scores, values) == one_head.served_by_mean(2 * scores, values, 0.5)).all()


@pytest.mark.parametrize("N", [4, 5, 8])
@pytest.mark.parametrize("beta", [0.5, 1.0, 12.0, np.inf])
def test_a_mean_can_serve_half(N, beta):
    scores, values = one_head.undecided(N)
    assert one_head.served_by_mean(scores, values, beta) == pytest.approx(1 / 2, abs=1e-12)


def test_the_head_that_serves_half():
    scores, values = one_head.undecided(4)
    rows = dict(zip([*range(4), *WORDS], range(12)))
    assert scores.sum() == 4 * 2 + 12 and scores[:4, 2].all() and scores[:4, 6].all() and scores[rows["gave"]].all()
    assert (values[2] == [0, 0, 1, 0]).all() and values[4:].any(axis=(1, 2)).sum() == 1
    assert values[rows["gave"], 5] == pytest.approx([0, 0.01, 0.02, 0.03]) and (values[rows["gave"], 1] == -values[rows["gave"], 5]).all()


@pytest.mark.parametrize("N", [4, 5, 6])
@pytest.mark.parametrize("beta", [1.0, np.inf])
def test_no_mean_serves_more_than_half(N, beta):
    found = one_head.served_by_mean(*near_undecided(N, 300, np.random.default_rng(N)), beta)
    assert 0 < found.max() <= 1 / 2


@pytest.mark.parametrize("N", [4, 5])
def test_the_best_place_alone_is_the_limit_of_softmax(N):
    scores, decoded = one_head.draw(N, 200, np.random.default_rng(N), "honest")
    values = np.eye(N)[decoded]
    assert (one_head.served_by_mean(scores, values, np.inf) == one_head.served(scores, decoded)).all()
