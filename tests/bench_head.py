"""One head against a plain NumPy expression of it, and against torch where it is installed; on one thread.

Run by ``make bench`` in a process of its own (the number of threads is set before NumPy is imported); prints JSON.
"""

import json
import os
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

from toyattn import projections  # noqa: E402

D = 64
LENGTHS = (128, 256, 512, 1024, 2048)


def plain(X, W):
    """The same head as one expression."""
    scores = (X @ W.W_Q) @ (X @ W.W_K).T / np.sqrt(W.W_Q.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ (X @ W.W_V)


def torch_head(W):
    """The same head through scaled_dot_product_attention, or None."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    Q, K, V = (torch.from_numpy(M) for M in (W.W_Q, W.W_K, W.W_V))

    def run(X):
        X = torch.from_numpy(X)
        return torch.nn.functional.scaled_dot_product_attention(*(M[None] for M in (X @ Q, X @ K, X @ V)))[0].numpy()

    return run


def best_ms(action, *args, repeats=9):
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        action(*args)
        times.append(time.perf_counter() - begun)
    return 1000 * min(times)


def main():
    rng = np.random.default_rng(0)
    W = projections.Projections(*(rng.normal(size=(D, D)) / 8 for _ in range(3)))
    by_torch = torch_head(W)
    rows, ours = {}, []
    for n in LENGTHS:
        X = rng.normal(size=(n, D))
        assert np.allclose(projections.head(X, W).outputs, plain(X, W))
        ours.append(best_ms(projections.head, X, W))
        rows[f"n = {n}"] = {"ms": round(ours[-1], 2), "to plain NumPy": round(ours[-1] / best_ms(plain, X, W), 2)}
        if by_torch:
            assert np.allclose(by_torch(X), plain(X, W))
            rows[f"n = {n}"]["to torch"] = round(ours[-1] / best_ms(by_torch, X), 2)
    rows["growth exponent of time in n"] = round(float(np.polyfit(np.log(LENGTHS[1:]), np.log(ours[1:]), 1)[0]), 2)
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
