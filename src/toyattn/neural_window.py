"""The neural window: a learned function of the last r tokens in place of a table.

Source: Bengio, Ducharme, Vincent and Jauvin 2003 (without direct connections to the output).
"""

from . import arguments


def n_parameters(V, d, d_h, r):
    """Parameters of the net, V d + (r d + 1) d_h + (d_h + 1) V (exact int).

    V token types with d numbers each, r tokens of context, one hidden layer of d_h units with biases,
    a softmax over the V types with biases.
    """
    V = arguments.integer("V", V, 1)
    d = arguments.integer("d", d, 1)
    d_h = arguments.integer("d_h", d_h, 1)
    r = arguments.integer("r", r, 1)
    return V * d + (r * d + 1) * d_h + (d_h + 1) * V
