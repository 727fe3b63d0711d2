"""Why one head is not enough: two sentences that a single head cannot both get right for all names.

A head that reads from the last place has a score and a value for each token at each place;
neither can know the token to the left. Source: the book's own argument.
"""

from itertools import permutations

import numpy as np

from . import arguments
from .attention import softmax

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
    scores, N = _scores(scores)
    decoded = arguments.array("decoded", decoded, scores.shape, integers=True, least=0, most=N - 1)
    right = True
    for text, wanted in _texts(N):
        best = scores[..., text, np.arange(12)].argmax(axis=-1)
        chosen = text[np.arange(len(text)), best]
        said = np.take_along_axis(decoded.reshape(*decoded.shape[:-2], -1), chosen * 12 + best, -1)
        right = right & (said == wanted)
    return right.mean(axis=-1)


def served_by_mean(scores, values, beta=1.0):
    """The same share for heads that read a mean of values, with the weights softmax(beta * scores).

    scores: as in served; values: (..., N + 8, 12, N), what each value adds to the logits of the names. The
    largest logit is said, the first of equals. beta >= 0; inf: the best places only, ties share.
    """
    scores, N = _scores(scores)
    values = arguments.array("values", values, (*scores.shape, N))
    beta = arguments.real("beta", beta, least=0, infinite=True)
    right = True
    for text, wanted in _texts(N):
        weights = softmax(scores[..., text, np.arange(12)], beta)
        logits = (weights[..., None, :] @ values[..., text, np.arange(12), :])[..., 0, :]
        right = right & (logits.argmax(axis=-1) == wanted)
    return right.mean(axis=-1)


def undecided(N):
    """Scores (N + 8, 12) and values (N + 8, 12, N) of a head that serves half by served_by_mean.

    The places 2 and 6 and "gave" share the weight. A name's value is that name; "gave" prefers later names
    at place 5 and earlier ones at place 1.
    """
    N = arguments.integer("N", N, 4, MOST_NAMES)
    gave = _words(N).index("gave")
    scores, values = np.zeros((N + 8, 12)), np.zeros((N + 8, 12, N))
    scores[:N, [2, 6]] = scores[gave] = 1
    values[:N] = np.eye(N)[:, None]
    values[gave, 5], values[gave, 1] = np.arange(N) / 100, -np.arange(N) / 100
    return scores, values


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


def _scores(scores):
    """Scores (..., N + 8, 12) as an array, and N."""
    scores = arguments.array("scores", scores)
    if scores.ndim < 2 or scores.shape[-1] != 12 or not 4 <= scores.shape[-2] - 8 <= MOST_NAMES:
        wanted = f"shape (..., N + 8, 12) with N from 4 to {MOST_NAMES}"
        arguments.refuse("scores", f"shape {scores.shape}", wanted)
    return scores, scores.shape[-2] - 8


def _words(N):
    return [str(name) for name in range(N)] + "met . gave a pen and so then".split()


def _texts(N):
    """For each sentence all its assignments: texts (assignments, 12) and the names wanted, as rows of scores."""
    words, names = _words(N), np.array(list(permutations(range(N), 4)))
    for which, answer in enumerate(ANSWERS):
        texts = [sentences(*map(str, row))[which] for row in names]
        yield np.array([[words.index(token) for token in tokens] for tokens in texts]), names[:, answer]
