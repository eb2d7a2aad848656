"""The last door before memory: an array of another length than the kernel reads is refused, never followed."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from suffice import backend
from suffice.backend import embedding, kmeans, mixture, native, nets, scaling
from suffice.backend.graphs import shortest_ways
from suffice.backend.predictors import softmax_sums

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


@pytest.mark.parametrize("row", [-1, 50])
def test_rows_that_are_not_there_are_refused(row):
    with pytest.raises(ValueError, match="none of a row of X"):
        nets.input_rows(X, np.array([0, row]), np.zeros(3), np.ones(3), np.empty((2, 3)))


def test_results_are_never_written_into_a_copy():
    with pytest.raises(TypeError):
        native.kernels().row_uniforms(X, 1, np.empty(50, np.float32))


def test_bindings_take_arrays_by_type_alone():
    """An array taken from a plain object would be a temporary; `Held` cannot be one."""
    folder = Path(__file__).parents[2] / "native"
    for file in folder.rglob("*.cpp"):
        text = file.read_text(encoding="utf-8")
        assert "nb::ndarray" not in text.replace("Held<nb::ndarray", ""), file.name


@pytest.mark.parametrize("code", [-1, 3])
def test_a_class_that_is_none_is_refused(code: int) -> None:
    X, codes = np.ones((4, 2)), np.array([0, 1, 2, code])
    with pytest.raises(ValueError, match="a class out of range"):
        softmax_sums(X, np.zeros((2, 3)), np.zeros(3), codes, None, False)


Z, THREE = np.zeros((4, 2)), np.ones(3)


def whole(*numbers):
    return np.array(numbers, dtype=np.int64)


@pytest.mark.parametrize(
    "call",
    [
        lambda at: embedding.pull(Z, Z, whole(0, 1, 2, 3), whole(0, at, 1), THREE),
        lambda at: embedding.pull(Z, Z, whole(0, 9 * at, 2, 3), whole(0, 1, 2), THREE),
        lambda at: embedding.pull(Z, Z, whole(0, 1, 2, at), whole(0, 1, 2), THREE),
        lambda at: embedding.calibrated(THREE, whole(5 * at, 3), THREE, 0.1),
        lambda at: embedding.calibrated(THREE, whole(1, at), THREE, 0.1),
        lambda at: scaling.isotonic(THREE, whole(0, 1, at), whole(1, 2, 3)),
        lambda at: scaling.isotonic(THREE, whole(0, 1, 2), whole(9 * at, 1, 3)),
        lambda at: scaling.isotonic(THREE, whole(0, 1, 2), whole(1, at), None, True),
        lambda at: shortest_ways(_edges([at, 0], [1.0, 1.0]), whole(0)),
        lambda at: shortest_ways(_edges([1, 0], [1.0, 1.0]), whole(at)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("at", [-1, 4, 1 << 30])
def test_numbers_that_a_kernel_of_maps_follows_are_in_range(call, at):
    with pytest.raises(ValueError, match=r"out of range|must rise"):
        call(at)


@pytest.mark.parametrize("length", [-1.0, np.nan])
def test_ways_over_edges_that_shorten_them_are_refused(length):
    with pytest.raises(ValueError, match="below 0"):
        shortest_ways(_edges([1, 0], [length, 1.0]), whole(0))


def _edges(columns, lengths):
    """A graph of two nodes, whose columns nobody has looked at."""
    graph = sparse.csr_array((2, 2))
    graph.indptr, graph.indices = np.array([0, 1, 2]), np.array(columns)
    graph.data = np.array(lengths)
    return graph
