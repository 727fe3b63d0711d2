"""The table of models against prices and sizes that are counted on listed languages."""

from collections import Counter, defaultdict
import math

import pytest

from toyattn import ToyLang, hmm, mixtures, models

SMALL = [(2, 2, 0), (3, 2, 1), (4, 2, 2), (3, 2, 4)]


def window_price(lang, r):
    table, total, sentences = defaultdict(Counter), 0.0, list(lang.sentences())
    padded = [("<s>",) * r + tokens for tokens in sentences]
    for tokens in padded:
        for place in range(r, len(tokens)):
            table[tokens[place - r : place]][tokens[place]] += 1
    for tokens in padded:
        for copy in (lang.L + 6 + r, lang.L + 8 + r):
            row = table[tokens[copy - r : copy]]
            total -= math.log(row[tokens[copy]] / sum(row.values()))
    return total / len(sentences)


def machine_price(lang):
    machine = hmm.hand_machine(lang)[:3]
    indices = lang.encode(next(lang.sentences()))
    return -sum(
        math.log(hmm.next_token(*machine, indices[:t])[indices[t]]) for t in (lang.L + 6, lang.L + 8)
    )


def mixture_price(lang):
    tokens = next(lang.sentences())
    index = lang.encode(tokens)
    return -sum(
        math.log(mixtures.pair_next_token(lang, tokens[:t])[index[t]]) for t in (lang.L + 6, lang.L + 8)
    )


@pytest.mark.parametrize("N, F, L", SMALL)
def test_copy_prices_are_measured_ones(N, F, L):
    lang = ToyLang(N, F, L)
    measured = [
        window_price(lang, 0),
        mixture_price(lang),
        window_price(lang, 1),
        window_price(lang, 2),
        window_price(lang, L + 8),
        machine_price(lang),
    ]
    table = models.table(lang)
    assert [model.copy_nats for model in table[:6]] == pytest.approx(measured, abs=1e-12)
    assert table[6].copy_nats is None


@pytest.mark.parametrize("N, F, L", SMALL)
def test_sizes_are_counted_ones(N, F, L):
    lang = ToyLang(N, F, L)
    sentences, V = list(lang.sentences()), len(lang.vocabulary)
    stores = [model.stores for model in models.table(lang, d=3, d_h=5)]
    assert stores[0] == stores[2] == V and stores[3] == V * V
    assert stores[1] == len({frozenset((tokens[0], tokens[2])) for tokens in sentences})
    assert stores[4] == len({tokens[: L + 8] for tokens in sentences})
    assert stores[5] == len(hmm.hand_machine(lang).states)
    assert stores[6] == V * 3 + ((L + 8) * 3 + 1) * 5 + (5 + 1) * V
    assert {type(many) for many in stores} == {int}


def test_names_units_and_verdicts():
    table = models.table(ToyLang(L=10))
    assert [model.name for model in table] == [
        "Bag of words",
        "Pair mixture",
        "Window 1",
        "Window 2",
        "Window 18",
        "HMM by hand",
        "Neural window",
    ]
    assert [model.unit for model in table] == [
        "numbers",
        "bags",
        "rows",
        "rows",
        "rows",
        "states",
        "weights",
    ]
    verdicts = [" ".join((model.R1, model.R2, model.R3, model.R4)) for model in table]
    assert verdicts == [
        "no no no yes",
        "no no part yes",
        "part no no yes",
        "part no no yes",
        "yes part no yes",
        "yes yes part part",
        "yes part part yes",
    ]
    assert table[6].stores == 5542  # d = 8, d_h = 32
