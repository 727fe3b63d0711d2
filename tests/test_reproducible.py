"""Two cold builds of the opening and Part A in two folders give the same bytes."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from filecmp import cmp

import yaml
from conftest import SITE
from small_book import build

ROOT = SITE.parents[1]


def cold_copy(folder):
    """The repository's files, without anything that was built."""
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in files.stdout.splitlines():
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def only(folder, *parts):
    """Shorten the book's table of contents to some of its folders, for speed."""
    toc = yaml.safe_load((folder / "_toc.yml").read_text())
    for part in toc["parts"]:
        part["chapters"] = [page for page in part["chapters"] if page["file"].split("/")[1] in parts]
    toc["parts"] = [part for part in toc["parts"] if part["chapters"]]
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc))
    return folder


def test_two_cold_builds_are_byte_identical(tmp_path):
    folders = [only(cold_copy(tmp_path / place), "a", "checks", "references") for place in ("one", "another/place")]
    with ThreadPoolExecutor(2) as pool:
        # not strict: links to the parts that are left out lead nowhere
        for status, output in pool.map(lambda folder: build(folder, timeout=1800, strict=False), folders):
            assert status == 0, output[-3000:]
    first, second = (folder / "_build" / "html" for folder in folders)
    names = {path.relative_to(first) for path in first.rglob("*") if path.is_file()}
    assert names == {path.relative_to(second) for path in second.rglob("*") if path.is_file()}
    binary = {".buildinfo", ".inv", ".pickle"}  # Sphinx's own records, not read by a reader's browser
    differ = [str(name) for name in names if not ({name.suffix, name.name} & binary) and not cmp(first / name, second / name, shallow=False)]
    assert differ == []
