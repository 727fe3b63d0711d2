"""Refusals: every public function of the package checks its arguments with these.

Each check returns the value in the form the caller computes with, or raises a ValueError that
names the argument, what came and what was wanted.
"""

from contextvars import ContextVar
import functools
import inspect
import math
import numbers
import operator
import re

import numpy as np

SLACK = 1e-9  # rounding that a sum of probabilities may carry
MOST_SIZE = 10**9  # what is held or gone through one by one
MOST_NUMBER = 10**150  # numbers in formulas of floats, where their products fit too


class Refusal(ValueError):
    """The ValueError that all refusals share, with the name of the argument, what came and what was wanted."""

    def __init__(self, name, came, wanted):
        self.name, self.came, self.wanted = name, str(_shown(came)), wanted
        super().__init__(f"{name}: wanted {wanted}, got {self.came}")


def refuse(name, came, wanted):
    """Raise the Refusal of an argument."""
    raise Refusal(name, came, wanted)


def integer(name, value, least=None, most=None):
    """A Python int between least and most (bounds included); booleans and floats are refused."""
    wanted = "an integer" + _bounds(least, most)
    if isinstance(value, (bool, np.bool_)) or isinstance(value, np.ndarray):
        refuse(name, repr(value), wanted)
    try:
        value = operator.index(value)
    except TypeError:
        refuse(name, repr(value), wanted)
    if (least is not None and value < least) or (most is not None and value > most):
        refuse(name, value, wanted)
    return value


def size(name, value, least=1):
    """A Python int from least to MOST_SIZE: how many are held or gone through one by one."""
    return integer(name, value, least, MOST_SIZE)


def boolean(name, value):
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        refuse(name, repr(value), "True or False")
    return bool(value)


def real(name, value, least=None, most=None, infinite=False):
    """A finite float between least and most (bounds included); with `infinite` also the float inf."""
    if infinite and isinstance(value, float) and value == math.inf:
        return math.inf
    wanted = "a finite number" + _bounds(least, most) + (" or inf" if infinite else "")
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        refuse(name, repr(value), wanted)
    try:
        value = float(value)
    except OverflowError:
        refuse(name, "an integer beyond the floats", wanted)
    if not math.isfinite(value):
        refuse(name, value, wanted)
    if (least is not None and value < least) or (most is not None and value > most):
        refuse(name, value, wanted)
    return value


def choice(name, value, options):
    """One of the given options."""
    if not isinstance(value, str) or value not in options:
        refuse(name, repr(value), "one of " + ", ".join(options))
    return value


def array(name, value, shape=None, integers=False, least=None, most=None):
    """A finite array of floats (of int64 with integers=True).

    shape: tuple with one entry a dimension; None leaves that dimension open (but not empty).
    """
    found = rectangular(name, value)
    kinds = "iu" if integers else "iuf"
    if found.size and found.dtype.kind not in kinds:
        refuse(name, f"entries of type {found.dtype}", "integers" if integers else "numbers")
    if shape is not None:
        _check_shape(name, found.shape, shape)
    if integers and found.size and found.max() > np.iinfo(np.int64).max:
        refuse(name, f"an entry {found.max()}", "integers of 64 bits")
    with np.errstate(over="ignore"):  # of longer floats
        found = found.astype(np.int64 if integers else float)
    if not np.isfinite(found).all():
        refuse(name, "NaN or inf", "finite numbers")
    if least is not None and (found < least).any():
        refuse(name, f"an entry {found.min()}", f"entries of at least {least}")
    if most is not None and (found > most).any():
        refuse(name, f"an entry {found.max()}", f"entries of at most {most:.16g}")
    return found


def square(name, value):
    """A square matrix of finite floats."""
    found = array(name, value, shape=(None, None))
    if found.shape[0] != found.shape[1]:
        refuse(name, f"shape {found.shape}", "a square matrix")
    return found


def rectangular(name, value):
    """A numpy array of any type; ragged rows and masked arrays are refused."""
    if isinstance(value, np.ma.MaskedArray):
        refuse(name, "a masked array", "an array without a mask")
    try:
        return np.asarray(value)
    except ValueError:
        refuse(name, "rows of unequal length", "a rectangular array")


def distribution(name, value, shape=None, axis=None):
    """An array of probabilities that add up to 1 (over axis; over all entries if axis is None)."""
    found = array(name, value, shape=shape, least=0)
    if found.size == 0:
        refuse(name, "an empty array", "probabilities that add up to 1")
    if axis is not None and found.ndim == 0:
        refuse(name, "a number", "an array of probabilities")
    with np.errstate(over="ignore"):
        total = found.sum(axis=axis)
    if (np.abs(total - 1) > SLACK).any():
        worst = np.ravel(total)[np.argmax(np.abs(np.ravel(total) - 1))]
        refuse(name, f"a sum of {worst}", "probabilities that add up to 1")
    return found


def tokens(name, value, vocabulary=None, least=0):
    """A tuple of at least `least` token strings, all from the vocabulary if one is given."""
    if isinstance(value, (str, bytes, dict, set, frozenset)):
        refuse(name, f"a {type(value).__name__}", "a sequence of tokens")
    try:
        found = tuple(value)
    except TypeError:
        refuse(name, repr(value), "a sequence of tokens")
    for place, token in enumerate(found):
        if not isinstance(token, str):
            refuse(name, f"{token!r} at place {place}", "tokens that are strings")
        if vocabulary is not None and token not in vocabulary:
            refuse(name, f"{token!r} at place {place}", "tokens of the vocabulary")
    if len(found) < least:
        refuse(name, f"{len(found)} tokens", f"at least {least}")
    return found


def sequences(name, value):
    """Iterator over the token tuples of an iterable of texts; no text, or an empty one, is refused."""
    if isinstance(value, (str, bytes)):
        refuse(name, f"a {type(value).__name__}", "an iterable of token sequences")
    try:
        texts = iter(value)
    except TypeError:
        refuse(name, repr(value), "an iterable of token sequences")
    text = None
    for text in texts:
        yield tokens(name, text, least=1)
    if text is None:
        refuse(name, "none", "at least one token sequence")


def items(name, value, wanted):
    """A list of what an iterable holds, at least one; wanted: what it should be, in words."""
    try:
        found = list(value)
    except TypeError:
        refuse(name, repr(value), wanted)
    if not found:
        refuse(name, "none", wanted)
    return found


def instance(name, value, kind):
    """An instance of a class."""
    if not isinstance(value, kind):
        refuse(name, repr(value), f"a {kind.__name__}")
    return value


def generator(name, value):
    """A numpy.random.Generator."""
    return instance(name, value, np.random.Generator)


def function(name, value, wanted="a function of arrays"):
    """Something that can be called."""
    if not callable(value):
        refuse(name, repr(value), wanted)
    return value


def in_floats(*names):
    """Decorator of a function whose result must be finite: one with a NaN or inf is refused.

    names: the arguments whose sizes can drive it there; the one with the entry farthest from 1, as
    powers go, is named. Such functions may call each other: the outermost one checks and names.
    """

    def decorate(function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def checked(*args, **kwargs):
            if _inside.get():
                return function(*args, **kwargs)
            token = _inside.set(True)
            try:
                with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                    found = function(*args, **kwargs)
                if _finite(found):
                    return found
            except Refusal as refusal:  # an argument of ours, or of a function that it calls
                if refusal.name in signature.parameters or not re.search(r"(?i)\b(inf|nan)\b", refusal.came):
                    raise
            finally:
                _inside.reset(token)
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            refuse_sizes({name: given.arguments[name] for name in names})

        return checked

    return decorate


def refuse_sizes(given):
    """Refuse, of these numeric arguments ({name: value}), the one with the entry farthest from 1."""
    extremes = {name: _extreme(value) for name, value in given.items() if value is not None}
    name = max(extremes, key=lambda name: abs(math.log(extremes[name])))
    refuse(name, f"an entry of size {extremes[name]:g}", "numbers whose result is within the floats")


_inside = ContextVar("inside a function that in_floats checks", default=False)


def _finite(found):
    if isinstance(found, (tuple, list)):
        return all(map(_finite, found))
    if isinstance(found, (float, np.ndarray)):
        return bool(np.isfinite(found).all())
    return True


def _extreme(value):
    sizes = np.abs(np.asarray(value, dtype=float)).ravel()
    sizes = sizes[(sizes > 0) & (sizes < np.inf)]
    return float(sizes[np.abs(np.log(sizes)).argmax()]) if sizes.size else 1.0


def _shown(value):
    """The value, or words for an integer of very many digits, which Python may not print."""
    return "an integer of more than 40 digits" if isinstance(value, int) and abs(value) > 10**40 else value


def _bounds(least, most):
    if least is None and most is None:
        return ""
    least, most = _shown(least), f"{most:g}" if most == MOST_NUMBER else _shown(most)
    if most is None:
        return f" of at least {least}"
    if least is None:
        return f" of at most {most}"
    return f" from {least} to {most}"


def _check_shape(name, came, wanted):
    fits = len(came) == len(wanted) and all(
        have > 0 if want is None else have == want for have, want in zip(came, wanted)
    )
    if not fits:
        sizes = ", ".join("any" if want is None else str(want) for want in wanted)
        refuse(name, f"shape {came}", f"shape ({sizes})")
