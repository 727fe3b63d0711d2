"""Hidden Markov models: a state follows a Markov chain and emits a token at each step.

pi (J,): start; T (J, J): T[i, j] = p(next state j | state i); o (J, V): o[j, w] = p(token w | state j);
tokens: indices 0..V-1. Source: Rabiner 1989 (forward algorithm); the hand machine is the book's own.
"""

from itertools import permutations
from typing import NamedTuple

import numpy as np

from . import arguments
from .toylang import ToyLang

MOST_STATES = 4000  # the dense T of the hand machine then takes 128 MB
MOST_PATHS = 10**6


class HandMachine(NamedTuple):
    """pi (J,), T (J, J), o (J, V) of a hand-built machine and its states, J tuples (x, y, phase)."""

    pi: np.ndarray
    T: np.ndarray
    o: np.ndarray
    states: tuple


def forward(pi, T, o, tokens):
    """All rows varrho_t(j) = p(tokens 1..t, state j at t) of the forward recursion, shape (n, J).

    The last row adds up to the probability of the text, 0 where that is below the floats. n J^2
    operations.
    """
    pi, T, o, tokens = _checked(pi, T, o, tokens, least=1)
    rows = [pi * o[:, tokens[0]]]
    for token in tokens[1:]:
        rows.append(rows[-1] @ T * o[:, token])
    return np.array(rows)


def path_probabilities(pi, T, o, tokens):
    """p(path, tokens) for each of the J^n state paths: array of shape (J, ..., J), one axis a token."""
    pi, T, o, tokens = _checked(pi, T, o, tokens, least=1)
    if len(pi) ** len(tokens) > MOST_PATHS:
        arguments.refuse("tokens", f"{len(pi)}^{len(tokens)} paths", f"at most {MOST_PATHS} paths")
    paths = pi * o[:, tokens[0]]
    for token in tokens[1:]:
        paths = paths[..., None] * (T * o[:, token])
    return paths


def regrouped_probability(pi, T, o, tokens):
    """Probability of the text from one matrix a token, multiplied in pairs, pairs of pairs and so on.

    The product is associative, so the grouping is free: the depth is log2 n where the forward
    recursion takes n steps one after the other.
    """
    pi, T, o, tokens = _checked(pi, T, o, tokens, least=1)
    factors = [np.diag(o[:, tokens[0]])] + [T * o[:, token] for token in tokens[1:]]
    while len(factors) > 1:
        paired = [left @ right for left, right in zip(factors[::2], factors[1::2])]
        factors = paired + factors[len(paired) * 2 :]
    return float((pi @ factors[0]).sum())


def next_token(pi, T, o, tokens):
    """Next-token distribution (V,) after the tokens (none allowed); refused if they are impossible."""
    pi, T, o, tokens = _checked(pi, T, o, tokens, least=0)
    if len(tokens) == 0:
        return pi @ o
    belief = pi  # about the state of the next token
    for token in tokens:
        now = belief * o[:, token]
        if not now.any():
            arguments.refuse("tokens", "a text of probability 0", "a text that the model can produce")
        belief = now / now.sum() @ T
    return belief @ o


def n_states(lang):
    """States of the hand-built machine, N(N-1)(10 + L) (exact int)."""
    arguments.instance("lang", lang, ToyLang)
    return lang.n_pairs * lang.n


def hand_machine(lang):
    """HandMachine that equals ToyLang: the state is the ordered pair (x, y) and the place.

    The last place has no successor and stays where it is. Refused above MOST_STATES states.
    """
    if n_states(lang) > MOST_STATES:
        arguments.refuse("lang", f"{n_states(lang)} states", f"at most {MOST_STATES}")
    pairs = tuple(permutations(lang.names, 2))
    states = tuple((x, y, phase) for x, y in pairs for phase in range(lang.n))
    index = {token: i for i, token in enumerate(lang.vocabulary)}
    pi, T, o = np.zeros(len(states)), np.eye(len(states)), np.zeros((len(states), len(index)))
    for state, (x, y, phase) in enumerate(states):
        emitted = lang.slots(x, y)[phase]
        o[state, [index[token] for token in emitted]] = 1 / len(emitted)
        if phase == 0:
            pi[state] = 1 / len(pairs)
        if phase < lang.n - 1:
            T[state, [state, state + 1]] = 0, 1
    return HandMachine(pi, T, o, states)


def _checked(pi, T, o, tokens, least):
    pi = arguments.distribution("pi", pi, shape=(None,))
    T = arguments.distribution("T", T, shape=(len(pi), len(pi)), axis=1)
    o = arguments.distribution("o", o, shape=(len(pi), None), axis=1)
    found = arguments.rectangular("tokens", tokens)
    if found.ndim != 1 or len(found) < least:
        arguments.refuse("tokens", f"shape {found.shape}", f"at least {least} tokens in one dimension")
    return pi, T, o, arguments.array("tokens", tokens, integers=True, least=0, most=o.shape[1] - 1)
