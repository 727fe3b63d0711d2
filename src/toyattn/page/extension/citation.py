"""How to cite the book: drawn from CITATION.cff. A test compares its title, author and version with those of the book and the package."""

from pathlib import Path

import yaml
from docutils import nodes
from pybtex.database import Entry, Person
from sphinx.util.docutils import SphinxDirective

FILE = "CITATION.cff"


class CiteThisBook(SphinxDirective):
    """```{cite-this-book}```: a reference in the style of the APA, and one for BibTeX."""

    def run(self):
        path = Path(self.env.srcdir, FILE)
        if not path.is_file():
            raise self.error(f"cite-this-book: there is no file {FILE} beside _config.yml")
        self.env.note_dependency(str(path))
        work = yaml.safe_load(path.read_text(encoding="utf-8"))
        where = work.get("url") or self.config.toyattn_site
        block = nodes.literal_block("", bibtex(work, where), language="bibtex")
        return [nodes.paragraph("", "", *apa(work, where)), block]


def names(work, form):
    """The authors: of a person what ``form`` makes of family and given names, of a group its name."""
    return [author.get("name") or form(author["family-names"], author["given-names"]) for author in work["authors"]]


def year(work):
    """The year of the release, as text."""
    return str(work["date-released"])[:4]


def apa(work, where):
    """Docutils nodes of the reference: Authors. (year). *Title* (Version) [Computer software]. Address"""
    authors = names(work, lambda family, given: f"{family}, {' '.join(f'{word[0]}.' for word in given.split())}")
    listed = ", & ".join(filter(None, [", ".join(authors[:-1]), authors[-1]]))
    before = f"{listed.removesuffix('.')}. ({year(work)}). "
    after = f" (Version {work['version']}) [Computer software]." + (" " if where else "")
    link = [nodes.reference("", where, refuri=where)] if where else []
    return [nodes.Text(before), nodes.emphasis("", work["title"]), nodes.Text(after), *link]


def bibtex(work, where):
    """The entry for BibTeX; a group's name is kept in one piece by a second pair of braces."""
    fields = {"title": work["title"], "year": year(work), "note": f"Version {work['version']}"}
    if where:
        fields["url"] = where
    entry = Entry("misc", fields=fields)
    for author in work["authors"]:
        person = Person(first=author.get("given-names", ""), last=author.get("family-names", ""))
        if "name" in author:
            person = Person()
            person.last_names = ["{" + author["name"] + "}"]
        entry.add_person(person, "author")
    entry.key = "toyattn"
    return entry.to_string("bibtex")


def setup(app):
    """Register the directive."""
    app.add_directive("cite-this-book", CiteThisBook)
