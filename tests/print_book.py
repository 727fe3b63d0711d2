"""The whole book as one PDF: every page printed by Chromium, joined in reading order, its links led inside.

python tests/print_book.py [_build/book.pdf]
"""

import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml
from conftest import SITE, launch
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link
from pypdf.generic import ArrayObject, Fit, NameObject

ROOT = SITE.parents[1]
SKIPPED = {"book/figures"}  # thumbnails of what stands at its place anyway
FOOTER = ('<div style="width:100%;font:8px sans-serif;color:#5b6270;padding:0 15mm;display:flex;justify-content:space-between">'
          '<span class="title"></span><span class="pageNumber"></span></div>')


def reading_order():
    """[(heading of the part, [page, …]), …] from the table of contents; pages without suffix."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [(part["caption"], [chapter["file"] for chapter in part["chapters"]]) for part in toc["parts"]]
    return [("", [toc["root"]]), *((caption, [page for page in pages if page not in SKIPPED]) for caption, pages in parts)]


def print_page(tab, page, target):
    """Print one page of the site, its folds open, and return its title."""
    tab.goto(f"file://{SITE}/{page}.html")
    tab.evaluate("document.fonts.ready")
    tab.pdf(path=target, format="A4", margin=dict(top="16mm", bottom="18mm", left="15mm", right="15mm"),
            display_header_footer=True, header_template="<span></span>", footer_template=FOOTER)
    return tab.locator("h1").first.evaluate("heading => heading.firstChild.textContent").strip()


def join(parts, printed, titles, target):
    """One file with an outline, in which a link to a page of the book leads to where that page begins."""
    writer, first = PdfWriter(), {}
    for caption, pages in parts:
        part = None
        for page in pages:
            first[page] = len(writer.pages)
            writer.append(PdfReader(printed[page]), import_outline=False)
            part = part or (writer.add_outline_item(title=caption, page_number=first[page]) if caption else None)
            writer.add_outline_item(title=titles[page], page_number=first[page], parent=part)
    for number, sheet in enumerate(writer.pages):
        _lead_inside(writer, number, sheet, first)
    writer.add_metadata({"/Title": yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["title"]})
    writer.write(target)
    return len(writer.pages)


def _lead_inside(writer, number, sheet, first):
    kept, inside = ArrayObject(), []
    for reference in sheet.get("/Annots", ()):
        annotation = reference.get_object()
        url = urlsplit(annotation.get("/A", {}).get("/URI", ""))
        page = str(Path(unquote(url.path)).with_suffix("")).removeprefix(f"{SITE}/") if url.scheme == "file" else None
        if page in first:
            inside.append((annotation["/Rect"], first[page]))
        elif page is None:
            kept.append(reference)
    sheet[NameObject("/Annots")] = kept  # a link to any other file of the site leads nowhere on paper
    for rectangle, target in inside:
        writer.add_annotation(number, Link(rect=rectangle, target_page_index=target, fit=Fit.fit_horizontally()))


def main(target):
    parts = reading_order()
    folder = target.with_suffix(".pages")
    folder.mkdir(parents=True, exist_ok=True)
    printed, titles = {}, {}
    with sync_playwright() as playwright, launch(playwright) as browser:
        tab = browser.new_page()
        for page in (page for _, pages in parts for page in pages):
            printed[page] = folder / f"{page.replace('/', '-')}.pdf"
            titles[page] = print_page(tab, page, printed[page])
    count = join(parts, printed, titles, target)
    print(f"{count} pages, {target.stat().st_size / 1e6:.1f} MB: {target}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "_build" / "book.pdf"))
