"""Prices against exact logarithms and sums written out here."""

import math
import warnings

import numpy as np
import pytest

from toyattn import information


def test_cost_is_minus_the_log_without_warnings():
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert information.cost(0) == math.inf
        assert information.cost([0, 1, 0.5]).tolist() == [math.inf, 0, math.log(2)]
    assert math.copysign(1, information.cost(1.0)) == 1
    assert type(information.cost(0.5)) is float
    assert information.cost(math.exp(-3)) == pytest.approx(3, abs=1e-12)
    assert information.cost(1 + 1e-12) == 0  # a probability that rounding pushed above 1
    assert information.cost(np.full((2, 3), 0.25)).shape == (2, 3)


def test_entropy_of_powers_of_two_is_exact():
    assert information.entropy([0.5, 0.25, 0.25]) == pytest.approx(1.5 * math.log(2), abs=1e-15)
    assert information.entropy([1, 0, 0]) == 0
    assert information.entropy(np.full((2, 4), 1 / 8)) == pytest.approx(3 * math.log(2), abs=1e-15)


def test_cross_entropy_and_divergence_of_the_worked_numbers():
    P, p = [0.5, 0.5], [0.25, 0.75]
    cross = (math.log(4) + math.log(4 / 3)) / 2
    assert information.cross_entropy(P, p) == pytest.approx(cross, abs=1e-15)
    assert information.kl_divergence(P, p) == pytest.approx(cross - math.log(2), abs=1e-15)
    assert information.cross_entropy(p, P) == pytest.approx(math.log(2), abs=1e-15)


def test_what_cannot_occur_costs_nothing_and_what_the_model_excludes_costs_all():
    assert information.cross_entropy([1, 0], [0.5, 0.5]) == pytest.approx(math.log(2))
    assert information.cross_entropy([1, 0], [1, 0]) == 0 == information.kl_divergence([1, 0], [1, 0])
    assert information.cross_entropy([0.5, 0.5], [1, 0]) == math.inf
    assert information.kl_divergence([0.5, 0.5], [1, 0]) == math.inf


def test_divergence_is_the_excess_and_never_negative():
    rng = np.random.default_rng(0)
    for size in (2, 3, 7):
        for P, p in zip(rng.dirichlet(np.ones(size), 500), rng.dirichlet(np.ones(size), 500)):
            direct = sum(a * math.log(a / b) for a, b in zip(P, p))
            assert information.kl_divergence(P, p) == pytest.approx(direct, abs=1e-12)
            assert information.cross_entropy(P, p) == pytest.approx(
                direct - sum(a * math.log(a) for a in P), abs=1e-12
            )
            assert information.kl_divergence(P, p) > 0
            assert information.kl_divergence(P, P) == 0


def test_divergence_of_near_distributions_keeps_its_digits():
    h = 1e-5  # to second order the divergence is the sum of (p - P)^2 / 2P
    assert information.kl_divergence([0.5, 0.5], [0.5 + h, 0.5 - h]) == pytest.approx(2 * h**2, rel=1e-4)


def test_perplexity_of_a_uniform_choice_is_its_size():
    for size in (1, 2, 22):
        assert information.perplexity(math.log(size)) == pytest.approx(size)


def test_a_nat_in_bits():
    assert 2**information.NAT_IN_BITS == pytest.approx(math.e)


@pytest.mark.parametrize("share", [0, 0.25, 0.6, 1])
def test_entropy_of_a_hit(share):
    miss = (1 - share) / 4
    wanted = -sum(p * math.log(p) for p in (share, miss, miss, miss, miss) if p)
    assert information.hit_entropy(share, 5) == pytest.approx(wanted)
    assert information.hit_entropy(1 / 8, 8) == pytest.approx(math.log(8))
    assert information.hit_entropy(1 / 2, 2) == pytest.approx(math.log(2))
    with pytest.raises(ValueError, match="^share: wanted a finite number from 0 to 1, got 1.5$"):
        information.hit_entropy(1.5, 5)
