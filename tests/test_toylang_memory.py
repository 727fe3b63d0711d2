"""The memory that reads ToyLang, sentence by sentence, and its scores beside long runs."""

import math

import numpy as np
import pytest

from toyattn import ToyLang, memory, recall, toylang_memory

READERS = toylang_memory.READERS


@pytest.mark.parametrize("L", [0, 1, 6, 40])
def test_the_gate_opens_at_names_and_thing(L):
    lang = ToyLang(L=L)
    tokens = lang.sample(np.random.default_rng(L))
    kept = [token in lang.names + lang.things for token in tokens[: L + 8]]
    assert toylang_memory.gate(lang).tolist() == kept and sum(kept) == 4


@pytest.mark.parametrize("N, F, L", [(2, 1, 0), (3, 2, 1), (4, 3, 2)])
def test_drawn_words_are_uniform_sentences(N, F, L):
    lang = ToyLang(N, F, L)
    words = toylang_memory.draw_words(lang, 20_000, np.random.default_rng(N))
    count = {}
    for row in words:
        count[tuple(row)] = count.get(tuple(row), 0) + 1
    for row in count:
        tokens = lang.decode(row)
        assert lang.is_sentence(tokens + (tokens[0], "."))
    assert len(count) == lang.n_sentences
    expected = 20_000 / lang.n_sentences
    chi2 = sum((c - expected) ** 2 / expected for c in count.values())
    freedom = lang.n_sentences - 1
    assert abs(chi2 - freedom) < 4.5 * math.sqrt(2 * freedom) + 2


@pytest.mark.parametrize("gated", [False, True])
def test_sentence_by_sentence(gated):
    gaps, sizes = [0, 3, 7], dict(sentences=12, N=4, F=2, d=5, beta=3.0)
    found = toylang_memory.accuracy(gaps, np.random.default_rng(1), gated=gated, **sizes)
    rng = np.random.default_rng(1)
    table = recall.unit_vectors((4 + 3 + 2 + 5, 5), rng)
    for row, L in enumerate(gaps):
        lang = ToyLang(4, 2, L)
        words = toylang_memory.draw_words(lang, 12, rng)
        strength = [i in (0, 2, 4, L + 6) or not gated for i in range(L + 8)]
        keys = recall.unit_vectors((12, sum(strength), 5), rng)
        for i in range(12):
            values = [table[word] for word, open_ in zip(words[i], strength) if open_]
            S = np.zeros((5, 5))
            D, q = np.zeros((5, 5)), keys[i, 0]
            for k, v in zip(keys[i], values):
                S, D = S + np.outer(v, k), D + np.outer(v - D @ k, k)
            weights = np.exp(3 * keys[i] @ q)
            reads = {
                "hebbian": S @ q,
                "delta": D @ q,
                "least squares": np.linalg.lstsq(keys[i], np.array(values), rcond=None)[0].T @ q,
                "softmax cache": weights @ values,
            }
            for reader in READERS:
                cosines = [reads[reader] @ table[name] for name in range(4)]
                assert found[reader][row, i] == (np.argmax(cosines) == words[i, 0])


def test_writing_nothing_is_a_write_of_strength_zero():
    lang, rng = ToyLang(L=5), np.random.default_rng(2)
    K, V = recall.unit_vectors((2, 13, 8), rng)
    gate = toylang_memory.gate(lang)
    for rule in ("hebbian", "delta"):
        kept = memory.write(K[gate > 0], V[gate > 0], rule)
        np.testing.assert_allclose(memory.write(K, V, rule, eta=gate), kept, atol=1e-12)


def test_shares_are_counted_table_by_table():
    sizes = dict(readers=["delta", "softmax cache"], gated=True, sentences=7, N=3, F=2, d=4, beta=2.0)
    found = toylang_memory.shares([0, 2], [np.random.default_rng(seed) for seed in (1, 2, 3)], **sizes)
    for reader in sizes["readers"]:
        for table, seed in enumerate((1, 2, 3)):
            right = toylang_memory.accuracy([0, 2], np.random.default_rng(seed), **sizes)[reader]
            assert found[reader][table].tolist() == [sum(row) / 7 for row in right.tolist()]
    again = toylang_memory.shares([0, 2], [np.random.default_rng(1)] * 3, **sizes)["delta"]
    assert (again[0] == found["delta"][0]).all() and (again[1] != again[0]).any()
    usual = toylang_memory.shares([0], [np.random.default_rng(4)])
    assert list(usual) == list(READERS)
    right = toylang_memory.accuracy([0], np.random.default_rng(4))
    assert all(usual[reader][0, 0] == np.mean(right[reader]) for reader in READERS)


def tables(gaps, gated, runs=40):
    """Scores (runs, gaps) of every reader, each run with a table of its own."""
    rng = np.random.default_rng(3)
    return toylang_memory.shares(gaps, [rng] * runs, gated=gated, sentences=150)


def test_scores_beside_long_runs_elsewhere():
    # long runs of an independent implementation: 20,000 to 40,000 sentences, fresh tables
    scores = tables([0, 6, 40], False)
    for reader, wanted in {"hebbian": [0.8433, 0.7054, 0.4435], "softmax cache": [1, 1, 0.999]}.items():
        error = scores[reader].std(axis=0, ddof=1) / math.sqrt(40)
        assert (np.abs(scores[reader].mean(axis=0) - wanted) < 4.5 * error + 0.002).all()
    scores = tables([0, 40], True, runs=25)
    assert (scores["least squares"] == 1).all()
    for reader, wanted in {"hebbian": 0.942, "delta": 0.7765}.items():
        error = scores[reader].std(axis=0, ddof=1) / 5
        assert (np.abs(scores[reader].mean(axis=0) - wanted) < 4.5 * error).all()


def test_a_gap_may_be_asked_alone_and_readers_chosen():
    found = toylang_memory.accuracy([2], np.random.default_rng(4), readers=["delta"], sentences=9)
    assert list(found) == ["delta"] and found["delta"].shape == (1, 9)
    for bad in ((), "delta", ["Delta"], None, [["delta"]]):
        with pytest.raises(ValueError, match="^readers: wanted .*, got "):
            toylang_memory.accuracy([2], np.random.default_rng(4), readers=bad)


def test_the_trace_word_by_word():
    lang = ToyLang(N=6, L=2)
    tokens = "Flo gave Ann a pen and yes then Ann thanked Flo .".split()
    found = toylang_memory.trace(lang, tokens, np.random.default_rng(5), d=7, beta=4.0)
    rng = np.random.default_rng(5)
    table, keys = recall.unit_vectors((20, 7), rng), recall.unit_vectors((10, 7), rng)
    values = [table[lang.vocabulary.index(token)] for token in tokens[:10]]
    for t in range(1, 11):
        S = sum(np.outer(v, k) for v, k in zip(values[:t], keys))
        weights = np.exp(4 * keys[:t] @ keys[0])
        soft = weights @ values[:t]
        np.testing.assert_allclose(found.states[t - 1], S)
        for row, read in ((found.state, S @ keys[0]), (found.cache, soft)):
            wanted = [read @ name / math.sqrt(read @ read) for name in table[:6]]
            np.testing.assert_allclose(row[t - 1], wanted)
    assert found.state[0].argmax() == 5 == found.cache[0].argmax()
    assert found.state.shape == found.cache.shape == (10, 6)


def test_a_trace_of_tokens_that_come_once():
    lang = ToyLang(N=6, L=2)
    tokens = "Flo gave Ann a pen and yes then Ann thanked Flo .".split()
    once, again = (toylang_memory.trace(lang, words, np.random.default_rng(5)) for words in (iter(tokens), tokens))
    np.testing.assert_array_equal(once.states, again.states)


def test_what_happens_unless_told_otherwise():
    seed = lambda: np.random.default_rng(6)
    usual = dict(readers=READERS, gated=False, sentences=300, N=8, F=6, d=8, beta=8.0)
    found, wanted = toylang_memory.accuracy([0, 80], seed()), toylang_memory.accuracy([0, 80], seed(), **usual)
    assert list(found) == list(READERS)
    for reader in READERS:
        np.testing.assert_array_equal(found[reader], wanted[reader])
        assert found[reader].dtype == bool
    tokens = ToyLang().sample(seed())
    for part, same in zip(toylang_memory.trace(ToyLang(), tokens, seed()), toylang_memory.trace(ToyLang(), tokens, seed(), d=8, beta=8.0)):
        np.testing.assert_array_equal(part, same)


def test_the_smallest_settings():
    lang = ToyLang(L=0)
    flat = toylang_memory.trace(lang, lang.sample(np.random.default_rng(7)), np.random.default_rng(7), d=1, beta=0.5)
    assert flat.states.shape == (8, 1, 1) and (np.abs(flat.cache) > 0.999).all()
    even = toylang_memory.accuracy([0], np.random.default_rng(7), readers=["softmax cache"], beta=0.0)
    sharp = toylang_memory.accuracy([0], np.random.default_rng(7), readers=["softmax cache"])
    assert even["softmax cache"].mean() < sharp["softmax cache"].mean()


def test_the_cache_is_asked_at_sharpness_8_unless_told_otherwise():
    drawn = {"readers": (toylang_memory.CACHE,), "d": 3}
    for find, drawers in ((toylang_memory.accuracy, lambda: np.random.default_rng(3)), (toylang_memory.shares, lambda: [np.random.default_rng(3)])):
        usual, at_8, at_9 = (find([5], drawers(), **drawn, **beta)[toylang_memory.CACHE].sum() for beta in ({}, {"beta": 8.0}, {"beta": 9.0}))
        assert usual == at_8 != at_9
