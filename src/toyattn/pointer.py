"""The latent pointer: a hidden position J with softmax weights, whose value is copied.

Maximum entropy: Jaynes 1957; the gradient is Fisher's identity; the ToyLang pointer is the book's own.
"""

import math

import numpy as np

from . import arguments
from .attention import attention, softmax
from .toylang import ToyLang

MOST_POWER = 10**6
FLAGS = {"thanked": (1.0, 0.0), "then": (0.0, 1.0)}  # queries: the subject slot, the object slot


def unit_arrows(degrees):
    """Unit vectors of the plane at these angles, (m, 2) for degrees (m,)."""
    angle = np.radians(arguments.array("degrees", degrees, shape=(None,)))
    return np.column_stack([np.cos(angle), np.sin(angle)])


@arguments.in_floats("x", "beta")
def exponential_series(x, beta, K):
    """sum of (beta x)^k / k! for k = 0 to K, entry by entry: exp(beta x) cut after power K."""
    x = arguments.array("x", x)
    beta = arguments.real("beta", beta)
    term = total = np.ones_like(x)
    for k in range(1, arguments.integer("K", K, 0, MOST_POWER) + 1):
        term = term * (beta * x) / k
        total = total + term
    return total


def mean_score(scores, beta):
    """Expected score under softmax(scores, beta), the derivative of ln Z in beta; scores (m,)."""
    scores = arguments.array("scores", scores, shape=(None,))
    return float(softmax(scores, beta) @ scores)


@arguments.in_floats("scores")
def score_variance(scores, beta):
    """Variance of the score under softmax(scores, beta), the derivative of the mean score in beta."""
    scores = arguments.array("scores", scores, shape=(None,))
    return float(softmax(scores, beta) @ (scores - mean_score(scores, beta)) ** 2)


def beta_for_mean(scores, mean):
    """The beta whose softmax has this expected score: the price of sharpness in maximum entropy.

    scores: (m,); mean: strictly between the least and the largest score. Found by bisection.
    """
    scores = arguments.array("scores", scores, shape=(None,))
    mean = arguments.real("mean", mean)
    if not scores.min() < mean < scores.max():
        arguments.refuse("mean", mean, f"a number between {scores.min()} and {scores.max()}")
    low, high = -1.0, 1.0
    while mean_score(scores, low) > mean:
        low *= 2
    while mean_score(scores, high) < mean:
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if mean_score(scores, middle) < mean else (low, middle)
    return middle


def source_weight(m, beta):
    """Weight of one item of score 1 against m - 1 of score 0: 1 / (1 + (m - 1) e^-beta).

    Also the least possible weight of the best of m scores that leads all others by beta.
    """
    return math.exp(-source_cost(m, beta))


def source_cost(m, beta):
    """Nats of that item, ln(1 + (m - 1) e^-beta); beta may be inf."""
    m = arguments.integer("m", m, 1, arguments.MOST_NUMBER)
    beta = arguments.real("beta", beta, least=0, infinite=True)
    return math.log1p((m - 1) * math.exp(-beta))


def beta_needed(m, nats):
    """Smallest beta at which source_cost(m, beta) is at most this many nats (> 0): ln((m-1)/(e^nats-1)).

    m: at least 2. 0 where equal weights are cheap enough already.
    """
    m = arguments.integer("m", m, 2, arguments.MOST_NUMBER)
    nats = arguments.real("nats", nats, least=0)
    if nats == 0:
        arguments.refuse("nats", 0, "a number above 0")
    if nats >= math.log(m):
        return 0.0
    return math.log(m - 1) - math.log(math.expm1(nats))


def target_probability(weights, holds):
    """Probability of the target under the pointer, the weight of its holders.

    weights: (m,), a distribution; holds: (m,) zeros and ones (or booleans), where the target stands.
    """
    weights, holds = _pointer(weights, holds)
    return float(weights @ holds)


def posterior(weights, holds):
    """Responsibilities (m,): where the pointer stood, once the answer is known.

    weights and holds as in target_probability; some holder must carry weight.
    """
    p = target_probability(weights, holds)
    weights, holds = _pointer(weights, holds)
    if p == 0:
        arguments.refuse("holds", "no holder with weight", "a target of positive probability")
    return weights * holds / p


def score_gradient(weights, holds, beta=1.0):
    """Derivatives of the target's log-probability in the scores, beta (posterior - weight), (m,)."""
    r = posterior(weights, holds)
    return arguments.real("beta", beta) * (r - np.asarray(weights, dtype=float))


def loss_gradient(weights, V, g, beta=1.0):
    """Derivatives of a loss in the scores for vector values, beta a_i (v_i - o).g, shape (m,).

    weights: (m,); V: (m, d_v); g: (d_v,), the derivative of the loss in the output o.
    """
    a = arguments.distribution("weights", weights, shape=(None,))
    V = arguments.array("V", V, shape=(len(a), None))
    g = arguments.array("g", g, shape=(V.shape[1],))
    return arguments.real("beta", beta) * a * ((V - a @ V) @ g)


def slot_keys(m):
    """Keys (m, 2) by hand: (1, 0) in the subject slot 0, (0, 1) in the object slot 2, else (0, 0)."""
    keys = np.zeros((arguments.size("m", m, 3), 2))
    keys[0, 0] = keys[2, 1] = 1
    return keys


def toylang_pointer(lang, tokens, beta):
    """The hand-set pointer at the end of a prefix (a Read of one row): outputs are over the vocabulary.

    tokens: a prefix of a sentence that ends in "then" or "thanked"; values are one-hot tokens.
    """
    values, _ = _prefix(lang, tokens)
    if beta is None:
        arguments.refuse("beta", beta, "a number, or inf")
    return attention([FLAGS[tokens[-1]]], slot_keys(len(values)), values, beta)


def name_lookup(lang, tokens, beta):
    """Lookup by content without positions: key 1 on names, read and renormalized over the names (N,).

    tokens as in toylang_pointer. At "then" it pays ln 2 for the second name at every beta: the floor
    of a model that cannot tell the order.
    """
    values, _ = _prefix(lang, tokens)
    beta = arguments.real("beta", beta, least=0, infinite=True)
    names = [token in lang.names for token in tokens]
    read = attention([[1.0]], np.array(names, dtype=float)[:, None], values, beta)
    found = read.outputs[0, : lang.N]  # the vocabulary begins with the names
    return found / found.sum()


def _pointer(weights, holds):
    weights = arguments.distribution("weights", weights, shape=(None,))
    if isinstance(holds, np.ndarray) and holds.dtype == bool:
        holds = holds.astype(int)
    return weights, arguments.array("holds", holds, weights.shape, integers=True, least=0, most=1)


def _prefix(lang, tokens):
    arguments.instance("lang", lang, ToyLang)
    tokens = arguments.tokens("tokens", tokens, lang.vocabulary, least=1)
    ends = {"then": lang.second_y, "thanked": lang.last_x}
    if ends.get(tokens[-1]) != len(tokens):
        came = f"{len(tokens)} that end in {tokens[-1]!r}"
        arguments.refuse("tokens", came, 'a prefix that ends in "then" or "thanked"')
    return np.eye(len(lang.vocabulary))[lang.encode(tokens)], tokens
