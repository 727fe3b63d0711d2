"""Live code in the page: thebe-core on the built page, a local Jupyter server in the place of Binder, the kernel's own widgets."""

import functools
import http.server
import json
import secrets
import subprocess
import sys
import tarfile
import threading
import time
import urllib.request
from pathlib import Path

import pytest
import small_book

from toyattn.page.extension import live

SETTLED = "document.documentElement.dataset.live"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A small book that has an address, built and served on loopback; yields its URL."""
    folder = small_book.write(tmp_path_factory.mktemp("live"), small_book.GOOD)
    status, output = small_book.build(folder, environ={"GITHUB_REPOSITORY": "somebody/book"})
    assert status == 0, output[-3000:]
    handler = functools.partial(Quiet, directory=folder / "_build" / "html")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/page.html"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """A Jupyter server on loopback that answers to other origins, as Binder's does; yields what thebe-core calls its settings."""
    token, port = secrets.token_hex(8), free_port()
    command = [Path(sys.executable).with_name("jupyter"), "server", "--no-browser", "--allow-root", f"--port={port}", "--port-retries=0",
               f"--IdentityProvider.token={token}", "--ServerApp.allow_origin=*", f"--ServerApp.root_dir={tmp_path_factory.mktemp('jupyter')}"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/"
    deadline = time.monotonic() + 60
    while not answers(f"{url}api/status?token={token}"):
        assert server.poll() is None and time.monotonic() < deadline
        time.sleep(0.2)
    yield {"baseUrl": url, "token": token}
    server.terminate()
    server.wait(30)


def free_port():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        return server.server_port


def answers(url):
    try:
        return urllib.request.urlopen(url, timeout=5).status == 200
    except OSError:
        return False


@pytest.fixture
def tab(browser, pages):
    """The page, every address that it asked for, and every error that nothing caught."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    tab = context.new_page()
    tab.asked, tab.errors = [], []
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.goto(pages)
    yield tab
    context.close()


def press_live_code(tab, server):
    """What an impatient reader does, with another server than Binder's."""
    tab.evaluate(
        """server => { const meta = document.querySelector('meta[name="live-code"]');
        const { binder, ...settings } = JSON.parse(meta.content); meta.content = JSON.stringify({ ...settings, server }); }""",
        server,
    )
    tab.locator('summary[aria-label="Launch interactive content"]').click()
    tab.locator(".btn-live-code").dblclick()
    tab.wait_for_function(SETTLED, timeout=120_000)


def test_nothing_is_loaded_before_the_click(tab):
    assert not any("live.js" in url or "thebe" in url for url in tab.asked)
    binder = json.loads(tab.locator('meta[name="live-code"]').get_attribute("content"))["binder"]
    assert (binder["repoProvider"], binder["repo"], binder["binderUrl"]) == ("github", "somebody/book", "https://mybinder.org")


def test_explorer_becomes_the_widgets_of_a_kernel(tab, jupyter):
    static = tab.locator('.explorer input[type="range"]').count()
    press_live_code(tab, jupyter)
    assert tab.evaluate(SETTLED) == "ready", tab.locator(".live-status").text_content()
    assert static == 1 and tab.locator('.explorer input[type="range"]').count() == 0
    output, handle = tab.locator('output[data-readout="height"]'), tab.locator(".live-output .noUi-handle")
    assert output.text_content() == "1.0"
    label = tab.locator("figure#fig-small .stage").get_attribute("aria-label")
    drawn = tab.locator("figure#fig-small .stage svg").inner_html()
    handle.focus()
    tab.keyboard.press("End")
    tab.wait_for_function("document.querySelector('output[data-readout=height]').textContent === '3.0'", timeout=20_000)
    assert tab.locator("figure#fig-small .stage").get_attribute("aria-label") != label
    assert tab.locator("figure#fig-small .stage svg").inner_html() != drawn
    assert tab.locator("figure#fig-small figcaption").text_content().strip()
    tab.locator(".btn-live-code").click()
    assert tab.errors == [] and sum("/live.js" in url for url in tab.asked) == 1
    assert all(url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")) for url in tab.asked)


def test_code_can_be_changed_and_run(tab, jupyter):
    press_live_code(tab, jupyter)
    tab.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    source = tab.locator(".cell_input pre", has_text="7 / 2")
    source.evaluate("pre => { pre.textContent = pre.textContent.replace('\"3.5\"', '\"3.6\"'); }")
    source.locator("xpath=..").locator("button.live-run").click()
    tab.locator(".live-output", has_text="CheckFailed").wait_for(timeout=20_000)


def test_an_unreachable_server_is_said(tab):
    press_live_code(tab, {"baseUrl": f"http://127.0.0.1:{free_port()}/", "token": "none"})
    assert tab.evaluate(SETTLED) == "failed"
    assert "not reachable" in tab.locator(".live-status").text_content()
    assert tab.locator('.explorer input[type="range"]').count() == 1  # the static page is as it was


def test_a_script_that_does_not_load_is_said_and_can_be_asked_for_again(tab):
    tab.route("**/live.js", lambda route: route.abort())
    tab.locator('summary[aria-label="Launch interactive content"]').click()
    tab.locator(".btn-live-code").click()
    tab.locator(".live-status", has_text="did not load").wait_for(timeout=5000)
    tab.unroute("**/live.js")
    tab.locator('summary[aria-label="Launch interactive content"]').click()
    press_live_code(tab, {"baseUrl": f"http://127.0.0.1:{free_port()}/", "token": "none"})
    assert "not reachable" in tab.locator(".live-status").text_content()


def test_another_build_may_fetch_thebe_core_at_the_same_time(monkeypatch, tmp_path):
    """The other one is done while this one still waits for npm."""
    others = [live.thebe_core]

    def fetch(folder):
        if others:
            others.pop()()
        archive = Path(folder, "thebe-core.tgz")
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(__file__, "package/dist/lib/thebe-core.min.js")
        return archive

    monkeypatch.setattr(live, "KEPT", tmp_path)
    monkeypatch.setattr(live, "_fetch", fetch)
    assert [file.name for file in live.thebe_core().iterdir()] == ["thebe-core.min.js"]
    assert [folder.name for folder in tmp_path.iterdir()] == [live.VERSION]
