"""What stands scattered over the pages, gathered: every check (with ``checks.json``), every figure, every open question."""

import hashlib
import json
import re
from html import escape, unescape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.addnodes import pending_xref
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from ..svg import prefix_ids

_CHECK = re.compile(r'data-check="([^"]*)"')
_PICTURE = re.compile(r'data-(?:explorer|diagram)="([^"]+)".*?(<svg.*?</svg>)', re.S)
KEPT = "lists.sha256"  # of what the lists said in the last build that ended well
_ACTIVE = re.compile(r' (?:tabindex|role|aria-label|data-\w+)="[^"]*"')


class gathered(nodes.General, nodes.Element):
    """Where a list will stand."""


class AllOf(SphinxDirective):
    """```{all-of} checks```, ``figures`` or ``questions``: everything of this kind in the book, each with a link to its place."""

    required_arguments = 1

    def run(self):
        kind = directives.choice(self.arguments[0], tuple(LISTS))
        _list_pages(self.env).add(self.env.docname)
        return [gathered(kind=kind)]


class Gatherer(EnvironmentCollector):
    """Reads a page when it is new; checks come from the outputs of its cells, so they are right under the execution cache too."""

    def clear_doc(self, app, env, docname):
        _list_pages(env).discard(docname)
        for rows in _gathered(env).values():
            rows.pop(docname, None)

    def merge_other(self, app, env, docnames, other):
        _list_pages(env).update(_list_pages(other))
        for kind, rows in _gathered(env).items():
            rows.update({docname: found for docname, found in _gathered(other)[kind].items() if docname in docnames})

    def process_doc(self, app, doctree):
        docname = app.env.docname
        for kind, find in (("checks", find_checks), ("figures", find_figures), ("questions", find_questions)):
            if found := find(doctree, docname):
                _gathered(app.env)[kind][docname] = found


def _gathered(env):
    if not hasattr(env, "toyattn_gathered"):
        env.toyattn_gathered = {kind: {} for kind in LISTS}
    return env.toyattn_gathered


def _list_pages(env):
    if not hasattr(env, "toyattn_list_pages"):
        env.toyattn_list_pages = set()
    return env.toyattn_list_pages


def _html(doctree):
    return [raw for raw in doctree.findall(nodes.raw) if raw.get("format") == "html"]


def find_checks(doctree, docname):
    """The checks of a page, as the dicts that ``check`` wrote; an id must not stand twice."""
    rows = [json.loads(unescape(data)) for raw in _html(doctree) for data in _CHECK.findall(raw.astext())]
    names = [row["id"] for row in rows]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ExtensionError(f"{docname}: checks with the same id on one page: {', '.join(twice)}")
    return rows


def find_figures(doctree, docname):
    """Explorers and diagrams: name, picture without anything that could be moved, and caption."""
    rows = []
    for figure in doctree.findall(nodes.figure):
        match = next(filter(None, (_PICTURE.search(raw.astext()) for raw in _html(figure))), None)
        caption = next(figure.findall(nodes.caption), None)
        if match and caption is not None:
            rows.append((match[1], _still(match[2]), _copied(_first_sentence(caption))))
    return rows


def _still(svg):
    """A thumbnail: as the page shows it before any script runs, and nothing in it can be reached or named, for the link around it
    does that."""
    svg = re.sub(r"<title>.*?</title>", "", _ACTIVE.sub("", svg), flags=re.S)
    return prefix_ids(svg, "thumb").replace("<svg", '<svg aria-hidden="true" focusable="false"', 1)


def _first_sentence(caption):
    """The children of a caption up to the end of its first sentence."""
    kept = []
    for child in caption.children:
        end = re.search(r"(?<=[.?!])\s", child.astext()) if isinstance(child, nodes.Text) else None
        kept.append(nodes.Text(child.astext()[: end.start()]) if end else child)
        if end:
            break
    return kept


def find_questions(doctree, docname):
    """The boxes that say what is not understood or was not tested; each gets an anchor."""
    boxes = [box for box in doctree.findall(nodes.admonition) if "question" in box["classes"]]
    for number, box in enumerate(boxes, 1):
        box["ids"].append(f"question-{docname.rpartition('/')[2]}-{number}")
    return [(box["ids"][-1], _copied(child for child in box.children if not isinstance(child, nodes.title))) for box in boxes]


def _copied(children):
    """Copies that do not hold on to their page, which would be kept with them from build to build."""
    copies = [child.deepcopy() for child in children]
    for copy in copies:
        for node in copy.findall():
            node._document = None
    return copies


# --- the lists -----------------------------------------------------------------------------------------------------------


def list_checks(app, docname, pages):
    """How many there are, and per page a fold with a line for each."""
    total = sum(map(len, pages.values()))
    parts = [f'<p class="checks-total"><strong>{total}</strong> checks on {len(pages)} pages, all confirmed when this book was built.</p>']
    for page, rows in pages.items():
        link = app.builder.get_relative_uri(docname, page)
        items = "".join(f'<li><a href="{link}#check-{row["id"]}">{row["id"]}</a> {escape(row["says"])}</li>' for row in rows)
        title = escape(app.env.titles[page].astext())
        parts.append(f'<details class="checks"><summary>{title}: {len(rows)}</summary><ul>{items}</ul></details>')
    return [nodes.raw("", "\n".join(parts), format="html")]


def list_figures(app, docname, pages):
    """Thumbnails with number and first sentence, in reading order."""
    gallery = nodes.container(classes=["gallery"])
    for page, rows in pages.items():
        for name, svg, caption in rows:
            number = ".".join(map(str, app.env.toc_fignumbers[page]["figure"][name]))
            link = f"{app.builder.get_relative_uri(docname, page)}#{name}"
            words = nodes.paragraph("", "", nodes.reference("", f"Fig. {number}", internal=True, refuri=link), nodes.Text(" "), *caption)
            picture = f'<a class="thumbnail" href="{link}" aria-hidden="true" tabindex="-1">{svg}</a>'
            gallery += nodes.container("", nodes.raw("", picture, format="html"), words, classes=["gallery-item"])
    return [gallery]


def list_questions(app, docname, pages):
    """The boxes themselves, with the page they stand on for a title."""
    boxes = []
    for page, rows in pages.items():
        for anchor, content in rows:
            link = f"{app.builder.get_relative_uri(docname, page)}#{anchor}"
            title = nodes.title("", "", nodes.reference("", app.env.titles[page].astext(), internal=True, refuri=link))
            boxes.append(nodes.admonition("", title, *content, classes=["question"]))
    return boxes


LISTS = {"checks": list_checks, "figures": list_figures, "questions": list_questions}


def rewrite_lists(app, env):
    """The lists, where what they say has changed since the last build; and the glossary with any page that will be written.

    Sphinx's search forgets the index entries of a page when it writes others only.
    """
    kept = Path(app.doctreedir, KEPT)
    same = kept.exists() and kept.read_text() == fingerprint(env)
    changed = set() if same else _list_pages(env)
    if changed or any(app.builder.get_outdated_docs()) or any(_read_anew(app, page) for page in env.found_docs):
        changed = changed | {page for page, entries in env.get_domain("index").entries.items() if entries}
    return sorted(changed & env.found_docs)


def fingerprint(env):
    """Changes with what the lists say: their rows, and the titles and numbers of the book."""
    rows = [(kind, page, _plain(found)) for kind, pages in _gathered(env).items() for page, found in sorted(pages.items())]
    titles = sorted((page, title.astext()) for page, title in env.titles.items())
    said = repr((rows, titles, sorted(env.toc_fignumbers.items()), sorted(env.toc_secnumbers.items())))
    return hashlib.sha256(said.encode()).hexdigest()


def _plain(row):
    if isinstance(row, nodes.Node):
        return row.pformat()
    return [_plain(part) for part in row] if isinstance(row, (list, tuple)) else row


def _read_anew(app, page):
    """Whether a page was read after it was written."""
    read, written = Path(app.doctreedir, f"{page}.doctree"), Path(app.outdir, app.builder.get_target_uri(page))
    return not written.exists() or read.stat().st_mtime > written.stat().st_mtime


def fill_lists(app, doctree, docname):
    """Put the rows where the directive stands; references in what was copied are resolved from here."""
    places = list(doctree.findall(gathered))
    for place in places:
        found = _gathered(app.env)[place["kind"]]
        pages = {page: found[page] for page in in_reading_order(app.env) if page in found}
        holder = nodes.container("", *LISTS[place["kind"]](app, docname, pages)).deepcopy()
        for reference in holder.findall(pending_xref):
            reference["refdoc"] = docname
        place.replace_self(holder.children)
    if places:
        app.env.resolve_references(doctree, docname, app.builder)


def in_reading_order(env):
    """Document names in the order of the table of contents."""
    order = [env.config.root_doc]
    for name in order:
        order.extend(child for child in env.toctree_includes.get(name, []) if child not in order)
    return sorted(env.found_docs, key=lambda name: (order.index(name) if name in order else len(order), name))


def write_json(app, exception):
    """``checks.json`` at the site's root: one row per check, in reading order; and what the lists say now, for the next build."""
    if exception or app.builder.format != "html":
        return
    Path(app.doctreedir, KEPT).write_text(fingerprint(app.env))
    keys = ("id", "page", "says", "expected", "computed", "tolerance", "kind", "ok", "trials")
    checks = _gathered(app.env)["checks"]
    rows = [
        {key: row[key] for key in keys if key in row}
        for page in in_reading_order(app.env)
        for row in ({**row, "page": app.builder.get_target_uri(page)} for row in checks.get(page, []))
    ]
    text = "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
    Path(app.outdir, "checks.json").write_text(text, encoding="utf-8")


def setup(app):
    """Register directive, collector and the events."""
    app.add_node(gathered)
    app.add_directive("all-of", AllOf)
    app.add_env_collector(Gatherer)
    app.connect("env-get-updated", rewrite_lists, priority=900)  # when figures have their numbers
    app.connect("doctree-resolved", fill_lists)
    app.connect("build-finished", write_json)
