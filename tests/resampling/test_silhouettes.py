"""Silhouettes, compared with scikit-learn and with repeated rows."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.metrics import pairwise_distances, silhouette_samples

from suffice.resampling import silhouettes
from suffice.resampling.silhouettes import silhouettes_of_rows


def test_silhouettes_of_scikit_learn(rng):
    X, labels = rng.normal(size=(50, 3)), rng.integers(0, 4, 50)
    labels[7] = 9  # alone in its cluster
    assert_allclose(silhouettes(pairwise_distances(X), labels), silhouette_samples(X, labels), atol=1e-12)
    assert_allclose(silhouettes(pairwise_distances(X), labels.astype(str)), silhouette_samples(X, labels), atol=1e-12)
    assert_allclose(silhouettes_of_rows(X, labels), silhouette_samples(X, labels), atol=1e-12)


def test_rows_in_blocks(rng):
    X, labels = rng.normal(size=(300, 2)), rng.integers(0, 3, 300)
    with config_context(working_memory=0.1):  # MB, so that there are many blocks
        found = silhouettes_of_rows(X, labels, "cityblock")
    assert_allclose(found, silhouette_samples(X, labels, metric="cityblock"), atol=1e-12)


def test_weights_are_repeated_rows(rng):
    X, labels, weight = rng.normal(size=(20, 2)), rng.integers(0, 3, 20), rng.integers(1, 4, 20)
    again = np.repeat(np.arange(20), weight)
    repeated = silhouette_samples(X[again], labels[again])
    weighted = silhouettes(pairwise_distances(X), labels, weight.astype(float))
    assert_allclose(weighted[again], repeated, atol=1e-12)
    assert_allclose(silhouettes_of_rows(X, labels, weight=weight.astype(float)), weighted, atol=1e-12)


def test_one_cluster_and_equal_rows():
    assert np.isnan(silhouettes(np.ones((3, 3)), np.zeros(3))).all()
    assert_allclose(silhouettes(np.zeros((4, 4)), np.array([0, 0, 1, 1])), 0)
