"""What a reader looks up: the site's search in a real browser, the glossary, the list of symbols."""

import re
from html import unescape

import pytest
from conftest import SITE
from served import served
from small_book import build, write

WHERE_DEFINED = {  # what a reader may type, and the chapter that introduces it
    "bag of words": "a/a2", "staircase": "a/a3", "binding": "a/a4", "perplexity": "a/a1", "interference": "b/b3",
    "bottleneck": "b/b3", "inverse temperature": "c/c1", "causal mask": "c/c1", "residual stream": "c/c4",
    "cache": "c/c5", "delta rule": "d/d1", "fast weight": "d/d3", "register": "e/e1", "induction circuit": "e/e4",
}


@pytest.fixture(scope="module")
def address(site):
    """The built book on a port of the loopback interface."""
    with served(site) as address:
        yield address


@pytest.fixture
def tab(browser, address):
    """A page on which no request leaves the site and no script fails."""
    tab = browser.new_page()
    astray = []
    tab.on("request", lambda r: astray.append(r.url) if not r.url.startswith((address, "data:", "blob:")) else None)
    tab.on("pageerror", lambda error: astray.append(str(error)))
    yield tab
    tab.close()
    assert astray == []


def results(tab):
    """Addresses of what was found, best first, once the search is over."""
    tab.wait_for_function("() => /finished|did not match/.test(document.querySelector('#search-results')?.textContent)")
    return tab.locator("#search-results ul.search li > a:first-child").evaluate_all("all => all.map(one => one.getAttribute('href'))")


@pytest.mark.parametrize("term", WHERE_DEFINED)
def test_a_term_leads_to_its_definition(tab, address, term):
    tab.goto(f"{address}/search.html?q={term.replace(' ', '+')}")
    found = results(tab)
    assert found[0] == f"book/glossary.html#term-{term.replace(' ', '-')}"
    assert f"book/{WHERE_DEFINED[term]}.html" in [address.split("#")[0] for address in found]


def test_what_the_book_does_not_say_is_not_found(tab, address):
    tab.goto(f"{address}/search.html?q=backgammon")
    assert results(tab) == []


def test_excerpts_are_words(tab, address):
    """No code, no buttons, no TeX and each formula once."""
    tab.goto(f"{address}/search.html?q=delta")
    results(tab)
    tab.wait_for_function("() => document.querySelectorAll('#search-results p.context').length > 5")
    said = " ".join(tab.locator("#search-results p.context").all_inner_texts())
    assert len(said) > 1000 and "delta" in said
    assert not re.search(r"\\[a-z]+|\bimport [a-z]+ |\.md \.|CodeCode|Reset", said)


def test_search_from_a_chapter(tab, address):
    tab.goto(f"{address}/book/d/d4.html")
    tab.keyboard.press("Control+k")
    field = tab.locator("input[type=search]:visible").first
    field.fill("staircase")
    field.press("Enter")
    tab.wait_for_url("**/search.html?q=staircase*")
    assert "book/glossary.html#term-staircase" in results(tab)


def test_every_definition_says_where_it_comes_from(site):
    page = (site / "book/glossary.html").read_text(encoding="utf-8")
    definitions = re.findall(r"<dd>(.*?)</dd>", page[page.index("glossary\"") :], re.S)
    assert len(definitions) >= 60
    assert [text for text in definitions if "<a class=\"reference internal\" href=" not in text] == []


def test_a_second_build_still_finds_the_terms(tmp_path):
    folder = write(tmp_path, "# A page\n")
    (folder / "_toc.yml").write_text("format: jb-book\nroot: page\nchapters:\n  - file: other\n  - file: glossary\n")
    (folder / "glossary.md").write_text("# Glossary\n\n```{glossary}\nquagmire\n  Wet ground.\n```\n")
    for text in ("Dry ground.", "Firm ground."):
        (folder / "other.md").write_text(f"# Another page\n\n{text}\n")
        status, said = build(folder)
        assert status == 0, said
    assert "term-quagmire" in (folder / "_build/html/searchindex.js").read_text(encoding="utf-8")


GREEK = re.compile(r"\\((?:var)?(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau"
                   r"|upsilon|phi|chi|psi|omega))(?![a-z])", re.I)


def formulas(html):
    """The formulas in a piece of a page, as written in TeX."""
    return [unescape(tex) for tex in re.findall(r'<annotation encoding="application/x-tex">(.*?)</annotation>', html, re.S)]


def symbols(page, table):
    """The symbols in the first column of a table."""
    html = (SITE / page).read_text(encoding="utf-8")
    rows = re.findall(r"<tr.*?</tr>", html[html.index(f'id="{table}"'):].split("</table>")[0], re.S)[1:]
    first = "".join(re.search(r"<td.*?</td>", row, re.S)[0] for row in rows)
    return {symbol.strip() for tex in formulas(first) for symbol in tex.split(", ")}


def test_the_list_of_symbols_has_those_of_the_first_page(site):
    first_page = symbols("book/index.html", "tab-i4-notation")
    assert len(first_page) >= 40
    assert first_page - symbols("book/symbols.html", "tab-symbols") == set()


def test_the_list_of_symbols_has_every_greek_letter_of_the_book(site):
    used = {path.relative_to(site).as_posix(): set(GREEK.findall(" ".join(formulas(path.read_text(encoding="utf-8")))))
            for path in site.glob("book/**/*.html")}
    assert len(set().union(*used.values())) >= 30
    listed = used.pop("book/symbols.html")
    assert {page: letters - listed for page, letters in used.items() if letters - listed} == {}
