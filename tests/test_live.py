"""The live face: every notebook run as a reader runs it and every control moved; some chapters in a real JupyterLab."""

import asyncio
import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from html import unescape
from itertools import product
from pathlib import Path

import jupytext
import nbformat
import numpy as np
import pytest
import zmq
from lab import ROOT, cells, jupyter_lab, open_chapter, run_all
from nbclient import NotebookClient
from reproducible import cold_copy
from readouts import blocks, control_values, number_or_word, read

from toyattn import ToyLang, head
from toyattn.page.mode import VARIABLE

NOTEBOOKS = [path for path in sorted(ROOT.glob("book/**/*.md")) if "{code-cell}" in path.read_text(encoding="utf-8")]
CONTROLS = {"SelectionSliderModel": "index", "RadioButtonsModel": "index", "CheckboxModel": "value"}


# --- every explorer of every notebook, through its whole range ---------------------------------------------------------


@pytest.fixture(scope="module")
def played(site, request):
    """What moving every control found in each of the notebooks whose tests are to run: figures, moves, faults by path."""
    own = [item for item in request.session.items if item.path == request.path and hasattr(item, "callspec")]
    wanted = {item.callspec.params["path"] for item in own if "path" in item.callspec.params}

    async def play_all():
        return {path: await play(path, blocks(site, ("book/",))) for path in sorted(wanted)}

    # In a thread of its own: an open browser of Playwright leaves an event loop behind that counts as running in this one.
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as thread:
        patch.delenv(VARIABLE, raising=False)
        return thread.submit(asyncio.run, play_all()).result()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_setting_shows_what_the_page_shows(played, path):
    result = played[path]
    assert isinstance(result, dict), f"{path.name} does not run top to bottom: {result}"
    faults = [f"{name} {fault}" for name, found in result.items() for fault in found]
    assert not faults, "\n".join(faults)


def test_no_explorer_of_the_site_was_left_out(played, site, request):
    if len(played) < len(NOTEBOOKS):
        pytest.skip("only some notebooks were asked for")
    assert sorted(name for result in played.values() for name in result) == sorted(blocks(site, ("book/",)))


async def play(path, pages):
    """Run a notebook, then move every control of its explorers; the first faults of each explorer by name."""
    notebook = jupytext.read(path)
    front = NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}})
    async with front.async_setup_kernel(), hearing(front):
        for number, cell in enumerate(notebook.cells):
            try:
                await front.async_execute_cell(cell, number)
            except Exception as error:
                return str(error)[-2000:]
        shown = [Explorer(front, view) for view in views(notebook)]
        return {explorer.name: await explorer.play(pages[explorer.name]) for explorer in shown}


@asynccontextmanager
async def hearing(front):
    """Look at the shell socket now and then.

    nbclient sends the state of an output past asyncio, and a reply that comes in that moment wakes nobody: the
    notebook would wait for ever for a cell that has long run.
    """
    async def look():
        while True:
            await asyncio.sleep(0.2)
            front.kc.shell_channel.socket.get(zmq.EVENTS)

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        looking.cancel()


def views(notebook):
    """The widgets that the cells have put on show, by model id."""
    kind = "application/vnd.jupyter.widget-view+json"
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.data[kind]["model_id"] for output in outputs if kind in output.get("data", {})]


class Explorer:
    """One explorer as its front end sees it: the models of its controls and of the output beside them."""

    def __init__(self, front, view):
        self.front, self.elsewhere = front, nbformat.v4.new_code_cell()  # what a callback says outside its output lands in a cell
        models = [child.removeprefix("IPY_MODEL_") for child in front.widget_state[view]["children"]]
        kinds = {model: front.widget_state[model]["_model_name"] for model in models}
        self.controls = [model for model in models if kinds[model] in CONTROLS]
        self.button, = (model for model in models if kinds[model] == "ButtonModel")
        self.output, = (model for model in models if kinds[model] == "OutputModel")
        name = re.search(r'data-explorer="([^"]+)"', self.shown())
        assert name, f"an explorer shows no figure after its cell has run, but: {self.shown()[:400]!r}"
        self.name = name[1]

    def shown(self):
        """What stands in the output: its HTML, or the words of an error."""
        outputs = self.front.comm_objects[self.output].outputs
        return "\n".join(one.get("data", {}).get("text/html", "") or one.get("text", "") or f"{one.get('ename')}: {one.get('evalue')}" for one in outputs)

    def places(self):
        """Where each control stands on its grid."""
        states = [self.front.widget_state[model] for model in self.controls]
        return [int(state[CONTROLS[state["_model_name"]]]) for state in states]

    async def move(self, control, place):
        """What a front end sends as a control moves; returns when the kernel has dealt with it."""
        state = self.front.widget_state[self.controls[control]]
        key = CONTROLS[state["_model_name"]]
        state[key] = bool(place) if key == "value" else place
        await self.send(self.controls[control], {"method": "update", "state": {key: state[key]}, "buffer_paths": []})

    async def send(self, model, data):
        message = self.front.kc.session.msg("comm_msg", {"comm_id": model, "data": data})
        self.front.kc.shell_channel.send(message)
        while True:
            answer = await self.front.kc.get_iopub_msg(timeout=60)
            if answer["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
                    return
                if answer["msg_type"] != "status":
                    self.front.process_message(answer, self.elsewhere, 0)

    async def play(self, block):
        """Move each control through its range with the others at their start, then all to every corner, then reset."""
        controls, page = page_controls(block), list(read(block))
        labels = [self.front.widget_state[model].get("_options_labels", [False, True]) for model in self.controls]
        offered = [[number_or_word(text) if isinstance(text, str) else text for text in texts] for texts in labels]
        if offered != list(controls.values()):
            return [f"the controls offer {offered}, on the page they offer {controls}"]
        start, now, faults = self.places(), self.places(), []
        if page[frame_number(controls, start)][1] not in block:
            faults.append(f"starts at {start}, the page does not")
        self.compare(page[frame_number(controls, start)], faults)
        sizes = [len(values) for values in controls.values()]
        for goal in goals(start, sizes):
            for control, place in enumerate(goal):
                if now[control] != place:
                    now[control] = place
                    await self.move(control, place)
                    self.compare(page[frame_number(controls, now)], faults)
        await self.send(self.button, {"method": "custom", "content": {"event": "click"}})
        self.compare(page[frame_number(controls, start)], faults, "the reset ")
        faults += [f"said outside of its output: {one}" for one in self.elsewhere.outputs]
        return faults[:3]

    def compare(self, wanted, faults, when=""):
        """Does the output show this frame of the page, figure and readouts?"""
        setting, svg, readouts = wanted
        shown, at = self.shown(), f"at {when}" + ", ".join(f"{name}={value}" for name, value in setting.items())
        found = dict(re.findall(r'data-readout="([^"]+)" data-value="([^"]*)"', shown))
        texts = re.findall(r"<output[^>]*>([^<]*)</output>", shown)
        if shown.count("<svg") != 1:
            return faults.append(f"{at} there is no figure, but: {shown[:400]!r}")
        if list(found) != list(readouts):
            faults.append(f"{at} the readouts are {list(found)}, on the page {list(readouts)}")
        got = [[unescape(data), unescape(text)] for data, text in zip(found.values(), texts)]
        wrong = [f"{name} says {ours}, on the page {theirs}" for (name, theirs), ours in zip(readouts.items(), got) if ours != list(theirs)]
        if wrong:
            faults.append(f"{at} {'; '.join(wrong)}")
        if svg not in shown:
            faults.append(f"{at} the figure is not that of the page")


def page_controls(block):
    """The controls of an explorer of the page: its grid of values by name."""
    return dict(control_values(html) for html in re.findall(r'data-kind="[a-z]+">.*?(?:</div>|</fieldset>)', block, re.S))


def frame_number(controls, places):
    number = 0
    for values, place in zip(controls.values(), places):
        number = number * len(values) + place
    return number


def goals(start, sizes):
    """Places to go to: each control through its range with the others at their start, then the corners."""
    for control, size in enumerate(sizes):
        for place in range(size):
            yield [*start[:control], place, *start[control + 1 :]]
        yield start
    yield from map(list, product(*({0, size - 1} for size in sizes)))


# --- in JupyterLab -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab on a copy of the book, from this environment or from the one that tests/binder.py has made."""
    folder = tmp_path_factory.mktemp("lab")
    environment = os.environ.get("TOYATTN_LAB_ENVIRONMENT", sys.prefix)
    with jupyter_lab(environment, cold_copy(folder / "copy"), folder) as address:
        yield address


@pytest.fixture
def chapter(lab, browser):
    """Opens a chapter as a launch button does and runs all its cells, with a look at its words before and after; gives the page."""
    pages = []

    def open_and_run(source, run=True):
        pages.append(page := browser.new_page(viewport={"width": 1200, "height": 1000}))
        open_chapter(page, lab, Path(source))
        words_are_plain(page, source)
        if run:
            run_all(page, Path(source))
            words_are_plain(page, source)
        assert [output.inner_text() for output in page.locator(ERRORS).all()] == []
        return page

    yield open_and_run
    for page in pages:
        page.close()


ERRORS = '.jp-OutputArea-output[data-mime-type$=".error"], .jp-OutputArea-output[data-mime-type$=".stderr"]'


# In an opened notebook: how often each macro colors something, how many diagrams have loaded, the formulas in error (MathJax marks
# an unknown command by red only), and the words.
SHOWN = """() => {
  const all = selector => [...document.querySelectorAll(`.jp-RenderedMarkdown ${selector}`)];
  const red = part => getComputedStyle(part).color === 'rgb(255, 0, 0)';
  const wrong = [...all('mjx-merror'), ...all('mjx-math *').filter(red)].map(part => part.closest('mjx-container').textContent);
  const words = [...document.querySelectorAll('.jp-RenderedMarkdown')].map(cell => cell.textContent).join('\\n');
  const count = {diagrams: all('img').filter(image => image.naturalWidth > 0).length};
  ['obs', 'hid', 'der'].forEach(role => count[role] = all(`mjx-math .mjx-${role}`).length);
  return {count, wrong: [...new Set(wrong)], words};
}"""


def words_are_plain(page, source):
    """Every formula of the opened chapter is typeset, with its macros, every diagram there, and no MyST is left in its words."""
    text = "\n".join(cells(source, "markdown"))
    written = {"diagrams": text.count("{diagram}"), **{role: len(re.findall(rf"\\{role}\b", text)) for role in ("obs", "hid", "der")}}
    assert written["hid"], f"{source} has no formula with a macro, so nothing is tested"
    for _ in range(100):
        shown = page.evaluate(SHOWN)
        if shown["count"] == written:
            break
        page.wait_for_timeout(200)
    assert shown["wrong"] == []
    assert shown["count"] == written
    assert re.findall(r"\\(?:obs|hid|der)\b.*|\{[a-z:-]+\}.*|^:::.*|^```.*|@@\d+@@", shown["words"], re.M) == []


def moved(page, figure, press, **expected):
    """Press keys where the focus is; the figure must change and the readouts become what was computed."""
    root = page.locator(f'.explorer[data-explorer="{figure}"]')
    before = root.locator("svg").inner_html()
    for key in press:
        page.keyboard.press(key)
    found = {}
    for _ in range(100):
        found = {name: root.locator(f'[data-readout="{name}"]').get_attribute("data-value") for name in expected}
        if all(near(found[name], value) for name, value in expected.items()) and root.locator("svg").inner_html() != before:
            break
        page.wait_for_timeout(100)
    wrong = {name: (found[name], value) for name, value in expected.items() if not near(found[name], value)}
    assert not wrong, f"{figure} after {', '.join(press)}: shown and computed differ in {wrong}"
    assert root.locator("svg").inner_html() != before, f"{figure}: the figure is still that of the setting before"
    assert [output.inner_text() for output in page.locator(ERRORS).all()] == []
    return root.locator("svg").inner_html()


def near(data, value):
    return np.allclose(json.loads(data), value, rtol=0, atol=1e-12)


def widgets(page, figure):
    """The controls of an explorer."""
    return page.locator(".widget-vbox").filter(has=page.locator(f'[data-explorer="{figure}"]'))


@pytest.mark.parametrize("source", ["book/b/b4.md", "book/c/c1.md"])  # diagram and table; macros inside macros
def test_lab_shows_words_formulas_and_diagrams(chapter, source):
    chapter(source, run=False)


def test_lab_slider_prices_the_sentence(chapter):
    page, name = chapter("book/a/a1.md"), "fig-a1-ruler"
    box = widgets(page, name)
    box.scroll_into_view_if_needed()
    handle = box.locator(".noUi-handle")
    handle.focus()
    drawn = set()
    for presses, L in [(["ArrowRight"], 4), (["ArrowRight"] * 6, 10), (["End"], 40), (["Home"], 0), (["ArrowLeft", "ArrowRight"], 1)]:
        lang = ToyLang(N=8, F=6, L=L)
        drawn.add(moved(page, name, presses, total_nats=lang.entropy(), per_token=lang.entropy_per_token(), perplexity=lang.perplexity(),
                        sentences=lang.n_sentences, distances=[lang.second_y_reach, lang.last_x_reach]))
        assert box.locator(".widget-readout").inner_text() == str(L)
    assert len(drawn) == 5
    start = ToyLang(N=8, F=6, L=3)
    box.get_by_role("button", name="Reset").focus()
    moved(page, name, ["Enter"], total_nats=start.entropy(), sentences=start.n_sentences)


def test_lab_radios_and_checkbox_ask_the_head(chapter):
    page, name = chapter("book/h/h3.md"), "fig-h3-square"
    box = widgets(page, name)
    box.scroll_into_view_if_needed()
    X = head.typed_rows(len(head.TOKENS))
    scaled, unscaled = (head.typed_head(scale=scale).attend(X) for scale in (True, False))
    stated = lambda trace, row: dict(scores=trace.raw[row], shares=trace.shares[row], out=trace.out[row])  # noqa: E731
    box.get_by_role("radio", name="2", exact=True).focus()
    moved(page, name, ["Tab", "Space"], **stated(scaled, 2))
    moved(page, name, ["Tab", "Space"], **stated(scaled, 3))
    box.get_by_role("checkbox").focus()
    moved(page, name, ["Space"], **stated(unscaled, 3))
    box.get_by_role("radio", name="score", exact=True).focus()
    moved(page, name, ["Space"], **stated(unscaled, 3))
    box.get_by_role("checkbox").focus()
    moved(page, name, ["Space"], **stated(scaled, 3))
