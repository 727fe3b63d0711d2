"""The model classes of the book on one ruler: nats on the two copied names, and what is stored.

Every number comes from the function of the chapter that earned it. Part A weighs its models by four
requirements too: R1 order matters; R2 long reach without growth of the price with L or of the size like
F^L; R3 lookup of a binding that this text has made; R4 parallel training. Source: the book's own.
"""

from typing import NamedTuple

from . import arguments, bag, hmm, information, mixtures, neural_window, pointer, program, recurrence, storage, windows
from .toylang import ToyLang


class CountingModel(NamedTuple):
    """One model class of Part A on one language.

    copy_nats: nats of both copies together with unlimited data (None if not computed); stores: how
    many of `unit` this price takes (exact int); R1 to R4: "yes", "no" or "part".
    """

    name: str
    story: str
    copy_nats: float | None
    stores: int
    unit: str
    R1: str
    R2: str
    R3: str
    R4: str


class ModelClass(NamedTuple):
    """One model class on one language.

    second_y, final_x: nats on the copied names, None where the book computed none; stores: how many of
    `unit` (exact int).
    """

    name: str
    second_y: float | None
    final_x: float | None
    stores: int
    unit: str


class Point(NamedTuple):
    """One model class on the two axes of the book.

    copies: nats on both copied names together, None where the book computed none; stores: numbers (exact
    int), a row of a table counted as one; fast: True if they are kept while a sentence is read, False
    if they are there before it.
    """

    name: str
    copies: float | None
    stores: int
    fast: bool


def counting_models(lang, d=8, d_h=32):
    """The seven model classes of Part A on a language (tuple of CountingModel); d, d_h: sizes of the neural window.

    Rows of the short windows are upper bounds, V and V^2; those of the long window are the rows in
    front of the last name only.
    """
    arguments.instance("lang", lang, ToyLang)
    V, reach = len(lang.vocabulary), lang.last_x_reach
    short, pair, long = (windows.cost_x(lang, r) + windows.cost_y(lang, r) for r in (1, 2, reach))
    mixture, bags = 2 * mixtures.pair_copy_cost(lang), len(mixtures.pairs(lang))
    needed = windows.rows_needed(lang)
    weights = neural_window.n_parameters(V=V, d=d, d_h=d_h, r=reach)
    rows = (
        ("Bag of words", "independent draws", 2 * bag.copy_cost(lang), V, "numbers", "no no no yes"),
        ("Pair mixture", "a topic, then draws", mixture, bags, "bags", "no no part yes"),
        ("Window 1", "previous token", short, V, "rows", "part no no yes"),
        ("Window 2", "previous two tokens", pair, V**2, "rows", "part no no yes"),
        (f"Window {reach}", "previous L + 8 tokens", long, needed, "rows", "yes part no yes"),
        ("HMM by hand", "pair and phase", 0.0, hmm.n_states(lang), "states", "yes yes part part"),
        ("Neural window", "r embedded tokens", None, weights, "weights", "yes part part yes"),
    )
    return tuple(CountingModel(*row, *verdicts.split()) for *row, verdicts in rows)


def table(lang, r=2, d=16, slots_beta=9.0, beta=12.0):
    """The seven rows of the closing table (tuple of ModelClass).

    A window of r tokens and the one that reaches X, with unlimited data; a recurrent net of d units;
    the linear program; one head that points to places, at slots_beta; the program at beta. Sharpness is
    at least 0.
    """
    arguments.instance("lang", lang, ToyLang)
    r = arguments.integer("r", r, 1, lang.last_x_reach - 1)
    slots_beta = arguments.real("slots_beta", slots_beta, least=0)
    V, n_max = len(program.vocabulary(lang)), max(64, lang.n)
    linear = program.build(lang, "linear", n_max=n_max)
    full = program.build(lang, "program", arguments.real("beta", beta, least=0), n_max=n_max)
    pointed = (pointer.source_cost(seen, slots_beta) for seen in (lang.second_y, lang.last_x))
    states = storage.state_numbers(n_max, V) + storage.state_numbers(2, lang.N)
    caches = (storage.cache_numbers(lang.n, *W.W_V.shape[1:], W.W_K.shape[1]) for W in full.layers)
    rows = (
        ("bag of words", *[bag.copy_cost(lang)] * 2, len(lang.vocabulary), "numbers"),
        _window(lang, r),
        _window(lang, lang.last_x_reach),
        ("recurrent net", None, None, recurrence.n_parameters(d, len(lang.vocabulary)), "weights"),
        ("linear attention", *_nats(linear, lang), states, "numbers in the states"),
        ("one softmax head", *pointed, storage.cache_numbers(lang.n, 2, V), "numbers in the cache"),
        ("stacked block", *_nats(full, lang), sum(caches), "numbers in the cache"),
    )
    return tuple(ModelClass(*row) for row in rows)


def points(lang):
    """Every model class of the book as a Point: the rows of `table`, and three of Part A's.

    The pair mixture stores its bags of one number per word type; the hand-built hidden Markov model
    carries one probability per state.
    """
    earlier = {row.name: row for row in counting_models(lang)}
    mixture, machine, net = (earlier[name] for name in ("Pair mixture", "HMM by hand", "Neural window"))
    found = [
        Point("pair mixture", mixture.copy_nats, mixture.stores * len(lang.vocabulary), False),
        Point("hidden Markov model", machine.copy_nats, machine.stores, True),
        Point("neural window", net.copy_nats, net.stores, False),
    ]
    for row in table(lang):
        copies = None if row.final_x is None else row.second_y + row.final_x
        found.append(Point(row.name, copies, row.stores, row.unit.startswith("numbers in")))
    return tuple(found)


def _window(lang, r):
    rows = windows.rows_before_last_x(lang, r)
    return f"window of {r}", windows.cost_y(lang, r), windows.cost_x(lang, r), rows, "rows before the final X"


def _nats(built, lang):
    """Nats of a machine on both copies, the same for every sentence of the language."""
    tokens = lang.sentence(*lang.names[:2], lang.things[0], lang.fillers[:1] * lang.L)
    return information.cost(program.answers(built, lang, [tokens]).probability[0]).tolist()
