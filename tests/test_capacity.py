"""Overlap integrals against Bessel functions and another quadrature; capacities against drawn keys."""

import math

import mpmath
import numpy as np
import pytest

from toyattn import capacity, recall


def moment(t, d):
    """E exp(t (s - 1)) in closed form, Gamma(d/2) (2/t)^(d/2-1) I_{d/2-1}(t) e^-t."""
    t, order = mpmath.mpf(t), mpmath.mpf(d) / 2 - 1
    return mpmath.gamma(order + 1) * (2 / t) ** order * mpmath.besseli(order, t) * mpmath.exp(-t)


CASES = [(0.5, 2), (1, 3), (4, 16), (24, 16), (7, 5), (300, 64)]
CASES += [(700, 2), (700, 3), (700, 2000), (0.5, 2000)]


@pytest.mark.parametrize("t, d", CASES)
def test_moment_is_a_bessel_function(t, d):
    assert capacity.exponential_moment(t, d) == pytest.approx(float(moment(t, d)), rel=1e-11)
    assert capacity.exponential_moment(0, d) == 1


@pytest.mark.parametrize("d", [2, 3, 8, 65, 2000])
def test_mean_over_one_overlap(d):
    log_gamma = math.lgamma
    assert capacity.overlap_mean(np.ones_like, d) == pytest.approx(1, rel=1e-13)
    assert capacity.overlap_mean(np.square, d) == pytest.approx(1 / d, rel=1e-11)
    assert capacity.overlap_mean(lambda s: s**4, d) == pytest.approx(3 / (d * (d + 2)), rel=1e-11)
    bessel = mpmath.besseli(d / 2 - 1, 2) * mpmath.gamma(d / 2)  # the mean of e^(2 s), where (1/2 * 2)^(1 - d/2) = 1
    assert capacity.overlap_mean(lambda s: np.exp(2 * s), d) == pytest.approx(float(bessel), rel=1e-11)
    assert capacity.overlap_mean(lambda s: np.where(s > 0.5, 1, 0), d) == pytest.approx(capacity.tail_share(0.5, d), rel=1e-9)
    kink = math.exp(log_gamma(d / 2) - log_gamma((d + 1) / 2)) / math.sqrt(math.pi)
    assert capacity.overlap_mean(np.abs, d) == pytest.approx(kink, rel=1e-11)


@pytest.mark.parametrize(
    "cut, d, t", [(0.5, 16, 0), (0.6, 16, 16), (-0.3, 3, 2), (0.9, 4, 40), (0, 7, 0)]
)
def test_tails_from_the_density_of_the_overlap(cut, d, t):
    def density(s):
        return (1 - s**2) ** mpmath.mpf((d - 3) / 2) * mpmath.exp(t * (s - 1))

    wanted = mpmath.quad(density, [cut, (1 + cut) / 2, 1]) / mpmath.quad(density, [-1, 0, 0.5, 1])
    assert capacity.tail_share(cut, d, t) == pytest.approx(float(wanted), rel=1e-9)


def test_tails_at_the_ends_and_in_the_plane():
    assert capacity.tail_share(1, 5, 3) == 0 and capacity.tail_share(-1, 5, 3) == pytest.approx(1)
    assert capacity.tail_share(0.5, 2) == pytest.approx(1 / 3)  # 60 degrees of 180


@pytest.mark.parametrize("beta, d", [(0.7, 3), (2, 16), (6, 16), (12, 16), (8, 64), (3, 2)])
def test_capacity_is_where_the_ratio_is_one(beta, d):
    exact = 1 + 1 / float(moment(2 * beta, d))
    assert capacity.softmax_capacity(beta, d) == pytest.approx(exact, rel=1e-11)
    assert capacity.squared_ratio(exact, beta, d) == pytest.approx(1, rel=1e-11)
    ratios = capacity.squared_ratio([1, 2, 11], beta, d)
    np.testing.assert_allclose(ratios, np.array([0, 1, 10]) * float(moment(2 * beta, d)), rtol=1e-11)
    spread = mpmath.sqrt(moment(4 * beta, d) / moment(2 * beta, d) - moment(2 * beta, d))
    assert capacity.capacity_spread(beta, d) == pytest.approx(float(spread), rel=1e-9)


def test_capacity_without_sharpness():
    assert capacity.softmax_capacity(0, 9) == 2 == capacity.gaussian_capacity(0, 9)
    assert capacity.capacity_spread(0, 9) == 0


@pytest.mark.parametrize("beta, d", [(0.5, 3), (2, 16), (8, 64), (20, 16)])
def test_gaussian_capacity_from_the_normal_moment(beta, d):
    def density(s):
        return mpmath.npdf(s, 0, 1 / mpmath.sqrt(d)) * mpmath.exp(2 * beta * (s - 1))

    center = 2 * beta / d
    width = 12 / math.sqrt(d)
    wanted = 1 + 1 / mpmath.quad(density, mpmath.linspace(center - width, center + width, 13))
    assert capacity.gaussian_capacity(beta, d) == pytest.approx(float(wanted), rel=1e-10)


def test_hebbian_capacity_is_where_the_error_is_one():
    for d in (1, 8, 16):
        assert recall.hebbian_error(capacity.hebbian_capacity(d), d) == 1


@pytest.mark.parametrize("m, beta, d", [(1, 2, 5), (20, 1.5, 5), (300, 3, 12), (6, 4, 3)])
def test_drawn_ratios_have_the_stated_mean_and_spread(m, beta, d):
    draws = capacity.simulate_ratio(m, beta, d, 4000, np.random.default_rng(m))
    mean = (m - 1) * float(moment(2 * beta, d))
    variance = (m - 1) * float(moment(4 * beta, d) - moment(2 * beta, d) ** 2)
    assert abs(draws.mean() - mean) <= 4.5 * math.sqrt(variance / 4000) + 1e-15
    if m > 1:
        assert draws.var() == pytest.approx(variance, rel=0.25)


def test_drawn_ratios_beside_drawn_keys():
    rng = np.random.default_rng(3)
    K = recall.unit_vectors((4000, 30, 6), rng)
    overlaps = (K[:, 1:] @ K[:, :1].transpose(0, 2, 1))[..., 0]
    keys = np.sort(np.exp(2 * 2.0 * (overlaps - 1)).sum(axis=1))
    draws = np.sort(capacity.simulate_ratio(30, 2.0, 6, 4000, rng))
    ranks = np.searchsorted(keys, draws) / 4000 - (np.arange(4000) + 0.5) / 4000
    assert np.abs(ranks).max() < 1.95 * math.sqrt(2 / 4000)  # Kolmogorov-Smirnov, p = 0.001


def test_the_bounds_are_those_of_the_documentation():
    assert capacity.gaussian_capacity(350, 2) == pytest.approx(1)
    assert capacity.squared_ratio(1, 350, 2000) == 0
    for function, beta in (
        (capacity.softmax_capacity, 350),
        (capacity.gaussian_capacity, 350),
        (capacity.capacity_spread, 175),
    ):
        assert math.isfinite(function(beta, 2000))
        with pytest.raises(ValueError, match="^beta: "):
            function(math.nextafter(beta, math.inf), 2000)


@pytest.mark.parametrize("beta, d", [(1.5, 5), (3, 24), (5, 40)])
def test_capacities_inside_drawn_keys_and_drawn_normals(beta, d):
    """At the stated number of pairs the drawn ratio is 1 on average: 3,000 draws, 4.5 standard errors, keys for the exact form,
    normal overlaps of variance 1/d for the Gaussian one."""
    rng = np.random.default_rng(d)
    exact, gauss = capacity.softmax_capacity(beta, d), capacity.gaussian_capacity(beta, d)
    for pairs, overlaps in ((exact, drawn_overlaps), (gauss, lambda rng, m, d: rng.standard_normal(m) / math.sqrt(d))):
        whole = math.ceil(pairs) - 1
        ratios = np.array([np.exp(2 * beta * (overlaps(rng, whole, d) - 1)).sum() for _ in range(3000)])
        ratios *= (pairs - 1) / whole
        assert abs(ratios.mean() - 1) < 4.5 * ratios.std() / math.sqrt(3000)


def drawn_overlaps(rng, m, d):
    """The first coordinates of m random unit vectors."""
    K = rng.standard_normal((m, d))
    return K[:, 0] / np.sqrt((K * K).sum(axis=1))


def test_cuts_beyond_the_sphere_and_the_type_of_a_ratio():
    with pytest.raises(ValueError, match="^cut: wanted .* from -1 to 1, got 1.5"):
        capacity.tail_share(1.5, 4)
    assert type(capacity.squared_ratio(3, 1, 4)) is float
