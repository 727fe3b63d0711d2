"""toyattn: the science of the book, in pure functions on arrays (numpy only)."""

from . import (
    bag,
    copy_rule,
    corpora,
    hmm,
    information,
    mixtures,
    models,
    naive_bayes,
    neural_window,
    toylang,
    windows,
)
from .toylang import ToyLang
