"""The controls of an explorer: what ``ipywidgets.interact`` abbreviates, as a grid of values."""

import inspect
from dataclasses import dataclass
from itertools import product
from numbers import Integral, Real


@dataclass(frozen=True)
class Control:
    """One control: its name in the drawing function, its label, its grid of values and the one it starts with."""

    name: str
    label: str
    kind: str  # "range", "choice" or "toggle"
    values: tuple
    start: object

    @property
    def step(self):
        """Distance between the values of a range."""
        return round(self.values[1] - self.values[0], 10) if len(self.values) > 1 else 1


def value_text(value):
    """A setting in words and on the page: ∞ for infinity, on and off for toggles."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Real) and not isinstance(value, Integral):
        return "∞" if value == float("inf") else f"{float(value):.10g}"
    return str(value)


def read_controls(draw, specs, labels):
    """The controls of ``draw`` from the abbreviations that the page gives.

    ``(low, high)`` or ``(low, high, step)`` is a slider, a list is a choice, ``bool`` is a checkbox; the start value is the
    default in the signature of ``draw``.

    Raises
    ------
    ValueError
        An abbreviation that is none of these, a parameter without control or default, or a default that is not on its grid.
    """
    figure = figure_id(draw)
    parameters = inspect.signature(draw).parameters
    if list(parameters) != list(specs):
        raise ValueError(f"{figure}: controls {list(specs)} given, but the drawing takes {list(parameters)}")
    for name in labels:
        if name not in specs:
            raise ValueError(f"{figure}: label for {name!r}, which is no control; the controls are {list(specs)}")
    return [_read(figure, parameters[name], spec, labels.get(name, name)) for name, spec in specs.items()]


def _read(figure, parameter, spec, label):
    name, start = parameter.name, parameter.default
    if start is parameter.empty:
        raise ValueError(f"{figure}: control {name!r} has no start value; give the drawing a default")
    if spec is bool:
        kind, values = "toggle", (False, True)
    elif isinstance(spec, tuple) and len(spec) in (2, 3) and all(isinstance(x, Real) for x in spec):
        kind, values = "range", _grid(figure, name, *spec)
    elif isinstance(spec, list) and len(spec) > 1:
        kind, values = "choice", tuple(spec)
    else:
        raise ValueError(f"{figure}: control {name!r} is {spec!r}; wanted (low, high[, step]), a list, or bool")
    if start not in values:
        raise ValueError(f"{figure}: start value {start!r} of control {name!r} is not on its grid {_short(values)}")
    return Control(name, label, kind, values, start)


def _grid(figure, name, low, high, step=1):
    if not (step > 0 and high > low):
        raise ValueError(f"{figure}: control {name!r} runs from {low} to {high} by {step}; wanted low < high, step > 0")
    low, high, step = (x.item() if hasattr(x, "item") else x for x in (low, high, step))
    count = int((high - low) / step + 1e-9) + 1
    values = (low + i * step for i in range(count))
    return tuple(v if isinstance(v, int) else round(v, 10) for v in values)


def _short(values):
    return ", ".join(map(value_text, values)) if len(values) < 9 else f"{values[0]}, {values[1]} … {values[-1]}"


def grid(controls):
    """Every setting, the last control changing fastest (the order in which the page's script counts)."""
    names = [control.name for control in controls]
    return [dict(zip(names, values)) for values in product(*(control.values for control in controls))]


def figure_id(draw):
    """``fig_a1_ruler`` draws the figure ``fig-a1-ruler``."""
    return draw.__name__.replace("_", "-")
