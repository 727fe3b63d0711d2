"""What attention costs: multiply-adds, parameters and stored numbers, all exact integers.

A multiply and the add that follows count as one. Source: Vaswani et al. 2017, table 1; the counts are
standard, with d_k = d_v = d / n_h.
"""

from . import arguments


def layer(n, d, d_ff=None):
    """Multiply-adds of one layer on n tokens, all heads: {part: count}.

    n tokens, d numbers a token, d_ff hidden units (4 d if None).
    """
    n, d, d_ff = _sizes(n, d, d_ff)
    return {
        "projections": 4 * n * d**2,
        "scores": n**2 * d,
        "weighted sum": n**2 * d,
        "MLP": 2 * n * d * d_ff,
    }


def linear_part(n, d, d_ff=None):
    """Multiply-adds of a layer that grow like n: projections and MLP, 12 n d^2 for d_ff = 4 d."""
    parts = layer(n, d, d_ff)
    return parts["projections"] + parts["MLP"]


def quadratic_part(n, d):
    """Multiply-adds of a layer that grow like n^2: scores and weighted sum, 2 n^2 d."""
    parts = layer(n, d)
    return parts["scores"] + parts["weighted sum"]


def equal_length(d, d_ff=None):
    """Length n at which both parts are equal, 2 d + d_ff (6 d for d_ff = 4 d)."""
    _, d, d_ff = _sizes(1, d, d_ff)
    return 2 * d + d_ff


def parameters(d, n_h=1, d_ff=None):
    """Numbers in one layer without biases and norms: {"attention": 4 d^2, "MLP": 2 d d_ff}.

    n_h heads, a divisor of d, does not change the sum.
    """
    _, d, d_ff = _sizes(1, d, d_ff)
    n_h = arguments.integer("n_h", n_h, 1)
    if d % n_h:
        arguments.refuse("n_h", n_h, f"a divisor of d = {d}")
    return {"attention": n_h * 3 * d * (d // n_h) + d**2, "MLP": 2 * d * d_ff}


def causal_scores(n):
    """Scores of one head under the causal mask, n (n + 1) / 2."""
    n = arguments.integer("n", n, 1)
    return n * (n + 1) // 2


def cache(n, d, layers=1, size=1):
    """Numbers in the key-value cache of n tokens, 2 n d a layer; bytes if size is the bytes of a number."""
    n, d = arguments.integer("n", n, 1), arguments.integer("d", d, 1)
    return 2 * n * d * arguments.integer("layers", layers, 1) * arguments.integer("size", size, 1)


def cache_crossover(d, layers=1):
    """Length n at which one head's causal scores equal the whole cache, 4 layers d - 1 (then pass it)."""
    return 4 * arguments.integer("layers", layers, 1) * arguments.integer("d", d, 1) - 1


def cached_step(n, d, d_ff=None):
    """Multiply-adds of a layer for the n-th token with keys and values kept: linear_part(1) + 2 n d."""
    n, d, d_ff = _sizes(n, d, d_ff)
    return linear_part(1, d, d_ff) + 2 * n * d


def head(n, D, Dk):
    """Multiply-adds of one bare head on n tokens: {"project": 3 n D Dk, "score": n^2 Dk, "mix": n^2 Dk}.

    D numbers a token, queries, keys and values Dk wide.
    """
    n, D, Dk = (arguments.integer(name, value, 1) for name, value in (("n", n), ("D", D), ("Dk", Dk)))
    return {"project": 3 * n * D * Dk, "score": n**2 * Dk, "mix": n**2 * Dk}


def head_pairs(n, Dk):
    """Multiply-adds of a bare head that go over all pairs of tokens, score and mix together."""
    parts = head(n, 1, Dk)
    return parts["score"] + parts["mix"]


def head_total(n, D, Dk):
    """Multiply-adds of a bare head in all."""
    return sum(head(n, D, Dk).values())


def pair_share(n, D):
    """Share of the pairs in a bare head's multiply-adds, 2 n / (2 n + 3 D); the same for every Dk."""
    return head_pairs(n, 1) / head_total(n, D, 1)


def doubling(n, D):
    """Price of doubling the row, total(2 n) / total(n): between 2 and 4; the same for every Dk."""
    return head_total(2 * arguments.integer("n", n, 1), D, 1) / head_total(n, D, 1)


def crossing(D):
    """First n at which the pairs cost more than the projections, floor(1.5 D) + 1."""
    return 3 * arguments.integer("D", D, 1) // 2 + 1


def head_step(n, D, Dk):
    """Multiply-adds of a bare head for the n-th token when keys and values are kept: 3 D Dk + 2 n Dk."""
    return head(1, D, Dk)["project"] + 2 * arguments.integer("n", n, 1) * Dk


def _sizes(n, d, d_ff):
    d = arguments.integer("d", d, 1)
    return arguments.integer("n", n, 1), d, 4 * d if d_ff is None else arguments.integer("d_ff", d_ff, 1)
