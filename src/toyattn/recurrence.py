"""Recurrent nets: one transition applied at every token, and the gradient that comes back through it.

h_t = phi(u_t), u_t = W_h h_{t-1} + x_t with x_t = W_x e(w_t) + b and h_0 = 0. Source: Elman 1990 (net);
Pascanu, Mikolov and Bengio 2013 (gradients); the scan is standard (Hillis and Steele 1986).
"""

from typing import NamedTuple

import numpy as np

from . import arguments

SLOPES = {"identity": lambda h: np.ones_like(h), "tanh": lambda h: 1 - h**2}  # phi' in terms of h
PHIS = {"identity": lambda u: u, "tanh": np.tanh}


class Scan(NamedTuple):
    """All states h (n, ...) of a linear recurrence and the number of parallel rounds they took."""

    h: np.ndarray
    rounds: int


def n_parameters(d, V):
    """Parameters of the net with one-hot inputs and a readout, d^2 + 2 d V + d + V (exact int).

    d units, V token types: W_h, W_x, b, W_out, b_out. Free of the length of the text.
    """
    d = arguments.integer("d", d, 1)
    V = arguments.integer("V", V, 1)
    return d**2 + 2 * d * V + d + V


@arguments.in_floats("W_h", "x")
def states(W_h, x, phi="tanh"):
    """States h_1 ... h_n of the net, shape (..., n, d), one step after the other.

    W_h: (..., d, d); x: (..., n, d) inputs W_x e(w_t) + b, with the same leading sizes; phi: "tanh"
    or "identity".
    """
    W_h, x, phi = _net("x", W_h, x, phi)
    h, found = np.zeros_like(x[..., 0, :]), []
    for t in range(x.shape[-2]):
        h = PHIS[phi](np.einsum("...ij,...j->...i", W_h, h) + x[..., t, :])
        found.append(h)
    return np.stack(found, axis=-2)


@arguments.in_floats("W_h", "h", "gradient")
def pull_back(W_h, h, gradient, phi="tanh"):
    """Gradient of a loss of h_n in every state: dl/dh_1 ... dl/dh_n, shape (..., n, d).

    W_h: (..., d, d); h: (..., n, d) states; gradient: (..., d), dl/dh_n; phi as in states. A step back
    multiplies by the transpose of diag(phi'(u_t)) W_h (backpropagation through time).
    """
    W_h, h, phi = _net("h", W_h, h, phi)
    gradient = arguments.array("gradient", gradient, shape=h.shape[:-2] + h.shape[-1:])
    slope, found = SLOPES[phi](h), [gradient]
    for t in range(h.shape[-2] - 1, 0, -1):
        found.append(np.einsum("...ji,...j->...i", W_h, slope[..., t, :] * found[-1]))
    return np.stack(found[::-1], axis=-2)


@arguments.in_floats("g")
def linear_gradient(g, D):
    """Size of a unit gradient D steps back in the linear net with W_h = g Q, Q orthogonal: g^D.

    g: gain >= 0; D: whole number >= 0 or an array of them. Returns a float or an array.
    """
    g = arguments.real("g", g, least=0)
    D = arguments.array("D", D, integers=True, least=0)
    size = g**D
    return float(size) if D.ndim == 0 else size


@arguments.in_floats("W_h")
def power_bounds(W_h, D):
    """(rho^D, ||W_h^D||_2, cond(Z) rho^D): the size of a matrix power and what it lies between.

    rho: spectral radius of W_h (d, d), which has a basis of eigenvectors Z (columns of unit length);
    D >= 0.
    """
    W_h = arguments.square("W_h", W_h)
    D = arguments.integer("D", D, 0, arguments.MOST_NUMBER)
    eigenvalues, Z = np.linalg.eig(W_h)
    if not np.isfinite(Z).all():
        arguments.refuse_sizes({"W_h": W_h})
    if np.linalg.matrix_rank(Z) < len(Z):
        arguments.refuse("W_h", "a matrix without a basis of eigenvectors", "one that has such a basis")
    low, power = float(np.abs(eigenvalues).max() ** D), np.linalg.matrix_power(W_h, D)
    if not np.isfinite(power).all():
        arguments.refuse_sizes({"W_h": W_h})
    size = float(np.linalg.norm(power, 2))
    return low, size, float(np.linalg.cond(Z)) * low


def cell_gradient(f):
    """Derivative of the last cell in the cell D steps before, on the direct path, for D = 0 ... n.

    f: (n, ...) forget gates in [0, 1], in the order of time. Returns (n + 1, ...): products of the last
    D gates. Source: Hochreiter and Schmidhuber 1997 in the later form with a forget gate.
    """
    f = arguments.array("f", f, least=0, most=1)
    if f.ndim == 0 or f.size == 0:
        arguments.refuse("f", f"shape {f.shape}", "shape (n, ...) with n of at least 1")
    return np.concatenate([np.ones_like(f[:1]), np.cumprod(f[::-1], axis=0)])


def random_orthogonal(d, size, rng):
    """`size` random orthogonal matrices, shape (size, d, d), uniform (Haar; Mezzadri 2007)."""
    d = arguments.size("d", d)
    size = arguments.size("size", size)
    Q, R = np.linalg.qr(arguments.generator("rng", rng).standard_normal((size, d, d)))
    return Q * np.sign(np.diagonal(R, axis1=-2, axis2=-1))[:, None, :]


@arguments.in_floats("g", "scale")
def tanh_gradients(g, rng, nets=20, d=16, D=48, warm_up=12, scale=0.1, F=6):
    """Sizes of a unit gradient pulled back 0 ... D steps through random tanh nets, shape (nets, D + 1).

    Each net: W_h = g Q with a random orthogonal Q, W_x with normal entries of standard deviation
    `scale`, b = 0, h_0 = 0. It reads warm_up + D words, drawn from F as one-hot vectors; a random unit
    gradient starts at the last state. Equal seeds give equal Q, W_x and words for every g.
    """
    g = arguments.real("g", g, least=0)
    nets, d = arguments.size("nets", nets), arguments.size("d", d)
    D, warm_up = arguments.size("D", D, 0), arguments.size("warm_up", warm_up)
    scale, F = arguments.real("scale", scale, least=0), arguments.size("F", F)
    arguments.generator("rng", rng)
    W_h = g * random_orthogonal(d, nets, rng)
    W_x = scale * rng.standard_normal((nets, F, d))
    words = rng.integers(F, size=(nets, warm_up + D))
    gradient = rng.standard_normal((nets, d))
    gradient /= np.linalg.norm(gradient, axis=-1, keepdims=True)
    h = states(W_h, np.take_along_axis(W_x, words[..., None], axis=1))
    pulled = pull_back(W_h, h[:, warm_up - 1 :], gradient)
    return np.linalg.norm(pulled, axis=-1)[:, ::-1]


@arguments.in_floats("lam", "nu", "h_0")
def loop(lam, nu, h_0=None):
    """All states of h_t = lam_t h_{t-1} + nu_t, one step after the other: shape of nu, (n, ...).

    lam: (n,) or longer, a number (or a diagonal) for each step; nu: (n, ...), its first sizes those of
    lam; h_0: a start of shape nu.shape[1:], 0 if None. The LSTM cell with given gates is of this form.
    """
    lam, nu, h = _affine(lam, nu, h_0)
    found = []
    for factor, shift in zip(lam, nu):
        h = factor * h + shift
        found.append(h)
    return np.array(found)


@arguments.in_floats("lam", "nu", "h_0")
def scan(lam, nu, h_0=None):
    """The same states by doubling: in each round every step merges its run with the run before it.

    Arguments as in loop. After round r a place holds the composition of its last 2^r steps, by the rule
    (lam_2, nu_2) after (lam_1, nu_1) = (lam_2 lam_1, lam_2 nu_1 + nu_2). Returns a Scan.
    """
    lam, nu, h_0 = _affine(lam, nu, h_0)
    reach, rounds = 1, 0
    while reach < len(nu):
        carried = np.where(nu[:-reach] == 0, 0, lam[reach:] * nu[:-reach])  # a product of lam may be infinite
        nu = np.concatenate([nu[:reach], carried + nu[reach:]])
        merged = lam[reach:] * lam[:-reach]
        lam = np.concatenate([lam[:reach], np.where(np.isnan(merged), 0, merged)])  # 0 times infinite
        reach, rounds = 2 * reach, rounds + 1
    return Scan(np.where(h_0 == 0, 0, lam * h_0) + nu, rounds)


def _net(name, W_h, steps, phi):
    """W_h (..., d, d), the array `steps` (..., n, d) of that name, and phi, checked."""
    W_h = arguments.array("W_h", W_h)
    if W_h.ndim < 2 or W_h.shape[-1] != W_h.shape[-2] or W_h.size == 0:
        arguments.refuse("W_h", f"shape {W_h.shape}", "shape (..., d, d)")
    steps = arguments.array(name, steps, shape=W_h.shape[:-2] + (None, W_h.shape[-1]))
    return W_h, steps, arguments.choice("phi", phi, tuple(PHIS))


def _affine(lam, nu, h_0):
    """Coefficients and start of a linear recurrence, lam widened to the dimensions of nu."""
    nu = arguments.array("nu", nu)
    if nu.ndim == 0 or nu.size == 0:
        arguments.refuse("nu", f"shape {nu.shape}", "shape (n, ...) with n of at least 1")
    lam = arguments.array("lam", lam)
    if lam.ndim == 0 or lam.shape != nu.shape[: lam.ndim]:
        arguments.refuse("lam", f"shape {lam.shape}", f"the first sizes of {nu.shape}")
    lam = lam.reshape(lam.shape + (1,) * (nu.ndim - lam.ndim))
    return lam, nu, np.zeros(nu.shape[1:]) if h_0 is None else arguments.array("h_0", h_0, nu.shape[1:])
