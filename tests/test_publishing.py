"""What a published site says of its address, and what it does not say when it has none; workflow and citation file."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import nbformat
import pytest
import small_book
import yaml
from conftest import SITE
from docutils import nodes
from lab import lab_path
from pybtex.database import parse_string
from sphinx.errors import ConfigError

from toyattn.page.extension.address import Repository, find_repository, find_site, read_remote
from toyattn.page.extension.citation import apa, bibtex
from toyattn.page.extension.notebooks import notebook

ROOT = SITE.parents[1]
WORKFLOW = ROOT / ".github" / "workflows" / "book.yml"
GITHUB = {"GITHUB_REPOSITORY": "Ann/the-book", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REF": "refs/heads/next"}

# what the build is told: (environment, git remote)
TOLD = {
    "nothing": ({}, None),
    "environment": (GITHUB, None),
    "https": ({}, "https://github.com/Ann/the-book.git"),
    "ssh": ({}, "git@gitlab.com:Ann/the-book.git"),
    "elsewhere": ({"SITE_URL": "https://example.org"}, "https://git.example.org/Ann/the-book.git"),
}


@pytest.mark.parametrize("address, want", [
    ("https://github.com/Ann/the-book", ("github.com", "Ann", "the-book")),
    ("https://github.com/Ann/the-book.git", ("github.com", "Ann", "the-book")),
    ("https://github.com/Ann/ann.github.io/", ("github.com", "Ann", "ann.github.io")),
    ("https://ann:secret@github.com/Ann/the-book.git", ("github.com", "Ann", "the-book")),
    ("git@github.com:Ann/the-book.git", ("github.com", "Ann", "the-book")),
    ("ssh://git@gitlab.com/Ann/the-book.git", ("gitlab.com", "Ann", "the-book")),
    ("", None),
    ("/srv/git/the-book.git", None),
    ("https://git.example.org/Ann/the-book.git", None),
    ("https://github.com.example.org/Ann/the-book", None),
    ("https://example.org/github.com/Ann/the-book", None),
    ("https://gitlab.com/group/part/the-book.git", None),
    ("https://github.com/Ann", None),
])
def test_remote(address, want):
    assert read_remote(address) == (want and Repository(*want))


@pytest.mark.parametrize("ref, branch", [
    ("refs/heads/next", "next"), ("refs/pull/7/merge", "main"), ("refs/tags/v1", "main"), ("", "main"),
])
def test_branch_is_the_one_that_is_built(ref, branch, tmp_path):
    found = find_repository(tmp_path, {"GITHUB_REPOSITORY": "Ann/the-book", "GITHUB_REF": ref})
    assert found == ("github.com", "Ann", "the-book", branch)


def test_another_server_is_not_taken_for_github(tmp_path):
    assert find_repository(tmp_path, {**GITHUB, "GITHUB_SERVER_URL": "https://git.example.org"}) is None


def test_remote_of_a_folder_above_is_not_ours(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", "https://github.com/Ann/other.git"], check=True)
    (tmp_path / "inside").mkdir()
    assert find_repository(tmp_path / "inside", {}) is None
    assert find_repository(tmp_path, {}).name == "other"


@pytest.mark.parametrize("repository, environ, want", [
    (None, {}, ""),
    (Repository("github.com", "Ann", "the-book"), {}, "https://ann.github.io/the-book/"),
    (Repository("github.com", "Ann", "Ann.github.io"), {}, "https://ann.github.io/"),
    (Repository("gitlab.com", "Ann", "the-book"), {}, ""),
    (Repository("github.com", "Ann", "the-book"), {"SITE_URL": "https://book.example"}, "https://book.example/"),
    (Repository("github.com", "Ann", "the-book"), {"SITE_URL": ""}, "https://ann.github.io/the-book/"),
    (None, {"SITE_URL": "http://book.example/deep/"}, "http://book.example/deep/"),
])
def test_site(repository, environ, want):
    assert find_site(repository, environ) == want


@pytest.mark.parametrize("told", ["book.example", "ftp://book.example/", "https://", "https://book.example/?a=1", "https://book.example/#a"])
def test_site_that_is_no_address(told):
    with pytest.raises(ConfigError, match="SITE_URL: wanted an address") as refusal:
        find_site(None, {"SITE_URL": told})
    assert repr(told) in str(refusal.value)


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """A small book, built with each of what it can be told; by name, the folder of the site."""

    def build(name):
        environ, remote = TOLD[name]
        folder = small_book.write(tmp_path_factory.mktemp(name), small_book.GOOD + "\n```{cite-this-book}\n```\n")
        shutil.copy(ROOT / "CITATION.cff", folder)
        if remote:
            subprocess.run(["git", "init", "-q", folder], check=True)
            subprocess.run(["git", "-C", folder, "remote", "add", "origin", remote], check=True)
        status, output = small_book.build(folder, environ=environ)
        assert status == 0, output[-3000:]
        return folder / "_build" / "html"

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(TOLD, pool.map(build, TOLD)))


def page(site):
    """The small book's page."""
    return (site / "page.html").read_text(encoding="utf-8")


def links(site):
    """Every address that a reader of the page can follow out of the site."""
    return [unescape(link) for link in re.findall(r'<a href="(https?:[^"]*)"', page(site))]


def head(site):
    """What the head says: the canonical address, and meta properties by name."""
    canonical = re.findall(r'<link rel="canonical" href="([^"]*)"', page(site))
    return canonical, dict(re.findall(r'<meta property="(og:[^"]*)" content="([^"]*)"', page(site)))


def test_unknown_address_is_not_invented(sites):
    site = sites["nothing"]
    canonical, meta = head(site)
    assert not [link for link in links(site) if "binder" in link or "git" in link]
    assert "launch-buttons" not in page(site) and "source-buttons" not in page(site)
    assert canonical == [] and "og:url" not in meta and meta["og:image"] == "./_static/social.png"
    assert not (site / "sitemap.xml").exists() and not (site / "robots.txt").exists()
    assert "<base" not in (site / "404.html").read_text()


@pytest.mark.parametrize("told, path, branch, host", [
    ("environment", "/v2/gh/Ann/the-book/next", "next", "github.com"),
    ("https", "/v2/gh/Ann/the-book/main", "main", "github.com"),
    ("ssh", "/v2/gl/Ann%2Fthe-book/main", "main", "gitlab.com"),
])
def test_buttons_lead_to_the_repository(sites, told, path, branch, host):
    (binder,) = [urlsplit(link) for link in links(sites[told]) if "binder" in link]
    assert (binder.scheme, binder.netloc, binder.path) == ("https", "mybinder.org", path)
    assert parse_qs(binder.query) == {"urlpath": [lab_path("page.md")]}
    repository = [link for link in links(sites[told]) if link.startswith(f"https://{host}/Ann/the-book")]
    edit = "/-/edit/" if host == "gitlab.com" else "/edit/"
    assert repository[0] == f"https://{host}/Ann/the-book"
    assert repository[1] == f"https://{host}/Ann/the-book{edit}{branch}/page.md"
    assert "/issues/new?" in repository[2] and len(repository) == 3


@pytest.mark.parametrize("told, root", [
    ("environment", "https://ann.github.io/the-book/"), ("https", "https://ann.github.io/the-book/"), ("elsewhere", "https://example.org/"),
])
def test_known_address_is_absolute(sites, told, root):
    site = sites[told]
    canonical, meta = head(site)
    assert canonical == [meta["og:url"]] == [f"{root}page.html"]
    assert meta["og:image"] == f"{root}_static/social.png"
    mapped = ElementTree.parse(site / "sitemap.xml").findall("{*}url/{*}loc")
    assert [place.text for place in mapped] == [f"{root}page.html"]
    assert (site / "robots.txt").exists() == (told == "elsewhere")
    assert f'<a class="reference external" href="{root}">' in page(site)


def test_repository_elsewhere_has_no_buttons(sites):
    assert not [link for link in links(sites["elsewhere"]) if "binder" in link or "git" in link]


@pytest.mark.parametrize("told, root", [("environment", "https://ann.github.io/the-book/"), ("elsewhere", "https://example.org/")])
def test_lost_reader_finds_back(sites, browser, told, root):
    """At any depth the page looks as the others do, and its links lead into the book."""
    site, failed = sites[told], []

    def serve(route):
        path = route.request.url.removeprefix(root).partition("?")[0].partition("#")[0]
        file = site / path
        if not route.request.url.startswith(root) or not file.is_file():
            failed.append(route.request.url)
            return route.fulfill(status=404, path=site / "404.html", content_type="text/html")
        return route.fulfill(path=file)

    context = browser.new_context()
    context.route("**/*", serve)
    tab = context.new_page()
    lost = f"{root}book/old/place.html"
    tab.goto(lost)
    assert tab.get_by_role("heading", name="No such page").is_visible()
    tab.get_by_role("link", name="first page").click()
    assert tab.url == f"{root}page.html"
    assert failed == [lost]
    context.close()


SOURCES = sorted(path.relative_to(ROOT) for path in (ROOT / "book").rglob("*.md"))
CHAPTERS = [path for path in SOURCES if "{code-cell}" in (ROOT / path).read_text(encoding="utf-8")]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=str)
def test_chapter_is_offered_as_notebook(site, chapter):
    """The link stands in the page itself, and leads to a valid notebook with the cells of the source, in its order."""
    html = (site / chapter).with_suffix(".html").read_text(encoding="utf-8")
    (link,) = re.findall(r'<a href="([^"]*\.ipynb)"', html)
    read = nbformat.read((site / chapter).parent / link, as_version=4)
    nbformat.validate(read)
    fences = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", (ROOT / chapter).read_text(encoding="utf-8"), flags=re.M | re.S)
    bodies = [re.sub(r"\A(---\n.*?\n---\n|(:[^\n]*\n)*)", "", fence, flags=re.S).strip() for fence in fences]
    assert [cell.source.strip() for cell in read.cells if cell.cell_type == "code"] == bodies
    assert not any(cell.get("outputs") for cell in read.cells)


def test_notebook_is_the_same_every_time():
    source = (ROOT / CHAPTERS[0]).read_text(encoding="utf-8")
    assert notebook(source) == notebook(source)
    ids = [cell["id"] for cell in json.loads(notebook(source))["cells"]]
    assert len(set(ids)) == len(ids) > 10


def test_page_without_cells_has_no_notebook(site):
    assert ".ipynb" not in (site / "book/references.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("schema, file", [("github-workflows", WORKFLOW), ("citation-file-format", ROOT / "CITATION.cff")])
def test_schema(schema, file):
    done = run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", file)
    assert done.returncode == 0, done.stdout


def test_workflow_is_audited():
    """No permission too many, no foreign code unpinned, no input of strangers in a command."""
    done = run("zizmor", "--offline", "--persona", "pedantic", WORKFLOW)
    assert done.returncode == 0, done.stdout + done.stderr


def test_workflow_publishes_main_alone():
    workflow = yaml.safe_load(WORKFLOW.read_text())
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert workflow[True] == {"push": {"branches": ["main"]}, "pull_request": None}  # yaml reads the key "on" as true
    assert workflow["permissions"] == {} and build["permissions"] == {"contents": "read"}
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert publish["needs"] == "build" and publish["if"] == "github.event_name == 'push'"
    commands = [step["run"] for step in build["steps"] if "run" in step]
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.M)
    assert commands == ["make book", "make test"] and {"book", "test"} <= set(targets)
    for step in build["steps"] + publish["steps"]:
        assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/none@v1"))


def run(command, *arguments):
    """One of the tools that are installed beside this Python."""
    return subprocess.run([Path(sys.executable).with_name(command), *arguments], capture_output=True, text=True)


PEOPLE = {
    "title": "A {Title} & more",
    "version": "1.2",
    "date-released": date(2031, 5, 6),
    "authors": [{"family-names": "Doe", "given-names": "Jane Q"}, {"family-names": "van Roe", "given-names": "Jo"}, {"name": "The group"}],
}


def text_of(work, where):
    """The APA reference as plain text."""
    return nodes.paragraph("", "", *apa(work, where)).astext()


def test_citation_names_persons_and_groups():
    assert text_of(PEOPLE, "https://x.example/") == (
        "Doe, J. Q., van Roe, J., & The group. (2031). A {Title} & more (Version 1.2) [Computer software]. https://x.example/"
    )
    assert text_of({**PEOPLE, "authors": PEOPLE["authors"][:1]}, "").startswith("Doe, J. Q. (2031). A")
    entry = parse_string(bibtex(PEOPLE, "https://x.example/"), "bibtex").entries["toyattn"]
    assert [str(person) for person in entry.persons["author"]] == ["Doe, Jane Q", "van Roe, Jo", "{The group}"]
    assert (entry.fields["title"], entry.fields["year"], entry.fields["url"]) == (r"A {Title} \& more", "2031", "https://x.example/")


def test_citation_is_of_this_book_and_this_package():
    work, book = (yaml.safe_load((ROOT / name).read_text(encoding="utf-8")) for name in ("CITATION.cff", "_config.yml"))
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert work["title"].startswith(f"{book['title']}: ") and book["title"] == book["sphinx"]["config"]["project"]
    assert [author["name"] for author in work["authors"]] == [book["author"]]
    assert (work["version"], str(work["date-released"].year)) == (package["version"], book["copyright"])


def test_citation_on_the_page_is_the_file(site):
    work = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    html = (site / "book/cite.html").read_text(encoding="utf-8")
    shown = unescape(re.sub(r"<[^>]+>", "", html))
    for fact in (work["title"], work["version"], str(work["date-released"].year), work["authors"][0]["name"]):
        assert shown.count(fact) >= 2
