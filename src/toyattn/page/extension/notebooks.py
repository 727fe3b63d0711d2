"""Every chapter as a Jupyter notebook to take away, in the download menu beside its source."""

from pathlib import Path

import jupytext

FOLDER = "_sources"


def setup(app):
    """Before the theme makes the menu the link, after it the file: the theme would put the executed notebook there."""
    app.connect("html-page-context", offer, priority=400)
    app.connect("html-page-context", write, priority=900)


def offer(app, pagename, templatename, context, doctree):
    """A chapter with cells gets the link."""
    if doctree and "kernelspec" in app.env.metadata[pagename]:
        context["ipynb_source"] = f"{pagename}.ipynb"


def write(app, pagename, templatename, context, doctree):
    """Convert the source of a page that got the link."""
    if "ipynb_source" in context:
        target = Path(app.outdir, FOLDER, context["ipynb_source"])
        target.parent.mkdir(parents=True, exist_ok=True)
        source = Path(app.env.doc2path(pagename)).read_text(encoding="utf-8")
        target.write_text(notebook(source), encoding="utf-8")


def notebook(source):
    """The text of the notebook, without outputs, that a MyST source describes; the same bytes for the same source."""
    made = jupytext.reads(source, fmt="md:myst")
    for number, cell in enumerate(made.cells):
        cell.id = f"cell-{number}"  # jupytext draws these at random
    return jupytext.writes(made, fmt="ipynb")
