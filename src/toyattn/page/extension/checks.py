"""Gathers the checks that stand on the pages: ``checks.json``, and the page that lists them all."""

import json
import re
from html import escape, unescape
from pathlib import Path

from docutils import nodes
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

_CHECK = re.compile(r'data-check="([^"]*)"')


class all_checks(nodes.General, nodes.Element):
    """Where the list of all checks will stand."""


class AllChecks(SphinxDirective):
    """```{all-checks}```: the list of every check in the book, each with a link to its place."""

    def run(self):
        self.env.all_checks_page = self.env.docname
        return [all_checks()]


class CheckCollector(EnvironmentCollector):
    """Reads the checks of a page from the outputs of its cells, so that they are right under the execution cache too."""

    def clear_doc(self, app, env, docname):
        _rows(env).pop(docname, None)

    def merge_other(self, app, env, docnames, other):
        _rows(env).update({docname: rows for docname, rows in _rows(other).items() if docname in docnames})

    def process_doc(self, app, doctree):
        rows = [
            json.loads(unescape(data))
            for raw in doctree.findall(nodes.raw)
            if raw.get("format") == "html" and "data-check=" in raw.astext()
            for data in _CHECK.findall(raw.astext())
        ]
        names = [row["id"] for row in rows]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ExtensionError(f"{app.env.docname}: checks with the same id on one page: {', '.join(twice)}")
        if rows:
            _rows(app.env)[app.env.docname] = rows


def _rows(env):
    if not hasattr(env, "toyattn_checks"):
        env.toyattn_checks = {}
    return env.toyattn_checks


def rewrite_list(app, env):
    """The list changes with any page."""
    page = getattr(env, "all_checks_page", None)
    return [page] if page in env.found_docs else []


def fill_list(app, doctree, docname):
    """Put the rows where the directive stands."""
    for place in list(doctree.findall(all_checks)):
        pages = [page for page in in_reading_order(app.env) if page in _rows(app.env)]
        total = sum(len(_rows(app.env)[page]) for page in pages)
        parts = [f'<p class="checks-total"><strong>{total}</strong> checks on {len(pages)} pages, all confirmed when this book was built.</p>']
        for page in pages:
            link = app.builder.get_relative_uri(docname, page)
            title = escape(app.env.titles[page].astext())
            items = "".join(
                f'<li><a href="{link}#check-{row["id"]}">{row["id"]}</a> {escape(row["says"])}</li>' for row in _rows(app.env)[page]
            )
            parts.append(f'<details class="checks"><summary>{title}: {len(_rows(app.env)[page])}</summary><ul>{items}</ul></details>')
        place.replace_self(nodes.raw("", "\n".join(parts), format="html"))


def in_reading_order(env):
    """Document names in the order of the table of contents."""
    order = [env.config.root_doc]
    for name in order:
        order.extend(child for child in env.toctree_includes.get(name, []) if child not in order)
    return sorted(env.found_docs, key=lambda name: (order.index(name) if name in order else len(order), name))


def write_json(app, exception):
    """``checks.json`` at the site's root: one row per check, in reading order."""
    if exception or app.builder.format != "html":
        return
    keys = ("id", "page", "says", "expected", "computed", "tolerance", "kind", "ok", "trials")
    rows = [
        {key: row[key] for key in keys if key in row}
        for page in in_reading_order(app.env)
        for row in ({**row, "page": app.builder.get_target_uri(page)} for row in _rows(app.env).get(page, []))
    ]
    text = "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
    Path(app.outdir, "checks.json").write_text(text, encoding="utf-8")


def setup(app):
    """Register directive, collector and the two events."""
    app.add_node(all_checks)
    app.add_directive("all-checks", AllChecks)
    app.add_env_collector(CheckCollector)
    app.connect("env-updated", rewrite_list)
    app.connect("doctree-resolved", fill_list)
    app.connect("build-finished", write_json)
