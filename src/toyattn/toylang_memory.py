"""A memory that reads ToyLang: each word is written under a random key of its place, nothing is learned.

The words in front of the last name are written in order. A place's key is a random unit vector, drawn
anew for each sentence; a word's value is its embedding, a random unit vector of each type. The key of
place 0 is asked, and the answer is the name with the largest cosine. Source: the book's own experiment.
"""

from typing import NamedTuple

import numpy as np

from . import arguments, memory
from .recall import unit_vectors
from .toylang import MOST_GAP, ToyLang

CACHE = "softmax cache"
READERS = (*memory.RULES[:3], CACHE)


class Trace(NamedTuple):
    """One sentence, word by word: states (n_words, d, d) and each reader's cosines with all names.

    state, cache: (n_words, N) cosines of the linear read of the Hebbian state and of the softmax read.
    """

    states: np.ndarray
    state: np.ndarray
    cache: np.ndarray


def gate(lang):
    """Strength of the write at each place before the last name (L + 8,): 1 at X, Y, T and second Y."""
    arguments.instance("lang", lang, ToyLang)
    strengths = np.zeros(lang.last_x)
    strengths[[0, 2, 4, lang.second_y]] = 1
    return strengths


def draw_words(lang, sentences, rng):
    """Words in front of the last name of random sentences, vocabulary indices (sentences, L + 8)."""
    arguments.instance("lang", lang, ToyLang)
    sentences = arguments.size("sentences", sentences)
    arguments.generator("rng", rng)
    some = lang.sentence(*lang.names[:2], lang.things[0], lang.fillers[:1] * lang.L)
    words = np.tile(lang.encode(some)[: lang.last_x], (sentences, 1))
    X = rng.integers(lang.N, size=sentences)
    Y = (X + 1 + rng.integers(lang.N - 1, size=sentences)) % lang.N
    words[:, 0], words[:, 2], words[:, lang.second_y] = X, Y, Y
    words[:, 4] += rng.integers(len(lang.things), size=sentences)
    words[:, 5 : 5 + lang.L] += rng.integers(lang.F, size=(sentences, lang.L))
    return words


def accuracy(gaps, rng, readers=READERS, gated=False, sentences=300, N=8, F=6, d=8, beta=8.0):
    """Which sentences each reader answers right at each gap: {reader: booleans (gaps, sentences)}.

    gaps: whole numbers L >= 0; readers: "hebbian", "delta", "least squares" (states of d x d numbers)
    or "softmax cache" (at beta), all on the same draws; gated: write only where gate is 1. One embedding
    table is drawn for all gaps and sentences, and it moves a score more than the sentences do.
    """
    gaps = arguments.array("gaps", gaps, shape=(None,), integers=True, least=0, most=MOST_GAP)
    readers = _readers(readers)
    sentences, d = arguments.size("sentences", sentences), arguments.size("d", d)
    beta = arguments.real("beta", beta, least=0)
    gated = arguments.boolean("gated", gated)
    table = unit_vectors((len(ToyLang(N, F, 0).vocabulary), d), rng)
    right = {reader: np.empty((len(gaps), sentences), dtype=bool) for reader in readers}
    for row, L in enumerate(gaps):
        lang = ToyLang(N, F, int(L))
        written = gate(lang) > 0 if gated else np.ones(lang.last_x, dtype=bool)
        words = draw_words(lang, sentences, rng)
        K = unit_vectors((sentences, written.sum(), d), rng)  # place 0 is always written, and is first
        V = table[words[:, written]]
        for reader in readers:
            found = _answer(reader, K, V, beta) @ table[: lang.N].T
            right[reader][row] = found.argmax(axis=-1) == words[:, 0]
    return right


def shares(gaps, rngs, readers=READERS, gated=False, sentences=300, N=8, F=6, d=8, beta=8.0):
    """Share of right answers of each reader over several embedding tables: {reader: (tables, gaps)}.

    rngs: a generator for each table (the same one may stand there again and is then drawn from further);
    the rest as in accuracy.
    """
    if not isinstance(rngs, (tuple, list)) or not rngs:
        arguments.refuse("rngs", repr(rngs), "a list of numpy generators, one for each table")
    found = [accuracy(gaps, arguments.generator("rngs", rng), readers, gated, sentences, N, F, d, beta) for rng in rngs]
    return {reader: np.array([right[reader].mean(axis=1) for right in found]) for reader in found[0]}


def trace(lang, tokens, rng, d=8, beta=8.0):
    """A Trace of one sentence: written word by word, the key of place 0 asked after each.

    lang: ToyLang; tokens: one of its sentences; d, beta: as in accuracy.
    """
    arguments.instance("lang", lang, ToyLang)
    tokens = arguments.tokens("tokens", tokens)
    lang.parse(tokens)
    d, beta = arguments.size("d", d), arguments.real("beta", beta, least=0)
    table = unit_vectors((len(lang.vocabulary), d), rng)
    K = unit_vectors((lang.last_x, d), rng)
    V, names = table[lang.encode(tokens)[: lang.last_x]], table[: lang.N]
    states = np.array(list(memory.stream(K, V)))
    kept = [memory.read_cache(K[:t], V[:t], K[0], beta) for t in range(1, lang.last_x + 1)]
    return Trace(states, _cosines(states @ K[0], names), _cosines(np.array(kept), names))


def _answer(reader, K, V, beta):
    if reader == CACHE:
        return memory.read_cache(K, V, K[:, 0], beta)
    return memory.read(memory.write(K, V, reader), K[:, 0])


def _cosines(found, names):
    return found @ names.T / np.linalg.norm(found, axis=-1, keepdims=True)


def _readers(readers):
    wanted = "different readers among " + ", ".join(READERS)
    if isinstance(readers, str) or not isinstance(readers, (tuple, list)) or not readers:
        arguments.refuse("readers", repr(readers), wanted)
    for reader in readers:
        arguments.choice("readers", reader, READERS)
    return tuple(dict.fromkeys(readers))
