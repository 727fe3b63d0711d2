"""ToyLang against a listing that is written out here, place by place."""

from collections import Counter, defaultdict
from itertools import product
import math

import numpy as np
import pytest

from toyattn import ToyLang, toylang

SMALL = [(2, 2, 0), (3, 2, 1), (4, 2, 1), (3, 3, 1), (3, 2, 2), (4, 2, 2), (3, 2, 4)]
small = pytest.mark.parametrize("N, F, L", SMALL)


def listing(N, F, L):
    names = "Ann Ben Cy Di Eve Flo Gus Hal".split()[:N]
    words = "and so well now yes ok".split()[:F]
    return [
        f"{X} gave {Y} a {T} {' '.join(gap)} then {Y} thanked {X} .".split()
        for X in names
        for Y in names
        if X != Y
        for T in ("book", "pen", "cup")
        for gap in product(words, repeat=L)
    ]


@small
def test_sentences_are_the_listing_in_order(N, F, L):
    lang = ToyLang(N, F, L)
    assert [list(tokens) for tokens in lang.sentences()] == listing(N, F, L)
    assert [list(tokens) for tokens in toylang.listing(lang)] == listing(N, F, L)
    assert lang.n_sentences == len(listing(N, F, L))
    assert {len(tokens) for tokens in lang.sentences()} == {lang.n}
    assert lang.n_pairs == len({(tokens[0], tokens[2]) for tokens in listing(N, F, L)})


@small
def test_place_costs_are_those_of_counted_prefixes(N, F, L):
    lang = ToyLang(N, F, L)
    prefixes = Counter(tuple(tokens[:t]) for tokens in listing(N, F, L) for t in range(lang.n + 1))
    for tokens in listing(N, F, L):
        counted = [
            math.log(prefixes[tuple(tokens[:t])] / prefixes[tuple(tokens[: t + 1])])
            for t in range(lang.n)
        ]
        assert lang.place_costs() == pytest.approx(counted, abs=1e-12)


@small
def test_entropy_is_the_log_of_the_listing(N, F, L):
    lang, many = ToyLang(N, F, L), len(listing(N, F, L))
    assert lang.entropy() == pytest.approx(math.log(many), abs=1e-12)
    assert lang.entropy_per_token() == pytest.approx(
        math.log(many) / len(listing(N, F, L)[0]), abs=1e-12
    )
    assert lang.perplexity() ** lang.n == pytest.approx(many)
    pairs = {(tokens[0], tokens[2]) for tokens in listing(N, F, L)}
    assert lang.binding_entropy() == pytest.approx(math.log(len(pairs)), abs=1e-12)


@small
def test_kinds_and_reaches_are_what_the_listing_shows(N, F, L):
    lang = ToyLang(N, F, L)
    columns = list(zip(*listing(N, F, L)))
    sources = {}
    for place, column in enumerate(columns):
        same = [
            earlier for earlier in range(place) if columns[earlier] == column and len(set(column)) > 1
        ]
        if same:
            sources[place] = same[0]
    kinds = [
        "template" if len(set(column)) == 1 else "copy" if place in sources else "choice"
        for place, column in enumerate(columns)
    ]
    assert list(lang.kinds()) == kinds
    assert sources == {
        lang.second_y: lang.second_y - lang.second_y_reach,
        lang.last_x: lang.last_x - lang.last_x_reach,
    }
    assert {columns[lang.second_y][i] == tokens[2] for i, tokens in enumerate(listing(N, F, L))} == {
        True
    }


@pytest.mark.parametrize("N, F, L", [(2, 2, 0), (3, 2, 1), (2, 1, 2)])
def test_one_wrong_token_is_found_at_the_first_place_where_no_sentence_goes_on(N, F, L):
    lang = ToyLang(N, F, L)
    legal = {tuple(tokens) for tokens in listing(N, F, L)}
    prefixes = {tokens[:t] for tokens in legal for t in range(lang.n + 1)}
    for tokens in legal:
        for place, token in product(range(lang.n), (*lang.vocabulary, "Zoe", "ok", "")):
            changed = tokens[:place] + (token,) + tokens[place + 1 :]
            assert lang.is_sentence(changed) == (changed in legal)
            if changed not in legal:
                first = next(t for t in range(lang.n) if changed[: t + 1] not in prefixes)
                with pytest.raises(ValueError, match=rf"^tokens: .* at place {first}$"):
                    lang.parse(changed)


@small
def test_parse_and_sentence_are_inverse(N, F, L):
    lang = ToyLang(N, F, L)
    for tokens in listing(N, F, L):
        choices = lang.parse(tokens)
        assert choices == (tokens[0], tokens[2], tokens[4], tuple(tokens[5 : 5 + L]))
        assert list(lang.sentence(*choices)) == tokens == list(lang.sentence(**choices._asdict()))


@small
def test_slots_multiply_to_the_sentences_of_a_pair(N, F, L):
    lang = ToyLang(N, F, L)
    by_pair = defaultdict(list)
    for tokens in listing(N, F, L):
        by_pair[tokens[0], tokens[2]].append(tuple(tokens))
    for (X, Y), tokens in by_pair.items():
        assert list(product(*lang.slots(X, Y))) == tokens


def test_wrong_lengths_are_no_sentences():
    lang = ToyLang(N=3, F=2, L=1)
    tokens = next(lang.sentences())
    for wrong in ((), tokens[:-1], tokens + (".",), next(ToyLang(N=3, F=2, L=2).sentences())):
        assert not lang.is_sentence(wrong)
        with pytest.raises(ValueError, match=f"{len(wrong)} tokens"):
            lang.parse(wrong)


def test_encode_and_decode_are_positions_in_the_vocabulary():
    lang = ToyLang(N=3, F=2, L=1)
    expected = "Ann Ben Cy book pen cup and so gave a then thanked .".split()
    assert list(lang.vocabulary) == expected
    for tokens in lang.sentences():
        assert lang.encode(tokens).tolist() == [expected.index(token) for token in tokens]
        assert lang.decode(lang.encode(tokens)) == tokens
    assert lang.encode([]).shape == (0,) and lang.encode([]).dtype == np.int64 and lang.decode([]) == ()


def test_samples_are_uniform_over_the_sentences():
    lang, draws = ToyLang(N=3, F=2, L=1), 7200
    drawn = Counter(lang.sample(np.random.default_rng(7), size=draws))
    mean = draws / lang.n_sentences
    assert set(drawn) == set(lang.sentences())
    chi2 = sum((many - mean) ** 2 / mean for many in drawn.values())
    freedom = lang.n_sentences - 1
    assert abs(chi2 - freedom) < 4 * math.sqrt(2 * freedom)


def test_sample_depends_on_the_generator_alone():
    lang = ToyLang()
    one = [lang.sample(np.random.default_rng(3)) for _ in range(2)]
    assert one[0] == one[1] and lang.is_sentence(one[0])
    assert lang.sample(np.random.default_rng(3), size=1) == one[:1]
    assert lang.sample(np.random.default_rng(3), size=0) == []
    assert lang.sample(np.random.default_rng(3), size=5) != [one[0]] * 5


def test_the_default_ruler_and_the_largest_one():
    lang = ToyLang()
    assert (lang.N, lang.F, lang.L) == (8, 6, 3)
    assert lang.names == ("Ann", "Ben", "Cy", "Di", "Eve", "Flo", "Gus", "Hal")
    assert lang.things == ("book", "pen", "cup")
    assert lang.fillers == ("and", "so", "well", "now", "yes", "ok")
    assert lang.template == ("gave", "a", "then", "thanked", ".")
    assert len(lang.vocabulary) == 22
    large = ToyLang(N=48, F=6, L=40)
    assert len(set(large.vocabulary)) == 48 + 3 + 6 + 5
    assert large.n_sentences == 48 * 47 * 3 * 6**40 and type(large.n_sentences) is int
    assert ToyLang(N=np.int64(4)) == ToyLang(N=4) and type(ToyLang(N=np.int64(4)).N) is int


def test_a_language_is_a_frozen_value():
    with pytest.raises(AttributeError):
        ToyLang().N = 5
    assert len({ToyLang(), ToyLang(N=8), ToyLang(N=7)}) == 2


def test_large_languages_are_not_listed():
    assert len(toylang.listing(ToyLang(L=3))) == 36288
    with pytest.raises(ValueError, match="^lang: .*at most 200000, got 217728 sentences"):
        toylang.listing(ToyLang(L=4))
