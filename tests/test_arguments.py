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


def test_items():
    assert arguments.items("x", iter("ab"), "letters") == ["a", "b"]
    for bad in ([], (), "", 3, None):
        with pytest.raises(ValueError, match="^x: wanted letters, got "):
            arguments.items("x", bad, "letters")


def test_generator():
    rng = np.random.default_rng(0)
    assert arguments.generator("rng", rng) is rng
    for bad in (None, 0, np.random, np.random.RandomState(0)):
        with pytest.raises(ValueError, match="^rng: wanted a Generator"):
            arguments.generator("rng", bad)


def test_size():
    assert arguments.size("x", 1) == 1 and arguments.size("x", np.int64(0), 0) == 0
    for bad in (0, 10**9 + 1, 10**400, 1.0, True):
        with pytest.raises(ValueError, match="^x: wanted an integer from 1 to 1000000000, got "):
            arguments.size("x", bad)


def test_integers_that_python_does_not_print():
    for call in (lambda n: arguments.integer("x", n, 1, 5), lambda n: arguments.integer("x", 0, n), lambda n: arguments.real("x", n)):
        with pytest.raises(ValueError, match="^x: wanted .*, got "):
            call(10**5000)


def test_what_would_pass_as_another_number_is_refused():
    with pytest.raises(ValueError, match="^x: wanted integers of 64 bits"):
        arguments.array("x", np.array([2**63], dtype=np.uint64), integers=True)
    with pytest.raises(ValueError, match="^x: wanted an array without a mask"):
        arguments.array("x", np.ma.masked_array([1.0, 2.0], [True, False]))
    assert arguments.array("x", np.array([2**63 - 1], dtype=np.uint64), integers=True) == 2**63 - 1


@arguments.in_floats("a", "b")
def product(a, b, c=1.0):
    """a b c."""
    return arguments.array("a", a) * arguments.array("b", b) * c


@arguments.in_floats("x")
def square(x):
    """x^2, by the product."""
    return product(x, x), [product(x, 0)]


def test_results_beyond_the_floats_name_the_argument_that_is_farthest_from_1():
    assert product(1e300, 1e8) == 1e308 and product.__doc__ == "a b c."
    for a, b, name in ((1e300, 1e10, "a"), (1e10, 1e300, "b"), ([1.0, 1e200], [1.0, 1e250], "b"), (1e-320, 1e300, None)):
        if name is None:
            assert product(a, b) > 0
            continue
        with pytest.raises(ValueError, match=f"^{name}: wanted numbers whose result is within the floats, got an entry of size "):
            product(a, b)
    with pytest.raises(ValueError, match="^a: wanted numbers"):
        product(1.5, 1.0, c=np.nan)


def test_a_function_inside_another_leaves_the_naming_to_it():
    assert square(2.0) == (4.0, [0.0])
    with pytest.raises(ValueError, match="^x: wanted numbers whose result is within the floats, got an entry of size 1e\\+200"):
        square(1e200)
    with pytest.raises(ValueError, match="^b: wanted numbers"):  # the outer call is over
        product(1.0, 1e308, c=1e10)


def test_inner_refusals_of_infinities_are_named_by_the_outer_function():
    @arguments.in_floats("x")
    def outer(x):
        return arguments.array("inner", np.float64(x) * 10)

    with pytest.raises(ValueError, match="^x: wanted numbers"):
        outer(1e308)
    with pytest.raises(ValueError, match="^y: wanted something"):
        arguments.in_floats("x")(lambda x: arguments.refuse("y", "else", "something"))(1)


def test_the_words_of_a_range():
    for call, words in [
        (lambda: arguments.real("x", "1", 0, infinite=True), "x: wanted a finite number of at least 0 or inf, got '1'"),
        (lambda: arguments.real("x", "1", 0), "x: wanted a finite number of at least 0, got '1'"),
        (lambda: arguments.integer("n", 0.5, 1, arguments.MOST_NUMBER), f"n: wanted an integer from 1 to {arguments.MOST_NUMBER:g}, got 0.5"),
        (lambda: arguments.array("A", [1.0], shape=(None, 3)), "A: wanted shape (any, 3), got shape (1,)"),
        (lambda: arguments.integer("n", 10**40, most=5), "n: wanted an integer of at most 5, got 1" + 40 * "0"),
        (lambda: arguments.integer("n", 10**40 + 1, most=5), "n: wanted an integer of at most 5, got an integer of more than 40 digits"),
    ]:
        with pytest.raises(ValueError) as refused:
            call()
        assert str(refused.value) == words


@pytest.mark.parametrize("rows, worst", [([[0.4, 0.5], [0.75, 0.75]], 1.5), ([[0.25, 0.25], [0.6, 0.6]], 0.5)])
def test_the_sum_that_is_farthest_from_1_is_named(rows, worst):
    with pytest.raises(ValueError, match=f"got a sum of {worst}$"):
        arguments.distribution("p", rows, axis=-1)


@pytest.mark.parametrize("given, name", [
    ({"a": [1e-200], "b": [1e10]}, "a"),
    ({"scores": [-np.inf, 3.0], "beta": 1e5}, "beta"),
    ({"a": [0.0], "b": [1.5]}, "b"),
    ({"a": [10**30, 1], "b": 2.0}, "a"),
])
def test_the_size_farthest_from_1_is_named(given, name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        arguments.refuse_sizes(given)
