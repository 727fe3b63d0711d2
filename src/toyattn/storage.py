"""What a memory costs: bits that must be there, numbers held and multiply-adds done.

A state is a matrix of d_v x d_k numbers, whatever it has read; a cache keeps every key of d_k and every
value of d_v numbers. Source: the book's own counts; all are exact.
"""

from fractions import Fraction

from . import arguments

MOST_BITS = 10**5


def counting_bound(b, d, N):
    """Most answers out of N that d numbers of b bits can determine: the largest m with N^m <= 2^(b d).

    Holds for every design, at finite precision (exact int).
    """
    bits = arguments.integer("b", b, 1, MOST_BITS) * arguments.integer("d", d, 1)
    N = arguments.integer("N", N, 2)
    if bits > MOST_BITS:
        arguments.refuse("d", d, f"at most {MOST_BITS} bits in all")
    m = bits // N.bit_length()  # N < 2^bit_length: never too many
    power = N ** (m + 1)
    while power <= 2**bits:
        m, power = m + 1, power * N
    return m


def numbers_needed(states, b):
    """Least numbers of b bits that can tell this many states apart (exact int)."""
    states = arguments.integer("states", states, 1)
    b = arguments.integer("b", b, 1)
    return -(-(states - 1).bit_length() // b)


def state_numbers(d_k, d_v):
    """Numbers in a matrix state, d_v d_k (exact int)."""
    d_k, d_v = _sizes(d_k, d_v)
    return d_k * d_v


def cache_numbers(m, d_k, d_v):
    """Numbers in a cache of m pairs, m (d_k + d_v) (exact int)."""
    m = arguments.integer("m", m, 0)
    d_k, d_v = _sizes(d_k, d_v)
    return m * (d_k + d_v)


def state_work(n, d_k, d_v):
    """Multiply-adds of n tokens with a matrix state: a write and a read of d_v d_k each (exact int)."""
    n = arguments.integer("n", n, 0)
    return 2 * n * state_numbers(d_k, d_v)


def cache_work(n, d_k, d_v):
    """Multiply-adds of n tokens with a cache: token t scores and adds t pairs (exact int).

    The exponentials are not counted.
    """
    n = arguments.integer("n", n, 0)
    return n * (n + 1) // 2 * cache_numbers(1, d_k, d_v)


def equal_numbers(d_k, d_v):
    """Tokens at which a cache holds as many numbers as the state, d_k d_v / (d_k + d_v) (Fraction)."""
    return Fraction(state_numbers(d_k, d_v), cache_numbers(1, d_k, d_v))


def equal_work(d_k, d_v):
    """Token at which a cache works as much as the state does at every token (Fraction)."""
    return Fraction(state_work(1, d_k, d_v), cache_numbers(1, d_k, d_v))


def _sizes(d_k, d_v):
    return arguments.integer("d_k", d_k, 1), arguments.integer("d_v", d_v, 1)
