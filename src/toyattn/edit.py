"""Changing one entry of a trained matrix: the least disturbing edit that maps a key to a new value.

W (d_v, d_k) is the matrix, Sigma (d_k, d_k) the second moment of the keys of ordinary text, symmetric
and positive definite. Source: the book's own derivation; the idea of rank-one edits: Meng, Bau, Andonian
and Belinkov 2022.
"""

from typing import NamedTuple

import numpy as np

from . import arguments


class Plane(NamedTuple):
    """The plane of k and Sigma^-1 k: basis (2, d_k), orthonormal rows, the first along k.

    axis, unmoved: unit directions (2,) in that basis: the longest axis of the key cloud as it falls on
    the plane, and the keys that the edit leaves alone.
    """

    basis: np.ndarray
    axis: np.ndarray
    unmoved: np.ndarray


@arguments.in_floats("k", "Sigma")
def direction(k, Sigma=None):
    """u = Sigma^-1 k / (k . Sigma^-1 k), shape (d_k,); without Sigma the naive k / (k . k)."""
    k, Sigma = _key(k, Sigma)
    u = np.linalg.solve(Sigma, k)
    return u / (k @ u)


@arguments.in_floats("W", "k", "v", "Sigma")
def edit(W, k, v, Sigma=None):
    """W + (v - W k) u^T with u = direction(k, Sigma): maps k to v and disturbs other keys least.

    v: (d_v,). Minimizes tr(D Sigma D^T) over the changes D with (W + D) k = v.
    """
    u = direction(k, Sigma)
    W = arguments.array("W", W, shape=(None, len(u)))
    v = arguments.array("v", v, shape=W.shape[:1])
    return W + np.outer(v - W @ arguments.array("k", k), u)


@arguments.in_floats("u", "keys")
def changes(u, keys):
    """Squared change of the answer to each of the keys (n, d_k) by an edit along u (d_k,): (n,).

    For an edit with |v - W k| = 1.
    """
    u = arguments.array("u", u, shape=(None,))
    return (arguments.array("keys", keys, shape=(None, len(u))) @ u) ** 2


@arguments.in_floats("k", "Sigma")
def naive_factor(k, Sigma):
    """Expected disturbance of the naive over that of the best edit, at least 1 (float).

    (k . Sigma k) (k . Sigma^-1 k) / (k . k)^2; 1 exactly if k is an eigenvector of Sigma.
    """
    naive, best = direction(k), direction(k, Sigma)
    Sigma = arguments.array("Sigma", Sigma)
    return float((naive @ Sigma @ naive) / (best @ Sigma @ best))


def uneven(c, d=8):
    """Second moment diag(exp(-c i / (d - 1))), i = 0 ... d - 1, scaled to trace d; c >= 0."""
    c, d = arguments.real("c", c, 0, 500), arguments.size("d", d, 2)
    spectrum = np.exp(-c * np.arange(d) / (d - 1))
    return np.diag(d * spectrum / spectrum.sum())


def typical_keys(Sigma, n, rng):
    """n normal keys with second moment Sigma, (n, d_k); equal seeds give one cloud, stretched."""
    Sigma = _moment(Sigma)
    n, rng = arguments.size("n", n), arguments.generator("rng", rng)
    return rng.standard_normal((n, len(Sigma))) @ np.linalg.cholesky(Sigma).T


@arguments.in_floats("k", "Sigma")
def plane(k, Sigma):
    """The Plane of an edit; refused if k is an eigenvector of Sigma: there is no plane then."""
    k, Sigma = _key(k, _moment(Sigma))
    e = k / np.linalg.norm(k)
    u = direction(k, Sigma)
    across = u - (u @ e) * e
    if np.linalg.norm(across) <= 1e-12 * np.linalg.norm(u):
        arguments.refuse("k", "an eigenvector of Sigma", "a key with a plane")
    basis = np.array([e, across / np.linalg.norm(across)])
    axis = np.linalg.eigh(basis @ Sigma @ basis.T)[1][:, -1]
    along = basis @ u
    return Plane(basis, axis, np.array([-along[1], along[0]]) / np.linalg.norm(along))


@arguments.in_floats("k", "Sigma")
def angle(k, Sigma):
    """Degrees, 0 to 90, between axis and unmoved of the Plane."""
    found = plane(k, Sigma)
    return float(np.degrees(np.arccos(min(abs(found.axis @ found.unmoved), 1.0))))


def _moment(Sigma):
    Sigma = arguments.array("Sigma", Sigma, shape=(None, None))
    if Sigma.shape[0] != Sigma.shape[1] or (np.abs(Sigma - Sigma.T) > 1e-9 * np.abs(Sigma).max()).any():
        arguments.refuse("Sigma", f"shape {Sigma.shape}, not symmetric", "a symmetric matrix")
    if np.linalg.eigvalsh(Sigma)[0] <= 0:
        arguments.refuse("Sigma", "an eigenvalue of at most 0", "a positive definite matrix")
    return Sigma


def _key(k, Sigma):
    k = arguments.array("k", k, shape=(None,))
    if not k.any():
        arguments.refuse("k", "a vector of zeros", "a key other than 0")
    if Sigma is None:
        return k, np.eye(len(k))
    Sigma = _moment(Sigma)
    if len(Sigma) != len(k):
        arguments.refuse("Sigma", f"shape {Sigma.shape}", f"shape ({len(k)}, {len(k)})")
    return k, Sigma
