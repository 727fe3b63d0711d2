"""Part E: every number of its explorers against a second computation that never calls toyattn, place by place and without a matrix."""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from readouts import FILLERS, THINGS, softmax, template
from toyattn import toylang

PAGES = ("book/e/", "book/closing.html")
NAMES = toylang.NAMES  # 48
WORDS = 63  # tokens of the vocabulary


# --- E2: two instructions ----------------------------------------------------------------------------------------------


def notes(n, beta, places=True):
    """Of each place, what the read of its left neighbor puts on the places it sees. Place 0 sees itself."""
    return [softmax([beta * (places and j == t - 1) for j in range(t + 1)]) for t in range(n)]


def look(tokens, beta, kind="program"):
    """Layer 2 at the last token: the weights of the places, and {name: amount} in OUT.

    A place is found by its own token (for *thanked*) or by what its note holds of *gave* (for *then*); its value is the names in
    its token and in its note.
    """
    n, asks = len(tokens), tokens[-1]
    held = [[] for _ in tokens]
    if kind in ("program", "no position"):
        held = notes(n, beta, kind == "program")
    elif kind == "linear":
        held = [[float(j == t - 1) for j in range(t + 1)] for t in range(n)]
    if kind == "slots":
        scores = [j == dict(then=2, thanked=0)[asks] for j in range(n)]
    elif kind == "recency":
        scores = [64 * (token in NAMES) + (j if asks == "then" else -j) for j, token in enumerate(tokens)]
    else:
        left = [sum(share for share, token in zip(row, tokens) if token == "gave") for row in held]
        scores = left if asks == "then" else [token == "gave" for token in tokens]
    weights = scores if kind == "linear" else softmax([beta * score for score in scores])
    out = dict.fromkeys(dict.fromkeys(token for token in tokens if token in NAMES), 0.0)
    for weight, token, row in zip(weights, tokens, held):
        for source, share in [(token, 1.0), *zip(tokens, row)]:
            if source in out:
                out[source] += weight * share
    return weights, out


def chance(out, name):
    """Probability of a name, read from OUT with scale 10; whatever is not in OUT has the logit 0."""
    powers = {one: math.exp(10 * amount) for one, amount in out.items()}
    return powers[name] / (math.fsum(powers.values()) + WORDS - len(powers))


def registers(drawn, step, prompt="Ann met Ben . Cy gave Di a pen and so and so then Di thanked", giver="Cy", receiver="Di"):
    prompt = prompt.split()
    cues = dict(p_then=(prompt[:-2], receiver), p_thanked=(prompt, giver))
    return {cue: chance(look(tokens, 12)[1], name) if step == 2 else float(Fraction(1, WORDS)) for cue, (tokens, name) in cues.items()}


def plain(L):
    words = dict(X="Ann", Y="Ben", T="pen")
    tokens = [words.get(one, FILLERS[int(one[1:]) % 6] if one[0] == "f" else one) for one in template(L)]
    return tokens[:-4], tokens[:-2]


@lru_cache
def maps_at(L, beta):
    then, thanked = (look(tokens, beta) for tokens in plain(L))
    return dict(p_second_y=chance(then[1], "Ben"), p_final_x=chance(thanked[1], "Ann"), w_then=then[0][2], w_thanked=thanked[0][1])


def maps(drawn, layer, L, beta):
    return maps_at(L, beta)


@lru_cache
def drawn_sentences():
    """60 plain sentences and 60 after a clause: the draws of the book, in its order. Names first, fillers, thing; clauses last."""
    found = []
    for clause in (False, True):
        rng, texts = np.random.default_rng(2), []
        for _ in range(60):
            X, Y = (NAMES[i] for i in rng.choice(48, size=2, replace=False))
            fillers = [FILLERS[i] for i in rng.integers(6, size=20)]
            texts.append([X, "gave", Y, "a", THINGS[rng.integers(3)], *fillers, "then", Y, "thanked", X, "."])
        if clause:
            for text in texts:
                A, B = rng.choice([name for name in NAMES if name not in text], size=2, replace=False)
                text[:0] = [str(A), "met", str(B), "."]
        found.append(texts)
    return found


@lru_cache
def layout_out(tokens, beta, kind):
    return look(tokens, beta, kind)[1]


def copied(tokens, beta, kind):
    """Which name is largest in OUT, of equal ones the first of the vocabulary. Texts that differ in their names only share a look."""
    names = list(dict.fromkeys(token for token in tokens if token in NAMES))
    other = dict(zip(names, NAMES))
    like = tuple(other.get(token, "so" if token in FILLERS else token) for token in tokens)
    out = layout_out(like, beta, kind)
    best = max(out.values())
    return min((name for name in names if out[other[name]] > best - 1e-12), key=NAMES.index)


def ablations(drawn, beta):
    """Every machine at the sharpness of the slider, whether it depends on it or not."""
    right = [[sum(copied(text[:cue], float(beta), kind) == text[cue] for text in texts for cue in (-4, -2)) for texts in drawn_sentences()]
             for kind in ("program", "no position", "no layer 1", "slots", "recency", "linear")]
    return dict(plain_right=[row[0] for row in right], clause_right=[row[1] for row in right])


# --- E3 to E5 ----------------------------------------------------------------------------------------------------------


def line(drawn, layers):
    """Descent in fractions: the slope loses a share of its distance from the best one at every step."""
    points = [(Fraction(x), Fraction(y)) for x, y in zip("-1 -0.75 -0.45 -0.2 0.15 0.5 0.75 0.95".split(),
                                                         "-0.93 -0.80 -0.42 -0.13 0.09 0.39 0.81 0.92".split())]
    best = sum(x * y for x, y in points) / sum(x * x for x, _ in points)
    slope = best * (1 - (1 - Fraction(1, 2) * sum(x * x for x, _ in points) / 8) ** layers)
    loss = lambda slope: float(sum((slope * x - y) ** 2 for x, y in points) / 16)
    return dict(slope=float(slope), loss=loss(slope), ls_slope=float(best), floor=loss(best))


def induction(drawn, position):
    """The current token is looked for in the notes, and the token of the place is handed over."""
    tokens = ". Ann gave Ben a pen Ann gave Ben a pen".split()[: position + 1]
    scores = [12 * math.fsum(share for share, token in zip(row, tokens) if token == tokens[-1]) for row in notes(len(tokens), 12)]
    weights = softmax(scores)
    out = {token: math.fsum(weight for weight, one in zip(weights, tokens) if one == token) for token in tokens}
    match = tokens.index(tokens[-1]) + 1
    return dict(weight=weights[match], prob=chance(out, tokens[match]))


def classes(drawn, L, N):
    """The window leaves every name but the nearest; the rows are the fillings of the choices in front of the last name."""
    tokens = template(L)
    names = sum(token in "XY" for token in tokens)
    choices = dict(X=N, Y=N - 1, T=3, **{f"f{i}": 6 for i in range(L)})
    return dict(bag=math.log(len(tokens) * N / names), ngram=math.log(len(set(range(N)) - {0})),
                contexts=math.prod(choices[token] for token in set(tokens[:-2]) & set(choices)),
                program=math.log(1 + (N + 15 - 1) * math.exp(-10)))


def answer(drawn, step):
    return registers(drawn, step, "Flo gave Ann a pen and yes well then Ann thanked", "Flo", "Ann")


def closing(drawn, L, N):
    """The bag on both copies, and what the machines keep that pay for neither.

    A window that sees all has a row for every start, a hidden Markov model a state for each pair of names and place, two sums hold a
    word for each of 64 places and a name for each of two keys; for each token, one head keeps a key of two numbers and the word, and
    the program a place of 64 and the word, then a key of two and the word.
    """
    at, word, n = classes(drawn, L, N), N + 15, len(template(L))
    head, both = n * (2 + word), n * (64 + word + 2 + word)
    free = [at["contexts"], N * (N - 1) * n, 64 * word + 2 * N, head, both]
    return dict(dearest=2 * at["bag"], most=max(free), least=min(free), program=both)


COUNTERPARTS = {
    "fig-e2-registers": registers, "fig-e2-maps": maps, "fig-e2-ablations": ablations, "fig-e3-line": line,
    "fig-e4-induction": induction, "fig-e5-classes": classes,
    "fig-e5-answer": answer, "fig-closing": closing,
}
