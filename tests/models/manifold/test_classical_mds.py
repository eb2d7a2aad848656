"""Classical scaling: R's figures, principal components, corrections, new rows, landmarks, bad input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn import manifold as theirs

import suffice as sf
from suffice.errors import InvalidData, MemoryNeeded

CITIES = sf.datasets.load("us_city_distances").matrix()
CRABS = sf.datasets.load("crabs").matrix()


def precomputed(k=2, **more):
    return sf.ClassicalMDS(k, metric="precomputed", **more)


def test_the_ten_cities():
    """The figures of R's cmdscale, as courses show them."""
    model = precomputed().fit(CITIES)
    assert_allclose(model.all_eigenvalues_[[0, 1, -1]].round(), [9_582_144, 1_686_820, -35_479])
    assert model.goodness_of_fit_[0].round(4) == 0.9954
    assert_allclose(model.transform(CITIES), model.embedding_, atol=1e-8)


def test_of_euclidean_distances_it_is_pca():
    scores = sf.PCA(2).fit_transform(CRABS)
    by_rows, by_pairs = sf.ClassicalMDS(2).fit(CRABS), precomputed().fit(cdist(CRABS, CRABS))
    assert_allclose(np.abs(by_rows.embedding_), np.abs(scores), atol=1e-10)
    assert_allclose(by_pairs.embedding_, by_rows.embedding_, atol=1e-9)
    for name in ("eigenvalues_", "goodness_of_fit_", "all_eigenvalues_"):
        assert_allclose(getattr(by_pairs, name), getattr(by_rows, name), rtol=1e-7, atol=1e-8 * 28000)
    assert_allclose(by_pairs.history_.objective, by_rows.history_.objective, rtol=1e-7)
    new = CRABS[::7] * 1.01
    assert_allclose(by_pairs.transform(cdist(new, CRABS)), by_rows.transform(new), atol=1e-8)


@pytest.mark.parametrize("shape", [(30, 60), (60, 30), (8, 8)])
def test_wide_and_long_tables(shape):
    X = np.random.default_rng(0).normal(size=shape)
    ours, other = sf.ClassicalMDS(3).fit(X), theirs.ClassicalMDS(3).fit(X)
    assert_allclose(np.abs(ours.embedding_), np.abs(other.embedding_), atol=1e-8)
    assert_allclose(ours.eigenvalues_, other.eigenvalues_)


def test_many_objects_by_lanczos_and_by_all_eigenvalues():
    """1,000 objects without a Euclidean map: few eigenvectors are sought, all eigenvalues when they are read."""
    X = np.random.default_rng(1).normal(size=(1000, 3)) * [5, 2, 1]
    D = cdist(X, X, "cityblock")
    model = precomputed().fit(D)
    J = np.eye(1000) - 1e-3
    values, vectors = np.linalg.eigh(-0.5 * J @ D**2 @ J)
    assert_allclose(model.eigenvalues_, values[:-3:-1], rtol=1e-9)
    assert_allclose(np.abs(model.embedding_), np.abs(vectors[:, :-3:-1] * np.sqrt(values[:-3:-1])), atol=1e-6)
    assert_allclose(model.all_eigenvalues_, values[::-1], atol=1e-9 * values[-1])
    strain = np.sum(values**2) - np.sum(values[-2:] ** 2)
    assert_allclose(model.history_.objective[-1], strain, rtol=1e-6)


@pytest.mark.parametrize("n", [10, 300])
def test_corrections_leave_no_negative_eigenvalue(n):
    rng = np.random.default_rng(n)
    D = cdist(*[rng.normal(size=(n, 4))] * 2) + (A := rng.random((n, n))) + A.T
    np.fill_diagonal(D, 0)
    assert precomputed().fit(D).all_eigenvalues_[-1] < -0.1
    for correction in ("additive", "squared"):
        model = precomputed(correction=correction).fit(D)
        smallest = model.all_eigenvalues_[-1] / model.all_eigenvalues_[0]
        assert abs(smallest) < 1e-7, smallest
        less = D + 0.99 * model.correction_ if correction == "additive" else np.sqrt(D**2 + 1.98 * model.correction_)
        np.fill_diagonal(less, 0)
        assert precomputed().fit(less).all_eigenvalues_[-1] < 0, "a smaller number would do"
        assert_allclose(model.transform(D), model.embedding_, atol=1e-8)


def test_weights_are_repeated_objects():
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    D = cdist(X, X, "cityblock")
    again = np.repeat(np.arange(40), weight)
    weighted = precomputed().fit(D, sample_weight=weight)
    repeated = precomputed().fit(D[np.ix_(again, again)])
    assert_allclose(weighted.embedding_[again], repeated.embedding_, atol=1e-9)
    assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_)
    assert weighted.embedding_.shape == (40, 2)
    assert len(weighted.all_eigenvalues_) == np.count_nonzero(weight)


def test_landmarks_place_all_rows():
    X = np.random.default_rng(4).normal(size=(2000, 6)) * [9, 5, 1, 1, 1, 1]
    whole = sf.ClassicalMDS(2, metric="manhattan").fit_transform(X)
    some = sf.ClassicalMDS(2, metric="manhattan", landmarks=200, random_state=0).fit(X)
    assert_allclose(some.transform(X), some.embedding_)
    assert min(abs(np.corrcoef(whole.T, some.embedding_.T)[[0, 1], [2, 3]])) > 0.99
    assert len(some.dissimilarity_matrix_) == 200
    exact = sf.ClassicalMDS(2, landmarks=50, random_state=0).fit(CRABS)  # of Euclidean distances
    assert exact.embedding_.shape == (200, 2)
    given = precomputed(landmarks=6, random_state=0).fit(CITIES)
    assert_allclose(given.transform(CITIES), given.embedding_)
    assert np.abs(np.linalg.norm(given.embedding_[0] - given.embedding_[8]) - 2182) < 50


def test_memory_is_asked_for_first():
    X = np.random.default_rng(0).normal(size=(500, 3))
    with pytest.raises(MemoryNeeded, match=r"all pairs of 500 different rows take 6,000,000 bytes.*landmarks=500"):
        sf.ClassicalMDS(metric="manhattan", memory=100_000).fit(X)
    assert sf.ClassicalMDS(memory=100_000).fit(X).embedding_.shape == (500, 2)  # principal components


def _changed(i, j, value):
    D = CITIES.copy()
    D[i, j] = value
    return D


@pytest.mark.parametrize(
    ("D", "message"),
    [
        (_changed(2, 5, -1.0), r"X\[2, 5\] is -1.0; precomputed dissimilarities must be finite and not negative"),
        (_changed(2, 5, 7.0), r"X\[2, 5\] is 7.0 but X\[5, 2\] is 1726.0; .* must be symmetric"),
        (_changed(3, 3, 7.0), r"X\[3, 3\] is 7.0; the dissimilarity of a row to itself must be 0"),
        (_changed(2, 5, np.nan), "column 5, row 2 holds NaN"),
        (CITIES[:, :9], r"needs a square matrix.*\(10, 9\)"),
    ],
)
def test_what_are_no_dissimilarities(D, message):
    with pytest.raises(InvalidData, match=message):
        precomputed().fit(D)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(n):
    X = np.random.default_rng(n).normal(size=(n, 4))
    for model, rows in ((sf.ClassicalMDS(3), X), (precomputed(3), cdist(X, X))):
        Z = model.fit_transform(rows)
        assert Z.shape == (n, 3)
        assert_allclose(cdist(Z, Z), cdist(X, X), atol=1e-6)
        assert not Z[:, n - 1 :].any()


def test_equal_rows_and_more_dimensions_than_rows():
    Z = sf.ClassicalMDS(4, metric="manhattan").fit_transform(np.ones((6, 2)))
    assert_allclose(Z, np.zeros((6, 4)))
    D = np.zeros((5, 5))
    assert_allclose(precomputed(2).fit_transform(D), np.zeros((5, 2)))


def test_mixed_columns_by_gower(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"size": [1.0, 2.0, 9.0, 8.5], "colour": ["red", "red", "blue", "green"]})
    model = sf.ClassicalMDS(2, metric="gower").fit(frame)
    assert_allclose(model.transform(frame), model.embedding_, atol=1e-9)
    assert np.linalg.norm(model.embedding_[0] - model.embedding_[1]) < np.linalg.norm(
        model.embedding_[0] - model.embedding_[2]
    )


def test_pairs_for_the_shepard_plot():
    model = precomputed(1).fit(CITIES)
    pairs = model.shepard()
    assert len(pairs.distance) == 45
    assert np.all(np.diff(pairs.dissimilarity) >= 0)
    assert_allclose(np.sort(pairs.distance), np.sort(cdist(model.embedding_, model.embedding_)[np.triu_indices(10, 1)]))
    assert len(sf.ClassicalMDS().fit(CRABS).shepard(100).distance) == 91


def test_names_of_columns():
    model = sf.ClassicalMDS(2).fit(CRABS)
    assert model.get_feature_names_out().tolist() == ["classicalmds0", "classicalmds1"]
    table = sf.ClassicalMDS(2).set_output(transform="pandas").fit_transform(CRABS)
    assert list(table.columns) == ["classicalmds0", "classicalmds1"]
