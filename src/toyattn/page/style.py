"""One look for every figure: six roles of color, one matplotlib style, one canvas."""

import matplotlib
from matplotlib.figure import Figure

from .mode import building

OBSERVED = "#1f5fa8"  # blue: tokens, keys
HIDDEN = "#a04e14"  # copper: what asks or is hidden
DERIVED = "#6b3fa0"  # violet: what is stored or derived
RESULT = "#2a7337"  # green
LIMIT = "#b3261e"  # red: limit or cost
REST = "#5b6270"  # grey
INK = "#1a1a1a"  # text: follows the page
PAPER = "#ffffff"  # the page behind a figure

# What each color of a drawing becomes on the page, where CSS variables carry the theme.
CSS_COLORS = {
    OBSERVED: "var(--observed)",
    HIDDEN: "var(--hidden)",
    DERIVED: "var(--derived)",
    RESULT: "var(--result)",
    LIMIT: "var(--limit)",
    REST: "var(--rest)",
    INK: "currentColor",
    PAPER: "var(--paper)",
}

# What it is in the dark; page.css says both again for the book's own pages.
DARK = {
    OBSERVED: "#7db3f0",
    HIDDEN: "#e6a06a",
    DERIVED: "#bd9df2",
    RESULT: "#7fca8d",
    LIMIT: "#f28b82",
    REST: "#a3abb7",
    PAPER: "#121212",
}

ROLES = {"obs": "observed", "hid": "hidden", "der": "derived"}  # those that formulas have a macro for, by their CSS variables


def live_colors(selector):
    """CSS that gives elements of a live notebook the variables of color, in JupyterLab's light and dark themes."""
    light = ";".join(f"{CSS_COLORS[color][4:-1]}:{color}" for color in DARK)
    dark = ";".join(f"{CSS_COLORS[color][4:-1]}:{shade}" for color, shade in DARK.items())
    return f"{selector}{{{light}}}\n[data-jp-theme-light=false] {selector}{{{dark}}}\n"


# What a page without our style sheet needs of it: a live notebook, in JupyterLab's light and dark themes. Our own pages, where
# live code shows the same outputs, carry data-theme.
_LIVE_CSS = """\
:is(.explorer,.checks){max-width:640px}
.explorer svg{display:block;width:100%;height:auto;overflow:visible;color:inherit}
.explorer dl.readouts{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.4rem 1.2rem;margin:.7rem 0}
.explorer dl.readouts .readout.words{grid-column:1/-1}
.explorer dl.readouts dt{float:none;width:auto;font-weight:normal;font-size:.82em;color:var(--rest)}
.explorer dl.readouts dd{margin:0;padding:0}
.readout output{font-weight:600;font-variant-numeric:tabular-nums}
.checks{font-size:.86em;color:var(--rest)}
.checks .check{margin:.1rem 0}
.check .tick{color:var(--result)}
"""


def live_style():
    """The style element that an output carries in a live notebook; nothing where the book's style sheet is at hand."""
    if building():
        return ""
    return f"<style>:root:not([data-theme]){{\n{live_colors(':is(.explorer,.checks)')}{_LIVE_CSS}}}</style>"


WIDTH = 480  # drawing units; one unit is one point, and one CSS pixel where the page is 480 px wide

_RC = {
    "svg.fonttype": "none",
    "svg.hashsalt": "toyattn",
    "font.family": "DejaVu Sans",  # ships with matplotlib; wide, so no label overlaps in the page's own font
    "font.size": 12,
    "axes.titlesize": 12,
    "axes.labelsize": 12,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": REST,
    "xtick.color": REST,
    "ytick.color": REST,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "axes.unicode_minus": True,
    "legend.frameon": False,
    "lines.linewidth": 2,
    "lines.solid_capstyle": "butt",
    "path.simplify": False,
}


def use_style():
    """Set the book's matplotlib style for this process."""
    matplotlib.rcParams.update(_RC)


def canvas(height=200, *, axes=True):
    """A figure of the book's width.

    Parameters
    ----------
    height : number
        Drawing units; the width is always 480.
    axes : bool
        False gives one pair of axes without frame whose data coordinates are the drawing units,
        x from 0 to 480 to the right, y from 0 at the top down to ``height``.

    Returns
    -------
    (Figure, Axes)
    """
    figure = Figure(figsize=(WIDTH / 72, height / 72), layout="constrained" if axes else None)
    if axes:
        return figure, figure.subplots()
    plane = figure.add_axes((0, 0, 1, 1))
    plane.set(xlim=(0, WIDTH), ylim=(height, 0))
    plane.axis("off")
    return figure, plane
