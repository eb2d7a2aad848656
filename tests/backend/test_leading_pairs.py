"""Leading eigenvectors by pairs of vectors."""

import numpy as np
import pytest

from suffice.backend.leading_pairs import leading_by_pairs

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)


def _matrix(values):
    Q = np.linalg.qr(RNG.normal(size=(len(values), len(values))))[0]
    return (Q * values) @ Q.T


def test_it_finds_close_and_equal_eigenvalues():
    values = np.concatenate([[9.0, 9.0, 8.9, 8.8], np.linspace(3, 0, 296)])
    A = _matrix(values)
    found, vectors = leading_by_pairs(A.__matmul__, RNG.normal(size=(300, 2)), 4, 1e-10)
    np.testing.assert_allclose(found, values[:4], rtol=1e-12)
    np.testing.assert_allclose(A @ vectors, vectors * found, atol=1e-8)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-12)


def test_it_says_where_there_are_not_so_many():
    A = _matrix(np.concatenate([[2.0, 1.0], np.zeros(98)]))
    assert leading_by_pairs(A.__matmul__, RNG.normal(size=(100, 2)), 5, 1e-10) is None


def test_the_whole_space_is_too_large():
    assert leading_by_pairs(np.eye(3).__matmul__, np.eye(3)[:, :2], 3, 1e-10) is None
