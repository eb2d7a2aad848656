"""Rows for indices, and what sorting all distances finds among them."""

import numpy as np


def rows(n, d=3, seed=0, dtype=float):
    return (np.random.default_rng(seed).random((n, d)) + 0.1).astype(dtype)


def by_sorting(measure, Q, X, k):
    """Of distances in the ranking form, in double precision, the k least, of equals the first."""
    fitted = measure.fitted(X)
    D = fitted.pairwise(np.asarray(Q, dtype=float), np.asarray(X, dtype=float), ranking=True)
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return fitted.to_true(np.take_along_axis(D, order, axis=1)), order


def assert_found(found, expected):
    np.testing.assert_array_equal(found.rows, expected[1])
    np.testing.assert_array_equal(found.distances, expected[0])
