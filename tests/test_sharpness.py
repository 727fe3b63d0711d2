"""The bound beside random sentences, its root in exact digits, and the flips beside plain loops."""

from decimal import Decimal, localcontext
import math

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from test_program import CLAUSE, front, loop
from toyattn import ToyLang, program, sharpness

LANG = ToyLang(N=8)


def bound(n, beta):
    with localcontext(prec=40):
        n, beta = Decimal(n), Decimal(beta)
        eps = n * (-beta).exp()
        delta = n * (-beta * (1 - 2 * eps)).exp()
        return 2 * eps + 3 * delta


@pytest.mark.parametrize("n, beta", [(44, 12.0), (44, 8.0), (44, 6.0), (1, 1.5), (1000, 9.5)])
def test_bound_in_exact_digits(n, beta):
    assert sharpness.certified_error(n, beta) == pytest.approx(float(bound(n, beta)), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 44, 100, 1000, 10**6, 10**20])
def test_smallest_certifying_sharpness(n):
    beta = sharpness.certified_sharpness(n)
    assert beta > math.log(4 * n)
    assert bound(n, beta - 1e-8) > 1 > bound(n, beta + 1e-8)


@pytest.mark.parametrize("beta", [0, 1.3, 2.3, 2.9, 3.5, 4.6, 6.19, 7])
def test_most_places_that_a_sharpness_certifies(beta):
    certified = [n for n in range(1, 200) if beta >= math.log(4 * n) and bound(n, beta) <= 1]
    assert sharpness.certified_places(beta) == max(certified, default=0)


def test_most_places_of_a_sharpness_that_no_text_needs():
    found, beta = sharpness.certified_places(30), 30
    assert bound(found - 1000, beta) < 1 < bound(found + 1000, beta)


def test_no_random_sentence_breaks_the_bound():
    rng = np.random.default_rng(0)
    for _ in range(25):
        texts = []
        for _ in range(4):
            L, size = int(rng.integers(30)), int(rng.integers(20))
            texts.append(front(rng, LANG, size) + ToyLang(8, 6, L).sample(rng))
        n = max(map(len, texts)) - 2  # what "thanked" sees
        beta = float(rng.uniform(math.log(4 * n), 12))
        found = program.answers(program.build(LANG, beta=beta), LANG, texts)
        for text, errors in zip(texts, found.error):
            seen = [len(text) - 4, len(text) - 2]
            limits = [sharpness.certified_error(m, beta) for m in seen]
            assert (errors <= limits).all()
            assert all(right or limit >= 1 for right, limit in zip(program.answers(
                program.build(LANG, beta=beta), LANG, [text]).right[0], limits))
        assert (found.margin[found.error < 1] > 0).all()


def test_bound_on_the_named_layouts():
    for L in (0, 10, 25, 50):
        sentence = ToyLang(8, 6, L).sentence("Ann", "Ben", "pen", ["and"] * L)
        for text in (sentence, CLAUSE + sentence):
            n = len(text)
            for beta in np.linspace(math.log(4 * n), 14, 9):
                found = program.answers(program.build(LANG, beta=float(beta)), LANG, [text])
                assert (found.error <= sharpness.certified_error(n, float(beta))).all()


def looped_margin(text, column, beta, kind):
    cue, answer = ((-4, text[-4]), (-2, text[-2]))[column]
    OUT, _ = loop(text[:cue], LANG.names, beta, kind)
    return OUT[answer] - max(amount for name, amount in OUT.items() if name != answer)


PLAIN = ToyLang(8, 6, 20).sentence("Ann", "Ben", "pen", ["and", "so"] * 10)
SHORT = ToyLang(8, 6, 2).sentence("Ann", "Ben", "pen", ["and", "so"])


@pytest.mark.parametrize("start, column, kind, printed", [
    ((), 0, "program", 1.391249),
    (CLAUSE, 0, "program", 1.925451),
    (CLAUSE, 1, "program", 1.637449),
    (("and", "so", "well", "now"), 0, "program", 0.9838046),
    (("and", "so", "well", "now"), 1, "program", 1.132559),
    (("Flo", "met", "so", "."), 0, "program", 1.925451),
    (CLAUSE, 0, "no note at 0", 1.550018),
    (CLAUSE, 0, "no position", 9.984427),
])
def test_flips_beside_the_loop(start, column, kind, printed):
    text = start + PLAIN
    beta = sharpness.flip(LANG, text, program.COPIES[column], kind)
    assert looped_margin(text, column, beta - 1e-6, kind) < 0 < looped_margin(text, column, beta + 1e-6, kind)
    assert beta == pytest.approx(printed, abs=1e-6)


@pytest.mark.parametrize("start, column, moves", [
    ((), 0, False), (CLAUSE, 0, False), (CLAUSE, 1, False), (("and", "so", "well", "now"), 1, True),
])
def test_which_flips_move_with_the_gap(start, column, moves):
    short, long = (sharpness.flip(LANG, start + text, program.COPIES[column]) for text in (SHORT, PLAIN))
    assert (abs(short - long) > 0.01) == moves
    assert looped_margin(start + SHORT, column, short - 1e-6, "program") < 0
    assert looped_margin(start + SHORT, column, short + 1e-6, "program") > 0


def test_flips_that_do_not_happen():
    assert sharpness.flip(LANG, PLAIN, "final X") == 0
    assert sharpness.flip(LANG, PLAIN, "second Y", "no position") is None


def test_the_closed_form_beside_the_loop():
    for L in (0, 20):
        lang = ToyLang(8, 6, L)
        text = lang.sentence("Ann", "Ben", "pen", ["and"] * L)[:-4]
        for beta in (0.0, 0.5, 1.3, 2.0, 5.0):
            OUT, PREV = loop(text, lang.names, beta)
            total = sum(math.exp(beta * note.get("gave", 0)) for note in PREV)
            assert sharpness.plain_margin(beta) == pytest.approx((OUT["Ben"] - OUT["Ann"]) * total, abs=1e-10)
    flip = sharpness.plain_flip()
    assert looped_margin(PLAIN, 0, flip - 1e-8, "program") < 0 < looped_margin(PLAIN, 0, flip + 1e-8, "program")


@st.composite
def covered_texts(draw):
    """Texts that the bound speaks of: one *gave*, no two names side by side, at most 64 tokens; any words in front."""
    words = [word for word in program.vocabulary(LANG) if word != "gave"]
    start = []
    for _ in range(draw(st.integers(0, 24))):
        free = [word for word in words if not (start and start[-1] in LANG.names and word in LANG.names)]
        start.append(draw(st.sampled_from(free)))
    if start and start[-1] in LANG.names:
        start.append(".")
    L = draw(st.integers(0, 54 - len(start)))
    X, Y = draw(st.permutations(LANG.names))[:2]
    fillers = draw(st.lists(st.sampled_from(LANG.fillers), min_size=L, max_size=L))
    return (*start, *ToyLang(8, 6, L).sentence(X, Y, "cup", fillers))


@settings(max_examples=150, deadline=None)
@given(text=covered_texts(), above=st.floats(0, 1))
def test_the_bound_is_never_exceeded(text, above):
    """At each cue with the places that it sees, from the least sharpness of the bound to 14; where it is below 1 the answer is right.

    The error is that of the loop over tokens as well as that of the program.
    """
    for column, cue in enumerate((-4, -2)):
        seen = len(text) + cue
        beta = math.log(4 * seen) + above * (14 - math.log(4 * seen))
        limit = float(bound(seen, beta))
        found = program.answers(program.build(LANG, beta=beta), LANG, [text])
        OUT, _ = loop(text[:cue], LANG.names, beta)
        error = sum(abs(amount - (name == text[cue])) for name, amount in OUT.items())
        assert found.error[0, column] == pytest.approx(error, abs=1e-12)
        assert error <= limit and found.error[0, column] <= limit + 1e-12
        assert sharpness.certified_error(seen, beta) == pytest.approx(limit, rel=1e-9)
        assert limit >= 1 or (found.right[0, column] and max(OUT, key=OUT.get) == text[cue])


def test_flips_of_texts_that_come_once_or_do_not_fit():
    assert sharpness.flip(LANG, iter(SHORT), "second Y") == sharpness.flip(LANG, SHORT, "second Y")
    with pytest.raises(ValueError, match="^tokens: wanted at most n_max = 64"):
        sharpness.flip(LANG, ("so",) * 60 + SHORT, "second Y")


def test_a_sentence_that_just_fits_its_places():
    lang = ToyLang(N=48, L=54)
    (tokens,) = program.draw(lang, 1, np.random.default_rng(0))
    assert len(tokens) == 64 and sharpness.flip(lang, tokens, "second Y") == pytest.approx(1.391, abs=5e-4)


def test_more_places_than_can_be_certified():
    with pytest.raises(ValueError, match="^n: "):
        sharpness.certified_sharpness(sharpness.MOST_PLACES + 1)
    assert sharpness.certified_sharpness(sharpness.MOST_PLACES) > 0
