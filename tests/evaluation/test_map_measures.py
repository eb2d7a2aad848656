"""Measures of maps: scikit-learn's trustworthiness, stress-1 and residual variance by hand, blocks, bad input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from sklearn.manifold import trustworthiness

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.evaluation import map_measures

RNG = np.random.default_rng(0)
X = RNG.normal(size=(70, 4))
Z = X[:, :2] + 0.3 * RNG.normal(size=(70, 2))


@pytest.mark.parametrize("k", [1, 5, 34])
def test_neighbours_as_scikit_learn(k, monkeypatch):
    monkeypatch.setattr(map_measures, "_BLOCK_CELLS", 700)
    assert_allclose(sf.trustworthiness(X, Z, n_neighbors=k), trustworthiness(X, Z, n_neighbors=k))
    assert_allclose(sf.continuity(X, Z, n_neighbors=k), trustworthiness(Z, X, n_neighbors=k))
    given = sf.trustworthiness(cdist(X, X, "cityblock"), Z, n_neighbors=k, metric="precomputed")
    assert_allclose(given, trustworthiness(X, Z, n_neighbors=k, metric="cityblock"))
    assert_allclose(given, sf.trustworthiness(X, Z, n_neighbors=k, metric="manhattan"))


def test_shared_neighbours_and_all_numbers():
    found = sf.neighbor_preservation(X, Z)
    assert (found.n_neighbors[0], found.n_neighbors[-1]) == (1, 34)
    D, d = (np.argsort(cdist(a, a) + 1e9 * np.eye(70), axis=1) for a in (X, Z))
    k = int(found.n_neighbors[8])
    same = np.mean([len(set(a[:k]) & set(b[:k])) / k for a, b in zip(D, d, strict=True)])
    assert_allclose(found.shared[8], same)
    perfect = sf.neighbor_preservation(X, 2 * X + 1, [1, 7])
    assert_array_equal([perfect.trustworthiness, perfect.continuity, perfect.shared], np.ones((3, 2)))


def test_distances():
    delta, d = pdist(X), pdist(Z)
    assert_allclose(sf.stress_1(X, Z), np.sqrt(np.sum((delta - d) ** 2) / np.sum(d**2)))
    assert_allclose(sf.residual_variance(X, Z), 1 - np.corrcoef(delta, d)[0, 1] ** 2)
    assert_allclose(sf.residual_variance(X, 5 * X), 0, atol=1e-12)
    D = cdist(X, X)
    D[0, 1:] = D[1:, 0] = np.nan  # pairs that nobody compared
    assert_allclose(sf.residual_variance(D, Z, metric="precomputed"), sf.residual_variance(X[1:], Z[1:]))
    geodesic = sf.Isomap(2, n_neighbors=6).fit(X)
    assert sf.residual_variance(X, geodesic.embedding_) > 0


def test_bad_input():
    with pytest.raises(InvalidParameter, match=r"less than half of the 70 rows; got 35"):
        sf.trustworthiness(X, Z, n_neighbors=35)
    with pytest.raises(InvalidData, match="X has 70 rows and Z 60"):
        sf.stress_1(X, Z[:60])
    with pytest.raises(InvalidData, match=r"must be square; got shape \(70, 4\)"):
        sf.stress_1(X, Z, metric="precomputed")
    with pytest.raises(InvalidData, match="a place of Z is missing"):
        sf.residual_variance(X, np.where(Z > 2, np.nan, Z))
    with pytest.raises(InvalidData, match="there is no pair of rows"):
        sf.residual_variance(X[:1], Z[:1])


def test_pictures_of_measures():
    """Preserved neighbours stand over the logarithms of their numbers, stress over coordinates."""
    found = sf.neighbor_preservation(X, Z)
    shown = found.plot(ax=False)
    assert shown.x_words == "log₁₀ neighbours"
    assert_array_equal(shown.table()["x"][: len(found.n_neighbors)], found.n_neighbors)
    left = sf.stress_by_dimension(sf.ClassicalMDS(), X[:20], [1, 2]).plot(ax=False)
    assert_array_equal(left.table()["x"], [1, 2, 1, 2])


def test_messages_name_the_measure_that_was_asked_for():
    for measure in (sf.trustworthiness, sf.continuity):
        with pytest.raises(InvalidParameter, match=f"{measure.__name__}: n_neighbors"):
            measure(X, Z, n_neighbors=40)
        with pytest.raises(InvalidParameter, match=f"{measure.__name__}: n_neighbors"):
            measure(X, Z, n_neighbors=[5, 6])
