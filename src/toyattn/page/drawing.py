"""What several figures draw: token cells, arcs between them, labels, matrices of squares, shares against a gap, the registers of a program. Coordinates are drawing units, y down."""

from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch, Rectangle
import numpy as np

from .style import DERIVED, HIDDEN, INK, OBSERVED, PAPER, REST, RESULT

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
    inset, middle, at = 1.5, x + width / 2, 0.5 if below is None else 0.33
    _boxed(plane, x + inset, y, width - 2 * inset, height, text, face=face, edge=edge, line=1.2, dash=dash, at=at, color=ink, fontsize=size)
    if below is not None:
        plane.text(middle, y + height * 0.72, below, ha="center", va="center_baseline", color=ink, fontsize=size - 1)
    return middle, y


def _boxed(plane, x, y, width, height, text, *, face, edge, line, dash="-", at=0.5, **letters):
    """A rectangle with a word in it, `at` this share of its height. Returns both."""
    box = plane.add_patch(Rectangle((x, y), width, height, facecolor=face, edgecolor=edge, linewidth=line, linestyle=dash))
    return box, plane.text(x + width / 2, y + height * at, text, ha="center", va="center_baseline", **letters)


def arc(plane, start, end, *, color=HIDDEN, bend=-0.3, dash="-"):
    """A thin curved arrow from one point to another."""
    plane.add_patch(
        FancyArrowPatch(
            start, end, connectionstyle=f"arc3,rad={bend}", arrowstyle="-|>", mutation_scale=8, color=color, linewidth=1.1,
            linestyle=dash, shrinkA=1, shrinkB=1,
        )
    )


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


def tile(plane, x, y, text, *, color=OBSERVED, depth=0.0, width=56, height=26, bold=False, gid=None):
    """A boxed number, tinted from clear (depth 0) to deep (depth 1, where its words keep 4.5:1 in the dark too).

    A gid makes box and number a button or a handle.
    """
    line, weight = (2.2, "bold") if bold else (0.8, "normal")
    for part in _boxed(plane, x, y, width, height, text, face=to_rgba(color, 0.42 * depth), edge=color, line=line, fontsize=13, weight=weight):
        part.set_gid(gid)


def label(plane, x, y, text, *, color=INK, ha="right", size=13):
    """A direct label that stays legible on lines: its ground is the page."""
    plane.text(x, y, text, ha=ha, color=color, fontsize=size, bbox=dict(facecolor=PAPER, edgecolor="none", pad=1))


def squares(plane, matrix, left, top, step, *, full):
    """A framed matrix of squares, area for size (cut off at `full`): filled is positive, hollow is negative."""
    height, width = step * np.array(matrix.shape)
    plane.add_patch(Rectangle((left, top), width, height, facecolor="none", edgecolor=REST, linewidth=0.8))
    for (row, column), entry in np.ndenumerate(matrix):
        side = 0.9 * step * min(abs(entry) / full, 1) ** 0.5
        corner = left + step * (column + 0.5) - side / 2, top + step * (row + 0.5) - side / 2
        look = dict(facecolor=DERIVED, linewidth=0) if entry > 0 else dict(facecolor="none", edgecolor=REST, linewidth=1)
        plane.add_patch(Rectangle(corner, side, side, **look))


def gap_axes(plane, bottom, guess):
    """Axes for a share of right answers against gaps 0 to 40, with a dotted line at a guess. Returns the maps to drawing units, (across, height)."""
    across, height = (lambda L: 46 + 10.3 * np.asarray(L)), (lambda share: bottom - 168 * np.asarray(share))
    plane.plot(across([0, 40]), [bottom, bottom], color=REST, lw=1, zorder=1)
    plane.plot(across([0, 40]), height([guess, guess]), color=REST, lw=1.2, ls=(0, (1, 2)))
    for share in (0, 0.5, 1):
        plane.text(39, height(share) + 4, f"{share:g}", ha="right", fontsize=12)
    for L in (0, 10, 20, 30, 40):
        plane.text(across(L), bottom + 16, str(L), ha="center", fontsize=12)
    plane.text(across(20), bottom + 36, "gap L, fillers", ha="center", fontsize=12.5)
    plane.text(4, height(1) - 12, "right", fontsize=12.5)
    label(plane, 450, height(0.04), f"guessing, 1/{1 / guess:g}", color=REST)
    return across, height


def shares(plane, axes, found, at, color, dash="-"):
    """A curve in gap_axes: mean of found (tables, gaps), a band from the worst table to the best, a dot at gap `at`."""
    (across, height), gaps, mean = axes, np.arange(found.shape[1]), found.mean(axis=0)
    plane.fill_between(across(gaps), height(found.min(axis=0)), height(found.max(axis=0)), color=color, alpha=0.16, lw=0)
    plane.plot(across(gaps), height(mean), color=color, ls=dash)
    plane.plot(across(at), height(mean[at]), "o", color=color, ms=7)


def box(plane, x, y, text, *, color=OBSERVED, full=False, ink=None, width=88, height=18, line=1.0, dash="-", size=13):
    """A word in a box of one color, filled or not; an empty one is dotted."""
    dash = dash if text else (0, (2, 3))
    face, ink = (color, ink or PAPER) if full else (PAPER, ink or color)
    _boxed(plane, x, y, width, height, text, face=face, edge=color, line=line, dash=dash, color=ink, fontsize=size)


def draw_registers(plane, tokens, prev, out, probability, step):
    """The program of two layers at work: its registers, one row a place, after `step` layers (0, 1 or 2).

    tokens: of a text with one "gave" and both cues; prev: what PREV holds at each place, None where empty; out,
    probability: what OUT holds, and the probability of the right name, at "then" and at "thanked".
    """
    gave, cues, done = tokens.index("gave"), [tokens.index("then"), tokens.index("thanked")], step == 2
    top = lambda t: 32 + 24 * t
    for x, name, color in [(18, "POS", OBSERVED), (82, "TOK", OBSERVED), (208, "PREV", DERIVED), (374, "OUT", DERIVED)]:
        plane.text(x, 20, name, ha="center", color=color, weight="bold", fontsize=13)
    for t, (token, note) in enumerate(zip(tokens, prev)):
        plane.text(18, top(t) + 9, str(t), ha="center", va="center_baseline", color=OBSERVED, fontsize=13)
        box(plane, 38, top(t), token, full=done and t == gave + 1)
        box(plane, 164, top(t), note or "", color=DERIVED, full=done and t == gave)
    for t, word, p in zip(cues, out, probability):
        box(plane, 330, top(t), word or "", color=DERIVED, full=done)
        plane.text(426, top(t) + 9, f"{p:.3f}", va="center_baseline", color=RESULT if done else INK, weight="bold" if done else "normal", fontsize=13)
    if step == 1:
        _notes(plane, top, len(tokens))
    if done:
        _fetches(plane, top, gave, cues)


def _notes(plane, top, n):
    """Layer 1: each token goes to the right neighbor's PREV, the first also to its own."""
    for start, end in [(0, 0), *((t, t + 1) for t in range(n - 1))]:
        ends = (126, top(start) + 9), (164, top(end) + 9)
        plane.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=9, color=DERIVED, lw=1.2, shrinkA=0, shrinkB=0))


def _fetches(plane, top, gave, cues):
    """Layer 2: what the cues ask for, framed, and what is copied to them."""
    for x, t in [(38, gave), (164, gave + 1), *((x, t) for x in (38, 330) for t in cues)]:
        plane.add_patch(Rectangle((x - 1, top(t) - 1), 90, 20, facecolor="none", edgecolor=HIDDEN, linewidth=2.6))
    y, under, note, then, thanked = top(gave + 1) + 9, top(gave + 1) + 22, top(gave) + 9, *(top(t) + 9 for t in cues)
    name = [(126, y), (144, y), (144, under), (270, under), (270, then), (320, then)]  # passes under its own note
    for path in (name, [(252, note), (286, note), (286, thanked), (320, thanked)]):
        plane.plot(*zip(*path), color=DERIVED, lw=1.8)
        plane.plot(*path[-1], ">", color=DERIVED, ms=8)
    for t, words in (gave, "thanked asks: TOK = gave"), (gave + 1, "then asks: PREV = gave"):
        plane.text(293, top(t) + 13, words, color=HIDDEN, fontsize=13)
    plane.text(293, top((gave + cues[0]) // 2 + 1) + 9, "in all other rows\nan average nobody reads", va="center", color=REST, fontsize=12)
