"""The rule that a table lacks, and what any state must tell apart: the book's own counts on ToyLang.

A rule of offset d says that the last name is the token d places earlier.
"""

import numpy as np

from . import arguments, windows
from .toylang import FILLERS, NAMES, ToyLang, listing


def n_offsets(lang):
    """Candidate offsets of the copy rule, d = 1 to L + 8 (exact int)."""
    arguments.instance("lang", lang, ToyLang)
    return lang.last_x_reach


def surviving_offsets(sentences):
    """The offsets that agree with each of the sentences (sorted tuple of ints).

    sentences: iterable of ToyLang sentences of any N, F and L, at least one.
    """
    surviving = None
    for tokens in arguments.sequences("sentences", sentences):
        lang = ToyLang(N=len(NAMES), F=len(FILLERS), L=max(len(tokens) - 10, 0))
        if not lang.is_sentence(tokens):
            arguments.refuse("sentences", " ".join(tokens), "sentences of ToyLang")
        name, offsets = tokens[lang.last_x], range(1, n_offsets(lang) + 1)
        fitting = {d for d in offsets if tokens[lang.last_x - d] == name}
        surviving = fitting if surviving is None else surviving & fitting
    return tuple(sorted(surviving))


def bindings_needed(lang):
    """States that a deterministic predictor needs just after "then" to copy both names: N(N-1)."""
    arguments.instance("lang", lang, ToyLang)
    return lang.n_pairs


def distinct_futures(lang, t):
    """Different sets of completions after t tokens, counted by listing the language (exact int).

    t: 0 to n. Refused for languages that are too large to list.
    """
    return _distinct(lang, t, lambda rest: rest)


def distinct_next_tokens(lang, t):
    """Different sets of possible next tokens after t tokens, counted by listing (exact int).

    t: 0 to n - 1; limits as in distinct_futures.
    """
    arguments.instance("lang", lang, ToyLang)
    arguments.integer("t", t, 0, lang.n - 1)
    return _distinct(lang, t, lambda rest: rest[0])


def futures_by_length(lang):
    """Different futures after t = 0 ... n tokens (n + 1 exact ints), for a language of any size.

    1, then N while one name matters, N(N - 1) from the second name through "then", N until the last
    name, 1 after it. What a state must tell apart, if it is a function of the prefix.
    """
    arguments.instance("lang", lang, ToyLang)
    plateau = (lang.n_pairs,) * (lang.second_y - 2)
    return (1, lang.N, lang.N, *plateau, lang.N, lang.N, 1, 1)


def state_needed(lang):
    """Nats that a state must be able to hold after t = 0 ... n tokens (array of n + 1)."""
    return np.log(futures_by_length(lang))


def deciding_window(lang):
    """Tokens in front of the last name that decide it, found by listing: the least window length r.

    Refused for languages that are too large to list.
    """
    sentences = listing(lang)
    for r in range(lang.last_x + 1):
        met = {(windows.window(tokens, lang.last_x, r), tokens[lang.last_x]) for tokens in sentences}
        if len(met) == len({window for window, _ in met}):
            return r


def met_once(lang, tokens):
    """The names that stand exactly once in front of the last name of a sentence (tuple of str)."""
    arguments.instance("lang", lang, ToyLang)
    tokens = arguments.tokens("tokens", tokens)
    lang.parse(tokens)
    prefix = tokens[: lang.last_x]
    return tuple(name for name in lang.names if prefix.count(name) == 1)


def _distinct(lang, t, what):
    sentences = listing(lang)
    t = arguments.integer("t", t, 0, lang.n)
    futures = {}
    for tokens in sentences:
        futures.setdefault(tokens[:t], set()).add(what(tokens[t:]))
    return len({frozenset(future) for future in futures.values()})
