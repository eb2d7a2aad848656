"""Moments of some of the rows, without copying them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice import backend
from suffice.backend.dense import native, portable
from suffice.statistics import Moments, PerClass

pytestmark = pytest.mark.native

LAYOUTS = {"C": np.ascontiguousarray, "F": np.asfortranarray, "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2]}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_moments_of_chosen_rows(rng, layout, dtype, weighted):
    X = LAYOUTS[layout](rng.normal(size=(3000, 7)).astype(dtype) + 100)
    Y = rng.normal(size=(3000, 2))
    weight = rng.integers(0, 3, 3000).astype(float) if weighted else None
    rows = rng.permutation(3000)[:1700]
    for found in (native.moments(X, Y, weight, rows), portable.moments(X, Y, weight, rows)):
        total, mean, scatter = portable.moments(X[rows], Y[rows], None if weight is None else weight[rows])
        assert_allclose(found[0], total)
        assert_allclose(found[1], mean, rtol=1e-10)
        assert_allclose(found[2], scatter, rtol=1e-8, atol=1e-8)


def test_no_rows(rng):
    total, mean, scatter = backend.moments(rng.normal(size=(5, 3)), rows=np.empty(0, dtype=np.int64))
    assert total == 0
    assert_allclose(mean, 0)
    assert_allclose(scatter, 0)


def test_classes_and_threads(rng):
    X, y = rng.normal(size=(40_000, 6)), rng.integers(0, 4, 40_000)
    found = []
    for n in (1, 2, 3):
        with sf.threads(n):
            found.append(PerClass.full(X, y))
    for k, part in enumerate(found[0].parts):
        assert all(part.scatter.tobytes() == other.parts[k].scatter.tobytes() for other in found[1:])
        assert_allclose(part.scatter, Moments.of(X[y == k]).scatter, rtol=1e-10, atol=1e-9)
