"""A matplotlib figure as lines of small, theme-aware, reproducible SVG."""

import io
import re

from .style import CSS_COLORS

_DROPPED = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>", re.S
)
_TAG = re.compile(r"<[^>]+>")
_DECIMALS = re.compile(r"-?\d+\.\d{3,}(?:e[+-]?\d+)?")
_COLOR = re.compile("|".join(CSS_COLORS), re.I)
_FONT = re.compile(r"font-size: ([\d.]+)px; font-family: [^;\"]*")
_INVISIBLE = re.compile(r'<path [^>]*style="fill: none"/>')
_STILL = re.compile(r' transform="rotate\(-?0 [^)]*\)"')
_AUTOMATIC_ID = re.compile(r' id="(?:[A-Za-z.]+\d?[A-Za-z]*_\d+)"')
_ID = re.compile(r'\b(id="|href="#|url\(#)')
_CLIP = re.compile(r"\bp[0-9a-f]{10}\b")


def svg_lines(figure, prefix):
    """Draw a figure and return its SVG as lines, ready to be joined with newlines.

    Palette colors become CSS variables, the font that of the page, numbers keep two decimals; ids start with
    ``prefix`` so that several figures can share a page. An artist whose gid is ``drag-L`` becomes
    the handle of the control ``L`` (``data-drag="L"``); the gid ``set-part-A`` makes it a button that sets ``part``
    to ``A`` (``data-set="part=A"``).
    """
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True)
    text = _DROPPED.sub("", buffer.getvalue())
    text = _TAG.sub(lambda tag: _clean_tag(tag.group(), prefix), text)
    text = _INVISIBLE.sub("", text)
    clips = {}
    text = _CLIP.sub(lambda clip: clips.setdefault(clip.group(), f"clip{len(clips)}"), text)
    lines = [line.strip() for line in text.splitlines()]
    return _without_bare_groups([line for line in lines if line])


def _clean_tag(tag, prefix):
    if tag.startswith("<svg"):
        box = re.search(r'viewBox="[^"]*"', tag).group()
        return f'<svg {box} xmlns="http://www.w3.org/2000/svg" aria-hidden="true" focusable="false">'
    tag = tag.replace("xlink:href", "href")
    tag = re.sub(r' id="drag-(\w+)"', r' data-drag="\1"', tag)
    tag = re.sub(r' id="set-(\w+)-([^"]+)"', r' data-set="\1=\2"', tag)
    tag = _AUTOMATIC_ID.sub("", tag)
    tag = prefix_ids(tag, prefix)
    tag = _STILL.sub("", tag)
    tag = _FONT.sub(r"font-size: calc(\1px*var(--text,1))", tag)  # a phone may ask for larger letters
    tag = re.sub(r"; stroke-linejoin: miter|; ?fill-opacity: 1(?=[;\"])", "", tag)
    tag = _COLOR.sub(lambda color: CSS_COLORS[color.group().lower()], tag)
    return _DECIMALS.sub(lambda number: f"{float(number.group()):.2f}".rstrip("0").rstrip("."), tag)


def prefix_ids(text, prefix):
    """Ids and what refers to them begin with the prefix, so that several pictures can share a page."""
    return _ID.sub(rf"\g<1>{prefix}-", text)


def _without_bare_groups(lines):
    """Drop ``<g>`` … ``</g>`` pairs that carry no attribute: a third of matplotlib's elements."""
    kept, open_groups = [], []
    for line in lines:
        if line == "<g>":
            open_groups.append(False)
        elif line.startswith("<g") and not line.endswith("/>"):
            open_groups.append(True)
            kept.append(line)
        elif line == "</g>":
            if open_groups.pop():
                kept.append(line)
        else:
            kept.append(line)
    return kept
