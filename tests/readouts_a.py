"""The opening and Part A, computed a second time; toyattn is not called."""

import math
import re
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from html import unescape
from itertools import combinations, cycle, islice, product

from readouts import F, FILLERS, N, NAMES, THINGS, bag_price, contents, kind_of, last, read, rows_needed, template, window_price

PAGES = ("book/index.html", "book/a/")


def ruler(drawn, L):
    sentences, n = contents(template(L)), len(template(L))
    copies = sum(window_price(L, n, letter) for letter in "XY")  # in sight of the whole prefix
    distances = [last(L, letter) - template(L).index(letter) for letter in "YX"]
    return dict(total_nats=math.log(sentences), per_token=math.log(sentences) / n, perplexity=math.exp(math.log(sentences) / n),
                sentences=sentences, copy_nats=copies, distances=distances, per_filler=math.log(contents(template(L + 1)) / sentences))


def shuffle(drawn, swaps, seed):
    """From the row as it is drawn: words, and which of them stand on a filled cell."""
    words = re.findall(r'<text style="([^"]*)"[^>]*>([^<]*)</text>', drawn)[:13]
    row = [unescape(word) for _, word in words]
    start = "Ann gave Ben a book and so well then Ben thanked Ann .".split()
    assert sorted(row) == sorted(start)
    X, gave, Y, a, T, *fillers, then, Y2, thanked, X2, stop = row
    legal = (X != Y and {X, Y} < set(NAMES) and (X, Y) == (X2, Y2) and T in THINGS and set(fillers) <= set(FILLERS)
             and [gave, a, then, thanked, stop] == ["gave", "a", "then", "thanked", "."])
    moved = ["--paper" in style for style, _ in words]
    assert all(filled for filled, one, other in zip(moved, row, start) if one != other)
    assert all(one in ("Ann", "Ben") for filled, one, other in zip(moved, row, start) if filled and one == other)
    assert sum(moved) != 1 and sum(moved) <= 2 * swaps
    return dict(bag_nats=sum(bag_price(3, kind_of(token)) for token in row), moved=sum(moved), is_sentence=legal,
                truth_nats=math.log(rows_needed(3)) if legal else math.inf)


def staircase(drawn, L, r):
    x, y = (window_price(L, r, letter) for letter in "XY")
    reach = [next(r for r in range(1, L + 10) if window_price(L, r, letter) == 0) for letter in "XY"]
    return dict(cost_X=x, cost_Y=y, both=x + y, reach_X=reach[0], reach_Y=reach[1], rows=rows_needed(L))


def harmonic(n):
    """1 + 1/2 + … + 1/n: a thousand terms, and an integral with two corrections for the rest."""
    m = min(n, 1000)
    rest = math.log(n / m) + (1 / n - 1 / m) / 2 - (1 / n**2 - 1 / m**2) / 12
    return math.fsum(1 / k for k in range(1, m + 1)) + (rest if n > m else 0)


def coverage(drawn, L, log10_M):
    n = rows_needed(L)
    with localcontext() as context:
        context.prec = 60
        M = Decimal(10) ** (Decimal(log10_M.numerator) / log10_M.denominator)
        unmet = (1 - 1 / Decimal(n)) ** M
        return dict(rows=n, seen=float(1 - unmet), complete=n * harmonic(n), price=float(unmet * Decimal(N - 1).ln()))


def smoothing(drawn, alpha):
    text = "the cat met the dog . a bird saw the cat and the pond . the dog heard a bird near the barn .".split()
    behind = [two for one, two in zip(text, text[1:]) if one == "the"]
    cat, bird = ((behind.count(word) + Fraction(alpha)) / (len(behind) + alpha * len(set(text))) for word in ("cat", "bird"))
    nats = lambda p: -math.log(p) if p else math.inf
    return dict(p_cat=float(cat), p_bird=float(bird), cost_cat=nats(cat), cost_bird=nats(bird))


DOCUMENTS = [Counter(text.split()) for text in (
    "goal goal match team win", "goal match team coach", "match team team win",
    "bake bake flour oven sugar", "bake flour sugar butter", "bake oven sugar butter",
)]


def em_round(lean):
    """One round from the responsibilities of topic 1: log-likelihood under the new parameters, new responsibilities."""
    joint = []
    for rho in (lean, [1 - one for one in lean]):
        counts = {word: sum(share * document[word] for share, document in zip(rho, DOCUMENTS)) for word in set().union(*DOCUMENTS)}
        theta = {word: count / sum(counts.values()) for word, count in counts.items()}
        joint.append([sum(rho) / 6 * math.prod(theta[word] ** c for word, c in document.items()) for document in DOCUMENTS])
    return sum((a + b).ln() for a, b in zip(*joint)), [a / (a + b) for a, b in zip(*joint)]


def em(drawn, round, first):
    """In 60 decimal digits. Before the first round all documents share one bag."""
    with localcontext() as context:
        context.prec = 60
        lean = [Decimal(first.numerator) / first.denominator, *5 * [Decimal("0.5")]]
        loglik, _ = em_round(6 * [Decimal("0.5")])
        for _ in range(round):
            loglik, lean = em_round(lean)
        return dict(loglik=float(loglik), resp=[float(one) for one in lean])


def pairs(drawn, t, L):
    """By Bayes' rule over the 28 pairs, in fractions."""
    tokens = "Eve gave Ben a book".split() + list(islice(cycle(FILLERS), L)) + "then Ben thanked Eve .".split()
    n, read = len(tokens), tokens[:t]

    def share(pair, token):
        counts = {"name": 2 * (token in pair), "thing": Fraction(1, len(THINGS)), "filler": Fraction(L, F), "template": 1}
        return Fraction(counts[kind_of(token)]) / n

    belief = {pair: math.prod(share(pair, token) for token in read) for pair in combinations(NAMES, 2)}
    live = sum(p > 0 for p in belief.values())
    if t >= n:
        return dict(live=live, next_nats="none due", bag_nats="none due")
    chance = sum(p * share(pair, tokens[t]) for pair, p in belief.items()) / sum(belief.values())
    return dict(live=live, next_nats=-math.log(chance), bag_nats=bag_price(L, kind_of(tokens[t])))


def forward(drawn, t):
    """By adding all state paths, in fractions."""
    start, move = [Fraction(6, 10), Fraction(4, 10)], [[Fraction(7, 10), Fraction(3, 10)], [Fraction(4, 10), Fraction(6, 10)]]
    emit = [dict(a=Fraction(9, 10), b=Fraction(1, 10)), dict(a=Fraction(2, 10), b=Fraction(8, 10))]
    rho = [Fraction(0), Fraction(0)]
    for path in product((0, 1), repeat=t):
        steps = [start[path[0]], *(move[i][j] for i, j in zip(path, path[1:]))]
        rho[path[-1]] += math.prod(steps) * math.prod(emit[state][token] for state, token in zip(path, "aba"))
    return dict(rho=[float(one) for one in rho], total=float(sum(rho)))


def table_or_rule(drawn, L):
    rows, places = rows_needed(L), last(L, "X")
    states = len([(x, y, phase) for x in NAMES for y in NAMES if x != y for phase in range(len(template(L)))])
    return dict(rows=rows, states=states, places=places, ratio=rows / states, growth=rows_needed(L + 1) // rows)


def machine_price(L):
    """Nats of the hand-built machine on both copies: of the 56 pairs, each sure of its own name, some are still possible."""
    live, nats = [(x, y) for x in NAMES for y in NAMES if x != y], 0.0
    for place, letter in enumerate(template(L)):
        if letter in "XY":
            right = [pair for pair in live if pair["XY".index(letter)] == ("Eve", "Ben")["XY".index(letter)]]
            nats += math.log(len(live) / len(right)) if place in (last(L, "X"), last(L, "Y")) else 0
            live = right
    return nats


def models(drawn, L):
    both = lambda r: window_price(L, r, "X") + window_price(L, r, "Y")
    return dict(bag=2 * bag_price(L, "name"), mixture=sum(pairs("", last(L, letter), L)["next_nats"] for letter in "XY"),
                window1=both(1), window2=both(2), window_long=both(L + 8), hmm=machine_price(L))


COUNTERPARTS = {
    "fig-a1-ruler": ruler, "fig-a2-shuffle": shuffle, "fig-a3-staircase": staircase, "fig-a3-coverage": coverage,
    "fig-a3-smoothing": smoothing, "fig-a4-em": em, "fig-a4-pairs": pairs, "fig-a4-forward": forward,
    "fig-a4-table-or-rule": table_or_rule, "fig-a5-models": models,
}
WORDS = ("fig-i3-route",)  # explorers that state no number
