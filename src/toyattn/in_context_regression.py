"""A stack of linear attention layers that walks down the gradient of a regression on its context.

x (m, d) or, for d = 1, (m,): inputs; y (m,): labels; model y = Theta . x, loss the mean square over 2. A
token is a row (input, label slot). Source: von Oswald et al. 2023 (the layer); gradient descent: standard.
"""

import numpy as np

from . import arguments, memory
from .projections import Projections, project

# eight points near a line of slope 1
X_8 = (-1.0, -0.75, -0.45, -0.2, 0.15, 0.5, 0.75, 0.95)
Y_8 = (-0.93, -0.80, -0.42, -0.13, 0.09, 0.39, 0.81, 0.92)


def tokens(x, y, x_q):
    """The tokens (m + 1, d + 1): a row (x_j, y_j) for each example, then (x_q, 0) for the query."""
    x, y = _pairs(x, y)
    x_q = arguments.array("x_q", x_q)
    x_q = arguments.array("x_q", x_q[None] if x_q.ndim == 0 else x_q, shape=x.shape[1:])
    return np.column_stack([np.vstack([x, x_q]), np.append(y, 0)])


def weights(d, scale):
    """The head (Projections) on inputs of d numbers: keys and queries read x, values minus the slot.

    scale: of the write, eta / m.
    """
    d, scale = arguments.size("d", d), arguments.real("scale", scale, least=0)
    inputs, slot = np.diag([1.0] * d + [0.0]), np.diag([0.0] * d + [1.0])
    return Projections(inputs, inputs, -slot, scale * np.eye(d + 1))


@arguments.in_floats("Z", "eta")
def layer(Z, eta, query_is_key=False):
    """One layer: z_j + (eta / m) sum_i (W_V z_i) (W_K z_i . W_Q z_j) over the m examples, (m + 1, d + 1).

    Z: tokens, the query last; eta >= 0. The sum is the linear read of a Hebbian state. query_is_key: add
    the query to the sum, which is no gradient step any more.
    """
    Z = arguments.array("Z", Z, shape=(None, None))
    if len(Z) < 2 or Z.shape[1] < 2:
        arguments.refuse("Z", f"shape {Z.shape}", "shape (m + 1, d + 1) with m and d of at least 1")
    eta = arguments.real("eta", eta, least=0)
    query_is_key = arguments.boolean("query_is_key", query_is_key)
    m = len(Z) - 1
    W = weights(Z.shape[1] - 1, eta / m)
    Q, K, V = project(Z, W)
    seen = m + 1 if query_is_key else m
    return Z + memory.read(memory.write(K[:seen], V[:seen]), Q) @ W.W_O


@arguments.in_floats("x", "y", "x_q", "eta")
def stack(x, y, x_q, eta, layers, query_is_key=False):
    """Tokens before and after each of `layers` equal layers: (layers + 1, m + 1, d + 1).

    The label slots are y_j - Theta_l . x_j, and minus the query's slot is the prediction.
    """
    found = [tokens(x, y, x_q)]
    for _ in range(arguments.size("layers", layers, 0)):
        found.append(layer(found[-1], eta, query_is_key))
    return np.array(found)


def predictions(Z):
    """Predictions for the query, minus its label slot, from tokens Z (..., m + 1, d + 1): (...)."""
    Z = arguments.array("Z", Z)
    if Z.ndim < 2 or Z.size == 0:
        arguments.refuse("Z", f"shape {Z.shape}", "shape (..., m + 1, d + 1)")
    return 0.0 - Z[..., -1, -1]


@arguments.in_floats("x", "y")
def moments(x, y):
    """Second moment Sigma (d, d), mean of x x^T, and cross moment g (d,), mean of y x."""
    x, y = _pairs(x, y)
    return x.T @ x / len(x), y @ x / len(x)


@arguments.in_floats("Theta", "x", "y")
def gradient(Theta, x, y):
    """Gradient (d,) of the loss at Theta (d,): mean of (Theta . x - y) x."""
    x, y = _pairs(x, y)
    return (x @ _weights(Theta, x) - y) @ x / len(x)


@arguments.in_floats("Theta", "x", "y")
def loss(Theta, x, y):
    """Loss of Theta (d,) on the examples, half the mean squared residual (float)."""
    x, y = _pairs(x, y)
    return float(((x @ _weights(Theta, x) - y) ** 2).mean() / 2)


@arguments.in_floats("x", "y", "eta")
def descent(x, y, eta, steps):
    """Theta_0 = 0 and Theta after each of `steps` gradient steps of size eta >= 0: (steps + 1, d)."""
    eta = arguments.real("eta", eta, least=0)
    found = [np.zeros(_pairs(x, y)[0].shape[1])]
    for _ in range(arguments.size("steps", steps, 0)):
        found.append(found[-1] - eta * gradient(found[-1], x, y))
    return np.array(found)


@arguments.in_floats("x", "y")
def least_squares(x, y):
    """Theta_star = Sigma^-1 g (d,), the limit of the descent; refused if Sigma has no inverse."""
    Sigma, g = moments(x, y)
    if np.linalg.matrix_rank(Sigma) < len(Sigma):
        arguments.refuse("x", "inputs that leave Sigma singular", "inputs that span all d directions")
    return np.linalg.solve(Sigma, g)


@arguments.in_floats("x", "y", "eta")
def closed_form(x, y, eta, steps):
    """Theta_l = (I - (I - eta Sigma)^l) Theta_star for l = 0 ... steps: (steps + 1, d)."""
    limit, (Sigma, _) = least_squares(x, y), moments(x, y)
    shrink = np.eye(len(limit)) - arguments.real("eta", eta, least=0) * Sigma
    steps = arguments.size("steps", steps, 0)
    return np.array([limit - np.linalg.matrix_power(shrink, l) @ limit for l in range(steps + 1)])


def _pairs(x, y):
    x = arguments.array("x", x)
    x = arguments.array("x", x[:, None] if x.ndim == 1 else x, shape=(None, None))
    return x, arguments.array("y", y, shape=(len(x),))


def _weights(Theta, x):
    return arguments.array("Theta", Theta, shape=(x.shape[1],))
