"""The price of text: cost, entropy, cross-entropy, perplexity, and the chain rule.

All prices are in nats (natural logarithm). Source: Shannon 1948; the definitions are standard.
"""

import math

import numpy as np

from . import arguments

NAT_IN_BITS = 1 / math.log(2)


def cost(p):
    """Price in nats of something that was given probability p: -ln p, and inf for p = 0.

    p: number or array in [0, 1]. Returns a float or an array of the same shape.
    """
    p = arguments.array("p", p, least=0, most=1 + arguments.SLACK)
    with np.errstate(divide="ignore"):
        nats = np.maximum(-np.log(p), 0.0)  # p may exceed 1 by rounding
    return float(nats) if p.ndim == 0 else nats


def entropy(P):
    """Entropy in nats of a distribution: the mean cost of what it produces, under itself.

    P: probabilities, an array of any shape whose entries add up to 1.
    """
    return cross_entropy(P, P)


def cross_entropy(P, p):
    """Mean cost in nats, under the model p, of what the true process P produces.

    P, p: probabilities of the same outcomes, arrays of one shape; inf if P can produce something
    that p excludes.
    """
    P, p = _pair(P, p)
    occurs = P > 0
    return float(P[occurs] @ cost(p[occurs]))


def kl_divergence(P, p):
    """Excess in nats of cross_entropy(P, p) over entropy(P): what the wrong story costs.

    P, p as in cross_entropy. Never negative; 0 only if p = P wherever P is positive.
    """
    P, p = _pair(P, p)
    occurs = P > 0
    return float(P[occurs] @ (cost(p[occurs]) - cost(P[occurs])))


@arguments.in_floats("nats_per_token")
def perplexity(nats_per_token):
    """Size of the uniform choice that costs this many nats: exp of the mean cost of a token."""
    return float(np.exp(arguments.real("nats_per_token", nats_per_token, least=0)))


def hit_entropy(share, n):
    """Nats for a reader who knows how often an answer is right: the entropy of `share` on one of n, the rest spread evenly.

    share: probability of the answer, 0 to 1; n: outcomes, at least 2.
    """
    share, n = arguments.real("share", share, 0, 1), arguments.size("n", n, 2)
    return entropy([share, *[(1 - share) / (n - 1)] * (n - 1)])


def _pair(P, p):
    P = arguments.distribution("P", P)
    return P, arguments.distribution("p", p, shape=P.shape)
