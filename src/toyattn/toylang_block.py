"""A block written by hand that solves ToyLang: two pointers, two copies, one gate.

The book's own construction. Names are found at the absolute places 0 and 2, a fact of ToyLang.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from . import arguments
from .attention import softmax
from .block import hidden
from .projections import Projections, head
from .toylang import ToyLang

PLACES = 5  # places with a code; those beyond read as zeros
TRIGGERS = {"subject": ("thanked", 0), "object": ("then", 2)}  # head: token that asks, place it reads


@dataclass(frozen=True)
class HandBlock:
    """The block as data. Sizes: |V| token types, N names, d = |V| + 5 + 2 N.

    subspaces: {"token", "position", "subject", "object": slice of the stream}; heads: {"subject",
    "object": Projections}, beta sits in W_Q; W_1 (d, 2 N) and b_1 (2 N,): the gate, subject group first;
    W_2 (2 N, N): hidden units to logits of the names, kappa in it.
    """

    lang: ToyLang
    subspaces: dict
    heads: dict
    W_1: np.ndarray
    b_1: np.ndarray
    W_2: np.ndarray


class HandPass(NamedTuple):
    """All that a pass makes, one row a token.

    embedded, written: the stream (n, d) before and after the heads; heads: {"subject", "object":
    HeadPass}; gate: hidden units (n, 2 N); logits, probabilities: over the names (n, N).
    """

    embedded: np.ndarray
    heads: dict
    written: np.ndarray
    gate: np.ndarray
    logits: np.ndarray
    probabilities: np.ndarray


def build(lang, beta=6.0, kappa=10.0):
    """The HandBlock of a language; beta >= 0 sharpens the pointers, kappa >= 0 the prediction."""
    arguments.instance("lang", lang, ToyLang)
    beta = arguments.real("beta", beta, least=0)
    kappa = arguments.real("kappa", kappa, least=0)
    sizes = {"token": len(lang.vocabulary), "position": PLACES, "subject": lang.N, "object": lang.N}
    ends = np.cumsum(list(sizes.values())).tolist()
    subspaces = {name: slice(end - sizes[name], end) for name, end in zip(sizes, ends)}
    eye = np.eye(ends[-1])
    names = eye[:, subspaces["token"]][:, : lang.N]  # the vocabulary begins with the names
    heads, gates = {}, []
    for copy, (trigger, place) in TRIGGERS.items():
        asks = eye[:, lang.vocabulary.index(trigger)]
        W_Q = beta * np.outer(asks, np.eye(PLACES)[place])
        heads[copy] = Projections(W_Q, eye[:, subspaces["position"]], names, eye[subspaces[copy]])
        gates.append(eye[:, subspaces[copy]] + asks[:, None])
    W_2 = kappa * np.vstack([np.eye(lang.N)] * 2)
    return HandBlock(lang, subspaces, heads, np.hstack(gates), np.full(2 * lang.N, -1.0), W_2)


def embed(block, tokens):
    """The stream (n, d) of the tokens: one-hot token, one-hot place up to 4, empty copies."""
    arguments.instance("block", block, HandBlock)
    tokens = arguments.tokens("tokens", tokens, block.lang.vocabulary, least=1)
    stream = np.zeros((len(tokens), len(block.W_1)))
    stream[np.arange(len(tokens)), block.lang.encode(tokens)] = 1
    coded = min(len(tokens), PLACES)
    stream[:coded, block.subspaces["position"]] = np.eye(PLACES)[:coded]
    return stream


def run(block, tokens):
    """A causal pass over a sentence or a prefix (a HandPass); row t predicts the name after token t."""
    stream = embed(block, tokens)
    heads = {copy: head(stream, W, beta=1.0, mask="causal") for copy, W in block.heads.items()}
    written = stream + sum(one.write for one in heads.values())
    gate = hidden(written, block.W_1, block.b_1)
    logits = gate @ block.W_2
    return HandPass(stream, heads, written, gate, logits, softmax(logits))
