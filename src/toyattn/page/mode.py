"""Which face of the book is wanted: the static page that is being built, or a live kernel."""

import os

VARIABLE = "TOYATTN_BUILDING_BOOK"  # set by the Sphinx extension, inherited by the kernels that it starts


def building():
    """True in a kernel that executes a chapter for the static book."""
    return os.environ.get(VARIABLE) == "1"
