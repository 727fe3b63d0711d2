"""Every number that an explorer of the built book states, at every setting, against a second computation that never calls toyattn.

Here what the modules of the parts share: how to read an explorer, and the language, from its template. Each readouts_*.py has a
counterpart for each explorer of its pages: a function of what is drawn and the setting, that gives the readouts.
"""

import json
import math
import re
import unicodedata
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from html import unescape
from itertools import product

from conftest import payload

NEARLY_ZERO = Decimal(0)  # computed value: zero but for rounding
NAMES = "Ann Ben Cy Di Eve Flo Gus Hal".split()
THINGS = "book pen cup".split()
FILLERS = "and so well now yes ok".split()
N, F = len(NAMES), len(FILLERS)


# --- the built book ----------------------------------------------------------------------------------------------------


@lru_cache
def blocks(site, pages):
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


def in_ascii(text):
    """A printed number as Decimal reads it: −2.5·10⁻¹² is -2.5e-12."""
    if power := re.fullmatch(r"(−?)(?:([\d.]+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text):
        sign, digits, exponent = power.groups()
        text = f"{sign}{digits or 1}e{unicodedata.normalize('NFKC', exponent)}"
    return text.replace(",", "").replace("−", "-")


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
    text = in_ascii(text)
    if re.fullmatch(r"-?\d+", stated) and "e" not in text:
        return text == stated
    try:
        digits = Decimal(text)
    except ArithmeticError:
        return False
    return abs(Decimal(stated) - digits) <= Decimal(5).scaleb(digits.as_tuple().exponent - 1)


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
