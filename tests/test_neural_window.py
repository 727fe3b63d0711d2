"""The parameter count against arrays that are built and counted."""

import numpy as np
import pytest

from toyattn import neural_window


@pytest.mark.parametrize("V, d, d_h, r", [(22, 8, 32, 18), (1, 1, 1, 1), (5, 2, 3, 4), (7, 3, 2, 5)])
def test_count_is_the_size_of_the_arrays(V, d, d_h, r):
    arrays = {
        "embeddings": np.zeros((V, d)),
        "hidden weights": np.zeros((d_h, r * d)),
        "hidden biases": np.zeros(d_h),
        "output weights": np.zeros((V, d_h)),
        "output biases": np.zeros(V),
    }
    counted = sum(array.size for array in arrays.values())
    assert neural_window.n_parameters(V=V, d=d, d_h=d_h, r=r) == counted
    wider = neural_window.n_parameters(V=V, d=d, d_h=d_h, r=r + 1)
    assert wider - counted == d * d_h
