"""The tables of model classes beside brute force on small languages and counts written out."""

from collections import Counter, defaultdict
import math

import pytest

from test_program import loop
from toyattn import ToyLang, hmm, mixtures, model_classes, toylang, windows

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
    table = model_classes.counting_models(lang)
    assert [model.copy_nats for model in table[:6]] == pytest.approx(measured, abs=1e-12)
    assert table[6].copy_nats is None


@pytest.mark.parametrize("N, F, L", SMALL)
def test_sizes_are_counted_ones(N, F, L):
    lang = ToyLang(N, F, L)
    sentences, V = list(lang.sentences()), len(lang.vocabulary)
    stores = [model.stores for model in model_classes.counting_models(lang, d=3, d_h=5)]
    assert stores[0] == stores[2] == V and stores[3] == V * V
    assert stores[1] == len({frozenset((tokens[0], tokens[2])) for tokens in sentences})
    assert stores[4] == len({tokens[: L + 8] for tokens in sentences})
    assert stores[5] == len(hmm.hand_machine(lang).states)
    assert stores[6] == V * 3 + ((L + 8) * 3 + 1) * 5 + (5 + 1) * V
    assert {type(many) for many in stores} == {int}


def test_names_units_and_verdicts():
    table = model_classes.counting_models(ToyLang(L=10))
    names = ["Bag of words", "Pair mixture", "Window 1", "Window 2", "Window 18", "HMM by hand", "Neural window"]
    assert [model.name for model in table] == names
    assert [model.unit for model in table] == ["numbers", "bags", "rows", "rows", "rows", "states", "weights"]
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


@pytest.mark.parametrize("N, F, L", [(3, 2, 1), (2, 1, 2), (4, 1, 1)])
def test_windows_and_bag_by_counting(N, F, L):
    lang = ToyLang(N, F, L)
    sentences = toylang.listing(lang)
    rows = model_classes.table(lang)
    bag = Counter(token for tokens in sentences for token in tokens)
    share = bag["Ann"] / sum(bag.values())
    assert rows[0][1:4] == (pytest.approx(-math.log(share)), pytest.approx(-math.log(share)), len(bag))
    for row, r in ((rows[1], 2), (rows[2], L + 8)):
        final_x = windows.mean_cost({
            w: Counter(t[lang.last_x] for t in sentences if windows.window(t, lang.last_x, r) == w)
            for w in {windows.window(t, lang.last_x, r) for t in sentences}
        }, sentences, lang.last_x)
        assert row.final_x == pytest.approx(final_x, abs=1e-12)
        assert row.stores == len({windows.window(t, lang.last_x, r) for t in sentences})
    assert rows[2].second_y == 0 and rows[1].second_y == pytest.approx(math.log(N))


@pytest.mark.parametrize("N, L", [(8, 10), (48, 30), (48, 80)])
def test_machines_by_loops(N, L):
    lang = ToyLang(N=N, L=L)
    table = {row.name: row for row in model_classes.table(lang, d=16)}
    V, n, n_max = N + 15, L + 10, max(64, L + 10)
    net = table["recurrent net"]
    assert net[1:4] == (None, None, 16 * 16 + 2 * 16 * (V - 1) + 16 + V - 1)
    assert table["linear attention"].stores == V * n_max + 2 * N
    assert table["linear attention"].final_x == pytest.approx(-math.log(math.exp(10) / (math.exp(10) + V - 1)))
    assert table["one softmax head"].stores == n * (2 + V)
    powers = [math.exp(9 * (j == 0)) for j in range(L + 8)]
    assert table["one softmax head"].final_x == pytest.approx(-math.log(powers[0] / sum(powers)))
    assert table["one softmax head"].second_y == pytest.approx(-math.log(powers[0] / (sum(powers) - 2)))
    assert table["stacked block"].stores == n * (n_max + V) + n * (2 + V)
    text = lang.sentence("Ben", "Ann", "cup", ["so"] * L)
    for column, cue, answer in (("second_y", -4, "Ann"), ("final_x", -2, "Ben")):
        OUT, _ = loop(text[:cue], lang.names, 12.0, n_max=n_max)
        total = sum(math.exp(10 * amount) for amount in OUT.values()) + 15
        nats = math.log(total) - 10 * OUT[answer]
        assert getattr(table["stacked block"], column) == pytest.approx(nats, rel=1e-9)


def test_the_numbers_of_the_text():
    small, large = (model_classes.table(ToyLang(N=N, L=L)) for N, L in ((8, 10), (48, 30)))
    assert [round(rows[i].final_x, 2) for rows in (small, large) for i in (0, 1)] == [3.69, 1.95, 6.17, 3.85]
    assert large[2].stores == 48 * 47 * 3 * 6**30
    assert round(small[5].final_x, 4) == 0.0021 and round(large[6].final_x, 4) == 0.0028


@pytest.mark.parametrize("N, L", [(8, 0), (8, 10), (48, 40)])
def test_points_by_formulas(N, L):
    lang = ToyLang(N=N, L=L)
    points = {point.name: point for point in model_classes.points(lang)}
    rows = {row.name: row for row in model_classes.table(lang)}
    assert len(points) == len(rows) + 3
    V = N + 3 + 6 + 5
    bag = 2 * math.log((10 + L) * N / 4)
    assert points["bag of words"] == ("bag of words", pytest.approx(bag), V, False)
    assert points["pair mixture"] == ("pair mixture", pytest.approx(2 * math.log((10 + L) / 2)), math.comb(N, 2) * V, False)
    assert points["window of 2"].copies == pytest.approx(math.log(N) + math.log(N - 1))
    assert points["hidden Markov model"] == ("hidden Markov model", 0, N * (N - 1) * (10 + L), True)
    assert points["neural window"].copies is points["recurrent net"].copies is None
    assert not points["neural window"].fast and not points["recurrent net"].fast
    for name in ("linear attention", "one softmax head", "stacked block"):
        assert points[name] == (name, rows[name].second_y + rows[name].final_x, rows[name].stores, True)


def test_the_ends_of_what_may_be_asked():
    lang = ToyLang(N=3, F=2, L=0)
    assert model_classes.table(lang, r=1)[1][:3] == ("window of 1", pytest.approx(math.log(3)), pytest.approx(math.log(3)))
    assert model_classes.table(lang)[3].stores == model_classes.table(lang, d=16)[3].stores
    names = [row.name for row in model_classes.table(lang, r=lang.last_x_reach - 1)]
    assert names[1:3] == ["window of 7", "window of 8"]
    flat = model_classes.table(lang, slots_beta=0.0, beta=0.0)
    assert flat[5].final_x == pytest.approx(math.log(8)) and flat[6].final_x > flat[4].final_x
