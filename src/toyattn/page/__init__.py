"""What a notebook puts on a page: figures with controls, checks, tables, one look."""

from . import style
from .check import CheckFailed, check, check_bound, check_true, check_within, check_zero
from .explore import explore
from .readout import Readout
from .style import canvas
from .table import table

style.use_style()

__all__ = [
    "CheckFailed",
    "Readout",
    "canvas",
    "check",
    "check_bound",
    "check_true",
    "check_within",
    "check_zero",
    "explore",
    "style",
    "table",
]
