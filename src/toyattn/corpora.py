"""Two small corpora that several chapters share.

Source: the book's own. A bag keeps no order, so the documents are given by their counts.
"""

import numpy as np

CLASSES = ("sports", "cooking")
WORDS = ("goal", "match", "team", "win", "coach", "bake", "flour", "oven", "sugar", "butter")


def _counts(text):
    counts = np.array([text.split().count(word) for word in WORDS])
    counts.flags.writeable = False
    return counts


SIX_DOCUMENTS = np.array(
    [
        _counts("goal goal match team win"),
        _counts("coach goal match team"),
        _counts("match team team win"),
        _counts("bake bake flour oven sugar"),
        _counts("bake butter flour sugar"),
        _counts("bake butter oven sugar"),
    ]
)
SIX_DOCUMENTS.flags.writeable = False
SIX_LABELS = (0, 0, 0, 1, 1, 1)
TEST_DOCUMENT = _counts("coach bake bake bake")

TINY_CORPUS = tuple(
    "the cat met the dog . a bird saw the cat and the pond . "
    "the dog heard a bird near the barn .".split()
)
