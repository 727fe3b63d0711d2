"""Numbers and identities that are verified as the book builds; a wrong one stops the build."""

import json
import math
import re
import sys
from fractions import Fraction
from html import escape
from numbers import Integral, Real

import numpy as np

from .digits import typeset
from .style import live_style


class CheckFailed(AssertionError):
    """A claim of the book that the computation does not confirm."""


_NAME = re.compile(r"[\w.-]+")
_DIGITS = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
_pending = []  # rows of the cell that is running; shown together when it ends


def check(ident, computed, stated, says):
    """Confirm a stated number.

    Parameters
    ----------
    ident : str
        The claim's id, unique on its page.
    computed : number
        What the package or an enumeration gives.
    stated : str, int or Fraction
        Digits as the book prints them (``"10.499"``, ``"36,288"``, ``"2.4e11"``): the computed number must round to them, that
        is, lie within half a unit of the last digit; a whole number without decimal point must be met exactly by
        whole numbers, and ``"0"`` means zero. An int or Fraction: equality up to rounding errors (1e-9, relative above 1).
    says : str
        The claim in words, with its unit.

    Raises
    ------
    CheckFailed
        The computed number is another one; the message has id, both values, and the tolerance.
    """
    _demand_number(ident, computed)
    expected, tolerance = _stated(ident, stated, computed)
    exact_integers = isinstance(computed, Integral) and isinstance(expected, Integral)
    tolerance = 0 if exact_integers else tolerance
    ok = computed == expected if exact_integers else abs(float(computed) - float(expected)) <= tolerance
    kind = "integer" if exact_integers else "exact"
    _report(ident, says, str(stated), _plain(computed), tolerance, kind, bool(ok))


def check_within(ident, computed, low, high, says, *, trials):
    """Confirm a simulated number by an interval that was argued for beforehand.

    Parameters
    ----------
    ident, says : str
        As in :func:`check`.
    computed : number
        Result of a simulation with a fixed seed.
    low, high : number
        The interval, ends included.
    trials : int
        How many independent trials the number rests on.
    """
    _demand_number(ident, computed)
    if not isinstance(trials, Integral) or trials < 1:
        raise ValueError(f"trials of check {ident!r} is {trials!r}; wanted a whole number of trials")
    if not low <= high:
        raise ValueError(f"interval of check {ident!r} is [{low}, {high}]; wanted low <= high")
    ok = bool(low <= computed <= high)
    _report(ident, says, f"between {low:g} and {high:g}", _plain(computed), (high - low) / 2, "simulation", ok, trials=trials)


def check_bound(ident, computed, relation, bound, says):
    """Confirm that a number is above or below a stated bound (``relation`` is ``>``, ``>=``, ``<`` or ``<=``)."""
    _demand_number(ident, computed)
    relations = {">": computed > bound, ">=": computed >= bound, "<": computed < bound, "<=": computed <= bound}
    if relation not in relations:
        raise ValueError(f"relation of check {ident!r} is {relation!r}; wanted one of {', '.join(relations)}")
    _report(ident, says, f"{relation} {bound:,}", _plain(computed), 0, "bound", bool(relations[relation]))


def check_true(ident, holds, says):
    """Confirm a statement that was tested case by case, such as an enumeration that must agree everywhere."""
    if not isinstance(holds, (bool, np.bool_)):
        raise ValueError(f"holds of check {ident!r} is {holds!r}; wanted True or False")
    _report(ident, says, "true", bool(holds), 0, "symbolic", bool(holds))


def check_zero(ident, expression, says):
    """Confirm that a sympy expression, or every one of several, simplifies to 0."""
    import sympy

    items = expression if isinstance(expression, (list, tuple)) else [expression]
    if not items:
        raise ValueError(f"expression of check {ident!r} is empty; wanted at least one expression")
    left = [rest for rest in map(sympy.simplify, items) if rest != 0]
    _report(ident, says, "0", "0" if not left else str(left[0]), 0, "symbolic", not left)


def _demand_number(ident, computed):
    if isinstance(computed, (bool, np.bool_)) or not isinstance(computed, (Real, Fraction)):
        raise ValueError(f"computed of check {ident!r} is {computed!r}; wanted a number")


def _stated(ident, stated, computed):
    """The expected number and the tolerance that the way it is stated implies."""
    if isinstance(stated, (Integral, Fraction)) and not isinstance(stated, bool):
        return stated, 1e-9 * max(1, abs(stated))
    digits = str(stated).replace(",", "").replace("−", "-")
    if not isinstance(stated, str) or not _DIGITS.fullmatch(digits):
        raise ValueError(f"stated of check {ident!r} is {stated!r}; wanted digits in a string, an int or a Fraction")
    mantissa, _, exponent = digits.partition("e")
    decimals = len(mantissa.partition(".")[2])
    if "." not in mantissa and not exponent and (isinstance(computed, Integral) or int(digits) == 0):
        return int(digits), 1e-9
    half_unit = 0.5 * 10.0 ** (int(exponent or 0) - decimals)
    return float(digits), half_unit * (1 + 1e-9)


def _plain(value):
    """A value that JSON can hold."""
    if isinstance(value, Fraction):
        return float(value)
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _report(ident, says, expected, computed, tolerance, kind, ok, **more):
    if not isinstance(ident, str) or not _NAME.fullmatch(ident):
        raise ValueError(f"id of check is {ident!r}; wanted letters, digits, dots and hyphens")
    if not says:
        raise ValueError(f"check {ident!r} does not say what it claims")
    if not ok:
        raise CheckFailed(
            f"{ident}: {says}: the book states {expected}, computed {computed}"
            + (f" (tolerance {tolerance:.2g})" if tolerance else "")
        )
    if (shell := _shell()) is None:  # plain Python has no page to show it on
        return
    how = _source_of_argument(1)
    row = {"id": ident, "says": says, "expected": expected, "computed": computed, "tolerance": tolerance, "kind": kind,
           "how": how, "ok": ok, **more}
    if not _pending:
        _show_when_cell_ends(shell)
    _pending.append(row)


def _source_of_argument(position):
    """The code of the computed value, as it stands in the cell that calls a check."""
    import executing

    here = executing.Source.executing(sys._getframe(3))
    arguments = getattr(here.node, "args", ())
    return here.source.asttokens().get_text(arguments[position]) if len(arguments) > position else ""


def _shell():
    """The notebook's IPython, or None."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def _show_when_cell_ends(shell):
    def flush(*_):
        shell.events.unregister("post_execute", flush)
        rows, _pending[:] = list(_pending), []
        from IPython.display import HTML, display

        display(HTML(live_style() + checks_html(rows)))

    shell.events.register("post_execute", flush)


def checks_html(rows):
    """The box of one cell's checks: one line each, folded where there are more than three."""
    items = "".join(_row_html(row) for row in rows)
    if len(rows) <= 3:
        return f'<div class="checks">{items}</div>'
    return (
        f'<details class="checks"><summary>Check: {len(rows)} statements, each one confirmed as this page was built</summary>'
        f"{items}</details>"
    )


def _row_html(row):
    data = escape(json.dumps(row, ensure_ascii=False, sort_keys=True))
    computed, how = row["computed"], row["how"]
    if row["kind"] == "symbolic":
        verdict = "confirmed"
    else:
        number = f"{computed:,}" if isinstance(computed, int) else f"{computed:.7g}" if isinstance(computed, float) else str(computed)
        verdict = typeset(f"stated {row['expected']}, computed {number}")
    if "trials" in row:
        verdict += f" in {row['trials']:,} trials" if row["trials"] > 1 else " in one trial"
    code = f' <code title="how it was computed">{escape(how)}</code>' if how else ""
    return (
        f'<p class="check" id="check-{row["id"]}" data-check="{data}"><span class="tick">✓</span> {escape(row["says"])}: '
        f'<span class="verdict">{escape(verdict)}</span>{code}</p>'
    )
