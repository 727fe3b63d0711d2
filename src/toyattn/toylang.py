"""ToyLang, the ruler of the book: a language in which every probability is known.

    X gave Y a T f_1 ... f_L then Y thanked X .

X and Y are two different names out of N, T is one of three things, each filler is one of F words;
every choice is uniform. The second Y and the last X are copies. Places are counted from 0.
"""

from dataclasses import dataclass
from itertools import permutations, product
import math
from typing import NamedTuple

import numpy as np

from . import arguments, information

NAMES = (
    "Ann Ben Cy Di Eve Flo Gus Hal Ida Jon Kay Leo Mia Ned Ola Pam Quin Rob Sue Tom Una Vic Wes Xia "
    "Yan Zoe Abe Bea Cal Dot Eli Fay Gil Hua Ike Joy Ken Lou Max Nan Oz Peg Raj Sam Tia Uma Val Wyn"
).split()
THINGS = "book pen cup".split()
FILLERS = "and so well now yes ok".split()
TEMPLATE = "gave a then thanked .".split()
MOST_LISTED = 200_000
MOST_GAP = 10**6


class Choices(NamedTuple):
    """What was chosen in a sentence: giver, receiver, thing (str) and the fillers (tuple of str)."""

    X: str
    Y: str
    T: str
    fillers: tuple


@dataclass(frozen=True)
class ToyLang:
    """The language with N names (2 to 48), F filler words (1 to 6) and L fillers in the gap (0 to 10^6).

    Source: the book's own construction. All costs are in nats.
    """

    N: int = 8
    F: int = 6
    L: int = 3

    def __post_init__(self):
        limits = {"N": (2, len(NAMES)), "F": (1, len(FILLERS)), "L": (0, MOST_GAP)}
        for size, (least, most) in limits.items():
            value = arguments.integer(size, getattr(self, size), least, most)
            object.__setattr__(self, size, value)

    @property
    def names(self):
        """The N names in the order of the list (tuple of str)."""
        return tuple(NAMES[: self.N])

    @property
    def things(self):
        """The three things (tuple of str)."""
        return tuple(THINGS)

    @property
    def fillers(self):
        """The F filler words (tuple of str)."""
        return tuple(FILLERS[: self.F])

    @property
    def template(self):
        """The five template tokens in the order of the sentence (tuple of str)."""
        return tuple(TEMPLATE)

    @property
    def vocabulary(self):
        """All token types: names, things, fillers, template (tuple of N + 3 + F + 5 str)."""
        return self.names + self.things + self.fillers + self.template

    @property
    def n(self):
        """Tokens in a sentence, 10 + L."""
        return 10 + self.L

    @property
    def second_y(self):
        """Place of the second Y; its source stands at place 2."""
        return self.L + 6

    @property
    def last_x(self):
        """Place of the last X; its source stands at place 0."""
        return self.L + 8

    @property
    def second_y_reach(self):
        """Tokens from the second Y back to the first."""
        return self.second_y - 2

    @property
    def last_x_reach(self):
        """Tokens from the last X back to the first."""
        return self.last_x

    @property
    def n_pairs(self):
        """Ordered pairs of names (giver, receiver), the bindings a sentence can make (exact int)."""
        return self.N * (self.N - 1)

    @property
    def n_sentences(self):
        """Number of sentences (exact int)."""
        return self.n_pairs * len(THINGS) * self.F**self.L

    def kinds(self):
        """Per place "choice", "copy" or "template" (tuple of n str)."""
        choices = {0, 2, 4, *range(5, 5 + self.L)}
        copies = {self.second_y, self.last_x}
        return tuple(
            "choice" if place in choices else "copy" if place in copies else "template"
            for place in range(self.n)
        )

    def place_costs(self):
        """Cost of each token for the true process (array of n, nats): the log of its options."""
        options = [self.N, 1, self.N - 1, 1, len(THINGS)] + [self.F] * self.L + [1] * 5
        return np.log(options)

    def entropy(self):
        """Nats per sentence of the true process; every sentence costs the same."""
        return float(self.place_costs().sum())

    def entropy_per_token(self):
        """Nats per token of the true process."""
        return self.entropy() / self.n

    def perplexity(self):
        """Perplexity of the true process."""
        return information.perplexity(self.entropy_per_token())

    def binding_entropy(self):
        """Nats of the choice of X and Y, which must cross the gap."""
        return math.log(self.n_pairs)

    def slots(self, X, Y):
        """The sentences of one pair: for each place the tokens that may stand there (n tuples)."""
        for argument, name in (("X", X), ("Y", Y)):
            arguments.choice(argument, name, self.names)
        if X == Y:
            arguments.refuse("Y", repr(Y), "a name other than X")
        return self._slots(X, Y)

    def sentence(self, X, Y, T, fillers):
        """The sentence (tuple of n str) with these choices; fillers is a sequence of L words."""
        slots = self.slots(X, Y)
        arguments.choice("T", T, self.things)
        fillers = arguments.tokens("fillers", fillers, self.fillers)
        if len(fillers) != self.L:
            arguments.refuse("fillers", f"{len(fillers)} words", f"L = {self.L} words")
        fixed = [options[0] for options in slots]
        return (*fixed[:4], T, *fillers, *fixed[5 + self.L :])

    def sentences(self):
        """Iterator over all sentences: X slowest, then Y, T and the fillers, each in list order."""
        for X, Y in permutations(self.names, 2):
            yield from product(*self._slots(X, Y))

    def sample(self, rng, size=None):
        """A random sentence (tuple of n str), or a list of `size` of them."""
        arguments.generator("rng", rng)
        if size is not None:
            return [self.sample(rng) for _ in range(arguments.size("size", size, 0))]
        X, Y = rng.choice(self.N, size=2, replace=False)
        fillers = [self.fillers[word] for word in rng.integers(self.F, size=self.L)]
        return self.sentence(
            self.names[X], self.names[Y], self.things[rng.integers(len(THINGS))], fillers
        )

    def parse(self, tokens):
        """The Choices of a sentence; a sequence that is none is refused at its first wrong place."""
        tokens = arguments.tokens("tokens", tokens)
        if len(tokens) != self.n:
            arguments.refuse("tokens", f"{len(tokens)} tokens", f"a sentence of {self.n}")
        wrong = self._first_wrong(tokens)
        if wrong is not None:
            place, options = wrong
            arguments.refuse(
                "tokens", f"{tokens[place]!r} at place {place}", "one of " + ", ".join(options)
            )
        return Choices(tokens[0], tokens[2], tokens[4], tokens[5 : 5 + self.L])

    def is_sentence(self, tokens):
        """Whether the tokens are a sentence of the language (bool)."""
        tokens = arguments.tokens("tokens", tokens)
        return len(tokens) == self.n and self._first_wrong(tokens) is None

    def encode(self, tokens):
        """Indices of the tokens in the vocabulary (int array, one a token)."""
        tokens = arguments.tokens("tokens", tokens, self.vocabulary)
        index = {token: i for i, token in enumerate(self.vocabulary)}
        return np.array([index[token] for token in tokens], dtype=np.int64)

    def decode(self, indices):
        """The tokens with these indices in the vocabulary (tuple of str)."""
        most = len(self.vocabulary) - 1
        indices = arguments.array("indices", indices, integers=True, least=0, most=most)
        if indices.ndim != 1:
            arguments.refuse("indices", f"shape {indices.shape}", "one dimension")
        return tuple(self.vocabulary[i] for i in indices)

    def _slots(self, X, Y):
        head = ((X,), ("gave",), (Y,), ("a",), self.things)
        tail = (("then",), (Y,), ("thanked",), (X,), (".",))
        return head + (self.fillers,) * self.L + tail

    def _first_wrong(self, tokens):
        """The first place of n tokens that breaks the rules, with its options; None for a sentence."""
        X, Y = tokens[0], tokens[2]
        slots = list(self._slots(X, Y))
        slots[0] = self.names
        slots[2] = tuple(name for name in self.names if name != X)
        for place, (token, options) in enumerate(zip(tokens, slots)):
            if token not in options:
                return place, options
        return None


def listing(lang):
    """All sentences of a small language (list of tuples); refused above MOST_LISTED of them."""
    arguments.instance("lang", lang, ToyLang)
    if lang.n_sentences > MOST_LISTED:
        arguments.refuse("lang", f"{lang.n_sentences} sentences", f"at most {MOST_LISTED}")
    return list(lang.sentences())
