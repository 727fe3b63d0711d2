"""Keeps out of the page what the theme and Jupyter Book bring and this book does not use, and mends what they leave."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError

# The theme's script asks every code block and output for its width, on load and after every move of a slider, and so has the
# browser lay out all that page.css leaves for when it comes on screen. page.js asks only what is on screen.
TAB_STOPS = re.compile(r'"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)')

TEMPLATES = str(Path(__file__).resolve().parents[1] / "templates")

# Files of other extensions that have no work to do here: fold buttons (ours are native), copy buttons, tabs, in-page kernels;
# and inline settings for the theme's version switch and search as one types, which the book has not.
UNUSED = ("togglebutton", "clipboard", "copybutton", "design-tabs", "thebe", "THEBE_JS_URL", "toggleHint", "toggleOpen",
          "DOCUMENTATION_OPTIONS.")


def setup(app):
    """Our own two files, our layout, and the filter."""
    app.add_css_file("page.css", priority=900)
    app.add_js_file("page.js", loading_method="defer", priority=900)
    app.connect("config-inited", lambda app, config: config.templates_path.insert(0, TEMPLATES))
    app.connect("html-page-context", mend_excerpts)
    app.connect("html-page-context", drop_unused, priority=900)
    app.connect("build-finished", lighten_script)
    app.add_node(nodes.citation, override=True, html=(visit_citation, depart_citation))


def mend_excerpts(app, pagename, templatename, context, doctree):
    """The page of the search gets a script of its own."""
    if pagename == "search":
        app.add_js_file("search.js", loading_method="defer", priority=950)


def drop_unused(app, pagename, templatename, context, doctree):
    """Filter the scripts and style sheets that other extensions have put on the page; find the social picture from any folder."""
    context["metatags"] = context.get("metatags", "").replace('content="_static/', f'content="{context["content_root"]}_static/')
    for key in ("script_files", "css_files"):
        context[key] = [file for file in context[key] if not _is_unused(file)]


def _is_unused(file):
    text = f"{getattr(file, 'filename', file) or ''} {getattr(file, 'attributes', {}).get('body') or ''}"
    return any(word in text for word in UNUSED)


def lighten_script(app, exception):
    """Take the call that lays out the whole page out of the theme's script."""
    if exception or app.builder.format != "html":
        return
    path = Path(app.outdir, "_static", "scripts", "pydata-sphinx-theme.js")
    script, its_map, _ = path.read_text(encoding="utf-8").partition("//# sourceMappingURL")
    if not its_map:  # a changed script has no map: this one is from a build before, and no page was written in this one
        return
    script, found = TAB_STOPS.subn("0", script)
    if found != 1:
        raise ExtensionError(f"{path.name}: the call to leave out stands there {found} times, wanted once; was the theme changed?")
    path.write_text(script, encoding="utf-8")


def visit_citation(translator, node):
    """An entry of the reading list: the list around it is one for screen readers, so its entries must be items."""
    if not isinstance(node.previous_sibling(), nodes.citation):
        translator.body.append('<div role="list" class="citation-list">')
    translator.body.append(translator.starttag(node, "div", CLASS="citation", role="listitem"))


def depart_citation(translator, node):
    """Close the entry, and the list behind the last one."""
    translator.body.append("</div>\n")
    if not isinstance(node.next_node(descend=False, siblings=True), nodes.citation):
        translator.body.append("</div>\n")
