"""Every readout of every explorer of the built book, at every setting, beside the second computations of readouts_*.py."""

import re

import pytest
import readouts_a
import readouts_b
import readouts_c
import readouts_d
import readouts_e
import readouts_h
from readouts import blocks, disagreements, read

PARTS = (readouts_a, readouts_b, readouts_c, readouts_d, readouts_e, readouts_h)
COUNTERPARTS = [(part, name) for part in PARTS for name in part.COUNTERPARTS]


def test_every_explorer_has_a_counterpart(site):
    assert set(blocks(site, ("",))) == {*(name for _, name in COUNTERPARTS), *readouts_a.WORDS}


@pytest.mark.parametrize("part, name", COUNTERPARTS, ids=lambda it: it if isinstance(it, str) else it.__name__[-1])
def test_readouts_agree_with_a_second_computation(site, part, name):
    assert disagreements(blocks(site, part.PAGES)[name], part.COUNTERPARTS[name]) == []


@pytest.mark.parametrize("name", readouts_a.WORDS)
def test_words_differ_at_every_setting(site, name):
    said = [tuple(stated for stated, text in readouts.values()) for _, _, readouts in read(blocks(site, readouts_a.PAGES)[name])]
    assert len(said) > 1 and all(all(words) for words in said)
    assert all(len(set(column)) == len(said) for column in zip(*said))


def test_each_swap_exchanges_two_words(site):
    """Neighboring stages of one shuffle differ in two cells, or in none where two equal words changed places."""
    rows = {}
    for setting, drawn, _ in read(blocks(site, readouts_a.PAGES)["fig-a2-shuffle"]):
        rows.setdefault(setting["seed"], []).append(re.findall(r"<text [^>]*>([^<]*)</text>", drawn)[:13])
    start = "Ann gave Ben a book and so well then Ben thanked Ann .".split()
    for stages in rows.values():
        assert stages[0] == start
        assert {sum(map(str.__ne__, one, two)) for one, two in zip(stages, stages[1:])} <= {0, 2}
    assert len({str(stages) for stages in rows.values()}) == len(rows) == 10
