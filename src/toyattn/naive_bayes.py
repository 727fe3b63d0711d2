"""Naive Bayes: a class z with probability pi_z, then tokens from the bag theta_z of that class.

Event models: "multinomial" (each token is an event) and "bernoulli" (each vocabulary word is present
or absent). Shapes: D documents, V words, K classes. Source: McCallum and Nigam 1998; standard.
"""

import numpy as np

from . import arguments, bag
from .toylang import ToyLang

EVENT_MODELS = ("multinomial", "bernoulli")


def fit(counts, labels, alpha=0.0, event_model="multinomial"):
    """Class fractions pi (K,) and word probabilities theta (K, V) of labeled documents.

    counts: (D, V) numbers >= 0; labels: (D,) integers 0..K-1, each class at least once; alpha: pseudo-
    counts for each word and class. Multinomial theta: share of the word among the tokens of the
    class. Bernoulli theta: share of the documents of the class that hold the word.
    """
    counts = arguments.array("counts", counts, shape=(None, None), least=0, most=arguments.MOST_NUMBER)
    labels = arguments.array("labels", labels, shape=counts.shape[:1], integers=True, least=0)
    n_classes = int(labels.max()) + 1
    present = set(labels.tolist())
    if len(present) < n_classes:
        missing = next(z for z in range(n_classes) if z not in present)
        arguments.refuse("labels", f"no document of class {missing}", "each class at least once")
    return estimate(counts, np.eye(n_classes)[labels], alpha, event_model)


def estimate(counts, rho, alpha=0.0, event_model="multinomial"):
    """As fit, when document i belongs to class z with weight rho[..., i, z] (a row adds up to 1).

    rho: (..., D, K), one fit for each index in front; returns pi (..., K) and theta (..., K, V).
    Counting with fractional counts. A class without any weight gets pi = 0 and an even theta.
    """
    counts = arguments.array("counts", counts, shape=(None, None), least=0, most=arguments.MOST_NUMBER)
    rho = arguments.distribution("rho", rho, axis=-1)
    if rho.ndim < 2 or rho.shape[-2] != len(counts):
        arguments.refuse("rho", f"shape {rho.shape}", f"shape (..., {len(counts)}, K)")
    arguments.choice("event_model", event_model, EVENT_MODELS)
    alpha = arguments.real("alpha", alpha, least=0)
    members = rho.sum(axis=-2)[..., None]
    weights = np.swapaxes(rho, -1, -2)
    if event_model == "bernoulli":
        words, total, outcomes = weights @ (counts > 0), members, 2
    else:
        if alpha == 0 and (counts.sum(axis=1) == 0).any():
            arguments.refuse("counts", "a document without tokens", "a token in each, or alpha > 0")
        words = weights @ counts
        total, outcomes = words.sum(axis=-1, keepdims=True), counts.shape[1]
    empty = (members == 0) & (alpha == 0)
    words, total = np.where(empty, 1, words), np.where(empty, outcomes, total)
    if alpha == 0 and (total == 0).any():
        arguments.refuse("counts", "counts that vanish when shared out", "larger counts, or alpha > 0")
    return members[..., 0] / len(counts), bag.smoothed(words, total, alpha, outcomes)


def log_joint(counts, pi, theta, event_model="multinomial"):
    """ln p(z, document) in nats for each document and class (..., D, K); -inf if impossible.

    counts: (D, V) numbers >= 0; pi: (..., K); theta: (..., K, V), as fit and estimate return them. The
    multinomial model gives the probability of the tokens in their order (no multinomial coefficient).
    """
    counts, pi, theta = _checked(counts, pi, theta, event_model)
    with np.errstate(divide="ignore"):
        log_pi, present = np.log(pi)[..., None, :], np.log(theta)
        if event_model == "multinomial":
            return log_pi + _weighted(counts, present)
        seen, absent = (counts > 0).astype(float), np.log1p(-theta)
    return log_pi + _weighted(seen, present) + _weighted(1 - seen, absent)


def posterior(counts, pi, theta, event_model="multinomial"):
    """p(z | document) by Bayes' rule (..., D, K), computed in logs; arguments as in log_joint.

    A document that every class excludes has the posterior 0/0 and is refused.
    """
    joint = log_joint(counts, pi, theta, event_model)
    best = joint.max(axis=-1, keepdims=True)
    if np.isneginf(best).any():
        arguments.refuse(
            "counts",
            "a document with probability 0 in every class (posterior 0/0)",
            "documents that some class can produce",
        )
    shares = np.exp(joint - best)
    return shares / shares.sum(axis=-1, keepdims=True)


def log_likelihood(counts, pi, theta, event_model="multinomial"):
    """ln p(documents) in nats, class summed out, all documents together; -inf if impossible.

    Arguments as in log_joint. Returns a float (an array if pi and theta hold several fits).
    """
    joint = log_joint(counts, pi, theta, event_model)
    total = np.logaddexp.reduce(joint, axis=-1).sum(axis=-1)
    return float(total) if total.ndim == 0 else total


def direction(lang, tokens):
    """Class of a sentence: 0 if the giver stands before the receiver in the list of names, else 1."""
    arguments.instance("lang", lang, ToyLang)
    choices = lang.parse(tokens)
    return int(lang.names.index(choices.X) > lang.names.index(choices.Y))


def _checked(counts, pi, theta, event_model):
    arguments.choice("event_model", event_model, EVENT_MODELS)
    pi = arguments.distribution("pi", pi, axis=-1)
    if event_model == "bernoulli":
        theta = arguments.array("theta", theta, shape=(*pi.shape, None), least=0, most=1)
    else:
        theta = arguments.distribution("theta", theta, shape=(*pi.shape, None), axis=-1)
    counts = arguments.array("counts", counts, shape=(None, theta.shape[-1]), least=0, most=arguments.MOST_NUMBER)
    return counts, pi, theta


def _weighted(counts, logs):
    """counts (D, V) times logs (..., K, V), summed over V, where 0 * -inf is 0."""
    logs = np.swapaxes(logs, -1, -2)
    impossible = np.isneginf(logs)
    total = counts @ np.where(impossible, 0.0, logs)
    if impossible.any():
        total[(counts > 0).astype(float) @ impossible > 0] = -np.inf
    return total
