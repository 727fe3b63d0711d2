"""Figures about speed: builds, pages, sliders. Run by ``make bench``; printed, and written to _build/bench.json.

The builds are made in a copy of the repository, so that the built book and its cache stay as they are.
"""

import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jupytext
from conftest import browser_path
from lab import jupyter_lab, open_chapter, run_all
from nbclient import NotebookClient
from playwright.sync_api import sync_playwright
from small_book import build
from reproducible import cold_copy

ROOT = Path(__file__).resolve().parents[1]


def timed(action, *args):
    begun = time.perf_counter()
    result = action(*args)
    return time.perf_counter() - begun, result


def build_seconds(folder):
    seconds, (status, output) = timed(build, folder)
    if status:
        sys.exit(output[-3000:])
    return round(seconds, 1)


def chapters(folder):
    """The chapters that have cells."""
    return [path for path in sorted(folder.glob("book/**/*.md")) if "{code-cell}" in path.read_text(encoding="utf-8")]


def bare_execution(folder):
    """The same cells as in a build, executed one notebook after the other without Sphinx."""
    os.environ["TOYATTN_BUILDING_BOOK"] = "1"
    for path in chapters(folder):
        NotebookClient(jupytext.read(path), kernel_name="python3", timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()


def builds(folder):
    """Seconds of the four kinds of build, and what drawing cost in the cold one."""
    log = folder / "frames.jsonl"
    os.environ["TOYATTN_FRAME_TIMES"] = str(log)
    result = {"cold": build_seconds(folder)}
    del os.environ["TOYATTN_FRAME_TIMES"]
    drawn = [json.loads(line) for line in log.read_text().splitlines()]
    result["no change"] = build_seconds(folder)
    page = folder / "book" / "a" / "a5.md"
    page.write_text(page.read_text() + "\nOne more sentence.\n")
    result["prose edit"] = build_seconds(folder)
    page.write_text(page.read_text() + "\n```{code-cell} ipython3\n1 + 1\n```\n")
    result["cell edit"] = build_seconds(folder)
    result["bare execution"] = round(timed(bare_execution, folder)[0], 1)
    result["cold / bare"] = round(result["cold"] / result["bare execution"], 2)
    frames = {row["figure"]: {**row, "ms per frame": round(1000 * row["seconds"] / row["frames"], 1)} for row in drawn}
    return result, frames


def page_sizes(site):
    sizes = {}
    for path in sorted(site.glob("book/**/*.html")):
        data = path.read_bytes()
        html = data.decode()
        sizes[path.relative_to(site).as_posix()] = {
            "KB": round(len(data) / 1000, 1),
            "KB gzip": round(len(gzip.compress(data, 9)) / 1000, 1),
            "elements": len(re.findall(r"<[a-z]", re.sub(r'<script type="application/gzip">.*?</script>', "", html, flags=re.S))),
            "frames": sum(map(int, re.findall(r'data-frames="(\d+)"', html))),
        }
    return sizes


LATENCY = """async root => {
  const inputs = [...root.querySelectorAll('input')], times = [];
  const painted = () => new Promise(done => requestAnimationFrame(() => { const channel = new MessageChannel();
    channel.port1.onmessage = done; channel.port2.postMessage(0); }));
  const move = async (input, set) => { await painted(); set(); const begun = performance.now();
    input.dispatchEvent(new Event('input', {bubbles: true})); root.querySelector('svg').getBoundingClientRect();
    times.push(performance.now() - begun); await painted(); };
  for (const input of inputs) {
    if (input.type === 'range') {
      const all = []; for (let v = +input.min; v <= +input.max + 1e-9; v += +input.step) all.push(v);
      for (const v of all.filter((_, i) => i % Math.ceil(all.length / 40) === 0)) await move(input, () => { input.value = v; });
    } else await move(input, () => { input.checked = !input.checked || input.type === 'radio'; });
  }
  return times;
}"""


def latencies(site):
    """Milliseconds from an input event to the new frame laid out, over every explorer; the first move also unpacks."""
    result, every = {}, []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        for path in sorted(site.glob("book/**/*.html")):
            page = browser.new_page()
            page.goto(f"file://{path}")
            for explorer in page.locator(".explorer").all():
                explorer.scroll_into_view_if_needed()
                page.wait_for_timeout(300)
                times = explorer.evaluate(LATENCY)
                every += times
                result[explorer.get_attribute("data-explorer")] = summary(times)
            page.close()
        browser.close()
    return {**result, "all": summary(every)}


LAB_LATENCY = """async box => {
  const handle = box.querySelector('.noUi-handle'), times = [];
  const words = () => box.querySelector('.explorer .stage')?.getAttribute('aria-label');
  for (let i = 0; i < 36; i++) {
    const before = words(), begun = performance.now();
    await new Promise(done => {
      const watch = new MutationObserver(() => { if (words() && words() !== before) { watch.disconnect(); done(); } });
      watch.observe(box, {childList: true, subtree: true});
      handle.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, cancelable: true}));
    });
    box.querySelector('.explorer svg').getBoundingClientRect();
    times.push(performance.now() - begun);
    await new Promise(done => setTimeout(done, 100));
  }
  return times;
}"""


def lab_latencies(folder):
    """The same in JupyterLab, where the kernel draws: milliseconds from a key on a slider to the new frame laid out."""
    with sync_playwright() as playwright, jupyter_lab(sys.prefix, folder, folder.parent) as address:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 1000})
        open_chapter(page, address, Path("book/a/a1.md"))
        run_all(page, Path("book/a/a1.md"))
        box = page.locator(".widget-vbox").first
        box.scroll_into_view_if_needed()
        return {"fig-a1-ruler": summary(box.evaluate(LAB_LATENCY))}


def summary(times):
    return {"n": len(times), "median ms": round(statistics.median(times), 2), "p95 ms": round(statistics.quantiles(times, n=20)[-1], 2)}


def show(title, rows):
    print(f"\n{title}")
    for name, value in rows.items():
        words = "  ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        print(f"  {name:28s} {words}")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = cold_copy(Path(temporary) / "book")
        build_times, frames = builds(folder)
        site = folder / "_build" / "html"
        report = {"builds, seconds": build_times, "drawing": frames, "pages": page_sizes(site), "sliders": latencies(site),
                  "sliders in JupyterLab": lab_latencies(folder)}
    for title, script in [("one head", "bench_head.py"), ("the program of Part E", "bench_program.py")]:
        run = subprocess.run([sys.executable, ROOT / "tests" / script], check=True, capture_output=True, text=True)
        report[title] = json.loads(run.stdout)
    for title, rows in report.items():
        show(title, rows)
    (ROOT / "_build").mkdir(exist_ok=True)
    (ROOT / "_build" / "bench.json").write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
