"""Naive Bayes against fractions that are counted and multiplied here."""

from fractions import Fraction
import math

import numpy as np
import pytest

from toyattn import ToyLang, bag, naive_bayes
from toyattn.corpora import CLASSES, SIX_DOCUMENTS, SIX_LABELS, TEST_DOCUMENT, TINY_CORPUS, WORDS

models = pytest.mark.parametrize("event_model", ["multinomial", "bernoulli"])


def exact_fit(counts, labels, alpha, event_model):
    pi, theta = [], []
    for z in range(max(labels) + 1):
        own = [[int(c) for c in row] for row, label in zip(counts, labels) if label == z]
        pi.append(Fraction(len(own), len(labels)))
        if event_model == "bernoulli":
            hits = [sum(row[w] > 0 for row in own) for w in range(len(own[0]))]
            theta.append([(hit + alpha) / (len(own) + 2 * alpha) for hit in map(Fraction, hits)])
        else:
            sums = [Fraction(sum(column)) for column in zip(*own)]
            theta.append([(c + alpha) / (sum(sums) + alpha * len(sums)) for c in sums])
    return pi, theta


def exact_joint(document, pi, theta, event_model):
    joint = []
    for prior, row in zip(pi, theta):
        for c, p in zip(map(int, document), row):
            if event_model == "bernoulli":
                prior *= p if c else 1 - p
            else:
                prior *= p**c
        joint.append(prior)
    return joint


def floats(rows):
    return np.array(rows, dtype=float)


def random_documents(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, size=(8, 5))
    counts[:, 0] += 1
    return counts, [0, 1, 2, 0, 1, 2, 2, 0]


def test_the_corpora_are_the_stated_ones():
    sports = [
        {"goal": 2, "match": 1, "team": 1, "win": 1},
        {"coach": 1, "goal": 1, "match": 1, "team": 1},
        {"match": 1, "team": 2, "win": 1},
    ]
    cooking = [
        {"bake": 2, "flour": 1, "oven": 1, "sugar": 1},
        {"bake": 1, "butter": 1, "flour": 1, "sugar": 1},
        {"bake": 1, "butter": 1, "oven": 1, "sugar": 1},
    ]
    for counts, document in zip(SIX_DOCUMENTS, sports + cooking):
        assert {word: c for word, c in zip(WORDS, counts) if c} == document
    assert {word: c for word, c in zip(WORDS, TEST_DOCUMENT) if c} == {"coach": 1, "bake": 3}
    assert CLASSES == ("sports", "cooking") and SIX_LABELS == (0, 0, 0, 1, 1, 1) and len(WORDS) == 10
    assert len(TINY_CORPUS) == 24 and len(set(TINY_CORPUS)) == 13
    for shared in (SIX_DOCUMENTS, TEST_DOCUMENT):
        with pytest.raises(ValueError):
            shared[0] = 1


@models
@pytest.mark.parametrize("alpha", [0, 1, Fraction(1, 4)])
def test_fit_is_exact_counting(event_model, alpha):
    for counts, labels in ((SIX_DOCUMENTS, SIX_LABELS), random_documents(0)):
        pi, theta = naive_bayes.fit(counts, labels, alpha, event_model)
        exact_pi, exact_theta = exact_fit(counts, labels, alpha, event_model)
        assert pi == pytest.approx(floats(exact_pi), abs=1e-15)
        assert theta == pytest.approx(floats(exact_theta), abs=1e-15)


def test_the_defaults_are_multinomial_without_pseudo_counts():
    pi, theta = naive_bayes.fit(SIX_DOCUMENTS, SIX_LABELS)
    assert theta == pytest.approx(
        floats(exact_fit(SIX_DOCUMENTS, SIX_LABELS, 0, "multinomial")[1]), abs=1e-15
    )
    again = naive_bayes.estimate(SIX_DOCUMENTS, np.eye(2)[list(SIX_LABELS)])
    assert (again[0] == pi).all() and (again[1] == theta).all()
    for function in (naive_bayes.log_joint, naive_bayes.posterior, naive_bayes.log_likelihood):
        found = function(SIX_DOCUMENTS, pi, theta)
        assert np.array_equal(found, function(SIX_DOCUMENTS, pi, theta, "multinomial"))


@models
def test_log_joint_posterior_and_likelihood_are_those_of_exact_products(event_model):
    counts, labels = random_documents(1)
    pi, theta = exact_fit(counts, labels, Fraction(1, 2), event_model)
    joints = [exact_joint(row, pi, theta, event_model) for row in counts]
    arguments = counts, floats(pi), floats(theta), event_model
    assert naive_bayes.log_joint(*arguments) == pytest.approx(np.log(floats(joints)), abs=1e-12)
    exact = floats([[p / sum(joint) for p in joint] for joint in joints])
    assert naive_bayes.posterior(*arguments) == pytest.approx(exact, abs=1e-13)
    total = sum(math.log(sum(joint)) for joint in joints)
    assert naive_bayes.log_likelihood(*arguments) == pytest.approx(total, abs=1e-12)
    assert type(naive_bayes.log_likelihood(*arguments)) is float


@models
@pytest.mark.parametrize("z", [0, 1])
def test_the_worked_example(event_model, z):
    pi, theta = naive_bayes.fit(SIX_DOCUMENTS, SIX_LABELS, 1, event_model)
    stated = {"multinomial": Fraction(125, 127), "bernoulli": Fraction(4, 5)}[event_model]
    found = naive_bayes.posterior(TEST_DOCUMENT[None], pi, theta, event_model)[0]
    assert found[z] == pytest.approx(float([1 - stated, stated][z]), abs=1e-14)


@models
def test_without_smoothing_the_worked_example_is_zero_over_zero(event_model):
    pi, theta = naive_bayes.fit(SIX_DOCUMENTS, SIX_LABELS, 0, event_model)
    joint = naive_bayes.log_joint(TEST_DOCUMENT[None], pi, theta, event_model)
    assert np.isneginf(joint).all()
    assert naive_bayes.log_likelihood(TEST_DOCUMENT[None], pi, theta, event_model) == -math.inf
    with pytest.raises(ValueError, match="^counts: .*0/0"):
        naive_bayes.posterior(TEST_DOCUMENT[None], pi, theta, event_model)


def test_a_class_that_excludes_the_document_gets_posterior_zero():
    theta = [[0.5, 0.5, 0], [0.25, 0.25, 0.5]]
    found = naive_bayes.posterior([[0, 0, 1], [4, 0, 0]], [0.5, 0.5], theta)
    assert found[0].tolist() == [0, 1] and found[1] == pytest.approx([16 / 17, 1 / 17])
    assert naive_bayes.posterior([[1, 0, 0]], [0, 1], theta).tolist() == [[0, 1]]


def test_long_documents_do_not_underflow():
    found = naive_bayes.posterior([[4000, 4002]], [0.5, 0.5], [[0.6, 0.4], [0.4, 0.6]])
    assert found == pytest.approx(np.array([[4 / 13, 9 / 13]]), abs=1e-9)
    beside_a_short_one = naive_bayes.posterior([[4000, 4002], [1, 0]], [0.5, 0.5], [[0.6, 0.4], [0.4, 0.6]])
    assert beside_a_short_one == pytest.approx(np.array([[4 / 13, 9 / 13], [0.6, 0.4]]), abs=1e-9)


def test_a_class_without_documents_is_named():
    with pytest.raises(ValueError, match="^labels: .*no document of class 1$"):
        naive_bayes.fit([[1, 2], [3, 4]], [0, 2])


@pytest.mark.parametrize("theta", [[[0.5, 0.5]] * 3, [[0.5, -0.1], [0.5, 0.5]], [[0.5, 1.1], [0.5, 0.5]]])
def test_presences_are_one_row_of_probabilities_a_class(theta):
    with pytest.raises(ValueError, match="^theta: wanted"):
        naive_bayes.log_joint([[1, 0]], [0.5, 0.5], theta, "bernoulli")


@models
def test_no_other_parameters_beat_the_fit(event_model):
    rng = np.random.default_rng(2)
    counts, labels = random_documents(3)
    best = naive_bayes.fit(counts, labels, 0, event_model)

    def training(pi, theta):
        joint = naive_bayes.log_joint(counts, pi, theta, event_model)
        return joint[np.arange(len(labels)), labels].sum()

    for _ in range(200):
        pi = 0.9 * best[0] + 0.1 * rng.dirichlet(np.ones(3))
        if event_model == "bernoulli":
            theta = 0.9 * best[1] + 0.1 * rng.uniform(size=best[1].shape)
        else:
            theta = 0.9 * best[1] + 0.1 * rng.dirichlet(np.ones(5), size=3)
        assert training(pi, best[1]) < training(*best) and training(best[0], theta) < training(*best)


@models
def test_estimate_counts_with_fractions(event_model):
    counts, _ = random_documents(4)
    parts = [[Fraction(k, 10), Fraction(10 - k, 10)] for k in (1, 9, 5, 0, 7, 3, 10, 2)]
    pi, theta = naive_bayes.estimate(counts, floats(parts), 0.5, event_model)
    for z in (0, 1):
        weight = sum(row[z] for row in parts)
        held = [
            sum(
                row[z] * (int(c > 0) if event_model == "bernoulli" else int(c))
                for row, c in zip(parts, column)
            )
            for column in counts.T
        ]
        total, outcomes = (weight, 2) if event_model == "bernoulli" else (sum(held), 5)
        half = Fraction(1, 2)
        assert pi[z] == pytest.approx(float(weight / 8), abs=1e-15)
        assert theta[z] == pytest.approx(
            [float((h + half) / (total + half * outcomes)) for h in held], abs=1e-14
        )


@models
def test_several_fits_at_once_are_the_single_ones(event_model):
    counts, _ = random_documents(5)
    rho = np.random.default_rng(6).dirichlet(np.ones(3), size=(4, 8))
    pi, theta = naive_bayes.estimate(counts, rho, 0.1, event_model)
    for run in range(4):
        alone = naive_bayes.estimate(counts, rho[run], 0.1, event_model)
        assert pi[run] == pytest.approx(alone[0]) and theta[run] == pytest.approx(alone[1])
        for function in (naive_bayes.log_joint, naive_bayes.posterior, naive_bayes.log_likelihood):
            together = function(counts, pi, theta, event_model)[run]
            assert together == pytest.approx(function(counts, *alone, event_model), abs=1e-12)


@models
def test_a_class_without_weight_has_an_even_theta_and_no_part_in_anything(event_model):
    counts, _ = random_documents(7)
    pi, theta = naive_bayes.estimate(counts, [[1, 0]] * 8, 0, event_model)
    assert pi.tolist() == [1, 0]
    assert theta[1].tolist() == [0.5 if event_model == "bernoulli" else 0.2] * 5
    assert naive_bayes.posterior(counts, pi, theta, event_model).tolist() == [[1, 0]] * 8


@pytest.mark.parametrize("N, F, L", [(2, 2, 0), (3, 2, 1), (4, 2, 1), (3, 2, 2), (8, 1, 0)])
def test_the_bags_of_the_two_directions_are_equal(N, F, L):
    lang = ToyLang(N, F, L)
    sentences = list(lang.sentences())
    labels = [naive_bayes.direction(lang, tokens) for tokens in sentences]
    for tokens, label in zip(sentences, labels):
        assert label == (0 if sorted((tokens[0], tokens[2]))[0] == tokens[0] else 1)
    counts = np.array([bag.count(tokens, lang.vocabulary) for tokens in sentences])
    _, theta = exact_fit(counts, labels, 0, "multinomial")
    assert theta[0] == theta[1]
    one_per_pair = {(tokens[0], tokens[2]): i for i, tokens in enumerate(sentences)}.values()
    for label in (0, 1):
        rows = [i for i in one_per_pair if labels[i] == label]
        assert counts[rows][:, : lang.N].sum(axis=0).tolist() == [2 * (N - 1)] * N
    posterior = naive_bayes.posterior(counts, *naive_bayes.fit(counts, labels))
    assert (posterior == 0.5).all()


def test_the_documents_of_the_book_cannot_be_written_over():
    for counts in (SIX_DOCUMENTS, TEST_DOCUMENT):
        with pytest.raises(ValueError, match="read-only"):
            counts[...] = 5
