"""Part C: every number of its explorers against a second computation that never calls toyattn."""

import math
from functools import lru_cache

import numpy as np
from readouts import FILLERS, NAMES, THINGS, bag_price, last, nearly, softmax, template, window_price

PAGES = ("book/c/",)


# --- C1: pointers in the plane and in ToyLang --------------------------------------------------------------------------


def overlap(one, other):
    """Dot product of two arrows of length 1 at whole degrees."""
    return math.cos(math.radians((one - other) % 360))


def soft_dictionary(drawn, query, beta):
    """Who is nearest is decided in whole degrees."""
    table = {20: 0.8, 85: -0.5, 150: -0.4, 205: -0.7, 265: 0.3, 325: 0.6}
    away = {key: min((query - key) % 360, (key - query) % 360) for key in table}
    winners = [key for key in table if away[key] == min(away.values())]
    hard = [(key in winners) / len(winners) for key in table]
    weights = hard if beta == "∞" else softmax([beta * overlap(query, key) for key in table])
    return dict(weights=weights, o=math.fsum(a * v for a, v in zip(weights, table.values())),
                best=[x for key in winners for x in (key, table[key])], mean=math.fsum(table.values()) / 6)


def rank(matrix):
    """Pivots of an elimination that always takes the largest entry left."""
    left, pivots = list(matrix), []
    while left:
        i, j = max(((i, j) for i in range(len(left)) for j in range(len(left[0]))), key=lambda at: abs(left[at[0]][at[1]]))
        row = left.pop(i)
        if abs(row[j]) < 1e-12 * max(pivots, default=1):
            break
        pivots.append(abs(row[j]))
        left = [[x - other[j] / row[j] * y for x, y in zip(other, row)] for other in left]
    return len(pivots)


def attention_matrix(drawn, beta, row, causal):
    asking, keys = [71, 13, 148, 301, 96, 208, 341, 236], [10, 54, 103, 143, 193, 243, 288, 329]
    values = [0.9, -0.6, 0.1, -0.5, 0.2, 0.3, 0.5, 0.7]
    scores = [[overlap(query, key) for key in keys] for query in asking]
    seen = range(1, 9) if causal else 8 * [8]
    weights = [[*softmax([float(beta) * s for s in one[:m]]), *(8 - m) * [0.0]] for one, m in zip(scores, seen)]
    full = 8 if causal else rank(weights)  # a triangle with a positive diagonal has full rank
    return dict(weights=weights[row - 1], rowsum=8 * [1.0], o=math.fsum(a * v for a, v in zip(weights[row - 1], values)),
                rank_scores=rank(scores), rank_weights=full)


def pointer(L, beta):
    """Weight that the query of "thanked" puts on the first token, and the nats of the name that stands there."""
    prompt = template(L)[: last(L, "X")]
    weights = softmax([float(beta) * (place == 0) for place in range(len(prompt))])
    return weights[0], -math.log(math.fsum(weight for weight, token in zip(weights, prompt) if token == "X")), len(prompt)


def toylang_pointer(drawn, beta):
    weight, nats, m = pointer(10, beta)
    return dict(weight=weight, cost=nats, uniform=1 / m)


def gap(drawn, L):
    return dict(attention=pointer(L, 8)[1], window=window_price(L, 8, "X"), bag=bag_price(L, "name"),
                inside="X" in template(L)[: last(L, "X")][-8:])


# --- C2: the random model of two layers --------------------------------------------------------------------------------


@lru_cache
def random_model():
    """Two layers of W_Q, W_K, W_V, W_1, W_2, a vector for each word: the book's draws in its order, and with an unused W_O."""
    rng, layers = np.random.default_rng(180), []
    for _ in range(2):
        W_Q, W_K, W_V, _ = (rng.standard_normal((8, 8)) / math.sqrt(8) for _ in range(4))
        layers.append((W_Q, W_K, W_V, rng.standard_normal((8, 16)) / math.sqrt(8), rng.standard_normal((16, 8)) / math.sqrt(16)))
    words = [*NAMES, *THINGS, *FILLERS, *"gave a then thanked .".split()]
    return layers, dict(zip(words, 0.7 * rng.standard_normal((len(words), 8))))


def through(tokens, coded, masked):
    """Rows after each layer, made one by one; masked says for each layer whether a row sees only itself and those before it."""
    layers, vectors = random_model()
    code = lambda t: [wave(t / 10000 ** (i / 8)) for i in (0, 2, 4, 6) for wave in (math.sin, math.cos)]
    rows, found = [vectors[token] + (np.array(code(t)) if coded else 0) for t, token in enumerate(tokens)], []
    for (W_Q, W_K, W_V, W_1, W_2), causal in zip(layers, masked):
        made = []
        for i, x in enumerate(rows):
            seen = rows[: i + 1] if causal else rows
            shares = softmax([(x @ W_Q) @ (y @ W_K) / math.sqrt(8) for y in seen])
            x = x + sum(share * (y @ W_V) for share, y in zip(shares, seen))
            made.append(x + np.tanh(x @ W_1) @ W_2)
        found.append(rows := made)
    return found


def distance(x, y):
    return math.hypot(*(x - y))


@lru_cache
def shuffled(swaps, coded):
    """Output of each token of the sentence, in its first order, after so many swaps."""
    ten, rng, order = "Flo gave Ann a pen then Ann thanked Flo .".split(), np.random.default_rng(5), list(range(10))
    for _ in range(swaps):
        i, j = rng.choice(10, size=2, replace=False)
        order[i], order[j] = order[j], order[i]
    out = through([ten[source] for source in order], coded, (False, False))[-1]
    return [row for _, row in sorted(zip(order, out), key=lambda pair: pair[0])]


def equivariance(drawn, swaps):
    apart = lambda rows: [nearly(distance(rows[0], rows[8])), nearly(distance(rows[2], rows[6]))]
    change = [nearly(max(abs(x - y).max() for x, y in zip(shuffled(swaps, coded), shuffled(0, coded)))) for coded in (False, True)]
    return dict(gap_left=apart(shuffled(swaps, False)), gap_right=apart(shuffled(swaps, True)), change=change)


def masks(drawn, pattern, positions):
    masked = {"none": (False, False), "layer 2 only": (False, True), "one masked layer": (True,), "layer 1": (True, False),
              "both layers": (True, True)}[pattern]
    one, other = (through(f"{x} gave {y} a pen so ok then".split(), positions, masked) for x, y in (("Flo", "Ann"), ("Ann", "Flo")))
    return dict(gap=nearly(distance(one[-1][-1], other[-1][-1])),
                rows=sum(all(distance(x, y) > 1e-9 for y in other[0]) for x in one[0]))


# --- C3 to C5 ----------------------------------------------------------------------------------------------------------


def entropy(scores):
    """Nats of the softmax of each row: ln Z less the mean score, counted from the best score."""
    scores = scores - scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores)
    rest = (powers * (scores < 0)).sum(axis=-1)
    return np.log1p(rest) - (powers * scores).sum(axis=-1) / powers.sum(axis=-1)


def scale(drawn, dk):
    """One draw cut to size, and 200 draws of this size; the query comes first."""
    draw = np.random.default_rng(33).standard_normal((17, 1024))[:, :dk]
    many = np.random.default_rng(35).standard_normal((200, 17, dk))
    scores, rows = draw[1:] @ draw[0], (many[:, 1:] @ many[:, 0, :, None])[..., 0]
    return dict(H_raw=entropy(scores), H_scaled=entropy(scores / math.sqrt(dk)), H_raw_mean=entropy(rows).mean(),
                H_scaled_mean=entropy(rows / math.sqrt(dk)).mean(), H_uniform=math.log(16))


def hand_block(drawn, step):
    """From its description in words: who asks, where the head looks, what lands in the copy, what the gate lets pass."""
    sentence, bars, right = "Flo gave Gus a book then Gus thanked Flo .".split(), [], []
    for place, wanted in ((5, "Gus"), (7, "Flo")):
        logits = dict.fromkeys(NAMES, 0.0)
        for trigger, source in (("thanked", 0), ("then", 2)):
            asks = sentence[place] == trigger
            weights = softmax([6.0 * (asks and j == source) for j in range(place + 1)])
            copy = {name: math.fsum(a for a, token in zip(weights, sentence) if token == name) for name in NAMES}
            gate = {name: held if asks else max(0.0, held - 1) for name, held in copy.items()}
            logits = {name: logits[name] + 10 * gate[name] for name in NAMES}
            triple = lambda of: [of["Flo"], of["Gus"], sum(of[name] for name in NAMES if name not in ("Flo", "Gus"))]
            bars += dict(embed=[0.0, 0.0, 0.0], read=[weights[0], weights[2], weights[1]], write=triple(copy), gate=triple(gate),
                         predict=[])[step]
        p = dict(zip(NAMES, softmax(list(logits.values()))))
        bars += triple(p) if step == "predict" else []
        right.append(p[wanted])
    return dict(bars=bars, p=right if step == "predict" else "not yet")


def cost(drawn, n):
    return dict(scores=sum(range(1, n + 1)), cache=2 * 512 * 6 * n, rnn_steps=n, transformer_steps=6)


COUNTERPARTS = {
    "fig-c1-soft-dictionary": soft_dictionary, "fig-c1-attention-matrix": attention_matrix, "fig-c1-toylang-pointer": toylang_pointer,
    "fig-c1-gap": gap, "fig-c2-equivariance": equivariance, "fig-c2-masks": masks, "fig-c3-scale": scale, "fig-c4-block": hand_block,
    "fig-c5-cost": cost,
}
