"""The kernels for sparse rows against their portable form, on every type, and for any number of threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import suffice as sf
from suffice.backend import sparse, using

pytestmark = pytest.mark.native


def _rows(n, d, density=0.2, dtype=np.float64, index=np.int32, seed=0):
    X = sp.random_array((n, d), density=density, format="csr", rng=np.random.default_rng(seed), dtype=np.float64)
    return sp.csr_array((X.data.astype(dtype), X.indices.astype(index), X.indptr.astype(index)), X.shape)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_group_sums(rng, dtype, index, weighted):
    X = _rows(200, 30, dtype=dtype, index=index)
    group = rng.integers(0, 5, 200)
    group[group == 3] = 4  # one group is empty
    weight = rng.integers(0, 3, 200).astype(float) if weighted else None
    found = sparse.group_sums(X, group, 5, weight)
    with using("portable"):
        assert_allclose(found, sparse.group_sums(X, group, 5, weight), rtol=1e-10)
    assert_array_equal(found[3], 0)


@pytest.mark.parametrize("k", [1, 2, 7, 8, 9, 20, 33, 70])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_affine(rng, dtype, k):
    X, matrix, offset = _rows(100, 40, dtype=dtype), rng.normal(size=(40, k)), rng.normal(size=k)
    expected = X.toarray().astype(float) @ matrix + offset
    assert_allclose(sparse.affine(X, matrix, offset), expected, rtol=1e-10, atol=1e-12)
    assert_allclose(sparse.affine(X, sparse.padded(matrix), offset), expected, rtol=1e-10, atol=1e-12)
    with using("portable"):
        assert_allclose(sparse.affine(X, sparse.padded(matrix), offset), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_curved(rng, dtype):
    X, gradient, curvature = _rows(100, 41, dtype=dtype), rng.normal(size=41), rng.uniform(size=41)
    dense = X.toarray().astype(float)
    expected = np.column_stack([dense @ gradient, dense @ curvature, dense**2 @ curvature])
    assert_allclose(sparse.curved(X, gradient, curvature), expected, rtol=1e-10, atol=1e-12)
    with using("portable"):
        assert_allclose(sparse.curved(X, gradient, curvature), expected, rtol=1e-10, atol=1e-12)


def test_same_bits_for_any_threads(rng):
    X, group = _rows(60_000, 50), rng.integers(0, 7, 60_000)
    matrix, found = rng.normal(size=(50, 20)), []
    for n in (1, 2, 3):
        with sf.threads(n):
            sums, scores = sparse.group_sums(X, group, 7), sparse.affine(X, matrix, np.zeros(20))
            found.append((sums, scores, sparse.curved(X, matrix[:, 0], matrix[:, 1])))
    for others in found[1:]:
        for one, other in zip(found[0], others, strict=True):
            assert_array_equal(one, other)


def test_nothing(rng):
    empty = sp.csr_array((3, 4))
    assert_array_equal(sparse.group_sums(empty, np.zeros(3, dtype=np.int64), 2), np.zeros((2, 4)))
    assert_array_equal(sparse.affine(empty, np.ones((4, 2)), np.array([1.0, 2.0])), np.tile([1.0, 2.0], (3, 1)))
    assert sparse.affine(sp.csr_array((0, 4)), np.ones((4, 2)), np.zeros(2)).shape == (0, 2)


@settings(max_examples=50, deadline=None)
@given(n=st.integers(1, 40), d=st.integers(1, 20), groups=st.integers(1, 6), seed=st.integers(0, 1000))
def test_sums_of_the_groups_are_the_sums_of_the_columns(n, d, groups, seed):
    X = _rows(n, d, density=0.5, seed=seed)
    group = np.random.default_rng(seed).integers(0, groups, n)
    assert_allclose(sparse.group_sums(X, group, groups).sum(axis=0), X.sum(axis=0), rtol=1e-10, atol=1e-12)
