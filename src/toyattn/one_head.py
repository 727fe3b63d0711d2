"""Why one layer is not enough: two sentences that a single head cannot both get right for all names.

A head that attends to one place from the last one has a score and a value for each token at each place;
neither can know the token to the left. Source: the book's own argument.
"""

from itertools import permutations

import numpy as np

from . import arguments

TEMPLATES = ("0 met 2 . 4 gave 6 a pen and so then", "0 gave 2 . 4 met 6 a pen and so then")
ANSWERS = (3, 1)  # which of the four names the rule wants: the one right of "gave"
VALUES = ("random", "honest")
MOST_NAMES = 8


def sentences(n_0, n_2, n_4, n_6):
    """The two sentences with these four names (strings) at the places 0, 2, 4, 6: two tuples of tokens."""
    found = {}
    for place, name in (("n_0", n_0), ("n_2", n_2), ("n_4", n_4), ("n_6", n_6)):
        if not isinstance(name, str) or name in found.values():
            arguments.refuse(place, repr(name), "a name (str) that is not among the others")
        found[place[-1]] = name
    return tuple(tuple(found.get(word, word) for word in text.split()) for text in TEMPLATES)


def ceiling(N):
    """Largest share of the assignments of N names that one head can serve, 2/N - 1/(N (N - 1))."""
    N = arguments.integer("N", N, 4)
    return 2 / N - 1 / (N * (N - 1))


def served(scores, decoded):
    """Share of all assignments of four different names for which heads answer both sentences (...).

    scores: (..., N + 8, 12), of each token at each place: the N names, then met . gave a pen and so then;
    decoded: the same shape, the name (0 ... N - 1) read off the value. The best place wins, the first of
    equals.
    """
    scores = arguments.array("scores", scores)
    if scores.ndim < 2 or scores.shape[-1] != 12 or not 4 <= scores.shape[-2] - 8 <= MOST_NAMES:
        wanted = f"shape (..., N + 8, 12) with N from 4 to {MOST_NAMES}"
        arguments.refuse("scores", f"shape {scores.shape}", wanted)
    N = scores.shape[-2] - 8
    decoded = arguments.array("decoded", decoded, scores.shape, integers=True, least=0, most=N - 1)
    words = [str(name) for name in range(N)] + "met . gave a pen and so then".split()
    names = np.array(list(permutations(range(N), 4)))
    right = True
    for which, answer in enumerate(ANSWERS):
        texts = [sentences(*map(str, row))[which] for row in names]
        text = np.array([[words.index(token) for token in tokens] for tokens in texts])
        best = scores[..., text, np.arange(12)].argmax(axis=-1)
        chosen = text[np.arange(len(text)), best]
        said = np.take_along_axis(decoded.reshape(*decoded.shape[:-2], -1), chosen * 12 + best, -1)
        right = right & (said == names[:, answer])
    return right.mean(axis=-1)


def draw(N, heads, rng, values="random"):
    """Random heads (scores, decoded), each (heads, N + 8, 12), for served.

    Scores are uniform; a name's is its own, scaled at random, plus one shared by all names there. values:
    "random", or "honest", where a name's value is that name.
    """
    N, heads = arguments.integer("N", N, 4, MOST_NAMES), arguments.size("heads", heads)
    arguments.generator("rng", rng)
    arguments.choice("values", values, VALUES)
    scores = rng.random((heads, N + 8, 12))
    scores[:, :N] *= rng.random((heads, 1, 1))
    scores[:, :N] += rng.random((heads, 1, 12))
    decoded = rng.integers(N, size=scores.shape)
    if values == "honest":
        decoded[:, :N] = np.arange(N)[:, None]
    return scores, decoded
