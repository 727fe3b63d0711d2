"""How sharp the program must be: a bound that certifies its answer, and where the answer really flips.

Source: the book's own derivations.
"""

import math

from . import arguments, program

LOWEST, HIGHEST = 1e-3, 60.0  # sharpness searched
MOST_PLACES = 10**20


def certified_error(n, beta):
    """Bound 2 eps + 3 delta on the l1 error of OUT at both cues; below 1 it certifies the answer.

    n: places that a query can see; beta: at least ln(4 n), where the bound holds. eps = n e^-beta, delta =
    n e^(-beta (1 - 2 eps)). For texts with one "gave".
    """
    n = arguments.integer("n", n, 1, MOST_PLACES)
    beta = arguments.real("beta", beta, least=math.log(4 * n))
    eps = n * math.exp(-beta)
    return 2 * eps + 3 * n * math.exp(-beta * (1 - 2 * eps))


def certified_sharpness(n):
    """The beta at which certified_error(n, beta) is 1; it falls in beta, so every larger one certifies."""
    n = arguments.integer("n", n, 1, MOST_PLACES)
    return _crossing(lambda beta: 1 - certified_error(n, beta), math.log(4 * n), 2 * math.log(4 * n) + 9)


def certified_places(beta):
    """The most places n that certified_sharpness vouches for at this beta; 0 if none."""
    beta = arguments.real("beta", beta, 0, HIGHEST / 2)
    low, high = 0, MOST_PLACES
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if certified_sharpness(middle) <= beta else (low, middle)
    return low


def flip(lang, tokens, copy, machine="program"):
    """The beta from which on a machine answers right (float); 0 if at every beta, None if at none.

    lang, tokens: a sentence as in program.parse; copy: one of program.COPIES; machine: as in
    program.build. By bisection on the margin, which must change its sign once.
    """
    column = program.COPIES.index(arguments.choice("copy", copy, program.COPIES))
    arguments.choice("machine", machine, program.MACHINES)
    tokens = arguments.tokens("tokens", tokens)
    program.parse(lang, tokens)
    n_max = program.build(lang, machine, LOWEST).stream.n_max
    if len(tokens) > n_max:
        arguments.refuse("tokens", f"{len(tokens)} tokens", f"at most n_max = {n_max}, the places with a code")

    def margin(beta):
        built = program.build(lang, machine, beta)
        return program.answers(built, lang, [tokens]).margin[0, column]

    if margin(LOWEST) > 0:
        return 0.0
    return _crossing(margin, LOWEST, HIGHEST) if margin(HIGHEST) > 0 else None


def plain_margin(beta):
    """How far Y leads X in OUT at "then" of a plain sentence, times the sum of the weights (float).

    Weights exp(beta s) at the places 0 to 3; the later places hold both names equally and cancel, so the
    gap does not enter. beta: 0 to 60.
    """
    beta = arguments.real("beta", beta, 0, HIGHEST)
    e = math.exp(beta)
    u_1, u_2, u_3 = (math.exp(beta * s) for s in (1 / (e + 1), e / (e + 2), 1 / (e + 3)))
    return u_2 + u_3 * (e - 1) / (e + 3) - 2 - u_1 * e / (e + 1)


def plain_flip():
    """The beta at which plain_margin changes its sign."""
    return _crossing(plain_margin, LOWEST, HIGHEST)


def _crossing(f, low, high):
    """Where f passes from below 0 to above, by bisection, to 1e-10."""
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return (low + high) / 2
