"""The numbers that a figure states."""

import json
import math
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np


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
        if isinstance(self.value, (list, tuple, np.ndarray)):
            return ", ".join(self._one(item) for item in self.value)
        return self._one(self.value)

    @property
    def data(self):
        """The value in full precision, as it stands in ``data-value``."""
        value = self.value.tolist() if isinstance(self.value, np.ndarray | np.generic) else self.value
        if isinstance(value, str):
            return value
        if isinstance(value, (list, tuple)):
            return json.dumps([item.item() if isinstance(item, np.generic) else item for item in value])
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, Real) and math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return str(int(value)) if isinstance(value, Integral) else repr(float(value))

    def _one(self, value):
        if isinstance(value, str):
            return value
        if isinstance(value, (bool, np.bool_)):
            return "yes" if value else "no"
        if math.isinf(value):
            return "infinite"
        return "0" if value == 0 else format(value, self.form).replace("-", "−")
