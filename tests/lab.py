"""A JupyterLab as `make live` and Binder start it, and what a reader does in it."""

import json
import os
import secrets
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import jupytext
from conftest import SITE
from playwright.sync_api import TimeoutError

from toyattn.page.mode import VARIABLE

ROOT = SITE.parents[1]


def lab_path(source):
    """Path of a chapter below any JupyterLab, which launch buttons open as well."""
    return f"lab/tree/{source}"


@contextmanager
def jupyter_lab(environment, book, scratch):
    """The JupyterLab of a Python environment, serving the folder ``book`` on loopback.

    Settings and workspaces of whoever runs this are kept out: the server lives in ``scratch`` and knows only what
    ``binder/postBuild`` wrote into the environment. Gives a function from a chapter's path to its address.
    """
    programs = Path(environment) / "bin"
    outside = {key: value for key, value in os.environ.items() if key != VARIABLE and not key.startswith(("JUPYTER", "JUPYTEXT"))}
    variables = {**outside, "HOME": str(scratch), "PATH": f"{programs}:{os.environ['PATH']}"}
    subprocess.run(["binder/postBuild"], cwd=book, env=variables, check=True)
    port, token = _free_port(), secrets.token_hex(8)
    command = [programs / "jupyter", "lab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0",
               f"--IdentityProvider.token={token}", "--allow-root", f"--ServerApp.root_dir={book}"]
    log = Path(scratch) / "lab.log"
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=book, env=variables, stdout=out, stderr=subprocess.STDOUT)
    try:
        _wait_until_up(f"http://127.0.0.1:{port}/api/status?token={token}", server, log)
        yield lambda chapter: f"http://127.0.0.1:{port}/{lab_path(chapter)}?token={token}&reset"
    finally:
        server.terminate()
        server.wait(30)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_up(address, server, log, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            return json.load(urllib.request.urlopen(address, timeout=5))
        except OSError:
            time.sleep(0.3)
    raise RuntimeError(f"JupyterLab did not come up in {seconds} s; it said:\n{log.read_text()[-3000:]}")


def open_chapter(page, address, source):
    """Open a chapter as a launch button does, and wait for all its cells and for a kernel that is ready."""
    page.goto(address(source.as_posix()))
    _wait_for_prompts(page, r"\[.*\]", len(cells(source, "code")))  # asked to run earlier, JupyterLab runs what it has read so far
    page.locator(".jp-StatusBar-TextItem", has_text="| Idle").wait_for(timeout=60_000)


def run_all(page, source):
    """Choose Run → Run All Cells, and wait until every cell has its number."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    _wait_for_prompts(page, r"\[\d+\]", sum(bool(cell.strip()) for cell in cells(source, "code")))


def cells(source, kind):
    """What stands in the cells of one kind of a chapter."""
    return [cell.source for cell in jupytext.read(ROOT / source).cells if cell.cell_type == kind]


def _wait_for_prompts(page, pattern, count):
    prompts = "[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(prompt => prompt.textContent)"
    wanted = f"([pattern, count]) => {prompts}.filter(text => text.match(pattern)).length === count"
    try:
        page.wait_for_function(wanted, arg=[pattern, count], timeout=120_000)
    except TimeoutError as late:
        raise AssertionError(f"wanted {count} cells marked {pattern}, there are {page.evaluate(prompts)}") from late
