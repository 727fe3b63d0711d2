"""One style sheet for the site, ``_static/book.css``: all that theme and extensions bring, less what no page uses.

The theme's sheets alone are 570 KB, which a phone has to read before it paints a word. They are joined in their order, and
lightningcss leaves out every rule whose class or id stands on no page and in no script that a page loads.
"""

import posixpath
import re
from pathlib import Path

import lightningcss

THEME = ("styles/theme.css", "styles/pydata-sphinx-theme.css")  # linked by the theme's layout, not listed by Sphinx
SCRIPTS = ("doctools.js", "sphinx_highlight.js", "searchtools.js", "scripts/pydata-sphinx-theme.js", "scripts/sphinx-book-theme.js", "page.js", "live.js")

_IMPORT = re.compile(r"""@import\s+["']([^"']+)["']\s*;""")
_URL = re.compile(r"""url\((["']?)(?!data:|#|/|[a-z]+:)([^)"']+)\1\)""")
_MARKS = re.compile(r"""\b(?:class|id)=["']([^"']*)["']""")
_SELECTED = re.compile(r"[.#]([A-Za-z_-][\w-]*)")
_WORD = re.compile(r"[\w-]+")


def note_sheets(app, pagename, templatename, context, doctree):
    """Remember the sheets that Sphinx would have linked, in its order; they are the same on every page."""
    listed = sorted(context["css_files"], key=lambda file: file.priority)
    app.builder.toyattn_sheets = [*THEME, *(str(file.filename).removeprefix("_static/") for file in listed)]


def write_sheet(app, exception):
    """Join the sheets and leave out what is not used."""
    sheets = getattr(app.builder, "toyattn_sheets", None)
    if exception or not sheets:
        return
    static = Path(app.outdir, "_static")
    whole = "\n".join(read_sheet(static, name) for name in sheets)
    unused = set(_SELECTED.findall(whole)) - used_names(app.outdir)
    # the sheets hold a few declarations that no browser reads either: error_recovery leaves them out
    css = lightningcss.process_stylesheet(whole, error_recovery=True, unused_symbols=unused)
    (static / "book.css").write_text(f"/* the used part of: {' '.join(sheets)} */\n{css}\n", encoding="utf-8")


def read_sheet(static, name):
    """A sheet's text with its imports in place and its addresses as seen from ``_static``."""
    folder = posixpath.dirname(name)
    text = (static / name).read_text(encoding="utf-8")
    text = _URL.sub(lambda url: f'url("{posixpath.normpath(posixpath.join(folder, url[2]))}")', text)
    return _IMPORT.sub(lambda other: read_sheet(static, posixpath.normpath(posixpath.join(folder, other[1]))), text)


def used_names(site):
    """Every class and id of the site's pages, and every word of the scripts: they may set one."""
    names = set()
    for page in Path(site).rglob("*.html"):
        for value in set(_MARKS.findall(page.read_text(encoding="utf-8"))):
            names.update(value.split())
    for script in SCRIPTS:
        names.update(_WORD.findall(Path(site, "_static", script).read_text(encoding="utf-8")))
    return names


def setup(app):
    """Listen after everything that adds a sheet, and write when all pages are there."""
    app.connect("html-page-context", note_sheets, priority=950)
    app.connect("build-finished", write_sheet, priority=900)  # the theme writes its colors of code only then
