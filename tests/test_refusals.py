"""Every public function refuses bad input with a ValueError that begins with the argument's name.

The lists of refusals_*.py hold, for each public function, one good call and what is bad for each of its arguments. A test walks the
package, so that a module, a function or an argument without an entry fails.
"""

import inspect
import warnings

from hypothesis import given, settings
import numpy as np
import pytest

import bad_input
import refusals_attention
import refusals_counting
import refusals_memory
import refusals_program
import toyattn
from toyattn import (
    ToyLang, arguments, bag, head, information, kernels, machine, mixtures, naive_bayes, pointer, positions, sharpness, toylang_memory,
)

LISTS = (refusals_counting, refusals_memory, refusals_attention, refusals_program)
CASES = {function: case for one in LISTS for function, case in one.CASES.items()}
EDGES = [edge for one in LISTS for edge in getattr(one, "EDGES", [])]
PAIRS = [(function, argument) for function, (_, bad) in CASES.items() for argument in bad if not bad[argument].is_empty]


def name_of(part):
    return getattr(part, "__qualname__", "")


def public_functions(module):
    """The functions that a module defines without an underscore, and a class with its methods where it is ToyLang."""
    found = {name: value for name, value in vars(module).items() if name[0] != "_" and getattr(value, "__module__", "") == module.__name__}
    yield from filter(inspect.isfunction, found.values())
    if ToyLang in found.values():
        yield ToyLang
        methods = (getattr(bad_input.LANG, name) for name in vars(ToyLang) if name[0] != "_")
        yield from filter(inspect.ismethod, methods)


def test_no_public_module_is_forgotten():
    modules = [module for one in LISTS for module in one.MODULES]
    exported = {value for value in vars(toyattn).values() if inspect.ismodule(value) and value.__name__ != "toyattn.page"}
    assert exported - {toyattn.arguments, toyattn.corpora} == set(modules) and len(set(modules)) == len(modules)


@pytest.mark.parametrize("one", LISTS, ids=lambda one: one.__name__)
def test_no_public_function_or_argument_is_forgotten(one):
    assert {function for module in one.MODULES for function in public_functions(module)} == set(one.CASES)
    for function, (good, bad) in one.CASES.items():
        assert set(good) == set(bad) == set(inspect.signature(function).parameters)
        assert function.__doc__


@pytest.mark.parametrize("function", CASES, ids=name_of)
def test_the_good_call_passes(function):
    function(**CASES[function][0])


@pytest.mark.parametrize("function, call", EDGES, ids=name_of)
def test_the_smallest_good_call_passes(function, call):
    function(**call)


@pytest.mark.parametrize("function, argument", PAIRS, ids=lambda part: part if isinstance(part, str) else name_of(part))
def test_bad_input_is_refused_by_name(function, argument):
    good, bad = CASES[function]

    @settings(max_examples=40, deadline=None, database=None, derandomize=True)
    @given(bad[argument])
    def refuses(value):
        with pytest.raises(ValueError) as refused:
            function(**{**good, argument: value})
        assert str(refused.value).startswith(f"{argument}: wanted ")
        assert ", got " in str(refused.value)

    refuses()


def finite(found):
    """Is there no NaN and no infinity in what came back?"""
    if isinstance(found, (tuple, list)):
        return all(map(finite, found))
    return bool(np.isfinite(found).all()) if isinstance(found, (float, np.ndarray)) else True


NUMERIC = [(function, argument) for function, argument in PAIRS if bad_input.extremes(CASES[function][0][argument])]
NAMED_FOR = {  # whose infinity psi makes, or whose weights add up to 0; what sets the range of another
    kernels.linear_attention: {"psi", "normalize"}, kernels.linear_attention_by_state: {"psi", "normalize"},
    pointer.beta_for_mean: {"mean"}, sharpness.certified_error: {"beta"},
}
INFINITE = {head.unshifted_softmax, information.cost}  # it is there to overflow; what is impossible costs inf


@pytest.mark.parametrize("function, argument", NUMERIC, ids=lambda part: part if isinstance(part, str) else name_of(part))
def test_at_the_edges_of_floats_and_integers(function, argument):
    """A finite result without a warning, or a refusal that names the argument, or the one that it has to fit."""
    good, _ = CASES[function]
    for value in bad_input.extremes(good[argument]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                found = function(**{**good, argument: value})
                found = list(found) if inspect.isgenerator(found) else found
            except ValueError as refused:
                named = NAMED_FOR.get(function, set()) | {argument}
                assert str(refused).partition(": wanted ")[0] in named, f"{refused} for {value!r}"
            else:
                assert finite(found) or function in INFINITE, f"{found} for {value!r}"


CHECKED = [(function, argument) for function, argument in NUMERIC if hasattr(function, "__wrapped__")
           and bad_input.is_float(CASES[function][0][argument])]


@pytest.mark.parametrize("function, argument", CHECKED, ids=lambda part: part if isinstance(part, str) else name_of(part))
def test_of_several_large_arguments_the_largest_is_named(function, argument):
    good, _ = CASES[function]
    for size in (1e150, 1e10):
        call = {name: bad_input.grown(value, 1e300 if name == argument else size) for name, value in good.items()}
        try:
            assert finite(function(**call))
        except ValueError as refused:
            assert str(refused).partition(": wanted ")[0] in NAMED_FOR.get(function, set()) | {argument}, refused


WRONG_PARTS = {
    "stream": None, "layers": [()], "W_U": np.eye(3), "code": np.eye(3), "reading": "soft", "note_at_0": 1,
}


@pytest.mark.parametrize("part", WRONG_PARTS)
def test_a_machine_of_wrong_parts_is_refused(part):
    built, other = refusals_program.BUILT, refusals_program.OTHER
    parts = {name: getattr(built, name) for name in WRONG_PARTS}
    machine.Machine(**parts)
    for wrong in (WRONG_PARTS[part], other.layers if part == "layers" else WRONG_PARTS[part]):
        with pytest.raises(ValueError, match=f"^{part}: wanted "):
            machine.Machine(**{**parts, part: wrong})


def test_a_register_that_is_none_is_refused():
    with pytest.raises(ValueError, match="^register: wanted one of TOK, POS, PREV, OUT"):
        refusals_program.STREAM.units("HEAD")


@pytest.mark.parametrize("call, name", [
    (lambda most: bag.log_likelihood([float(most), 1.0], [0.5, 0.5]), "counts"),
    (lambda most: naive_bayes.fit([[float(most), 1.0]], [0]), "counts"),
    (lambda most: mixtures.em([[float(most), 1.0]], [[0.5, 0.5]], 1), "counts"),
    (lambda most: pointer.beta_needed(most, 0.5), "m"),
])
def test_counts_have_a_largest(call, name):
    call(arguments.MOST_NUMBER)
    with pytest.raises(ValueError, match=f"^{name}: "):
        call(2 * arguments.MOST_NUMBER)


def test_places_and_gaps_have_a_largest():
    with pytest.raises(ValueError, match="^places: "):
        positions.sinusoidal([positions.MOST_PLACE + 1], 4)
    with pytest.raises(ValueError, match="^gaps: "):
        toylang_memory.accuracy([toylang_memory.MOST_GAP + 1], np.random.default_rng(0), sentences=1)
