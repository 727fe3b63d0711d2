"""The modules that a notebook is said to use, beside those that Python itself loads for its imports."""

import ast
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest

from toyattn.page.extension import sources

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted(path for path in (ROOT / "book").rglob("*.md") if "{code-cell}" in path.read_text(encoding="utf-8"))

# A package without its __init__, which imports everything: what is loaded then is what was asked for.
BARE = """
import sys, types
package = types.ModuleType("toyattn")
package.__path__ = [sys.argv[1]]
sys.modules["toyattn"] = package
import toyattn.toylang
package.ToyLang = toyattn.toylang.ToyLang
for line in sys.stdin.read().splitlines():
    exec(line)
print(*(getattr(m, "__file__", None) for n, m in list(sys.modules.items()) if n.startswith("toyattn.")), sep="\\n")
"""


def cells_of(path):
    return [cell.source for cell in jupytext.read(path, fmt="md:myst").cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS[::4] + [ROOT / "book/e/e5.md"], ids=lambda path: path.stem)
def test_modules_are_those_that_python_loads(path):
    cells = cells_of(path)
    imports = [node for cell in cells for node in ast.walk(ast.parse(cell)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    lines = "\n".join(ast.unparse(node) for node in imports if "toyattn" in ast.unparse(node))
    done = subprocess.run([sys.executable, "-c", BARE, str(sources.PACKAGE)], input=lines, capture_output=True, text=True, check=True)
    loaded = {Path(file) for file in done.stdout.split() if file != "None"}
    found = sources.modules(cells)
    for_the_stub = sources.modules(["from toyattn import ToyLang"])
    assert loaded - for_the_stub <= found
    page = sources.PACKAGE / "page"
    assert {file for file in found if page not in file.parents} <= loaded


def test_bare_import_means_everything():
    assert sources.modules(["import toyattn"]) == sources.modules(["import toyattn as t"])
    assert len(sources.modules(["import toyattn"])) > 40
    assert not any(sources.EXTENSION in file.parents for file in sources.modules(["import toyattn"]))
    assert sources.modules(["import numpy as np", "x = 1"]) == set()
