"""The numbers that a figure states."""

import json
import math
from dataclasses import dataclass
from numbers import Rational

import numpy as np

from .digits import typeset


@dataclass(frozen=True)
class Readout:
    """A number, word or list that a figure states beside its drawing.

    Parameters
    ----------
    value : number, bool, str or sequence of numbers
        Kept in full precision for whoever reads the page by program.
    label : str
        What it is, in words.
    form : str
        Format specification of a number, such as ``".3f"`` or ``","``.
    unit : str
        Printed behind the value: ``"nats"``, ``"tokens"``; the same at every setting.
    """

    value: object
    label: str
    form: str = ""
    unit: str = ""

    @property
    def text(self):
        """The value as the reader sees it, without its unit."""
        value = _plain(self.value)
        if isinstance(value, list):
            return ", ".join(map(self._one, value))
        return "0" if value == 0 and not isinstance(value, bool) else self._one(value)

    @property
    def data(self):
        """The value in full precision, as it stands in ``data-value``."""
        value = _plain(self.value)
        if isinstance(value, list):
            return json.dumps(value)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, float) and math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return str(value)

    def _one(self, value):
        if isinstance(value, str):
            return value
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float) and math.isinf(value):
            return "infinite" if value > 0 else "−infinite"
        text = typeset(format(value, self.form))
        return text if text.strip("−+0.") else text.lstrip("−+")  # no sign where nothing is left of the number


def _plain(value):
    """The value in Python's own types: str, bool, int, float, or a list of these."""
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value):
        return [_plain(item) for item in value]
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    return float(value) if isinstance(value, Rational) and not isinstance(value, int) else value
