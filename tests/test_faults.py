"""A fault in the book stops the build, with a message that names the file and the thing."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import small_book

# name: (what stands on the page, what the message must say)
FAULTS = {
    "failing check": (
        small_book.GOOD.replace('7 / 2, "3.5"', '7 / 2, "3.6"'),
        ["page.md: CheckFailed: small-number", "states 3.6, computed 3.5", "seven halves"],
    ),
    "failing identity": (
        small_book.GOOD.replace("- b**2", "+ b**2"),
        ["page.md", "small-square", "the square of a sum"],
    ),
    "raising cell": (
        small_book.GOOD + "\n```{code-cell} ipython3\nundefined_name\n```\n",
        ["page.md", "undefined_name"],
    ),
    "formula that does not parse": (
        small_book.GOOD + "\nSee $\\frac{1}{$ here.\n",
        ["page.md", "formula does not parse", r"\frac{1}{"],
    ),
    "unknown macro": (
        small_book.GOOD + "\nSee $\\observed{x}$ here.\n",
        ["page.md", "formula does not parse", r"\observed"],
    ),
    "unknown figure": (small_book.GOOD + "\nSee {numref}`fig-absent`.\n", ["page.md", "fig-absent"]),
    "unknown work": (small_book.GOOD + "\nSee {cite}`nobody1900`.\n", ["page.md", "nobody1900"]),
    "missing diagram": (
        small_book.GOOD + "\n```{diagram} figures/absent.svg\nA caption.\n```\n",
        ["page.md", "there is no file figures/absent.svg"],
    ),
    "diagram without words": (
        small_book.GOOD + "\n```{diagram} bare.svg\nA caption.\n```\n",
        ["page.md", "diagram bare has no <title> and <desc>"],
    ),
    "start value off the grid": (
        small_book.GOOD.replace("height=1", "height=7"),
        ["page.md", "fig-small", "start value 7 of control 'height' is not on its grid"],
    ),
    "drawing that fails at one setting": (
        small_book.GOOD.replace("axes.bar([0], [height])", "axes.bar([0], [1 / (height - 2)])"),
        ["page.md", "fig-small at height=2", "division by zero"],
    ),
    "explorer under another name": (
        small_book.GOOD.replace("name: fig-small", "name: fig-other").replace("{numref}`fig-small`", "it"),
        ["page", "explorer 'fig-small' stands in a figure named fig-other"],
    ),
    "derivation without end": (
        small_book.GOOD.replace("```{derivation-end}\n```", ""),
        ["page", "derivation 'der-small' has no derivation-end"],
    ),
    "derivation without cell": (
        small_book.GOOD + "\n```{derivation-start} der-bare\nA claim.\n```\n\nWords.\n\n```{derivation-end}\n```\n",
        ["page", "derivation 'der-bare' has no executed cell"],
    ),
    "citation without its file": (small_book.GOOD + "\n```{cite-this-book}\n```\n", ["page.md", "there is no file CITATION.cff"]),
    "same check twice": (
        small_book.GOOD + '\n```{code-cell} ipython3\ncheck("small-number", 3, 3, "three")\n```\n',
        ["page", "same id", "small-number"],
    ),
}


@pytest.fixture(scope="module")
def builds(tmp_path_factory):
    """All faulty books, and the sound one, built side by side."""
    folder = tmp_path_factory.mktemp("faults")
    pages = {"none": small_book.GOOD, **{name: page for name, (page, _) in FAULTS.items()}}
    folders = [small_book.write(folder / str(i), page) for i, page in enumerate(pages.values())]
    for book in folders:
        (book / "bare.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(pages, pool.map(small_book.build, folders)))


def test_sound_book_builds(builds):
    status, output = builds["none"]
    assert status == 0, output[-3000:]


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_stops_the_build(builds, fault):
    status, output = builds[fault]
    assert FAULTS[fault][0] != small_book.GOOD
    assert status != 0
    for words in FAULTS[fault][1]:
        assert words in output, output[-3000:]
