"""Diagrams: hand-written SVG files, put into the page so that they follow its theme, with parts and steps."""

from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ..control import Control
from ..explore import control_html
from ..svg import prefix_ids

SVG = "{http://www.w3.org/2000/svg}"


class Diagram(SphinxDirective):
    """```{diagram} figures/fig-i3-two-memories.svg``` with the caption as content.

    The figure is named after the file. An element with ``data-part="name"`` and a ``<title>`` can be pointed at and reached by
    keyboard; an element with ``data-step="2"`` (or ``"2-4"``) shows at those steps only, and the diagram gets a step control.
    """

    required_arguments = 1
    has_content = True

    def run(self):
        self.assert_has_content()
        path = Path(self.env.srcdir) / self.arguments[0]
        if not path.is_file():
            raise self.error(f"diagram: there is no file {self.arguments[0]}")
        self.env.note_dependency(str(path))
        try:
            svg = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        except ElementTree.ParseError as error:
            raise self.error(f"diagram {self.arguments[0]} is not well-formed: {error}") from error
        try:
            html = diagram_html(path.stem, svg)
        except ValueError as error:
            raise self.error(str(error)) from error
        figure = nodes.figure(classes=["diagram-figure"], names=[path.stem])
        self.set_source_info(figure)
        self.state.document.note_explicit_target(figure, figure)
        figure += nodes.raw("", html, format="html")
        holder = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, holder)
        figure += nodes.caption("", "", *holder[0].children)
        if len(holder) > 1:
            figure += nodes.legend("", *holder[1:])
        return [figure]


def diagram_html(name, svg):
    """The diagram with its step control, where it has steps."""
    title, description = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
    if title is None or description is None:
        raise ValueError(f"diagram {name} has no <title> and <desc>: readers who cannot see it need them")
    if any(element.tag == f"{SVG}script" for element in svg.iter()):
        raise ValueError(f"diagram {name} has a <script>; parts and steps are marked by data-part and data-step")
    words = f"{(title.text or name).strip()}. {' '.join(description.text.split())}"
    svg.remove(title), svg.remove(description)
    for part in svg.iter():
        if "data-part" in part.attrib:
            part.set("tabindex", "0")
            part.set("role", "img")
            part.set("aria-label", part.findtext(f"{SVG}title", part.get("data-part")))
    for key in ("width", "height"):
        svg.attrib.pop(key, None)
    has_parts = any("data-part" in element.attrib for element in svg.iter())
    svg.set("role", "group" if has_parts else "img")
    svg.set("aria-label", words)
    ElementTree.register_namespace("", SVG[1:-1])
    text = prefix_ids(ElementTree.tostring(svg, encoding="unicode"), name)
    return f'<div class="diagram" data-diagram="{name}">{text}{_steps_html(name, svg)}</div>'


def _steps_html(name, svg):
    last = max((int(e.get("data-step").split("-")[-1]) for e in svg.iter() if e.get("data-step")), default=0)
    if not last:
        return ""
    control = control_html(name, Control("step", "step", "range", tuple(range(1, last + 1)), 1))
    return f'<form class="controls" autocomplete="off" hidden>{control}</form><p class="visually-hidden" role="status"></p>'


def setup(app):
    """Register the directive."""
    app.add_directive("diagram", Diagram)
