"""Affinity propagation against scikit-learn, weights, and input it must refuse."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn import cluster
from sklearn.datasets import make_blobs

from suffice.data.distinct import distinct_rows
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded, NotConverged
from suffice.models.cluster.affinity import AffinityPropagation


@pytest.mark.parametrize("preference", [None, -50.0])
@pytest.mark.parametrize("damping", [0.5, 0.9])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scikit_learn(preference, damping, dtype):
    X = make_blobs(300, centers=6, random_state=0)[0].astype(dtype)
    settings = {"preference": preference, "damping": damping, "random_state": 0}
    ours, theirs = (cls(**settings).fit(X) for cls in (AffinityPropagation, cluster.AffinityPropagation))
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.cluster_centers_indices_, theirs.cluster_centers_indices_)
    off = ~np.eye(300, dtype=bool)  # the diagonal has the similarity of a row to itself here, the preference there
    np.testing.assert_allclose(ours.affinity_matrix_[off], theirs.affinity_matrix_[off], rtol=1e-3, atol=1e-3)
    new = X[:50] + dtype(0.1)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    assert ours.affinity_matrix_.dtype == dtype
    if dtype == np.float64:
        assert ours.n_iter_ == theirs.n_iter_


def test_precomputed_equals_rows():
    X = make_blobs(200, centers=4, random_state=1)[0]
    S = -cdist(X, X, "sqeuclidean")
    rows = AffinityPropagation(random_state=0).fit(X)
    pairs = AffinityPropagation(affinity="precomputed", random_state=0).fit(S)
    np.testing.assert_array_equal(rows.labels_, pairs.labels_)
    np.testing.assert_array_equal(pairs.predict(S[:9]), rows.predict(X[:9]))
    assert pairs.cluster_centers_ is None
    np.testing.assert_array_equal(np.diag(S), 0)  # not written into


def test_objective_is_the_net_similarity_of_the_last_choice():
    X = make_blobs(150, centers=3, cluster_std=0.3, random_state=2)[0]
    model = AffinityPropagation(preference=-20.0, damping=0.7, random_state=0).fit(X)
    own = model.cluster_centers_indices_
    assert len(own) == 3
    net = model.affinity_matrix_[np.arange(150), own[model.labels_]].sum() - 20 * len(own)
    assert 1.01 * net <= model.history_.objective[-1] <= net + 1e-9  # exemplars are refined after the last iteration
    assert model.history_.status == "converged"


def test_a_weight_counts_its_row_so_many_times():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    settings = {"preference": -8.0, "damping": 0.7, "random_state": 0}
    plain = AffinityPropagation(**settings).fit(X)
    np.testing.assert_array_equal(plain.cluster_centers_indices_, [1, 4])
    heavy = AffinityPropagation(**settings).fit(X, sample_weight=[5, 1, 1, 1, 1, 5])
    np.testing.assert_array_equal(heavy.cluster_centers_indices_, [0, 5])


def test_rows_of_weight_zero_are_absent_but_labelled():
    X = make_blobs(120, centers=4, random_state=3)[0]
    weight = np.ones(120)
    weight[::3] = 0
    model = AffinityPropagation(random_state=0).fit(X, sample_weight=weight)
    without = AffinityPropagation(random_state=0).fit(X[weight > 0])
    np.testing.assert_array_equal(model.labels_[weight > 0], without.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_preferences_of_each_row():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    wish = np.array([-100.0, -1.0, -100.0, -1.0])
    model = AffinityPropagation(preference=wish, random_state=0).fit(X)
    assert set(model.cluster_centers_indices_) <= {0, 1, 2, 3}
    theirs = cluster.AffinityPropagation(preference=wish, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, theirs.labels_)
    with pytest.raises(InvalidParameter, match=r"one finite number a row, shape \(4,\); got shape \(3,\)"):
        AffinityPropagation(preference=[1.0, 2.0, 3.0]).fit(X)


@pytest.mark.parametrize("preference", [None, -1.0])
def test_equal_rows_are_one_row_of_their_weight(preference):
    model = AffinityPropagation(preference=preference).fit(np.ones((3, 2)))
    assert model.labels_.tolist() == [0, 0, 0]
    assert model.cluster_centers_indices_.tolist() == [0]


@pytest.mark.parametrize("seed", range(6))
def test_weights_are_repeated_rows_in_any_order(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3)) + 4 * rng.integers(0, 3, (40, 1))
    weight = rng.integers(0, 4, 40)
    again = rng.permutation(np.repeat(np.arange(40), weight))
    weighted = AffinityPropagation(random_state=0).fit(X, sample_weight=weight)
    repeated = AffinityPropagation(random_state=0).fit(X[again])
    np.testing.assert_array_equal(
        np.unique(weighted.cluster_centers_, axis=0), np.unique(repeated.cluster_centers_, axis=0)
    )
    S = -cdist(X, X, "sqeuclidean")
    given = AffinityPropagation(affinity="precomputed", random_state=0).fit(S, sample_weight=weight)
    of_repeated = AffinityPropagation(affinity="precomputed", random_state=0).fit(S[np.ix_(again, again)])
    np.testing.assert_array_equal(
        np.sort(given.cluster_centers_indices_), np.unique(again[of_repeated.cluster_centers_indices_])
    )


def test_one_row():
    model = AffinityPropagation().fit([[1.0, 2.0]])
    assert model.labels_.tolist() == model.predict([[5.0, 5.0]]).tolist() == [0]


def test_no_exemplars():
    X = make_blobs(60, centers=3, random_state=0)[0]
    with pytest.warns(NotConverged, match="after max_iter=1 iterations"):
        model = AffinityPropagation(max_iter=1, preference=-1e9, random_state=0).fit(X)
    if len(model.cluster_centers_indices_) == 0:
        assert set(model.labels_) == set(model.predict(X)) == {-1}


def test_refusals():
    with pytest.raises(InvalidData, match=r"needs a square matrix of similarities; X has shape \(3, 2\)"):
        AffinityPropagation(affinity="precomputed").fit(np.ones((3, 2)))
    with pytest.raises(MemoryNeeded, match="3 rows need 288 bytes for all pairs, more than memory=100"):
        AffinityPropagation(memory=100).fit(np.arange(6.0).reshape(3, 2))


@pytest.mark.parametrize("width", [1, 3, 40])
def test_equal_rows_are_one_row_however_late_their_columns_differ(rng, width):
    """Rows that differ only in their last column, and equal ones."""
    X = np.zeros((12, width))
    X[:, -1] = rng.permutation(np.repeat(np.arange(6.0), 2))
    first, same = distinct_rows(X)
    _, expected, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(first, expected)
    np.testing.assert_array_equal(same, inverse.ravel())
