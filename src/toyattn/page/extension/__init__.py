"""The Sphinx extension of the book: what a page may hold beyond MyST, and what is kept out of it."""

import os
from pathlib import Path

from ..mode import VARIABLE
from . import citation, details, diagrams, explorers, formulas, gathered, live, notebooks, publishing, references, sources, stylesheet, trim

STATIC = sources.PACKAGE / "page" / "static"


def setup(app):
    """Register the extension; kernels that Sphinx starts from here on know that they are building the book."""
    os.environ[VARIABLE] = "1"
    app.add_config_value("toyattn_extension", "", "env")  # pages are read anew when this changes …
    app.add_config_value("toyattn_look", "", "html")  # … and written anew when this changes
    app.connect("config-inited", configure, priority=100)
    for part in (sources, formulas, details, diagrams, explorers, gathered, citation, notebooks, live, publishing, references, trim, stylesheet):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def configure(app, config):
    """Serve our static files, and notice a change of this extension."""
    config.html_static_path.insert(0, str(STATIC))
    config.toyattn_extension = sources.hash_of(sources.EXTENSION.rglob("*.py"))
    folders = [trim.TEMPLATES, *(Path(app.srcdir, folder) for folder in config.html_static_path)]
    config.toyattn_look = sources.hash_of(file for folder in folders for file in Path(folder).rglob("*"))
    config.suppress_warnings += ["mystnb.unknown_mime_type"]
