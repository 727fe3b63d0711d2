"""Counts of bits, numbers and multiply-adds against arrays and counting loops."""

from fractions import Fraction

from hypothesis import given, strategies as st
import numpy as np
import pytest

from toyattn import storage

sizes = st.integers(1, 9)


@given(b=st.integers(1, 40), d=st.integers(1, 40), N=st.integers(2, 300))
def test_the_bound_is_the_largest_number_of_answers(b, d, N):
    m = storage.counting_bound(b, d, N)
    assert N**m <= 2 ** (b * d) < N ** (m + 1)


def test_the_bound_is_exact_at_powers_of_two():
    assert [storage.counting_bound(3, d, 8) for d in range(1, 5)] == [1, 2, 3, 4]
    assert storage.counting_bound(1, 1, 8) == 0


@given(states=st.integers(1, 2**70), b=st.integers(1, 20))
def test_numbers_needed_are_just_enough(states, b):
    numbers = storage.numbers_needed(states, b)
    assert 2 ** (b * numbers) >= states
    assert numbers == 0 or 2 ** (b * (numbers - 1)) < states


@given(m=st.integers(0, 9), d_k=sizes, d_v=sizes)
def test_numbers_are_the_sizes_of_the_arrays(m, d_k, d_v):
    assert storage.state_numbers(d_k, d_v) == np.zeros((d_v, d_k)).size
    assert storage.cache_numbers(m, d_k, d_v) == np.zeros((m, d_k)).size + np.zeros((m, d_v)).size


@given(n=st.integers(0, 9), d_k=sizes, d_v=sizes)
def test_work_is_what_loops_count(n, d_k, d_v):
    state = cache = 0
    for t in range(n):
        for _ in range(d_v):
            for _ in range(d_k):
                state += 1  # S += v k^T
            for _ in range(d_k):
                state += 1  # S q
        for _ in range(t + 1):
            cache += sum(1 for _ in range(d_k)) + sum(1 for _ in range(d_v))
    assert storage.state_work(n, d_k, d_v) == state
    assert storage.cache_work(n, d_k, d_v) == cache


@given(d_k=sizes, d_v=sizes)
def test_crossings(d_k, d_v):
    t = storage.equal_numbers(d_k, d_v)
    assert t * (d_k + d_v) == d_k * d_v
    t = storage.equal_work(d_k, d_v)
    assert t * storage.cache_numbers(1, d_k, d_v) == storage.state_work(1, d_k, d_v)
    assert storage.equal_numbers(5, 5) == Fraction(5, 2) and storage.equal_work(5, 5) == 5


def test_too_many_bits_are_refused():
    with pytest.raises(ValueError, match="^d: wanted at most 100000 bits"):
        storage.counting_bound(1000, 101, 2)


def test_a_number_that_is_not_full_counts_as_one():
    assert storage.numbers_needed(2**33, 32) == 2 and type(storage.numbers_needed(2**33, 32)) is int
    assert storage.counting_bound(1000, 100, 2) == 10**5


def test_a_number_of_too_many_bits_is_refused():
    with pytest.raises(ValueError, match="^b: wanted an integer from 1 to 100000"):
        storage.counting_bound(10**5 + 1, 1, 2)
