"""Position codes: sines and cosines, and what an offset does to them.

Source: Vaswani et al. 2017, section 3.5; angle addition is standard. Pairs are ordered sine, cosine.
"""

import numpy as np

from . import arguments

MOST_PLACE = 10**9  # beyond, the digits of an angle run out


def frequencies(d):
    """The d / 2 frequencies 10000^(-2i/d) of the code (radians a token); d even."""
    d = _even(d)
    return 10000.0 ** (-np.arange(0, d, 2) / d)


def sinusoidal(places, d):
    """Codes (m, d) of the places (m,): sin(w t) at even and cos(w t) at odd coordinates.

    places: whole numbers of a size up to MOST_PLACE, as offsets are below.
    """
    return _codes(_places(places), d)


def rotation(b, d):
    """R_b (d, d), block diagonal: R_b times the code of t is the code of t + b, for every t."""
    angle = _shift(b) * frequencies(d)
    return scaled_rotations(np.cos(angle), np.sin(angle))


def scaled_rotations(alpha, eta):
    """Block-diagonal matrix with blocks [[alpha_i, eta_i], [-eta_i, alpha_i]]: it commutes with all R_b.

    alpha, eta: (d / 2,). Returns (d, d).
    """
    alpha = arguments.array("alpha", alpha, shape=(None,))
    eta = arguments.array("eta", eta, shape=alpha.shape)
    quarter_turn = np.array([[0, 1], [-1, 0]])
    return np.kron(np.diag(alpha), np.eye(2)) + np.kron(np.diag(eta), quarter_turn)


@arguments.in_floats("alpha", "eta")
def offset_score(alpha, eta, b):
    """Score of the codes at t and t + b under scaled_rotations(alpha, eta), the same for every t.

    The sum of alpha_i cos(w_i b) - eta_i sin(w_i b).
    """
    alpha = arguments.array("alpha", alpha, shape=(None,))
    eta = arguments.array("eta", eta, shape=alpha.shape)
    angle = _shift(b) * frequencies(2 * len(alpha))
    return float(alpha @ np.cos(angle) - eta @ np.sin(angle))


@arguments.in_floats("B")
def code_scores(B, places, b):
    """Scores of the codes at t and t + b under a bilinear form B (d, d), one for each t of places (m,)."""
    B = arguments.array("B", B, shape=(None, None))
    if B.shape[0] != B.shape[1] or B.shape[0] % 2:
        arguments.refuse("B", f"shape {B.shape}", "a square matrix of even size")
    places = _places(places)
    here, there = (_codes(places + shift, len(B)) for shift in (0, _shift(b)))
    return np.einsum("ti,ij,tj->t", here, B, there)


def _codes(places, d):
    angle = places[:, None] * frequencies(d)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(len(places), d)


def _places(places):
    return arguments.array("places", places, (None,), True, -MOST_PLACE, MOST_PLACE)


def _shift(b):
    return arguments.integer("b", b, -MOST_PLACE, MOST_PLACE)


def _even(d):
    d = arguments.size("d", d, 2)
    if d % 2:
        arguments.refuse("d", d, "an even integer")
    return d
