"""Explorers stand in figures of their own name, so that caption, number and cross-references are theirs.

Their frames leave the page for files of their own, which the page's script asks for when the explorer comes near the screen: half
of the site's compressed bytes, and none of them needed to read it. They are scripts because a page read from a file may not
fetch anything else.
"""

import hashlib
import re
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError

_EXPLORER = re.compile(r'data-explorer="([^"]+)"')
_FRAMES = re.compile(r'data-explorer="([^"]+)"(.*?)<script type="application/gzip">([^<]*)</script>', re.S)


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


def move_frames(app, pagename, templatename, context, doctree):
    """Write the frames of a page's explorers to ``_static/frames`` and leave their address in the page."""
    folder = Path(app.outdir, "_static", "frames")

    def move(found):
        name, between, packed = found.groups()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.js").write_text(f'framesOf["{name}"] = "{packed}";\n', encoding="ascii")
        version = hashlib.sha256(packed.encode()).hexdigest()[:8]
        source = f"{context['content_root']}_static/frames/{name}.js?v={version}"
        return f'data-explorer="{name}" data-source="{source}"{between}'

    if "body" in context:
        context["body"] = _FRAMES.sub(move, context["body"])


def setup(app):
    """Check every page as it is read, and lighten it as it is written."""
    app.connect("doctree-read", check_names)
    app.connect("html-page-context", move_frames)
