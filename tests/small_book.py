"""A book of one page under the real configuration, for tests of the build."""

import os
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]

HEAD = """\
---
file_format: mystnb
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A small page

```{code-cell} ipython3
import sympy as sp
from toyattn.page import Readout, canvas, check, check_zero, explore
```
"""

EXPLORER = """
```{code-cell} ipython3
---
mystnb:
  figure:
    name: fig-small
    caption: One bar.
---
def fig_small(height=1):
    figure, axes = canvas(120)
    axes.bar([0], [height])
    axes.set(ylim=(0, 4))
    return figure, dict(height=Readout(height, "height of the bar", ".1f"))


explore(fig_small, height=(0, 3))
```

See {numref}`fig-small` and $x^2$.
"""

DERIVATION = """
```{derivation-start} der-small
A square of a sum.
```

```{code-cell} ipython3
a, b = sp.symbols("a b")
check_zero("small-square", (a + b) ** 2 - a**2 - 2 * a * b - b**2, "the square of a sum")
check("small-number", 7 / 2, "3.5", "seven halves")
```

```{derivation-end}
```
"""

GOOD = HEAD + EXPLORER + DERIVATION


def write(folder, page):
    """A book with this page in ``folder``, configured as the real one."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    config["bibtex_bibfiles"] = [str(ROOT / "book" / "references.bib")]
    config["html"].pop("favicon", None)
    config["sphinx"]["config"].pop("html_static_path", None)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "_config.yml").write_text(yaml.safe_dump(config))
    (folder / "_toc.yml").write_text("format: jb-book\nroot: page\n")
    (folder / "page.md").write_text(page)
    return folder


def build(folder, *, timeout=300, strict=True, environ=None):
    """Build as ``make book`` does, or without taking warnings for errors; returns (exit status, everything that was printed).

    ``environ``, where given, is all that the build is told of the book's address.
    """
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", str(folder), "-q"]
    command += ["-W", "-n", "--keep-going"] if strict else []
    if environ is not None:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "SITE_URL"))}
        environ = {**own, **environ}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, env=environ)
    return done.returncode, done.stdout
