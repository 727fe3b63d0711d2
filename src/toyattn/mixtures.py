"""Mixtures of bags: a hidden topic for each text, fitted by EM; and the mixture that suits ToyLang.

Shapes: D documents, V words, K topics. Source: Dempster, Laird and Rubin 1977; the pair mixture is
the book's own.
"""

from itertools import combinations
import math
from typing import NamedTuple

import numpy as np

from . import arguments, bag, information, naive_bayes
from .toylang import ToyLang, listing


class Trajectory(NamedTuple):
    """Rounds 0..R of EM, one entry a round along the first axis of each array.

    pi (R+1, K), theta (R+1, K, V), log_likelihood (R+1,) in nats: after the M-step of the round;
    responsibilities (R+1, D, K): after its E-step.
    """

    pi: np.ndarray
    theta: np.ndarray
    log_likelihood: np.ndarray
    responsibilities: np.ndarray


class RandomStarts(NamedTuple):
    """Outcome of EM from random starts, measured against the pair mixture.

    share: share of the runs that reach its log-likelihood; largest_excess: nats by which the best
    run ends above it (negative if none reaches it).
    """

    share: float
    largest_excess: float


def responsibilities(counts, pi, theta):
    """E-step: posterior rho (D, K) of the topic of each document, computed in logs.

    counts: (D, V); pi: (K,); theta: (K, V). The posterior of naive Bayes with the label unknown.
    """
    return naive_bayes.posterior(counts, pi, theta)


def m_step(counts, rho):
    """M-step: pi (K,) and theta (K, V) by counting with the responsibilities rho (D, K)."""
    return naive_bayes.estimate(counts, rho)


def log_likelihood(counts, pi, theta):
    """Log-likelihood in nats of the documents: sum over i of ln sum over z of p(z, document i)."""
    return naive_bayes.log_likelihood(counts, pi, theta)


def lower_bound(counts, rho, pi, theta):
    """The bound B(rho, theta) in nats that EM climbs: sum of rho ln(p(z, document) / rho).

    The log-likelihood is B plus, for each document, the divergence of its rho from the posterior.
    """
    pi = arguments.distribution("pi", pi, shape=(None,))
    joint = naive_bayes.log_joint(counts, pi, theta)
    rho = arguments.distribution("rho", rho, shape=joint.shape, axis=1)
    used = rho > 0
    return float(rho[used] @ (joint[used] + information.cost(rho[used])))


def em(counts, start, rounds):
    """The Trajectory of EM over the given number of rounds.

    counts: (D, V); start: responsibilities (D, K). Round 0 is the pooled bag in each topic, with the
    start as its responsibilities; round k >= 1 is an M-step on those of round k - 1, then an E-step.
    """
    start = arguments.distribution("start", start, shape=(None, None), axis=1)
    rounds = arguments.size("rounds", rounds, 0)
    counts = arguments.array("counts", counts, shape=(len(start), None), least=0, most=arguments.MOST_NUMBER)
    pi, theta = m_step(counts, np.full(start.shape, 1 / start.shape[1]))
    steps = [(pi, theta, log_likelihood(counts, pi, theta), start)]
    for _ in range(rounds):
        pi, theta = m_step(counts, steps[-1][3])
        steps.append((pi, theta, log_likelihood(counts, pi, theta), responsibilities(counts, pi, theta)))
    return Trajectory(*(np.array(part) for part in zip(*steps)))


def next_token(counts, pi, theta):
    """Next-token distribution (V,) of a mixture after a prefix with these counts (V,)."""
    pi = arguments.distribution("pi", pi, shape=(None,))
    counts = arguments.array("counts", counts, shape=(None,), least=0, most=arguments.MOST_NUMBER)
    return naive_bayes.posterior(counts[None], pi, theta)[0] @ np.asarray(theta)


def pairs(lang):
    """The unordered pairs of names, topics of the pair mixture (tuple of K = N(N-1)/2 pairs)."""
    arguments.instance("lang", lang, ToyLang)
    return tuple(combinations(lang.names, 2))


def pair_bags(lang):
    """pi (K,) and theta (K, V) of the pair mixture: one bag a pair, all pairs equally likely.

    Each of the two names has the share 2/n; all that is no name has its share of the plain bag.
    """
    arguments.instance("lang", lang, ToyLang)
    members = np.array([[name in pair for name in lang.names] for pair in pairs(lang)])
    theta = np.tile(bag.toylang_shares(lang), (len(members), 1))
    theta[:, : lang.N] = members * 2 / lang.n
    return np.full(len(members), 1 / len(members)), theta


def pair_posterior(lang, prefix):
    """Posterior (K,) of the pairs after a prefix (tokens in any order); positive on the live pairs.

    A prefix that no pair can produce, for example with three names, is refused.
    """
    return responsibilities(_pair_counts(lang, prefix)[None], *pair_bags(lang))[0]


def pair_next_token(lang, prefix):
    """Next-token distribution (V,) of the pair mixture after a prefix, as in pair_posterior."""
    return next_token(_pair_counts(lang, prefix), *pair_bags(lang))


def pair_copy_cost(lang):
    """Nats of a copied name for the pair mixture, ln((10 + L) / 2)."""
    arguments.instance("lang", lang, ToyLang)
    return math.log(lang.n / 2)


def pair_first_y_cost(lang):
    """Nats of the first Y for the pair mixture, with N - 1 pairs still live: ln((N - 1)(10 + L) / 2)."""
    arguments.instance("lang", lang, ToyLang)
    return math.log(lang.N - 1) + pair_copy_cost(lang)


def pair_saving(lang):
    """Nats a sentence that the pair mixture saves over the bag, 4 ln(N / 2) - ln(N(N - 1) / 2)."""
    arguments.instance("lang", lang, ToyLang)
    return 4 * math.log(lang.N / 2) - math.log(lang.n_pairs / 2)


def pair_sentence_cost(lang):
    """Nats of a whole sentence for the pair mixture; all sentences cost the same."""
    return bag.sentence_cost(lang) - pair_saving(lang)


def random_starts(lang, runs, rng, rounds=100):
    """RandomStarts of EM with N(N-1)/2 topics on the distinct bags of a language (small L and N).

    Each run starts from responsibilities drawn from Dirichlet(1, ..., 1) for each distinct bag, all
    bags counting alike. A run reaches the pair mixture if it ends less than 1e-6 nats below it.
    """
    arguments.instance("lang", lang, ToyLang)
    runs = arguments.size("runs", runs)
    rounds = arguments.size("rounds", rounds)
    arguments.generator("rng", rng)
    bags = distinct_bags(lang)
    rho = rng.dirichlet(np.ones(len(pairs(lang))), size=(runs, len(bags)))
    for _ in range(rounds):
        pi, theta = m_step(bags, rho)
        rho = responsibilities(bags, pi, theta)
    excess = log_likelihood(bags, *m_step(bags, rho)) - log_likelihood(bags, *pair_bags(lang))
    return RandomStarts(float(np.mean(excess > -1e-6)), float(excess.max()))


def distinct_bags(lang):
    """The different count vectors of the sentences of a language, by listing (D, V) (small L)."""
    return np.array(sorted({tuple(bag.count(tokens, lang.vocabulary)) for tokens in listing(lang)}))


def _pair_counts(lang, prefix):
    arguments.instance("lang", lang, ToyLang)
    prefix = arguments.tokens("prefix", prefix, lang.vocabulary)
    counts = bag.count(prefix, lang.vocabulary)
    if log_likelihood(counts[None], *pair_bags(lang)) == -math.inf:
        arguments.refuse("prefix", " ".join(prefix), "a prefix that some pair can produce")
    return counts
