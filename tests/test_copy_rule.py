"""Copy rules and distinguishable futures against listings made here."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from toyattn import ToyLang, copy_rule

SMALL = [(2, 2, 0), (3, 2, 1), (4, 2, 1), (3, 3, 1), (3, 2, 2), (4, 2, 2), (3, 2, 4)]
small = pytest.mark.parametrize("N, F, L", SMALL)


@small
def test_every_sentence_leaves_the_offset_to_the_giver(N, F, L):
    lang = ToyLang(N, F, L)
    for tokens in lang.sentences():
        places = [place for place in range(L + 8) if tokens[place] == tokens[L + 8]]
        assert places == [0]
        assert copy_rule.surviving_offsets([tokens]) == (L + 8 - places[0],)
    assert copy_rule.surviving_offsets(lang.sentences()) == (L + 8,)
    assert copy_rule.n_offsets(lang) == L + 8


@pytest.mark.parametrize("N", [2, 8, 48])
def test_one_drawn_sentence_for_every_gap(N):
    rng = np.random.default_rng(N)
    for L in range(31):
        tokens = ToyLang(N=N, L=L).sample(rng)
        assert copy_rule.surviving_offsets([tokens]) == (L + 8,)


def test_no_offset_fits_two_gaps():
    rng = np.random.default_rng(0)
    mixed = [ToyLang(L=3).sample(rng), ToyLang(L=5).sample(rng)]
    assert copy_rule.surviving_offsets(mixed) == () == copy_rule.surviving_offsets(mixed[::-1])
    assert copy_rule.surviving_offsets([mixed[0], ToyLang(L=3).sample(rng)]) == (11,)


def groups(lang, t, what):
    future = defaultdict(set)
    for tokens in lang.sentences():
        future[tokens[:t]].add(what(tokens))
    return len(set(map(frozenset, future.values())))


@small
def test_distinct_futures_by_listing_and_by_the_argument(N, F, L):
    lang = ToyLang(N, F, L)
    stated = [1] + [N] * 2 + [N * (N - 1)] * (L + 4) + [N] * 2 + [1] * 2
    for t in range(lang.n + 1):
        assert (
            copy_rule.distinct_futures(lang, t)
            == groups(lang, t, lambda tokens: tokens[t:])
            == stated[t]
        )


@small
def test_distinct_next_tokens_by_listing(N, F, L):
    lang = ToyLang(N, F, L)
    for t in range(lang.n):
        assert copy_rule.distinct_next_tokens(lang, t) == groups(lang, t, lambda tokens: tokens[t])


@small
def test_states_needed_behind_then(N, F, L):
    lang = ToyLang(N, F, L)
    assert copy_rule.bindings_needed(lang) == groups(lang, L + 6, lambda tokens: tokens[L + 6 :])


def test_large_languages_are_not_listed():
    for function in (copy_rule.distinct_futures, copy_rule.distinct_next_tokens):
        with pytest.raises(ValueError, match="^lang: .*at most 200000"):
            function(ToyLang(L=4), 3)


@small
def test_the_name_met_once_is_the_giver(N, F, L):
    lang = ToyLang(N, F, L)
    for tokens in lang.sentences():
        counted = Counter(tokens[: L + 8])
        assert (counted[tokens[0]], counted[tokens[2]]) == (1, 2)
        assert copy_rule.met_once(lang, tokens) == (tokens[0],)
