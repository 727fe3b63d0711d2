"""What the tests share: an installed browser, and the built book."""

import base64
import gzip
import json
import os
import re
import shutil
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[1] / "_build" / "html"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def browser_path():
    """The installed Chromium or Chrome, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def pytest_configure(config):
    """No browser, no run: the tests of the built book are not to be skipped silently."""
    if not browser_path():
        pytest.exit("The tests need Chromium or Chrome: install one (Debian: apt install chromium) or set CHROMIUM=/path/to/it", 4)


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items):
    """Where several processes share the work, the tests of a file stay together, for they share what it has built; pages do not."""
    for item in items:
        if item.path.stem != "test_site":
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(scope="session")
def site():
    """The folder of the built book."""
    if not (SITE / "checks.json").exists():
        pytest.exit("The tests need the built book: run make book first (make test does)", 4)
    return SITE


def launch(playwright):
    """A headless browser that keeps to itself."""
    return playwright.chromium.launch(
        executable_path=browser_path(),
        args=["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    )


@pytest.fixture(scope="session")
def browser():
    """One headless browser for the whole run."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def payload(name):
    """The frames of an explorer of the built book, decoded without the page's own script."""
    script = (SITE / "_static" / "frames" / f"{name}.js").read_text(encoding="ascii")
    return json.loads(gzip.decompress(base64.b64decode(re.fullmatch(rf'framesOf\["{name}"\] = "([^"]*)";\n', script)[1])))
