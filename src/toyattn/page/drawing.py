"""What several figures draw: token cells, arcs between them, staircases of labels. Coordinates are drawing units, y down."""

from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch, Rectangle

from .style import HIDDEN, INK, OBSERVED, PAPER, REST

# How a token cell looks by what kind of place it is: face, edge, dash, text.
CELLS = {
    "choice": (HIDDEN, HIDDEN, "-", PAPER),
    "copy": ("none", HIDDEN, (0, (3, 2)), INK),
    "template": ("none", REST, "-", INK),
    "observed": (OBSERVED, OBSERVED, "-", PAPER),
    "plain": ("none", OBSERVED, "-", INK),
}


def cell(plane, x, y, text, kind="plain", *, width=48, height=26, below=None, size=11):
    """A token cell with its upper left corner at (x, y), and an optional second line inside it.

    Returns the point in the middle of its upper edge, where arcs start.
    """
    face, edge, dash, ink = CELLS[kind]
    inset = 1.5
    plane.add_patch(Rectangle((x + inset, y), width - 2 * inset, height, facecolor=face, edgecolor=edge, linestyle=dash, linewidth=1.2))
    middle = x + width / 2
    if below is None:
        plane.text(middle, y + height / 2, text, ha="center", va="center_baseline", color=ink, fontsize=size)
    else:
        plane.text(middle, y + height * 0.33, text, ha="center", va="center_baseline", color=ink, fontsize=size)
        plane.text(middle, y + height * 0.72, below, ha="center", va="center_baseline", color=ink, fontsize=size - 1)
    return middle, y


def arc(plane, start, end, *, color=HIDDEN, bend=-0.3, label=None, arrow=True, dash="-"):
    """A thin curved arrow from one point to another, with a label at its middle."""
    plane.add_patch(
        FancyArrowPatch(
            start, end, connectionstyle=f"arc3,rad={bend}", arrowstyle="-|>" if arrow else "-", mutation_scale=8,
            color=color, linewidth=1.1, linestyle=dash, shrinkA=1, shrinkB=1,
        )
    )
    if label:
        (x0, y0), (x1, y1) = start, end
        x, y = (x0 + x1) / 2 - bend * (y1 - y0) / 2, (y0 + y1) / 2 + bend * (x1 - x0) / 2
        plane.text(x, y, label, ha="center", va="center", color=color, fontsize=11)


def marker(plane, x, top, bottom, text, control, *, left=False):
    """A vertical line with a ring on top that drags a control, and its value to the right or left of the ring."""
    plane.plot([x, x], [top, bottom], color=OBSERVED, linewidth=1.2)
    ring, = plane.plot([x], [top], "o", markersize=9, markerfacecolor=PAPER, markeredgecolor=OBSERVED, markeredgewidth=2)
    ring.set_gid(f"drag-{control}")
    plane.text(x - 12 if left else x + 12, top + 5, text, ha="right" if left else "left", color=OBSERVED, fontsize=13)


def power_text(value):
    """A large number in a figure: 1,008 as it is, 36,288 as 3.6·10⁴, a thousand or more that is a power of ten as 10³."""
    digits, exponent = f"{value:.1e}".split("e")
    exact = abs(value / 10.0 ** int(exponent) - 1) < 1e-9 and value >= 1000
    if value < 10_000 and not exact:
        return f"{value:,.0f}"
    power = "10" + str(int(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return power if exact else f"{digits}·{power}"


def tile(plane, x, y, text, *, color=OBSERVED, depth=0.0, width=56, height=26, size=13, bold=False, gid=None):
    """A boxed number, tinted from clear (depth 0) to deep (depth 1); a gid makes box and number a button or a handle."""
    box = Rectangle((x, y), width, height, facecolor=to_rgba(color, 0.45 * depth), edgecolor=color, linewidth=2.2 if bold else 0.8)
    plane.add_patch(box)
    label = plane.text(x + width / 2, y + height / 2, text, ha="center", va="center_baseline", fontsize=size, weight="bold" if bold else "normal")
    for part in (box, label):
        part.set_gid(gid)
