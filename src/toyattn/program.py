"""The program: two instructions that find the name beside "gave", at every gap and for every name.

Layer 1 notes at each place the token on its left (PREV). Layer 2 searches by these notes: "then" asks for
the place whose left neighbor is "gave" and takes its token, "thanked" asks for "gave" and takes its left
neighbor. Beside it the program with a part removed, machines of one layer, and the linear version.
Source: the book's own.

A sentence here is a ToyLang sentence after a front of any tokens, perhaps none; "gave" stands once.
"""

from itertools import permutations
import math
from typing import NamedTuple

import numpy as np

from . import arguments
from .attention import softmax
from .machine import Machine, Stream, named_units, register, run_many
from .projections import Projections
from .toylang import ToyLang

MACHINES = ("program", "no position", "no layer 1", "no note at 0", "slots", "recency", "linear")
COPIES = ("second Y", "final X")
FRONTS = ("none", "clause", "any clause")
AT_ONCE = 256  # texts, so that their streams stay below 50 MB


class Sentence(NamedTuple):
    """A parsed sentence: its front (tuple of str), names X and Y, and three places counted from 0.

    "then" predicts the second Y, "thanked" the final X.
    """

    front: tuple
    X: str
    Y: str
    gave: int
    then: int
    thanked: int


class Answers(NamedTuple):
    """What a machine answers, one row a sentence, columns second Y and final X (as COPIES).

    right: whether the largest logit is the right token (the first one of several); probability: of the
    right token; margin: its entry in OUT minus the largest other; error: the sum of |OUT - one-hot|.
    """

    right: np.ndarray
    probability: np.ndarray
    margin: np.ndarray
    error: np.ndarray


def vocabulary(lang):
    """The tokens: those of the language and "met" (tuple of N + F + 9 str, N + 15 for six fillers)."""
    return arguments.instance("lang", lang, ToyLang).vocabulary + ("met",)


def build(lang, machine="program", beta=12.0, kappa=10.0, n_max=64):
    """A Machine for the names and fillers of a language, at every gap.

    machine: one of MACHINES: the program; without place codes; without layer 1; with PREV empty at place
    0; one layer that reads places 2 and 0; one layer that reads the nearest and the farthest name; the
    program without softmax, in which beta has no part. beta >= 0: sharpness, inf for hard attention;
    kappa >= 0: scale of the read-out; n_max: places with a code.
    """
    stream = Stream(vocabulary(lang), n_max)
    arguments.choice("machine", machine, MACHINES)
    beta = 1.0 if machine == "linear" else arguments.real("beta", beta, least=0, infinite=True)
    hard = beta == math.inf
    beta = 1.0 if hard else beta
    last = {"slots": _slots, "recency": _recency}.get(machine, _name_beside_gave)(stream, lang, beta)
    alone = machine in ("no layer 1", "slots", "recency")
    layers = (last,) if alone else (previous_token_head(stream, beta), last)
    code = np.zeros((n_max, n_max)) if machine == "no position" else np.eye(n_max)
    reading = "linear" if machine == "linear" else "hard" if hard else "softmax"
    return Machine(stream, layers, unembedding(stream, kappa), code, reading, machine != "no note at 0")


def previous_token_head(stream, beta):
    """Layer 1 (Projections): place t asks for place t - 1 and writes the token there to PREV."""
    arguments.instance("stream", stream, Stream)
    beta = arguments.real("beta", beta, least=0)
    tok, pos, prev = map(stream.units, ("TOK", "POS", "PREV"))
    key, val = named_units(range(stream.n_max)), named_units(stream.vocabulary)
    W_Q = beta * sum(np.outer(pos[t], key[t - 1]) for t in range(1, stream.n_max))
    W_K = sum(np.outer(pos[j], key[j]) for j in range(stream.n_max))
    W_V = sum(np.outer(tok[w], val[w]) for w in stream.vocabulary)
    W_O = sum(np.outer(val[w], prev[w]) for w in stream.vocabulary)
    return Projections(W_Q, W_K, W_V, W_O)


def output(stream):
    """W_O (|V|, d) that writes a token found to OUT."""
    arguments.instance("stream", stream, Stream)
    out, val = stream.units("OUT"), named_units(stream.vocabulary)
    return sum(np.outer(val[w], out[w]) for w in stream.vocabulary)


def unembedding(stream, kappa=10.0):
    """W_U (d, |V|) from OUT to logits, scale kappa >= 0."""
    return arguments.real("kappa", kappa, least=0) * output(stream).T


def parse(lang, tokens):
    """The Sentence in the tokens of a text; what is none is refused.

    lang: its names and fillers; the gap is that of the text.
    """
    tokens = arguments.tokens("tokens", tokens, set(vocabulary(lang)))
    if tokens.count("gave") != 1:
        arguments.refuse("tokens", f'{tokens.count("gave")} times "gave"', 'one "gave"')
    start = tokens.index("gave") - 1
    L = len(tokens) - start - 10
    if start < 0 or L < 0:
        arguments.refuse("tokens", " ".join(tokens), "a front, perhaps empty, and a whole sentence")
    X, Y, *_ = ToyLang(lang.N, lang.F, L).parse(tokens[start:])
    return Sentence(tokens[:start], X, Y, start + 1, len(tokens) - 5, len(tokens) - 3)


def answers(machine, lang, sentences, uncoded=False):
    """Answers of a machine to sentences of any lengths.

    machine: a Machine that build made of lang; sentences: texts that parse(lang, ...) accepts, each in
    at most n_max places; uncoded: as in machine.run.
    """
    arguments.instance("machine", machine, Machine)
    if machine.stream.vocabulary != vocabulary(lang):
        arguments.refuse("machine", "another vocabulary", "a machine of this language")
    uncoded = arguments.boolean("uncoded", uncoded)
    texts = list(arguments.sequences("sentences", sentences))
    longest, n_max, index = max(map(len, texts)), machine.stream.n_max, machine.stream.index
    if longest > n_max and not uncoded:
        arguments.refuse("sentences", f"{longest} tokens", f"at most n_max = {n_max}, the places with a code")
    wanted = np.array([[index[name] for name in _names(lang, text)] for text in texts])
    OUT = np.empty((len(texts), 2, len(index)))
    for n in {len(text) for text in texts}:
        chosen = [i for i, text in enumerate(texts) if len(text) == n]
        for part in (chosen[start : start + AT_ONCE] for start in range(0, len(chosen), AT_ONCE)):
            rows = run_many(machine, [texts[i][:-2] for i in part], uncoded)
            OUT[part] = register(machine, rows[:, [-3, -1]], "OUT")  # at "then" and at "thanked"
    return _judged(machine, OUT, wanted)


def every_pair(lang):
    """One sentence for each ordered pair of names, its thing and fillers going round (list of tuples)."""
    arguments.instance("lang", lang, ToyLang)
    found = []
    for i, (X, Y) in enumerate(permutations(lang.names, 2)):
        fillers = [lang.fillers[(i + place) % lang.F] for place in range(lang.L)]
        found.append(lang.sentence(X, Y, lang.things[i % len(lang.things)], fillers))
    return found


def draw(lang, size, rng, front="none"):
    """`size` random sentences (list of tuples), each after a front.

    front: "none"; "clause", `A met B .` with four different names in all (N >= 4); "any clause", A and B
    different, but free to be X or Y.
    """
    arguments.instance("lang", lang, ToyLang)
    arguments.choice("front", front, FRONTS)
    if front == "clause" and lang.N < 4:
        arguments.refuse("lang", f"N = {lang.N}", "at least four names for a clause of other names")
    sentences = lang.sample(rng, arguments.size("size", size))
    if front == "none":
        return sentences
    found = []
    for tokens in sentences:
        taken = (tokens[0], tokens[2]) if front == "clause" else ()
        A, B = rng.choice([name for name in lang.names if name not in taken], size=2, replace=False)
        found.append((str(A), "met", str(B), ".", *tokens))
    return found


def _names(lang, text):
    """Y and X of a text out of several."""
    try:
        found = parse(lang, text)
    except arguments.Refusal as refusal:
        arguments.refuse("sentences", refusal.came, refusal.wanted)
    return found.Y, found.X


def _name_beside_gave(stream, lang, beta):
    """Layer 2 of the program: a key of two numbers, (own token is gave, left neighbor is gave)."""
    tok, prev, val = stream.units("TOK"), stream.units("PREV"), named_units(stream.vocabulary)
    at, aft = np.eye(2)
    W_Q = beta * (np.outer(tok["thanked"], at) + np.outer(tok["then"], aft))
    W_K = np.outer(tok["gave"], at) + np.outer(prev["gave"], aft)
    W_V = sum(np.outer(tok[i] + prev[i], val[i]) for i in lang.names)
    return Projections(W_Q, W_K, W_V, output(stream))


def _slots(stream, lang, beta):
    """One layer by places: "then" asks for place 2, "thanked" for place 0."""
    tok, pos, val = stream.units("TOK"), stream.units("POS"), named_units(stream.vocabulary)
    key = named_units(range(stream.n_max))
    W_Q = beta * (np.outer(tok["then"], key[2]) + np.outer(tok["thanked"], key[0]))
    W_K = sum(np.outer(pos[j], key[j]) for j in range(stream.n_max))
    W_V = sum(np.outer(tok[i], val[i]) for i in lang.names)
    return Projections(W_Q, W_K, W_V, output(stream))


def _recency(stream, lang, beta):
    """One layer by recency: "then" asks for the nearest name, "thanked" for the farthest."""
    tok, pos, val = stream.units("TOK"), stream.units("POS"), named_units(stream.vocabulary)
    name, place = np.eye(2)
    any_name = stream.n_max * name  # no place outweighs it
    W_Q = beta * (np.outer(tok["then"], any_name + place) + np.outer(tok["thanked"], any_name - place))
    W_K = sum(np.outer(tok[i], name) for i in lang.names) + sum(
        np.outer(pos[j], j * place) for j in range(stream.n_max)
    )
    W_V = sum(np.outer(tok[i], val[i]) for i in lang.names)
    return Projections(W_Q, W_K, W_V, output(stream))


def _judged(machine, OUT, wanted):
    wanted = wanted[..., None]
    logits = OUT @ machine.W_U[machine.stream.blocks["OUT"]]
    probability = np.take_along_axis(softmax(logits), wanted, -1)[..., 0]
    entry = np.take_along_axis(OUT, wanted, -1)[..., 0]
    others = OUT.copy()
    np.put_along_axis(others, wanted, -np.inf, -1)
    error = np.abs(OUT).sum(axis=-1) - np.abs(entry) + np.abs(entry - 1)
    right = logits.argmax(axis=-1) == wanted[..., 0]
    return Answers(right, probability, entry - others.max(axis=-1), error)
