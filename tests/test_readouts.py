"""Every number that an explorer of the built book states, at every setting, against a second computation that never calls toyattn.

Here the opening and Part A, and what the modules for the other parts share.
"""

import json
import math
import re
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from html import unescape
from itertools import combinations, cycle, islice, product

import pytest
from conftest import payload

PAGES = ("book/index.html", "book/a/")  # the parts whose explorers all have a counterpart here
NEARLY_ZERO = Decimal(0)  # computed value: zero but for rounding
NAMES = "Ann Ben Cy Di Eve Flo Gus Hal".split()
THINGS = "book pen cup".split()
FILLERS = "and so well now yes ok".split()
N, F = len(NAMES), len(FILLERS)


# --- the built book ----------------------------------------------------------------------------------------------------


@lru_cache
def blocks(site, pages=PAGES):
    """The HTML of each explorer of these pages, by name."""
    found = {}
    for path in sorted(site.rglob("book/**/*.html")):
        if path.relative_to(site).as_posix().startswith(pages):
            html = path.read_text(encoding="utf-8")
            for start in re.finditer(r'data-explorer="([^"]+)"', html):
                assert start[1] not in found
                found[start[1]] = html[start.start() : html.index('role="status"', start.start())]
    return found


def number_or_word(text):
    """A setting of the page: int or Fraction where it is a number."""
    try:
        value = Fraction(text)
    except ValueError:
        return text
    return int(value) if value.denominator == 1 else value


def control_values(html):
    """The name of a control and its grid, as its inputs say."""
    inputs = [dict(re.findall(r'([a-z]+)="([^"]*)"', tag)) for tag in re.findall("<input[^>]*>", html)]
    first = inputs[0]
    if first["type"] == "range":
        low, high, step = (Fraction(first[key]) for key in ("min", "max", "step"))
        return first["name"], [number_or_word(str(low + i * step)) for i in range(round((high - low) / step) + 1)]
    if first["type"] == "radio":
        return first["name"], [number_or_word(unescape(one["value"])) for one in inputs]
    return first["name"], [False, True]


def read(block):
    """Each setting of an explorer, what is drawn there, and its readouts (data-value and text by name)."""
    controls = dict(control_values(html) for html in re.findall(r'data-kind="[a-z]+">.*?(?:</div>|</fieldset>)', block, re.S))
    names = re.findall(r'<output [^>]*data-readout="([^"]+)"', block)
    data = payload(re.search(r'data-explorer="([^"]+)"', block)[1])
    settings = list(product(*controls.values()))
    assert names and len(set(names)) == len(names) and len(settings) == len(data["frames"])
    for values, (lines, readouts) in zip(settings, data["frames"]):
        assert len(readouts) == len(names)
        yield dict(zip(controls, values)), "\n".join(data["lines"][i] for i in lines), dict(zip(names, readouts))


def entries(stated):
    """The parts of a data-value that is a list, each as a data-value of its own."""
    return [one if isinstance(one, str) else json.dumps(one) for one in json.loads(stated)]


def agrees(stated, computed):
    """Does a data-value say this number? Whole numbers and words exactly, others to 1e-9 and a few of the smallest floats."""
    if computed is NEARLY_ZERO:
        return abs(float(stated)) <= 1e-12
    if isinstance(computed, (list, tuple)):
        listed = entries(stated)
        return len(listed) == len(computed) and all(agrees(one, other) for one, other in zip(listed, computed))
    if isinstance(computed, bool):
        return stated == ("true" if computed else "false")
    if isinstance(computed, (int, str)):
        return stated == str(computed)
    if math.isnan(computed):
        return stated == "NaN"
    return math.isclose(float(stated), computed, rel_tol=1e-9, abs_tol=1e-322)


def nearly(value):
    """NEARLY_ZERO for what cannot be told from zero, else the value."""
    return NEARLY_ZERO if abs(value) < 1e-12 else value


def rounds(text, stated, alone=True):
    """Is the printed number the data-value, rounded to the digits that are printed? A zero that stands alone has none."""
    if stated in ("true", "false"):
        return text == {"true": "yes", "false": "no"}[stated]
    if stated.startswith("["):
        return all(rounds(one, other, False) for one, other in zip(text.split(", "), entries(stated), strict=True))
    try:
        value = float(stated)
    except ValueError:
        return text == stated
    if math.isinf(value) or (value == 0 and alone):
        return text == ("infinite" if value else "0")
    if math.isnan(value):
        return text == "nan"
    if re.fullmatch(r"-?\d+", stated) and "e" not in text:
        return text.replace(",", "").replace("−", "-") == stated
    try:
        digits = Decimal(text.replace(",", "").replace("−", "-"))
    except ArithmeticError:
        return False
    return abs(Decimal(stated) - digits) <= Decimal(5).scaleb(digits.as_tuple().exponent - 1)


# --- the language, from its template -----------------------------------------------------------------------------------


def template(L):
    """A sentence with letters where choices stand: X, Y, T and f0, f1, …"""
    return ["X", "gave", "Y", "a", "T", *(f"f{i}" for i in range(L)), "then", "Y", "thanked", "X", "."]


def last(L, letter):
    """The place of the second mention of a name."""
    return max(place for place, token in enumerate(template(L)) if token == letter)


def contents(tokens):
    """In how many ways the choices among these tokens can be filled."""
    letters = set(tokens)
    names = math.prod(range(N, N - len(letters & {"X", "Y"}), -1))
    return names * len(THINGS) ** ("T" in letters) * F ** sum(letter[0] == "f" and letter[1:].isdigit() for letter in letters)


def window_price(L, r, letter):
    """Nats on the second mention of a name: options for it that the last r tokens leave.

    The window ends in *then* or *thanked*, which stand once in a sentence, so its place is known.
    """
    place = last(L, letter)
    seen = template(L)[max(0, place - r) : place]
    return math.log(contents([*seen, letter]) / contents(seen))


def rows_needed(L):
    """Windows that reach from the last name back to the first token."""
    return contents(template(L)[: last(L, "X")])


def bag_price(L, kind):
    """Nats for a token of a kind in the bag of the whole language."""
    tokens = template(L)
    names = sum(token in "XY" for token in tokens)
    share = {"name": Fraction(names, N), "thing": Fraction(1, len(THINGS)), "filler": Fraction(L, F), "template": Fraction(1)}
    return -math.log(share[kind] / len(tokens))


def softmax(scores):
    """Weights of one row of finite scores, a list."""
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def kind_of(token):
    return next((kind for kind, words in [("name", NAMES), ("thing", THINGS), ("filler", FILLERS)] if token in words), "template")


# --- one counterpart per explorer --------------------------------------------------------------------------------------


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


def disagreements(block, counterpart):
    """What an explorer states otherwise than its counterpart computes, or prints otherwise than it states, in words."""
    wrong, compared = [], 0
    for setting, drawn, readouts in read(block):
        computed = counterpart(drawn, **setting)
        assert list(computed.keys() ^ readouts.keys()) == []
        for readout, (stated, text) in readouts.items():
            compared += 1
            if not agrees(stated, computed[readout]):
                wrong.append(f"{readout} at {setting}: the page says {stated}, computed {computed[readout]}")
            if not rounds(text, stated):
                wrong.append(f"{readout} at {setting}: prints {text} for {stated}")
    assert compared > 0
    return wrong


def test_every_explorer_has_a_counterpart(site):
    assert set(blocks(site)) == {*COUNTERPARTS, *WORDS}


@pytest.mark.parametrize("name", COUNTERPARTS)
def test_readouts_agree_with_a_second_computation(site, name):
    assert disagreements(blocks(site)[name], COUNTERPARTS[name]) == []


@pytest.mark.parametrize("name", WORDS)
def test_words_differ_at_every_setting(site, name):
    said = [tuple(stated for stated, text in readouts.values()) for _, _, readouts in read(blocks(site)[name])]
    assert len(said) > 1 and all(all(words) for words in said)
    assert all(len(set(column)) == len(said) for column in zip(*said))


def test_each_swap_exchanges_two_words(site):
    """Neighboring stages of one shuffle differ in two cells, or in none where two equal words changed places."""
    rows = {}
    for setting, drawn, _ in read(blocks(site)["fig-a2-shuffle"]):
        rows.setdefault(setting["seed"], []).append(re.findall(r"<text [^>]*>([^<]*)</text>", drawn)[:13])
    start = "Ann gave Ben a book and so well then Ben thanked Ann .".split()
    for stages in rows.values():
        assert stages[0] == start
        assert {sum(map(str.__ne__, one, two)) for one, two in zip(stages, stages[1:])} <= {0, 2}
    assert len({str(stages) for stages in rows.values()}) == len(rows) == 10
