"""The model classes of part A side by side: price of the copies, size, and four requirements.

R1 order matters; R2 long reach without growth of the price with L or of the size like F^L; R3 lookup
of a binding that this text has made; R4 parallel training. Source: the book's own.
"""

from typing import NamedTuple

from . import arguments, bag, hmm, mixtures, neural_window, windows
from .toylang import ToyLang


class Model(NamedTuple):
    """One model class on one language.

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


def table(lang, d=8, d_h=32):
    """The seven model classes on a language (tuple of Model); d, d_h: sizes of the neural window.

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
    return tuple(Model(*row, *verdicts.split()) for *row, verdicts in rows)
