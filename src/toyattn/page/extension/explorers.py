"""Explorers stand in figures of their own name, so that caption, number and cross-references are theirs."""

import re

from docutils import nodes
from sphinx.errors import ExtensionError

_EXPLORER = re.compile(r'data-explorer="([^"]+)"')


def check_names(app, doctree):
    """Stop at an explorer outside a figure, or in a figure with another name."""
    for raw in doctree.findall(nodes.raw):
        for name in _EXPLORER.findall(raw.astext()) if raw.get("format") == "html" else ():
            figure = raw.parent
            while figure is not None and not isinstance(figure, nodes.figure):
                figure = figure.parent
            names = figure["names"] if figure is not None else []
            if name not in names:
                where = f"a figure named {', '.join(names)}" if names else "no named figure"
                raise ExtensionError(
                    f"{app.env.docname}: explorer {name!r} stands in {where}; its cell needs mystnb: figure: name: {name}"
                )


def setup(app):
    """Check every page as it is read."""
    app.connect("doctree-read", check_names)
