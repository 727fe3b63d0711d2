"""Derivatives by central differences: the yardstick of the gradients that the book derives. Standard."""

import numpy as np

from . import arguments


def central(f, at, h=1e-6):
    """Derivatives of f at a point: an array of the shape of f(at) followed by the shape of `at`.

    f: function of one array like `at`, whose value is a number or an array; h: how far each entry is
    moved, up and down, from 1e-12 to 1. The error grows like h^2, and like rounding over h.
    """
    f = arguments.function("f", f, "a function of one array")
    at, h = arguments.array("at", at), arguments.real("h", h, least=1e-12, most=1)
    if not at.size:
        arguments.refuse("at", f"shape {at.shape}", "at least one entry")
    moves = h * np.eye(at.size).reshape(at.size, *at.shape)
    slopes = np.array([(np.asarray(f(at + move)) - np.asarray(f(at - move))) / (2 * h) for move in moves])
    return np.moveaxis(slopes, 0, -1).reshape(slopes.shape[1:] + at.shape)
