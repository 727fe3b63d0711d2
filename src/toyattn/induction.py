"""The induction circuit: the program with the current token in the place of "gave".

Layer 1 is the program's. Layer 2 asks with its own token, offers the left neighbor as key and hands over
its own token, and so copies what followed an earlier occurrence. Source: Elhage et al. 2021; Olsson et
al. 2022; the circuit set by hand is the book's own.
"""

import math

import numpy as np

from . import arguments
from .machine import Machine, Stream, named_units
from .program import output, previous_token_head, unembedding
from .projections import Projections


def build(vocabulary, beta=12.0, kappa=10.0, n_max=64):
    """The circuit as a Machine, for machine.run.

    vocabulary: different tokens; beta >= 0, inf for hard attention; kappa, n_max: as in program.build.
    """
    stream = Stream(vocabulary, n_max)
    beta = arguments.real("beta", beta, least=0, infinite=True)
    hard = beta == math.inf
    beta = 1.0 if hard else beta
    layers = previous_token_head(stream, beta), _successor_head(stream, beta)
    return Machine(stream, layers, unembedding(stream, kappa), np.eye(n_max), "hard" if hard else "softmax")


def matches(tokens, place):
    """The places j <= place that layer 2 looks for from a place: the token left of j is the token there.

    Place 0 counts itself as its left neighbor. Tuple of ints.
    """
    tokens = arguments.tokens("tokens", tokens, least=1)
    place = arguments.integer("place", place, 0, len(tokens) - 1)
    return tuple(j for j in range(place + 1) if tokens[max(j - 1, 0)] == tokens[place])


def _successor_head(stream, beta):
    tok, prev = stream.units("TOK"), stream.units("PREV")
    key = val = named_units(stream.vocabulary)
    W_Q = beta * sum(np.outer(tok[w], key[w]) for w in stream.vocabulary)
    W_K = sum(np.outer(prev[w], key[w]) for w in stream.vocabulary)
    W_V = sum(np.outer(tok[w], val[w]) for w in stream.vocabulary)
    return Projections(W_Q, W_K, W_V, output(stream))
