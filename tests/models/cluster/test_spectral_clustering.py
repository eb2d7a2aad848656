"""Spectral clustering: scikit-learn's clusters, weights, new rows, pieces."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn import cluster as theirs
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

import suffice as sf
from suffice.errors import Disconnected, InvalidData

MOONS, TRUTH = make_moons(200, noise=0.06, random_state=0)
BLOBS, GROUP = make_blobs(150, centers=4, cluster_std=1.2, random_state=3)


@pytest.mark.parametrize("assign", ["kmeans", "discretize", "cluster_qr"])
@pytest.mark.parametrize(
    ("X", "k", "options"),
    [
        (MOONS, 2, {"affinity": "nearest_neighbors", "n_neighbors": 12}),
        (BLOBS, 4, {"affinity": "nearest_neighbors", "n_neighbors": 20}),
        (BLOBS, 4, {"gamma": 0.1}),
        (BLOBS, 4, {"affinity": "precomputed"}),
    ],
)
def test_as_scikit_learn(X, k, options, assign):
    given = np.exp(-0.1 * cdist(X, X, "sqeuclidean")) if options.get("affinity") == "precomputed" else X
    mine = sf.SpectralClustering(k, assign_labels=assign, random_state=0, **options).fit(given)
    other = theirs.SpectralClustering(k, assign_labels=assign, random_state=0, **options).fit(given)
    assert adjusted_rand_score(mine.labels_, other.labels_) > 0.99
    assert adjusted_rand_score(mine.labels_, mine.predict(given)) > 0.97
    assert mine.eigenvalues_[0] == pytest.approx(0, abs=1e-12)


def test_new_rows_follow_the_shape():
    model = sf.SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=12, random_state=0).fit(MOONS)
    new, truth = make_moons(300, noise=0.06, random_state=1)
    assert adjusted_rand_score(truth, model.predict(new)) > 0.98
    again = sf.SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=12, random_state=0).fit(MOONS)
    assert_array_equal(again.labels_, model.labels_)


def test_weights_are_repetition():
    weight = 1.0 + (np.arange(150) % 3 == 0)
    options = {"gamma": 0.1, "random_state": 0}
    one = sf.SpectralClustering(4, **options).fit(BLOBS, sample_weight=weight)
    two = sf.SpectralClustering(4, **options).fit(np.repeat(BLOBS, weight.astype(int), axis=0))
    assert_array_equal(np.repeat(one.labels_, weight.astype(int)), two.labels_)


def test_pieces_are_clusters():
    X = np.vstack([MOONS, MOONS + 50])
    with pytest.warns(Disconnected, match=r"falls into \d pieces"):
        labels = sf.SpectralClustering(2, affinity="nearest_neighbors", random_state=0, pieces="join").fit_predict(X)
    assert_array_equal(labels, np.repeat(labels[[0, -1]], 200))
    with pytest.raises(InvalidData, match="similarities must not be negative"):
        sf.SpectralClustering(2, affinity="precomputed").fit(-np.ones((3, 3)))
