"""The Sphinx extension of the book: what a page may hold beyond MyST, and what is kept out of it."""

import hashlib
import os
from pathlib import Path

from ..mode import VARIABLE
from . import citation, details, diagrams, explorers, formulas, gathered, notebooks, publishing, trim

PACKAGE = Path(__file__).resolve().parents[2]
STATIC = PACKAGE / "page" / "static"


def setup(app):
    """Register the extension; kernels that Sphinx starts from here on know that they are building the book."""
    os.environ[VARIABLE] = "1"
    app.add_config_value("toyattn_sources", "", "env")  # pages are read anew when this changes …
    app.add_config_value("toyattn_look", "", "html")  # … and written anew when this changes
    app.connect("config-inited", configure, priority=100)
    for part in (formulas, details, diagrams, explorers, gathered, citation, notebooks, publishing, trim):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def configure(app, config):
    """Serve our static files, and let everything that was executed with other sources be executed again."""
    config.html_static_path.insert(0, str(STATIC))
    sources = list(PACKAGE.rglob("*.py"))
    fingerprint = hash_of(path for path in sources if "extension" not in path.parts)
    config.toyattn_sources = hash_of(sources)
    config.toyattn_look = hash_of((PACKAGE / "page" / "templates").rglob("*"))
    cache = Path(app.outdir).parent / ".jupyter_cache" / fingerprint
    cache.mkdir(parents=True, exist_ok=True)
    config.nb_execution_cache_path = str(cache)
    config.suppress_warnings += ["mystnb.unknown_mime_type"]


def hash_of(paths):
    """A hash of files. MyST-NB's cache knows a notebook's cells but not the package that they import."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
