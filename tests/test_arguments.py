"""Each refusal names the argument, what came and what was wanted; what is good passes unchanged."""

from fractions import Fraction

import numpy as np
import pytest

from toyattn import arguments


def test_the_message_names_argument_came_and_wanted():
    with pytest.raises(ValueError, match=r"^N: wanted an integer from 2 to 48, got 49$"):
        arguments.integer("N", 49, 2, 48)


@pytest.mark.parametrize("good", [2, np.int64(3), np.uint8(4)])
def test_integer_passes_as_a_python_int(good):
    found = arguments.integer("x", good, 2, 4)
    assert type(found) is int and found == good


@pytest.mark.parametrize(
    "bad", [True, np.True_, 2.0, "2", None, [2], np.array(2), np.array([2]), 1, 5, float("nan")]
)
def test_integer_refuses(bad):
    with pytest.raises(ValueError, match="^x: "):
        arguments.integer("x", bad, 2, 4)


def test_integer_bounds_are_inclusive_and_optional():
    assert arguments.integer("x", -(10**40)) == -(10**40)
    assert arguments.integer("x", 2, least=2) == 2 == arguments.integer("x", 2, most=2)
    for bounds, words in (({"least": 3}, "of at least 3"), ({"most": 1}, "of at most 1")):
        with pytest.raises(ValueError, match=words):
            arguments.integer("x", 2, **bounds)


@pytest.mark.parametrize("good", [0, 1, 0.5, Fraction(1, 4), np.float32(0.25)])
def test_real_passes_as_a_float(good):
    found = arguments.real("x", good, 0, 1)
    assert type(found) is float and found == good


@pytest.mark.parametrize(
    "bad",
    [
        True,
        np.False_,
        "0.5",
        None,
        [0.5],
        [[1], [1, 2]],
        1j,
        float("nan"),
        float("inf"),
        10**400,
        -0.1,
        1.1,
    ],
)
def test_real_refuses(bad):
    with pytest.raises(ValueError, match="^x: "):
        arguments.real("x", bad, 0, 1)


def test_choice():
    assert arguments.choice("x", "a", ("a", "b")) == "a"
    for bad in ("c", "", 1, None, ["a"]):
        with pytest.raises(ValueError, match="^x: wanted one of a, b"):
            arguments.choice("x", bad, ("a", "b"))


def test_array_passes_as_a_fresh_float_or_int_array():
    given = np.array([1, 2])
    found = arguments.array("x", given)
    assert found.dtype == float and found.tolist() == [1, 2]
    assert arguments.array("x", given, integers=True).dtype == np.int64
    assert arguments.array("x", [[1.5], [2]], shape=(2, None)).shape == (2, 1)
    assert arguments.array("x", [0, 1], least=0, most=1).tolist() == [0, 1]


@pytest.mark.parametrize(
    "bad, wanted",
    [
        ([1, float("nan")], {}),
        ([1, float("inf")], {}),
        ([[1], [1, 2]], {}),
        (["1"], {}),
        ([True], {}),
        ([1j], {}),
        (None, {}),
        ({1: 2}, {}),
        ([10**30], {}),
        ([1.0], {"integers": True}),
        ([1, 2], {"shape": (3,)}),
        ([1, 2], {"shape": (2, None)}),
        ([], {"shape": (None,)}),
        ([[1, 2]], {"shape": (None, 3)}),
        ([-1], {"least": 0}),
        ([2], {"most": 1}),
    ],
)
def test_array_refuses(bad, wanted):
    with pytest.raises(ValueError, match="^x: "):
        arguments.array("x", bad, **wanted)


def test_distribution():
    assert arguments.distribution("x", [[0.5, 0.5], [0, 0]]).shape == (2, 2)
    assert arguments.distribution("x", [[0.5, 0.5], [1, 0]], axis=1).shape == (2, 2)
    assert arguments.distribution("x", [0.1] * 10).sum() == pytest.approx(1)
    bad = [
        ([0.5, 0.4], None),
        ([0.5, 0.5 + 1e-6], None),
        ([1.5, -0.5], None),
        ([], None),
        (1.0, -1),
        ([[0.5, 0.5], [1, 1]], 1),
        ([[0.5, 0.5], [0, 0]], 1),
        ([float("nan"), 1], None),
    ]
    for value, axis in bad:
        with pytest.raises(ValueError, match="^x: "):
            arguments.distribution("x", value, axis=axis)


def test_tokens():
    assert arguments.tokens("x", ["a", np.str_("b")], "ab") == ("a", "b")
    assert arguments.tokens("x", []) == ()
    for bad in ("ab", b"ab", {"a"}, {"a": 1}, 3, None, ["a", 1], ["c"]):
        with pytest.raises(ValueError, match="^x: "):
            arguments.tokens("x", bad, "ab")
    with pytest.raises(ValueError, match="at least 2"):
        arguments.tokens("x", ["a"], least=2)
    with pytest.raises(ValueError, match="'c' at place 1"):
        arguments.tokens("x", ["a", "c"], "ab")


def test_sequences():
    assert list(arguments.sequences("x", iter([["a"], ("b", "c")]))) == [("a",), ("b", "c")]
    for bad in ([], "ab", 3, None, ["ab"], [[]], [["a"], [1]]):
        with pytest.raises(ValueError, match="^x: "):
            list(arguments.sequences("x", bad))


def test_generator():
    rng = np.random.default_rng(0)
    assert arguments.generator("rng", rng) is rng
    for bad in (None, 0, np.random, np.random.RandomState(0)):
        with pytest.raises(ValueError, match="^rng: wanted a Generator"):
            arguments.generator("rng", bad)
