"""Which parts of the package a notebook uses, so that a change executes again only the notebooks that it concerns.

MyST-NB's cache knows a notebook's cells, not the modules that they import. Here these enter its key.
"""

import ast
import hashlib
import os
from functools import cache
from pathlib import Path

from myst_nb.core import execute
from nbclient.exceptions import CellExecutionError

PACKAGE = Path(__file__).resolve().parents[2]
EXTENSION = Path(__file__).resolve().parent


def setup(app):
    """Execute by content of cells and modules; read a page again when its modules have changed."""
    execute.NotebookClientCache = CacheByModules
    app.connect("config-inited", forget)
    app.connect("env-get-outdated", outdated)
    app.connect("doctree-read", remember)


class CacheByModules(execute.NotebookClientCache):
    """MyST-NB's client, with a hash of the notebook's modules in what the cache compares."""

    used = {}  # by the notebook's path: the modules of those that this build has read

    def start_client(self):
        files = modules(cell.source for cell in self.notebook.cells if cell.cell_type == "code")
        self.notebook.metadata.kernelspec["sources"] = hash_of(files)
        self.used[str(self.path)] = files
        try:
            super().start_client()
        except execute.ExecutionError as error:
            cause = error.__cause__
            if not isinstance(cause, CellExecutionError):
                raise
            raise execute.ExecutionError(f"{self.path}: {cause.ename}: {cause.evalue}") from cause
        self.notebook.metadata.kernelspec.pop("sources", None)


def modules(cells):
    """Files of the package that the cells import, directly or through another; all of it for a bare ``import toyattn``."""
    found, waiting = set(), {name for cell in cells for name in _imported(cell)}
    while waiting:
        name = waiting.pop()
        files = _files(name)
        waiting |= {other for path in files - found for other in _imported(_text(path), path)}
        found |= files
    return found


def _files(name):
    """The files behind ``toyattn.memory`` (one), ``toyattn.page`` or anything in it (all, without this extension), ``toyattn`` (all)."""
    path = PACKAGE.joinpath(*name.split(".")[1:2])
    if path.is_dir():
        return {file for file in path.rglob("*.py") if EXTENSION not in file.parents}
    return {path.with_suffix(".py")} if path.with_suffix(".py").exists() else _files("toyattn")


def _imported(code, path=None):
    """Full names of what a text imports from the package; `path`: the module that it is, for relative imports."""
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                folder = path.parents[node.level - 1].relative_to(PACKAGE.parent)
                base = ".".join([*folder.parts, *([base] if base else [])])
            names |= {_defined_in(base, alias.name) for alias in node.names}
    return {name for name in names if name.split(".")[0] == "toyattn"}


def _defined_in(base, name):
    """``from toyattn import ToyLang`` means the module that the package takes it from."""
    if base == "toyattn" and not _files_of_module(name):
        for node in ast.parse(_text(PACKAGE / "__init__.py")).body:
            if isinstance(node, ast.ImportFrom) and node.module and name in {alias.name for alias in node.names}:
                return f"toyattn.{node.module}"
        return "toyattn"
    return f"{base}.{name}"


def _files_of_module(name):
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()


@cache
def _text(path):
    return path.read_text(encoding="utf-8")


def hash_of(paths):
    """A hash of files, names as seen from the package and contents."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(os.path.relpath(path, PACKAGE).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def forget(app, config):
    """A new build reads the modules anew."""
    _text.cache_clear()
    CacheByModules.used.clear()


def outdated(app, env, added, changed, removed):
    """Pages whose modules are not what they were when the page was read."""
    known = getattr(env, "toyattn_sources", {})
    return [name for name, (files, was) in known.items() if name in env.found_docs and hash_of(files) != was]


def remember(app, doctree):
    """The modules that a page was read with."""
    if not hasattr(app.env, "toyattn_sources"):
        app.env.toyattn_sources = {}
    files = CacheByModules.used.get(app.env.doc2path(app.env.docname), set())
    app.env.toyattn_sources[app.env.docname] = (files, hash_of(files))
