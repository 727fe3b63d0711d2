"""The built book in a real browser, from files, with the network cut."""

import json
import re
from html import unescape
from urllib.parse import quote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import SITE, payload
from in_page import FOCUS, LETTERS, MARK_REPEATED, MOTION, OPEN_ALL

PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.glob("book/**/*.html"))
EXPLORERS = [
    (page, name) for page in PAGES for name in re.findall(r'data-explorer="([^"]+)"', (SITE / page).read_text(encoding="utf-8"))
]
AXE = Axe()
TARGETS = {"target-size": {"enabled": True}}  # what can be pressed measures 24 px; axe asks for it only when told to


@pytest.fixture
def visit(browser, request):
    """Open a page; afterwards no request may have left the site and nothing may have been complained of."""
    opened = []

    def go(page, *, fragment="", silent=True, **options):
        options = {"viewport": {"width": 1280, "height": 900}, "offline": True, **options}
        context = browser.new_context(**options)
        tab = context.new_page()
        noise = []
        tab.on("request", lambda r: noise.append(r.url) if not r.url.startswith(("file:", "data:", "blob:")) else None)
        tab.on("requestfailed", lambda r: noise.append(f"{r.failure}: {r.url}") if r.failure != "net::ERR_ABORTED" else None)  # aborted: left before it came
        tab.on("pageerror", lambda error: noise.append(str(error)))
        tab.on("console", lambda m: noise.append(m.text) if m.type in ("error", "warning") else None)
        opened.append((context, noise if silent else []))
        tab.goto(f"file://{SITE}/{page}{fragment}")
        return tab

    yield go
    for context, noise in opened:
        context.close()
        assert noise == []


def shown(explorer):
    """The readouts that stand beside a figure."""
    return explorer.locator("output").evaluate_all("all => all.map(one => [one.dataset.value, one.value])")


def expect_frame_of(tab, explorer, data):
    """What is shown becomes the frame that was drawn for the setting of the controls."""
    number = 0
    for control in explorer.locator(".control").all():
        number = number * control.evaluate(GRID_SIZE) + control.evaluate(GRID_INDEX)
    want = data["frames"][number][1]
    tab.wait_for_function("([root, want]) => JSON.stringify([...root.querySelectorAll('output')].map(o => [o.dataset.value, o.value])) === want",
                          arg=[explorer.element_handle(), json.dumps(want, ensure_ascii=False, separators=(",", ":"))], timeout=3000)
    drawn = explorer.locator(".stage").evaluate("stage => stage.querySelectorAll('text').length")
    lines = [data["lines"][i] for i in data["frames"][number][0]]
    assert drawn == sum(line.count("<text") for line in lines)
    label = explorer.locator(".stage").get_attribute("aria-label")
    assert all(text in label for _, text in want)


def test_there_are_pages(site):
    assert len(PAGES) >= 8 and len(EXPLORERS) >= 10


@pytest.mark.parametrize("page", PAGES)
def test_page_is_for_everyone(visit, page):
    """One visit with every fold open: what axe finds, visible focus, legible figures, no motion; light, dark, and 320 px wide."""
    tab = visit(page, reduced_motion="reduce")
    assert tab.title() and tab.locator("meta[name=description]").get_attribute("content")
    assert tab.locator('meta[property="og:image"]').get_attribute("content")
    assert tab.evaluate("[...document.querySelectorAll('h1')].filter(head => head.checkVisibility()).length") == 1
    tab.evaluate(OPEN_ALL)
    tab.evaluate(MARK_REPEATED)
    found = {"motion": tab.evaluate(MOTION)}
    for scheme, options in (("light", {"rules": TARGETS}), ("dark", {"runOnly": ["color-contrast"]})):
        tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        tab.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
        found |= {
            f"axe, {scheme}": axe(tab, options, {"exclude": ["[data-repeated]"]}),
            f"focus, {scheme}": tab.evaluate(FOCUS),
            f"figures, {scheme}": tab.evaluate(LETTERS, tab.evaluate_handle("[...document.querySelectorAll('.explorer svg, .diagram svg')]")),
        }
    tab.set_viewport_size({"width": 320, "height": 700})
    found["wider than 320 px"] = tab.evaluate("Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)")
    found["axe, 320 px"] = axe(tab, {"rules": {"color-contrast": {"enabled": False}, **TARGETS}})
    assert {what: complaints for what, complaints in found.items() if complaints} == {}


@pytest.mark.parametrize("page", PAGES)
def test_what_is_unseen_lies_not_over_the_links_below(visit, page):
    """A section off screen has the height that the style sheet guesses for it; its contents must fit."""
    tab = visit(page, viewport={"width": 412, "height": 823})
    assert tab.evaluate("""() => {
        const last = [...document.querySelectorAll('article > section > section')].at(-1);
        const bottom = part => part.getBoundingClientRect().bottom;
        return !last || Math.max(...[...last.children].map(bottom)) <= bottom(last) + 1;
    }""")


def axe(tab, options, context=None):
    """What axe-core has to say; it would complain of itself if it were to read style sheets from files (preload)."""
    options = {"preload": False, "resultTypes": ["violations"], **options}
    return [
        f"{v['id']}: {v['help']}: " + "; ".join(node["html"][:150] for node in v["nodes"][:3])
        for v in AXE.run(tab, context=context, options=options).response["violations"]
    ]


@pytest.mark.parametrize("page, name", EXPLORERS)
def test_explorer_moves(visit, page, name):
    """Every control, by keyboard and by pointer, leads to the frame that was drawn for its setting."""
    tab = visit(page)
    data = payload(name)
    explorer = tab.locator(f'[data-explorer="{name}"]')
    explorer.scroll_into_view_if_needed()
    controls = explorer.locator(".control").all()
    sizes = [control.evaluate(GRID_SIZE) for control in controls]
    assert len(data["frames"]) == explorer.evaluate("root => +root.dataset.frames")

    def expect_frame():
        expect_frame_of(tab, explorer, data)

    start = shown(explorer)
    expect_frame()
    walk(tab, explorer)
    total = 1
    for size in sizes:
        total *= size
    assert total == len(data["frames"])
    for control in controls:
        inputs = control.locator("input")
        kind = control.get_attribute("data-kind")
        if kind == "range":
            inputs.focus()
            for key in ("ArrowRight", "End", "Home", "ArrowRight"):
                tab.keyboard.press(key)
                expect_frame()
            box = inputs.bounding_box()
            tab.mouse.click(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2)
            expect_frame()
            control.locator("button").first.click()
            expect_frame()
        elif kind == "choice":
            inputs.first.focus()
            tab.keyboard.press("ArrowDown")
            expect_frame()
            inputs.last.check()
            expect_frame()
        else:
            inputs.focus()
            tab.keyboard.press("Space")
            expect_frame()
    assert ("?" in explorer.locator("a.setting").get_attribute("href")) == (shown(explorer) != start)
    tab.wait_for_timeout(500)
    assert explorer.evaluate(BURST) == 1
    said = explorer.locator("[role=status]").text_content()
    assert all(text in said for _, text in shown(explorer))
    assert tab.evaluate(LETTERS, tab.evaluate_handle("root => [...root.querySelectorAll('svg')]", explorer.element_handle())) == []
    explorer.locator("button[type=reset]").click()
    expect_frame()
    assert shown(explorer) == start


def walk(tab, explorer):
    """The tab key alone goes from the first control of an explorer through all of them, each radio group being one stop."""
    stops = explorer.locator("form :is(input:not([type=radio]), input[type=radio]:checked, button, a)").all()
    stops[0].focus()
    for stop in stops[1:]:
        tab.keyboard.press("Tab")
        assert stop.evaluate("stop => document.activeElement === stop && stop.matches(':focus-visible')")


# Five moves in a row, and how often the line that is read aloud changed in the second after them.
BURST = """root => new Promise(done => {
  const input = root.querySelector('form input'), line = root.querySelector('[role=status]');
  let times = 0;
  new MutationObserver(list => { times += list.length; }).observe(line, {childList: true, characterData: true, subtree: true});
  for (let i = 0; i < 5; i++) input.dispatchEvent(new Event('input', {bubbles: true}));
  setTimeout(() => done(times), 1000);
})"""
GRID_SIZE = """box => { const all = box.querySelectorAll('input'), one = all[0];
  return one.type === 'range' ? Math.round((one.max - one.min) / one.step) + 1 : Math.max(2, all.length); }"""
GRID_INDEX = """box => { const all = [...box.querySelectorAll('input')], one = all[0];
  if (one.type === 'range') return Math.round((one.value - one.min) / one.step);
  return one.type === 'checkbox' ? +one.checked : all.findIndex(input => input.checked); }"""


@pytest.mark.parametrize("page, name", EXPLORERS)
def test_explorer_without_script(visit, page, name):
    """Default frame, readouts and caption remain; controls that could not work are not shown."""
    tab = visit(page, java_script_enabled=False)
    explorer = tab.locator(f'[data-explorer="{name}"]')
    assert explorer.locator(".stage svg").is_visible()
    assert explorer.locator("output").count() == len(payload(name)["frames"][0][1])
    assert not explorer.locator("form").is_visible()
    assert tab.locator(f"figure#{name} figcaption").text_content().strip()


@pytest.mark.parametrize("page, name, control, text", [
    ("book/a/a1.html", "fig-a1-ruler", "L", "10"),
    ("book/c/c1.html", "fig-c1-soft-dictionary", "beta", "∞"),
    ("book/c/c2.html", "fig-c2-masks", "pattern", "layer 2 only"),
    ("book/c/c1.html", "fig-c1-attention-matrix", "causal", "on"),
])
def test_link_to_a_setting(visit, page, name, control, text):
    """A link sets any kind of control, outlives a reload, and is a step of the browser's history."""
    tab = visit(page)
    data = payload(name)
    explorer = tab.locator(f'[data-explorer="{name}"]')
    start = setting_of(explorer, control)
    assert start != text

    def expect(wanted):
        tab.wait_for_function(f"([root, name, wanted]) => ({SETTING})(root, name) === wanted",
                              arg=[explorer.element_handle(), control, wanted], timeout=3000)
        expect_frame_of(tab, explorer, data)

    tab.evaluate("hash => { location.hash = hash; }", f"{name}?{control}={text}")  # as a reader would type it
    expect(text)
    written = explorer.locator("a.setting").get_attribute("href")
    assert f"{control}={quote(text)}" in written
    tab.reload()
    expect(text)
    explorer.locator("button[type=reset]").click()
    expect(start)
    explorer.locator("a.setting").click()
    assert tab.url.endswith(f"#{name}")
    for step, wanted in (("back", text), ("forward", start), ("back", text), ("back", start)):
        tab.evaluate(f"history.{step}()")
        expect(wanted)
    assert "#" not in tab.url
    tab.evaluate("hash => { location.hash = hash; }", written)
    expect(text)


SETTING = """(root, name) => { const all = [...root.querySelectorAll(`input[name="${name}"]`)];
  return all[0].type === 'checkbox' ? (all[0].checked ? 'on' : 'off') : (all.find(input => input.checked) ?? all[0]).value; }"""


def setting_of(explorer, control):
    """What a control is set to, in words."""
    return explorer.evaluate(f"(root, name) => ({SETTING})(root, name)", control)


@pytest.mark.parametrize("fragment", ["#%", "#fig-a1-ruler?L=50%", "#fig-a1-ruler?L=abc", "#fig-a1-ruler?foo=1", "#nothing"])
def test_links_that_make_no_sense_change_nothing(visit, fragment):
    tab = visit("book/a/a1.html", fragment=fragment)
    tab.wait_for_timeout(300)
    assert tab.locator('input[name="L"]').input_value() == "3"
    assert tab.locator("form.controls").is_visible()


def test_ring_of_the_ruler_is_dragged(visit):
    tab = visit("book/a/a1.html")
    explorer = tab.locator('[data-explorer="fig-a1-ruler"]')
    explorer.scroll_into_view_if_needed()
    tab.wait_for_timeout(300)
    box = explorer.locator('[data-drag="L"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x - 200, y, steps=10)
    assert explorer.locator('input[name="L"]').input_value() == "0"
    tab.mouse.move(x + 30, y, steps=10)
    assert 5 < int(explorer.locator('input[name="L"]').input_value()) < 40
    tab.mouse.move(x + 90, y, steps=10)
    assert explorer.locator('input[name="L"]').input_value() == "40"
    tab.mouse.up()
    kept = explorer.locator('input[name="L"]').input_value()
    tab.mouse.move(x - 100, y)
    assert explorer.locator('input[name="L"]').input_value() == kept


def test_touch_sets_a_part_of_the_route(visit):
    tab = visit("book/index.html", viewport={"width": 360, "height": 740}, has_touch=True)
    explorer = tab.locator('[data-explorer="fig-i3-route"]')
    explorer.scroll_into_view_if_needed()
    tab.wait_for_timeout(300)
    explorer.locator('[data-set="part=C"]').first.tap()
    tab.wait_for_function("document.querySelector('[data-explorer=fig-i3-route] input:checked').value === 'C'")


def test_colors_follow_the_theme(visit):
    ink = {}
    for scheme in ("light", "dark"):
        tab = visit("book/a/a1.html", color_scheme=scheme)
        ink[scheme] = tab.locator(".stage svg path[style*='--hidden']").first.evaluate("path => getComputedStyle(path).fill")
    assert ink == {"light": "rgb(160, 78, 20)", "dark": "rgb(230, 160, 106)"}


def test_folds_open_by_link_and_on_paper(visit):
    tab = visit("book/a/a1.html", fragment="#der-a1-gibbs")
    assert tab.locator("details#der-a1-gibbs").evaluate("fold => fold.open")
    tab.emulate_media(media="print")
    hidden = tab.locator("details#der-a1-chain-rule .steps").evaluate(
        "steps => { dispatchEvent(new Event('beforeprint')); return !steps.checkVisibility(); }"
    )
    assert not hidden


def test_paper_is_white(visit):
    """A dark page is printed in the colors of the light one, and is dark again behind it."""
    tab = visit("book/c/c3.html", color_scheme="dark")
    theme = "document.documentElement.dataset.theme"
    assert tab.evaluate(theme) == "dark"
    assert tab.evaluate(f"dispatchEvent(new Event('beforeprint')), {theme}") == "light"
    assert tab.evaluate(f"dispatchEvent(new Event('afterprint')), {theme}") == "dark"


@pytest.mark.parametrize("page, name", [
    (page, name) for page in PAGES for name, html in re.findall(r'data-diagram="([^"]+)">(.*?)</div></form>', (SITE / page).read_text(encoding="utf-8"), re.S)
    if len(re.findall("data-diagram=", html)) == 0
])
def test_diagram_says_its_step(visit, page, name):
    """With each step the drawing's text alternative says what came into sight."""
    tab = visit(page)
    diagram = tab.locator(f'[data-diagram="{name}"]')
    slider, picture = diagram.locator("input"), diagram.locator("svg").first
    labels = []
    slider.focus()
    for step in range(1, int(slider.get_attribute("max")) + 1):
        titles = diagram.evaluate("root => [...root.querySelectorAll('[data-step]:not(.off) > title')].map(title => title.textContent.trim())")
        labels.append(picture.get_attribute("aria-label"))
        assert f"Step {step}: " in labels[-1] and titles and all(title in labels[-1] for title in titles)
        tab.keyboard.press("ArrowRight")
    assert len(set(labels)) == len(labels) > 1


def test_download_menu(visit):
    tab = visit("book/a/a1.html")
    menu = tab.locator("details.dropdown:has(.btn-download-source-button)")
    source = menu.locator("a", has_text=".md")
    menu.locator("summary").press("Enter")
    assert source.is_visible() and source.bounding_box()["x"] + source.bounding_box()["width"] <= 1280
    tab.keyboard.press("Escape")
    assert not source.is_visible()
    menu.locator("summary").click()
    tab.locator("h1").last.click()
    assert not source.is_visible()


def test_theme_switch_is_kept_from_page_to_page(visit):
    tab = visit("book/a/a1.html", color_scheme="light")
    switch = tab.locator(".theme-switch-button:visible")
    switch.click()
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.locator(".right-next").click()
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.locator(".theme-switch-button:visible").click()
    assert tab.evaluate("document.documentElement.dataset.theme") == "light"


def test_search_from_a_file(visit):
    tab = visit("book/a/a1.html", silent=False)  # the results' excerpts are fetched, which a page from a file may not
    tab.keyboard.press("Control+k")
    tab.locator("#pst-search-dialog input").fill("softmax")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#search-results li a")
    assert "softmax" in tab.url and tab.locator("#search-results li a").count() > 3


def test_sidebars(visit):
    """On a phone they are dialogs, on a wide screen the button folds the left one away."""
    tab = visit("book/a/a2.html", viewport={"width": 360, "height": 740})
    for side, toggle in (("primary", ".bd-header-article .primary-toggle"), ("secondary", ".bd-header-article .secondary-toggle")):
        dialog = tab.locator(f"#pst-{side}-sidebar-modal")
        tab.locator(toggle).click()
        assert dialog.locator("a").nth(2).is_visible()
        tab.keyboard.press("Escape")
        dialog.wait_for(state="hidden")
    tab.set_viewport_size({"width": 1280, "height": 900})
    sidebar = tab.locator("#pst-primary-sidebar")
    sidebar.wait_for(state="visible")  # the theme moves it back when it hears of the new width
    tab.locator(".bd-header-article .primary-toggle").click()
    tab.wait_for_function("() => { const box = document.querySelector('#pst-primary-sidebar').getBoundingClientRect(); return box.width === 0 || box.right <= 0; }")


def test_contents_follow_the_scroll(visit):
    tab = visit("book/a/a1.html")
    tab.locator("section#two-places-to-watch").evaluate("section => section.scrollIntoView()")
    tab.wait_for_function("document.querySelector('#pst-secondary-sidebar a.active')?.hash === '#two-places-to-watch'")


def test_reduced_style_sheet_looks_like_the_whole(visit):
    """On a page with everything every element has the style that all the sheets together give it."""
    sheets = re.match(r"/\* the used part of: (.*?) \*/", (SITE / "_static" / "book.css").read_text(encoding="utf-8"))[1].split()
    for page, width in (("book/a/a2.html", 1280), ("book/c/c4.html", 360), ("search.html", 1280), ("book/references.html", 360)):
        tab = visit(page, viewport={"width": width, "height": 900}, reduced_motion="reduce")
        tab.evaluate(OPEN_ALL)
        tab.evaluate("document.fonts.ready")
        reduced = tab.evaluate(STYLES)
        tab.evaluate(WHOLE, sheets)
        assert len(reduced) > 100 and tab.evaluate(STYLES) == reduced


STYLES = """() => [...document.querySelectorAll('body, body *')].filter((e) => !e.closest('svg, .katex')).map((e) => {
  const style = getComputedStyle(e), box = e.getBoundingClientRect();
  return [e.tagName, e.className, style.color, style.backgroundColor, style.font, style.display, style.padding, style.margin, style.border,
    style.position, style.overflow, ...[box.x, box.y, box.width, box.height].map(Math.round)].join('|');
})"""
WHOLE = """async (sheets) => {
  const reduced = document.querySelector('link[href*="book.css"]');
  const loaded = sheets.map((name) => new Promise((done) => {
    const link = reduced.cloneNode();
    link.href = reduced.href.replace('book.css', name);
    link.onload = done;
    reduced.before(link);
  }));
  await Promise.all(loaded);
  reduced.remove();
  await document.fonts.ready;
  await new Promise((done) => setTimeout(done, 300));
}"""


def test_external_links_are_well_formed(site):
    """Whether they still lead somewhere is asked by make linkcheck."""
    wrong = set()
    for page in PAGES:
        html = (site / page).read_text(encoding="utf-8")
        for link in map(unescape, re.findall(r'<a\b[^>]*\bhref="([a-z]+:[^"]*)"', html)):
            url = urlsplit(link)
            fine = url.scheme == "https" and re.fullmatch(r"([a-z0-9-]+\.)+[a-z]{2,}", url.netloc) and re.fullmatch(r"[!-~]+", link)
            if url.netloc.endswith("doi.org"):
                fine = fine and url.netloc == "doi.org" and re.fullmatch(r"/10\.\d{4,9}/\S+", url.path)
            if url.netloc.endswith("arxiv.org"):
                fine = fine and re.fullmatch(r"/(abs|pdf)/\d{4}\.\d{4,5}(v\d+)?", url.path)
            if not fine:
                wrong.add(link)
    assert wrong == set()


def test_links_inside_the_book_resolve(site):
    """Every href and src of every page leads to a file and, where it has one, to an anchor that exist.

    The page for lost readers may link from the site's root; that is where it stands.
    """
    pages = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html") if "_static" not in path.parts}
    anchors = {page: set(re.findall(r'\b(?:id|name)="([^"]+)"', html)) for page, html in pages.items()}
    broken = []
    for page, html in pages.items():
        for link in re.findall(r'\b(?:href|src)="([^"]*)"', re.sub("<base [^>]*>", "", html)):
            link = unescape(link)
            if re.match(r"[a-z]+:|//|$", link):
                continue
            path, _, anchor = link.partition("#")
            target = (site / page).parent.joinpath(path.partition("?")[0]).resolve() if path else site / page
            if target.is_dir():
                target = target / "index.html"
            name = target.relative_to(site).as_posix()
            if not target.exists() or (anchor and name in anchors and anchor.partition("?")[0] not in anchors[name]):
                broken.append(f"{page}: {link}")
    assert broken == []


def test_checks_json_is_the_pages(site):
    rows = json.loads((site / "checks.json").read_text(encoding="utf-8"))
    assert rows and all(row["ok"] for row in rows)
    on_pages = sorted(
        (page, json.loads(unescape(data))["id"])
        for page in PAGES for data in re.findall(r'data-check="([^"]*)"', (site / page).read_text(encoding="utf-8"))
    )
    assert sorted((row["page"], row["id"]) for row in rows) == on_pages
    listed = (site / "book/checks.html").read_text(encoding="utf-8")
    assert all(f'#check-{row["id"]}"' in listed for row in rows)


def test_no_script_from_elsewhere(site):
    """Nothing that a page loads, even later on a click, names another host, the launch buttons apart."""
    for page in PAGES:
        html = re.sub('<link rel="canonical"[^>]*>', "", (site / page).read_text(encoding="utf-8"))  # said, not loaded
        loads = re.findall(r'<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)="([a-z]+:[^"]*)"', html)
        assert [url for url in loads if not url.startswith("data:")] == []
