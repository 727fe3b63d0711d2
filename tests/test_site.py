"""The built book in a real browser, from files, with the network cut."""

import json
import re
from html import unescape
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import SITE

PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.glob("book/**/*.html"))
EXPLORERS = [
    (page, name) for page in PAGES for name in re.findall(r'data-explorer="([^"]+)"', (SITE / page).read_text(encoding="utf-8"))
]
AXE = Axe()


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
        tab.on("requestfailed", lambda r: noise.append(f"failed: {r.url}"))
        tab.on("pageerror", lambda error: noise.append(str(error)))
        tab.on("console", lambda m: noise.append(m.text) if m.type in ("error", "warning") else None)
        opened.append((context, noise if silent else []))
        tab.goto(f"file://{SITE}/{page}{fragment}")
        return tab

    yield go
    for context, noise in opened:
        context.close()
        assert noise == []


def payload(page, name):
    """What the page holds for an explorer, decoded without the page's own script."""
    import base64
    import gzip

    html = (SITE / page).read_text(encoding="utf-8")
    block = html[html.index(f'data-explorer="{name}"'):]
    packed = re.search(r'<script type="application/gzip">([^<]*)</script>', block).group(1)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


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
def test_page_is_quiet_and_fits(visit, page):
    tab = visit(page, viewport={"width": 320, "height": 700})
    tab.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    tab.wait_for_timeout(100)
    wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    assert tab.title() and tab.locator("meta[name=description]").get_attribute("content")
    assert tab.locator('meta[property="og:image"]').get_attribute("content")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_accessible(visit, page, scheme):
    tab = visit(page, color_scheme=scheme, silent=False)  # axe itself complains that it may not read style sheets from files
    tab.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    tab.add_style_tag(content="* { content-visibility: visible !important; }")
    tab.wait_for_timeout(200)
    results = AXE.run(tab)
    problems = [
        f"{v['id']}: {v['help']}: " + "; ".join(node["html"][:150] for node in v["nodes"][:3]) for v in results.response["violations"]
    ]
    assert problems == []


@pytest.mark.parametrize("page, name", EXPLORERS)
def test_explorer_moves(visit, page, name):
    """Every control, by keyboard and by pointer, leads to the frame that was drawn for its setting."""
    tab = visit(page)
    data = payload(page, name)
    explorer = tab.locator(f'[data-explorer="{name}"]')
    explorer.scroll_into_view_if_needed()
    controls = explorer.locator(".control").all()
    sizes = [control.evaluate(GRID_SIZE) for control in controls]
    assert len(data["frames"]) == explorer.evaluate("root => +root.dataset.frames")

    def expect_frame():
        expect_frame_of(tab, explorer, data)

    start = shown(explorer)
    expect_frame()
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
    said = explorer.locator("[role=status]").text_content()
    assert all(text in said for _, text in shown(explorer))
    explorer.locator("button[type=reset]").click()
    expect_frame()
    assert shown(explorer) == start


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
    assert explorer.locator("output").count() == len(payload(page, name)["frames"][0][1])
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
    data = payload(page, name)
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
