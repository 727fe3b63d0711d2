"""What a second build writes: nothing when nothing changed, else what changed and what gathers it; how often it loads a page."""

import json

import pytest
from small_book import GOOD, build, write
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from toyattn.page.extension import references

LISTS = "# Lists\n\n```{all-of} checks\n```\n\n```{all-of} figures\n```\n"
GLOSSARY = "# Glossary\n\n```{glossary}\nbag of words\n  Words without their order.\n```\n"


@pytest.fixture
def folder(tmp_path):
    """A book of three pages, built once."""
    folder = write(tmp_path, GOOD)
    (folder / "lists.md").write_text(LISTS)
    (folder / "glossary.md").write_text(GLOSSARY)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: page\nchapters: [{file: lists}, {file: glossary}]\n")
    assert {"page.html", "lists.html", "glossary.html"} <= written(folder)
    return folder


def written(folder):
    """The files of the site that a build writes, by name; the build must succeed."""
    site = folder / "_build" / "html"
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    status, output = build(folder)
    assert status == 0, output
    return {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file() and before.get(path) != path.stat().st_mtime_ns}


def test_only_what_changed_is_written_again(folder):
    site, page = folder / "_build" / "html", folder / "page.md"
    assert not {name for name in written(folder) if name.endswith(".html")}

    page.write_text(GOOD + "\nOne more sentence.\n")
    changed = written(folder)
    assert "page.html" in changed and "lists.html" not in changed
    assert '"bag of words"' in (site / "searchindex.js").read_text()

    page.write_text(GOOD.replace("seven halves", "half of seven").replace("One bar.", "A single bar."))
    assert {"page.html", "lists.html"} <= written(folder)
    lists = (site / "lists.html").read_text()
    assert "half of seven" in lists and "A single bar." in lists
    assert "half of seven" in [row["says"] for row in json.loads((site / "checks.json").read_text())]


def test_a_page_that_was_lost_is_written_again(folder):
    (folder / "_build" / "html" / "lists.html").unlink()
    assert "lists.html" in written(folder)
    assert '"bag of words"' in (folder / "_build" / "html" / "searchindex.js").read_text()


def test_numbered_references_load_a_page_once(tmp_path, monkeypatch):
    (tmp_path / "index.rst").write_text("Start\n=====\n\n.. toctree::\n\n   other\n\n:numref:`pic` and :numref:`pic`, then :numref:`pic`\n")
    (tmp_path / "other.rst").write_text("Other\n=====\n\n.. _pic:\n\n.. figure:: a.png\n\n   A picture.\n")
    (tmp_path / "a.png").touch()
    loads, load = [], BuildEnvironment.get_doctree
    monkeypatch.setattr(BuildEnvironment, "get_doctree", lambda env, page: loads.append(page) or load(env, page))

    settings = {"numfig": True, "extensions": [references.__name__]}
    app = Sphinx(tmp_path, None, tmp_path / "_out", tmp_path / "_trees", "html", settings, status=None, warningiserror=True)
    app.build()
    assert (tmp_path / "_out" / "index.html").read_text().count("Fig. 1") == 3
    assert loads.count("other") == 2  # to be numbered, and to be looked at
