"""The last door before memory: an array of another length than the kernel reads is refused, never followed."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from suffice import backend
from suffice.backend import kmeans, mixture, native, nets
from suffice.backend.graphs import shortest_ways

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 3))


@pytest.mark.parametrize(
    "call",
    [
        lambda: backend.moments(X, None, np.ones(49)),
        lambda: backend.moments(X, np.ones((49, 1)), None),
        lambda: backend.grouped_moments(X, np.zeros(49, np.int64), 1),
        lambda: backend.affine(X, np.zeros(2), np.eye(3), np.zeros(3)),
        lambda: backend.affine(X, None, np.eye(2), np.zeros(2)),
        lambda: backend.diagonal_log_density(X, np.zeros((2, 3)), np.ones((1, 3))),
        lambda: kmeans.assign(X, np.zeros((2, 4)), np.zeros(4)),
        lambda: kmeans.assign(X, np.zeros((2, 3)), np.zeros(3), np.ones(10)),
        lambda: kmeans.seeds(X, np.ones(3), np.zeros((2, 1))),
        lambda: mixture.gaussian_log_probs(X, np.zeros((2, 3)), np.ones((2, 2, 2)), np.zeros(2), "full"),
        lambda: nets.input_rows(X, None, np.zeros(2), np.ones(3), np.empty((50, 3))),
        lambda: nets.input_rows(X, None, np.zeros(3), np.ones(3), np.empty((49, 3))),
        lambda: nets.bend(X.copy(), np.zeros(4), 0.0),
        lambda: nets.unbend(X.copy(), X[:49], 0.0, np.empty(3)),
        lambda: nets.unbend(X.copy(), X, 0.0, np.empty(2)),
        lambda: nets.adam(np.ones(4), np.ones(3), np.ones(4), np.ones(4), (0.9, 0.99), 1e-8, 0.1),
        lambda: nets.softmax(X, np.zeros(49, np.int64)),
        lambda: mixture.gaussian_sums(X, np.ones(5), X[:1], np.eye(3)[None], np.zeros(1), "full", mixture.Rule()),
    ],
)  # fmt: skip
def test_wrong_lengths_are_refused(call):
    with pytest.raises(ValueError, match="cells"):
        call()


def test_results_are_never_written_into_a_copy():
    with pytest.raises(TypeError):
        native.kernels().row_uniforms(X, 1, np.empty(50, np.float32))


def test_bindings_take_arrays_by_type_alone():
    """An array taken from a plain object would be a temporary; `Held` cannot be one."""
    folder = Path(__file__).parents[2] / "native"
    for file in folder.rglob("*.cpp"):
        text = file.read_text(encoding="utf-8")
        assert "nb::ndarray" not in text.replace("Held<nb::ndarray", ""), file.name


@pytest.mark.parametrize("length", [-1.0, np.nan])
def test_ways_over_edges_that_shorten_them_are_refused(length):
    edges = sparse.csr_array(([length, 1.0], [1, 0], [0, 1, 2]), (2, 2))
    with pytest.raises(ValueError, match="below 0"):
        shortest_ways(edges, np.array([0]))
