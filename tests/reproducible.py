"""Two cold builds of the book in two folders, compared byte for byte: ``make reproducible`` for all of it, the tests for two chapters."""

import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from filecmp import cmp
from pathlib import Path

import yaml
from conftest import SITE
from small_book import build

ROOT = SITE.parents[1]
RECORDS = {".buildinfo", ".inv", ".pickle"}  # Sphinx's own, with dates or in no order; no reader's browser asks for them


def differences(folder, pages=None):
    """Files that two cold builds in `folder` do not agree on; `pages`: those beside the first page, None for the whole book."""
    copies = [cold_copy(Path(folder, place), pages) for place in ("one", "another/place")]
    with ThreadPoolExecutor(2) as pool:
        # where pages are left out, links to them lead nowhere
        for status, output in pool.map(lambda copy: build(copy, timeout=3600, strict=pages is None), copies):
            if status:
                raise RuntimeError(output[-3000:])
    first, second = ({path.relative_to(copy / "_build" / "html"): path for path in (copy / "_build" / "html").rglob("*") if path.is_file()}
                     for copy in copies)
    kept = {name for name in first.keys() & second.keys() if not {name.suffix, name.name} & RECORDS}
    return sorted(map(str, first.keys() ^ second.keys() | {name for name in kept if not cmp(first[name], second[name], shallow=False)}))


def cold_copy(folder, pages=None):
    """The repository's files without anything that was built, its table of contents cut down to some pages."""
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in files.stdout.splitlines():
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    if pages is not None:
        toc = yaml.safe_load((folder / "_toc.yml").read_text())
        for part in toc["parts"]:
            part["chapters"] = [page for page in part["chapters"] if page["file"] in pages]
        toc["parts"] = [part for part in toc["parts"] if part["chapters"]]
        (folder / "_toc.yml").write_text(yaml.safe_dump(toc))
    return folder


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        found = differences(folder)
    print("\n".join(found) or "The two builds agree in every file.")
    sys.exit(bool(found))
