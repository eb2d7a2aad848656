"""Groups and medoids by the textbook: k-means from labels, alternating k-medoids, the count of different columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

import suffice as sf
from suffice.distances import Minkowski
from suffice.errors import InvalidParameter


@pytest.fixture(scope="module")
def faithful():
    return sf.datasets.load("faithful").matrix()


@pytest.mark.parametrize("names", [np.array(["short", "long"]), np.array([7, 3])])
def test_k_means_begins_at_the_means_of_labels(faithful, names):
    labels = names[(faithful[:, 0] > 3).astype(int)]
    with sf.recording() as trace:
        model = sf.KMeans(2, init=labels).fit(faithful)
    start = trace.fits[0].starts[0]["cluster_centers_"]
    assert_allclose(start, [faithful[labels == name].mean(axis=0) for name in np.unique(labels)])
    assert model.inertia_ == pytest.approx(sf.KMeans(2, random_state=0).fit(faithful).inertia_)


def test_labels_that_do_not_suit_are_refused(faithful, tmp_path):
    with pytest.raises(InvalidParameter, match="one for each of the 272 rows, 2 different ones; got 272 with 3"):
        sf.KMeans(2, init=np.arange(272) % 3).fit(faithful)
    with pytest.raises(InvalidParameter, match="got 5 with 2"):
        sf.KMeans(2, init=[0, 0, 1, 1, 0]).fit(faithful)
    weight = (faithful[:, 0] > 3).astype(float)
    with pytest.raises(InvalidParameter, match="weigh nothing"):
        sf.KMeans(2, init=weight.astype(int)).fit(faithful, sample_weight=weight)
    np.savetxt(tmp_path / "rows.csv", faithful, delimiter=",", header="a,b", comments="")
    with pytest.raises(InvalidParameter, match="needs rows in memory"):
        sf.KMeans(2, init=weight.astype(int)).fit(sf.scan(tmp_path / "rows.csv"))


def textbook(D, weight, medoids):
    """Voronoi iteration, Σᵢ wᵢ min_m d(i, m), with plain loops."""
    while True:
        labels = [min(range(len(medoids)), key=lambda k: D[i, medoids[k]]) for i in range(len(D))]
        new = []
        for k, before in enumerate(medoids):
            own = [i for i in range(len(D)) if labels[i] == k]
            cost = {m: sum(weight[i] * D[i, m] for i in own) for m in own}
            new.append(min(own, key=lambda m, cost=cost, before=before: (cost[m], m != before, m)))
        if new == medoids:
            return new, labels
        medoids = new


def test_alternating_medoids_are_the_textbooks(faithful):
    X = faithful[:60]
    weight = np.arange(60) % 3 + 1.0
    model = sf.KMedoids(3, method="alternate", init=[0, 1, 2]).fit(X, sample_weight=weight)
    medoids, labels = textbook(cdist(X, X), weight, [0, 1, 2])
    assert_array_equal(model.medoid_indices_, medoids)
    assert_array_equal(model.labels_, labels)
    halves = model.history_.half_steps.ravel()
    assert np.all(np.diff(halves) <= 1e-9)
    assert halves[-1] == pytest.approx(model.inertia_)


def test_order_zero_counts_the_columns_that_differ(rng):
    A, B = rng.integers(0, 3, (20, 5)).astype(float), rng.integers(0, 3, (8, 5)).astype(float)
    expected = (A[:, None] != B[None]).sum(axis=2)
    assert_array_equal(Minkowski(p=0).pairwise(A, B), expected)
    assert_array_equal(Minkowski(p=0).pairwise(A, B), 5 * cdist(A, B, "hamming"))
    sf.KMedoids(2, metric=Minkowski(p=0)).fit(A)
    sf.AgglomerativeClustering(2, metric=Minkowski(p=0), linkage="average").fit(A)
    sf.KNeighborsClassifier(3, metric=Minkowski(p=0)).fit(A, np.arange(20) % 2).predict(B)
