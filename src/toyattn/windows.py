"""Windows of r tokens (Markov chains of order r): one row of counts for each distinct window.

A window that reaches beyond the start of its sentence is filled up with the start marker. r = 0 is
the bag. Source: Shannon 1948; smoothing: Chen and Goodman 1999; counts on ToyLang: the book's own.
"""

from collections import Counter
import math

import numpy as np

from . import arguments, bag, information
from .toylang import ToyLang

START = "<s>"


def window(tokens, place, r):
    """The r tokens in front of a place of the text, start markers included (tuple of r str)."""
    tokens = arguments.tokens("tokens", tokens)
    place = arguments.integer("place", place, 0, len(tokens))
    r = arguments.size("r", r, 0)
    return (START,) * (r - place) + tokens[max(place - r, 0) : place]


def fit(sentences, r):
    """Count table of order r: {window: Counter of the tokens that followed it}.

    sentences: iterable of token sequences; all places of all sentences are pooled.
    """
    r = arguments.size("r", r, 0)
    table = {}
    for tokens in arguments.sequences("sentences", sentences):
        padded = (START,) * r + tokens
        for place, token in enumerate(tokens):
            table.setdefault(padded[place : place + r], Counter())[token] += 1
    return table


def probability(table, window, token, alpha=0.0, n_types=None):
    """Estimate p(token | window) of a count table (float), with alpha pseudo-counts a type.

    n_types: size of the vocabulary, needed if alpha > 0. A window that was never met is 0/0 and is
    refused if alpha = 0.
    """
    r = _order(table)
    window = arguments.tokens("window", window)
    if len(window) != r:
        arguments.refuse("window", f"{len(window)} tokens", f"r = {r} tokens")
    row = table.get(window, {})
    alpha = arguments.real("alpha", alpha, least=0)
    if not isinstance(token, str):
        arguments.refuse("token", repr(token), "a token")
    if alpha == 0 and not row:
        arguments.refuse("window", repr(window), "a window that was met (its row is 0/0), or alpha > 0")
    if alpha > 0 or n_types is not None:
        n_types = arguments.integer("n_types", n_types, max(len(row), 1))
    return float(bag.smoothed(row.get(token, 0), sum(row.values()), alpha, n_types or 1))


def costs(table, tokens, alpha=0.0, n_types=None):
    """Nats that a count table charges for each token of a text (array of len(tokens))."""
    r, alpha = _order(table), arguments.real("alpha", alpha, least=0)
    tokens = arguments.tokens("tokens", tokens, least=1)
    nats = []
    for place, token in enumerate(tokens):
        context = window(tokens, place, r)
        if alpha == 0 and context not in table:
            arguments.refuse(
                "tokens", f"{token!r} after {context}", "windows that were met, or alpha > 0"
            )
        nats.append(information.cost(probability(table, context, token, alpha, n_types)))
    return np.array(nats)


def mean_cost(table, sentences, place):
    """Mean nats over the sentences of the token at one place (0 is the first; float)."""
    place = arguments.integer("place", place, 0)
    r = _order(table)
    total = []
    for tokens in arguments.sequences("sentences", sentences):
        if place >= len(tokens):
            arguments.refuse("place", place, f"a place of a sentence of {len(tokens)} tokens")
        context = window(tokens, place, r)
        if context not in table:
            arguments.refuse("sentences", f"{tokens[place]!r} after {context}", "windows that were met")
        total.append(probability(table, context, tokens[place]))
    return float(np.mean(information.cost(total)))


def interpolate(longer, shorter, weight):
    """weight * longer + (1 - weight) * shorter: a row mixed with that of a shorter window.

    longer, shorter: probabilities in [0, 1], numbers or arrays of one shape; weight in [0, 1].
    """
    longer = arguments.array("longer", longer, least=0, most=1)
    shorter = arguments.array("shorter", shorter, shape=longer.shape, least=0, most=1)
    weight = arguments.real("weight", weight, 0, 1)
    mixed = weight * longer + (1 - weight) * shorter
    return float(mixed) if mixed.ndim == 0 else mixed


def cost_x(lang, r):
    """Nats of the last name for windows of r tokens and unlimited data.

    ln N at r = 1, ln(N - 1) while the window holds Y but not X, 0 from r = L + 8; r = 0 is the bag.
    """
    arguments.instance("lang", lang, ToyLang)
    r = arguments.integer("r", r, 0)
    if r == 0:
        return bag.copy_cost(lang)
    if r >= lang.last_x_reach:
        return 0.0
    return math.log(lang.N if r == 1 else lang.N - 1)


def cost_y(lang, r):
    """Nats of the second Y for windows of r tokens and unlimited data: ln N, and 0 from r = L + 4."""
    arguments.instance("lang", lang, ToyLang)
    r = arguments.integer("r", r, 0)
    if r == 0:
        return bag.copy_cost(lang)
    return 0.0 if r >= lang.second_y_reach else math.log(lang.N)


def window1_sentence_cost(lang):
    """Nats of a whole sentence for windows of one token and unlimited data.

    Four names at ln N, what follows them at ln 4 each, T, the first filler, and after a filler either
    "then" with probability 1/L or one of F words with (L - 1)/(L F) each.
    """
    arguments.instance("lang", lang, ToyLang)
    N, F, L = lang.N, lang.F, lang.L
    names_and_thing = 4 * math.log(N) + 4 * math.log(4) + math.log(len(lang.things))
    if L == 0:
        return names_and_thing
    after_fillers = math.log(L) + (L - 1) * math.log(L * F / max(L - 1, 1))
    return names_and_thing + math.log(F) + after_fillers


def rows_before(lang, place, r):
    """Number of different windows of r tokens in front of a place of the sentence (exact int)."""
    arguments.instance("lang", lang, ToyLang)
    place = arguments.integer("place", place, 0, lang.n - 1)
    r = arguments.integer("r", r, 0)
    seen = range(max(place - r, 0), place)
    names = (0 in seen or lang.last_x in seen) + (2 in seen or lang.second_y in seen)
    rows = (1, lang.N, lang.n_pairs)[names]
    if 4 in seen:
        rows *= len(lang.things)
    fillers = range(max(seen.start, 5), min(seen.stop, 5 + lang.L))
    return rows * lang.F ** len(fillers)


def rows_before_last_x(lang, r):
    """Number of different windows of r tokens in front of the last name (exact int)."""
    arguments.instance("lang", lang, ToyLang)
    return rows_before(lang, lang.last_x, r)


def rows_before_second_y(lang, r):
    """Number of different windows of r tokens in front of the second Y (exact int)."""
    arguments.instance("lang", lang, ToyLang)
    return rows_before(lang, lang.second_y, r)


def rows_needed(lang):
    """Rows in front of the last name for a window that reaches X, N(N-1) * 3 * F^L (exact int)."""
    arguments.instance("lang", lang, ToyLang)
    return rows_before_last_x(lang, lang.last_x_reach)


def rows_in_use(lang, r):
    """Rows of the whole table of order r, all places pooled, start markers included (exact int).

    Windows of different places are different, unless they hold fillers only or, at r = 1, one name.
    """
    arguments.instance("lang", lang, ToyLang)
    r = arguments.size("r", r)
    if r == 1:
        return 1 + len(lang.vocabulary) - 1 - (lang.F if lang.L == 0 else 0)  # no row for "."
    gaps = max(lang.L - r + 1, 0)  # places whose window lies inside the gap
    rows = sum(rows_before(lang, place, r) for place in range(lang.n))
    return rows - max(gaps - 1, 0) * lang.F**r


def rows_total(lang):
    """Rows of the whole table that reaches X, r = L + 8 (exact int)."""
    arguments.instance("lang", lang, ToyLang)
    return rows_in_use(lang, lang.last_x_reach)


def harmonic(n):
    """H_n = 1 + 1/2 + ... + 1/n (float), summed for small n, by the Euler-Maclaurin series beyond."""
    n = arguments.integer("n", n, 1, 10**300)
    if n <= 1000:
        return math.fsum(1 / k for k in range(1, n + 1))
    return math.log(n) + np.euler_gamma + 1 / (2 * n) - 1 / (12 * n**2)


def expected_sentences(n):
    """Sentences read on average until each of n equally likely rows was met: n H_n (float).

    Source: the coupon collector, standard.
    """
    return n * harmonic(n)


def share_seen(n, M):
    """Expected share of n equally likely rows met in M sentences: 1 - (1 - 1/n)^M.

    M: number or array >= 0.
    """
    share = -np.expm1(_log_unseen(n, M))
    return float(share) if share.ndim == 0 else share


def fallback_cost(lang, M):
    """Mean nats of the last name after M sentences, if a row not met falls back to two tokens.

    (1 - 1/n)^M ln(N - 1) for n rows. M: number or array >= 0.
    """
    nats = np.exp(_log_unseen(rows_needed(lang), M)) * cost_x(lang, 2)
    return float(nats) if nats.ndim == 0 else nats


def simulate_collection(n, runs, rng):
    """Sentences read until all n rows were met, in each of `runs` simulated readings (int array)."""
    n = arguments.integer("n", n, 1, 10**6)
    runs = arguments.size("runs", runs)
    arguments.generator("rng", rng)
    met = np.zeros((runs, n), dtype=bool)
    rows_met, needed = np.zeros(runs, dtype=np.int64), np.zeros(runs, dtype=np.int64)
    reading = np.arange(runs)
    while len(reading):
        row = rng.integers(n, size=len(reading))
        rows_met[reading] += ~met[reading, row]
        met[reading, row] = True
        needed[reading] += 1
        reading = reading[rows_met[reading] < n]
    return needed


def simulate_fallback(lang, M, trials, rng):
    """Nats of the last name of a new sentence after M random ones, with fall-back, in each trial.

    Returns an array of `trials`: 0 if the row of the new sentence was met, else the cost of the
    two-token row.
    """
    M = arguments.size("M", M, 0)
    trials = arguments.size("trials", trials)
    arguments.generator("rng", rng)
    rows = rows_needed(lang)
    if rows >= 2**63:
        arguments.refuse("lang", f"{rows} rows", "fewer than 2**63 rows")
    row = rng.integers(rows, size=trials)
    met = np.zeros(trials, dtype=bool)
    for _ in range(M):
        met |= rng.integers(rows, size=trials) == row
    return np.where(met, 0.0, cost_x(lang, 2))


def _log_unseen(n, M):
    n = arguments.integer("n", n, 1, 10**300)
    M = arguments.array("M", M, least=0)
    if n == 1:
        return np.where(M > 0, -np.inf, 0.0)
    return M * math.log1p(-1 / n)


def _order(table):
    """r of a count table."""
    if not isinstance(table, dict) or not table or not isinstance(next(iter(table)), tuple):
        arguments.refuse("table", f"a {type(table).__name__}", "a count table as fit returns it")
    return len(next(iter(table)))
