"""The program of Part E on all 13,536 predictions: batched, sentence by sentence, and the floor of its matrix products alone.

Run by ``make bench`` in a process of its own, on one thread; prints JSON.
"""

import json
import os
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

from toyattn import ToyLang, machine, program  # noqa: E402

SAMPLE = 40  # sentences of each gap that the plain loop runs; its time is scaled up


def seconds(action):
    begun = time.perf_counter()
    result = action()
    return time.perf_counter() - begun, result


def products(built, texts, n):
    """The matrix products of one run, on rows of random numbers: readings, scores, sums and write of each layer."""
    rows, maps = np.random.default_rng(0).random((texts, n, built.stream.d)), np.random.default_rng(1).random((texts, n, n))
    for layer in built.layers:
        Q, K, V = (rows @ matrix for matrix in (layer.W_Q, layer.W_K, layer.W_V))
        Q @ np.swapaxes(K, -1, -2)
        maps @ V @ layer.W_O


def main():
    lang = ToyLang(48, 6, 0)
    built = program.build(lang)
    texts = {L: program.every_pair(ToyLang(48, 6, L)) for L in (0, 20, 50)}
    batched, right = seconds(lambda: sum(int(program.answers(built, lang, t).right.sum()) for t in texts.values()))
    loop, _ = seconds(lambda: [machine.run(built, text[:-2]) for t in texts.values() for text in t[:SAMPLE]])
    loop *= len(texts[0]) / SAMPLE
    floor, _ = seconds(lambda: [products(built, SAMPLE, len(t[0]) - 2) for t in texts.values()])
    floor *= len(texts[0]) / SAMPLE
    print(json.dumps({
        "right predictions": f"{right:,}", "batched, seconds": round(batched, 2), "plain loop to batched": round(loop / batched, 1),
        "batched to matrix products": round(batched / floor, 2),
    }))


if __name__ == "__main__":
    main()
