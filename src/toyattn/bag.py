"""The bag of tokens (static unigram): independent draws from fixed proportions theta.

Source: standard (multinomial maximum likelihood; additive smoothing).
"""

import math

import numpy as np

from . import arguments, information
from .toylang import ToyLang

MOST_TOKENS = 10**5  # of a text whose orders are counted: the factorial is exact

def count(tokens, vocabulary):
    """How often each type of the vocabulary occurs among the tokens (int array, vocabulary order).

    vocabulary: sequence of different str. A token outside it is refused.
    """
    vocabulary = arguments.tokens("vocabulary", vocabulary, least=1)
    if len(set(vocabulary)) < len(vocabulary):
        arguments.refuse("vocabulary", "a repeated token", "different tokens")
    tokens = arguments.tokens("tokens", tokens, vocabulary)
    index = {token: i for i, token in enumerate(vocabulary)}
    return np.bincount([index[token] for token in tokens], minlength=len(vocabulary))


def smoothed(count, total, alpha, n_types):
    """Estimate (c + alpha) / (total + alpha * n_types): alpha pseudo-counts for each of n_types.

    count, total: numbers or arrays that broadcast, 0 <= count <= total; alpha >= 0. With alpha = 0
    this is the relative frequency, and an empty row (0/0) is refused.
    """
    most = arguments.MOST_NUMBER  # times as many types is a float still
    total = arguments.array("total", total, least=0, most=most)
    count = arguments.array("count", count, least=0, most=most)
    alpha = arguments.real("alpha", alpha, 0, most)
    n_types = arguments.integer("n_types", n_types, 1, most)
    try:
        np.broadcast_shapes(count.shape, total.shape)
    except ValueError:
        arguments.refuse("count", f"shape {count.shape}", f"a shape that fits the total's {total.shape}")
    if (count > total * (1 + arguments.SLACK)).any():
        arguments.refuse("count", f"a count of {count.max()}", "no count above its total")
    if alpha == 0 and (total == 0).any():
        arguments.refuse("total", "an empty row without pseudo-counts (0/0)", "a count or alpha > 0")
    return (count + alpha) / (total + alpha * n_types)


def uniform_weight(total, alpha, n_types):
    """Weight of the uniform distribution in a row smoothed by alpha: alpha n / (total + alpha n).

    The smoothed row is (1 - weight) * relative frequency + weight / n_types.
    """
    return n_types * smoothed(0, total, alpha, n_types)


def fit(counts, alpha=0.0):
    """Proportions theta of the bag fitted to counts (the last axis runs over the types).

    counts: array of numbers >= 0, shape (V,) or (rows, V), whole or fractional. With alpha = 0 the
    maximum-likelihood estimate, the relative frequencies; a row without a count is then refused.
    """
    counts = arguments.array("counts", counts, least=0, most=arguments.MOST_NUMBER)
    if counts.ndim not in (1, 2) or counts.size == 0:
        arguments.refuse("counts", f"shape {counts.shape}", "shape (V,) or (rows, V)")
    alpha = arguments.real("alpha", alpha, 0, arguments.MOST_NUMBER)
    total = counts.sum(axis=-1, keepdims=True)
    if alpha == 0 and (total == 0).any():
        arguments.refuse("counts", "a row without counts (0/0)", "a count in each row, or alpha > 0")
    return smoothed(counts, total, alpha, counts.shape[-1])


def log_likelihood(counts, theta):
    """Log-probability in nats of a text with these counts: sum of c ln theta; -inf if impossible.

    counts: (V,) numbers >= 0; theta: (V,) proportions that add up to 1.
    """
    theta = arguments.distribution("theta", theta, shape=(None,))
    counts = arguments.array("counts", counts, shape=theta.shape, least=0, most=arguments.MOST_NUMBER)
    occurs = counts > 0  # 0 * inf is 0 here: a type that does not occur costs nothing
    return -float(counts[occurs] @ information.cost(theta[occurs])) + 0.0


def draw(theta, n, rng):
    """n independent draws from the bag (int array of indices into theta)."""
    theta = arguments.distribution("theta", theta, shape=(None,))
    n = arguments.size("n", n, 0)
    return arguments.generator("rng", rng).choice(len(theta), size=n, p=theta)


def orderings(counts):
    """Number of different orders of a text with these counts: n! / (c_1! c_2! ...) (exact int), n <= 100,000."""
    counts = arguments.array("counts", counts, shape=(None,), integers=True, least=0, most=MOST_TOKENS)
    n = int(counts.sum())
    if n > MOST_TOKENS:
        arguments.refuse("counts", f"{n} tokens", f"at most {MOST_TOKENS} tokens in all")
    return math.factorial(n) // math.prod(math.factorial(int(c)) for c in counts)


def swap_cells(n, swaps, rng):
    """Places of n cells after random swaps of two: cell i of the row came from place result[i].

    Two equal seeds and different numbers of swaps give one shuffle at different stages.
    """
    n = arguments.size("n", n, 2)
    swaps = arguments.size("swaps", swaps, 0)
    arguments.generator("rng", rng)
    places = np.arange(n)
    for _ in range(swaps):
        pair = rng.choice(n, size=2, replace=False)
        places[pair] = places[pair[::-1]]
    return places


def composition(lang):
    """What each ToyLang sentence is made of: {kind of token: (how many, share of one type)}.

    The share of a type is its proportion theta in the bag fitted to the language.
    """
    arguments.instance("lang", lang, ToyLang)
    n = lang.n
    return {
        "name": (4, 4 / (n * lang.N)),
        "thing": (1, 1 / (len(lang.things) * n)),
        "filler": (lang.L, lang.L / (lang.F * n)),
        "template": (5, 1 / n),
    }


def toylang_shares(lang):
    """theta of the bag fitted to the whole language (V,), in vocabulary order."""
    arguments.instance("lang", lang, ToyLang)
    sizes = {"name": lang.N, "thing": len(lang.things), "filler": lang.F, "template": len(lang.template)}
    shares = {kind: share for kind, (_, share) in composition(lang).items()}
    return np.repeat([shares[kind] for kind in sizes], list(sizes.values()))


def cost_by_kind(lang):
    """Nats the bag charges for the tokens of each kind in a sentence ({kind: nats})."""
    return {
        kind: many * information.cost(share) if many else 0.0
        for kind, (many, share) in composition(lang).items()
    }


def sentence_cost(lang):
    """Nats of a whole sentence for the bag; all sentences, and all their orderings, cost the same."""
    return sum(cost_by_kind(lang).values())


def copy_cost(lang):
    """Nats of a copied name for the bag, ln((10 + L) N / 4)."""
    return information.cost(composition(lang)["name"][1])


def chance_of_a_sentence(lang):
    """Probability that n draws from the bag spell some sentence of the language."""
    arguments.instance("lang", lang, ToyLang)
    return math.exp(lang.entropy() - sentence_cost(lang))
