"""What a state must tell apart, for any gap, against listings and against windows."""

import math

import numpy as np
import pytest

from toyattn import ToyLang, copy_rule

SMALL = [(2, 2, 0), (3, 2, 1), (4, 2, 1), (3, 3, 1), (3, 2, 2), (4, 2, 2), (5, 2, 0), (3, 2, 4)]


@pytest.mark.parametrize("N, F, L", SMALL)
def test_futures_by_listing(N, F, L):
    lang = ToyLang(N, F, L)
    listed = [copy_rule.distinct_futures(lang, t) for t in range(lang.n + 1)]
    assert list(copy_rule.futures_by_length(lang)) == listed
    np.testing.assert_allclose(copy_rule.state_needed(lang), [math.log(count) for count in listed])


def test_the_plateau_gets_longer_and_not_higher():
    for L in (0, 1, 40, 400):
        futures = copy_rule.futures_by_length(ToyLang(L=L))
        assert len(futures) == L + 11
        assert max(futures) == 56 and futures.count(56) == L + 4 and futures.index(56) == 3


@pytest.mark.parametrize("N, F, L", SMALL[1:])
def test_the_window_that_decides_reaches_the_first_name(N, F, L):
    assert copy_rule.deciding_window(ToyLang(N, F, L)) == L + 8


def test_two_names_need_only_the_second_y():
    assert copy_rule.deciding_window(ToyLang(2, 2, 0)) == 2


def test_large_languages_are_not_listed():
    with pytest.raises(ValueError, match="^lang: .*at most 200000"):
        copy_rule.deciding_window(ToyLang(L=4))
