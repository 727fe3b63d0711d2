"""Which face of the book is wanted: the static page that is being built, or a live kernel; and where the live one is opened."""

import os

VARIABLE = "TOYATTN_BUILDING_BOOK"  # set by the Sphinx extension, inherited by the kernels that it starts


def building():
    """True in a kernel that executes a chapter for the static book."""
    return os.environ.get(VARIABLE) == "1"


def lab_path(source):
    """Path of a chapter below any JupyterLab, as launch buttons, ``make live`` and the tests open it.

    >>> lab_path("book/a/a1.md")
    'lab/tree/book/a/a1.md'
    """
    return f"lab/tree/{source}"
