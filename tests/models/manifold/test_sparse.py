"""Maps of sparse rows, of sparse graphs, and of affinities that a function says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsTransformer

import suffice as sf
from suffice.data.distinct import distinct_rows
from suffice.errors import InvalidData, NotEstimated, SparseNotSupported

RNG = np.random.default_rng(0)
ROWS = RNG.random((90, 12)) * (RNG.random((90, 12)) < 0.5)
SPARSE = sparse.csr_array(ROWS)
NEW = np.where(RNG.random((7, 12)) < 0.5, RNG.random((7, 12)), 0.0)
T = np.linspace(0, 9, 120)
SHEET = np.column_stack([T * np.cos(T), 5 * RNG.random(120), T * np.sin(T)])


def near(k, rows=SHEET, new=None):
    listing = KNeighborsTransformer(mode="distance", n_neighbors=k).fit(rows)
    return listing.transform(rows if new is None else new)


@pytest.mark.parametrize(
    "model",
    [
        sf.Isomap(2, n_neighbors=8),
        sf.Isomap(2, n_neighbors=8, metric="cosine"),
        sf.Isomap(2, n_neighbors=8, landmarks=30, random_state=0),
        sf.SpectralEmbedding(2, n_neighbors=9),
        sf.SpectralEmbedding(2, affinity="rbf"),
        sf.DiffusionMap(2),
        sf.DiffusionMap(2, n_neighbors=8),
        sf.ClassicalMDS(2),
        sf.ClassicalMDS(2, landmarks=30, random_state=0),
        sf.MDS(2, metric="cosine"),
        sf.MDS(2, landmarks=30, random_state=0),
        sf.TSNE(2, max_iter=60, early_exaggeration_iter=10, perplexity=9, random_state=0),
        sf.MaximumVarianceUnfolding(2, n_neighbors=8, max_iter=30, tol=0.1, random_state=0),
    ],
    ids=lambda model: f"{model}".replace("\n", ""),
)
def test_sparse_rows_have_the_map_of_dense_ones(model):
    dense, other = clone(model).fit(ROWS), clone(model).fit(SPARSE)
    sign = np.sign(np.sum(dense.embedding_ * other.embedding_, axis=0))
    size = np.abs(dense.embedding_).max()
    assert_allclose(other.embedding_ * sign, dense.embedding_, atol=1e-4 * size)
    assert_allclose(other.transform(SPARSE), other.embedding_, atol=1e-9 * size)
    assert_allclose(other.transform(ROWS), other.embedding_, atol=1e-9 * size)
    assert_allclose(dense.transform(SPARSE), dense.embedding_, atol=1e-9 * size)
    assert_allclose(other.transform(NEW) * sign, dense.transform(sparse.csr_array(NEW)), atol=1e-4 * size)
    with pytest.raises(NotEstimated, match="no way back"):
        other.inverse_transform(other.embedding_[:1])


def test_weights_and_order_of_sparse_rows():
    weight = RNG.integers(1, 4, 90)
    again, order = np.repeat(np.arange(90), weight), RNG.permutation(90)
    one = sf.Isomap(2).fit(SPARSE, sample_weight=weight).embedding_
    assert_array_equal(sf.Isomap(2).fit(SPARSE[again]).embedding_, one[again])
    assert_array_equal(sf.Isomap(2).fit(SPARSE[order], sample_weight=weight[order]).embedding_, one[order])


def test_sparse_rows_are_told_apart_as_dense_ones():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.integers(-1, 2, (12, 3)) * rng.choice([0.5, -2.0, 3.0], (12, 3))
        first, which = distinct_rows(X + 0.0)
        found, same = distinct_rows(sparse.csr_array(X))
        assert_array_equal(X[found], X[first])
        assert_array_equal(same, which)


def test_a_graph_of_distances():
    """Sparse distances that list more neighbours than are asked for give the map of the rows."""
    rows, listed = (
        sf.Isomap(2, n_neighbors=6).fit(SHEET),
        sf.Isomap(2, n_neighbors=6, metric="precomputed").fit(near(9)),
    )
    assert_allclose(listed.embedding_, rows.embedding_, atol=1e-9)
    assert_allclose(listed.transform(near(9, new=SHEET + 0.01)), rows.transform(SHEET + 0.01), atol=1e-9)
    assert_allclose(listed.transform(near(9)), listed.embedding_, atol=1e-9)
    radius = sf.Isomap(2, n_neighbors=None, radius=3.0, metric="precomputed").fit(near(60))
    assert_allclose(radius.embedding_, sf.Isomap(2, n_neighbors=None, radius=3.0).fit(SHEET).embedding_, atol=1e-9)
    assert len(listed.shepard().distance)


def test_a_graph_for_the_other_maps():
    unfolded = sf.MaximumVarianceUnfolding(2, metric="precomputed", random_state=0).fit(near(6))
    assert unfolded.constraint_violation_ < 0.002
    options = {"max_iter": 60, "perplexity": 8, "random_state": 0}
    apart = np.linalg.norm(SHEET[:, None] - SHEET, axis=2)
    listed, whole = (sf.TSNE(2, metric="precomputed", init="random", **options).fit(D) for D in (near(40), apart))
    assert_allclose(listed.embedding_, whole.embedding_, rtol=1e-6, atol=1e-9)
    assert np.isfinite(sf.TSNE(2, metric="precomputed", **options).fit(near(40)).kl_divergence_)
    with pytest.raises(InvalidData, match="lists only 3 others"):
        sf.TSNE(2, metric="precomputed", **options).fit(near(3))


@pytest.mark.parametrize("model", [sf.SpectralEmbedding(2, n_neighbors=8), sf.DiffusionMap(2, n_neighbors=8)])
def test_no_pairs_of_sparse_rows_are_made(model):
    many = sparse.random_array((3000, 50), density=0.2, random_state=0, format="csr")
    assert model.set_params(memory=3000 * 50 * 16).fit(many).embedding_.shape == (3000, 2)


def test_given_affinities():
    W = rbf_kernel(SHEET, gamma=0.5)
    W[W < 1e-3] = 0.0
    for options in ({}, {"n_components": 3}):
        dense = sf.SpectralEmbedding(affinity="precomputed", **options).fit(W)
        listed = sf.SpectralEmbedding(affinity="precomputed", **options).fit(sparse.coo_array(W))
        assert_allclose(listed.embedding_, dense.embedding_, atol=1e-8)
        assert_array_equal(listed.transform(sparse.csr_array(W[:5])), listed.embedding_[:5])
    clusters = sf.SpectralClustering(3, affinity="precomputed", random_state=0).fit(sparse.csr_array(W))
    assert_array_equal(clusters.predict(sparse.csr_array(W)), clusters.labels_)


def test_given_neighbours():
    rows = sf.SpectralEmbedding(2, n_neighbors=7).fit(SHEET)
    apart = np.linalg.norm(SHEET[:, None] - SHEET, axis=2)
    for given in (near(6), near(15), apart):
        found = sf.SpectralEmbedding(2, affinity="precomputed_nearest_neighbors", n_neighbors=7).fit(given)
        assert_allclose(found.embedding_, rows.embedding_, atol=1e-8)
    clusters = sf.SpectralClustering(2, affinity="precomputed_nearest_neighbors", random_state=0).fit(near(15))
    assert_array_equal(clusters.predict(near(15)), clusters.labels_)


@pytest.mark.parametrize(
    "function",
    [
        lambda X: rbf_kernel(X, gamma=0.5),
        lambda X, Y: rbf_kernel(X, Y, gamma=0.5),
        lambda x, y: np.exp(-0.5 * np.sum((x - y) ** 2)),
        lambda *rows: float(np.exp(-0.5 * np.sum((rows[0] - rows[1]) ** 2))),
    ],
    ids=["table", "tables", "rows", "any"],
)
def test_an_affinity_by_a_function(function):
    some = SHEET[:40]
    expected = sf.SpectralEmbedding(2, affinity="rbf", gamma=0.5).fit(some)
    found = sf.SpectralEmbedding(2, affinity=function).fit(some)
    assert_allclose(found.embedding_, expected.embedding_, atol=1e-8)
    assert_allclose(found.transform(some[:3] + 0.1), expected.transform(some[:3] + 0.1), atol=1e-8)
    clusters = sf.SpectralClustering(2, affinity=function, random_state=0).fit(some)
    assert_array_equal(clusters.predict(some), clusters.labels_)


@pytest.mark.parametrize(
    ("model", "X", "words"),
    [
        (sf.Isomap(metric="precomputed"), -near(5), "must be finite and not negative"),
        (sf.Isomap(metric="precomputed"), near(5)[:9], "needs a square matrix"),
        (sf.Isomap(metric="precomputed"), near(4, np.append(SHEET, SHEET + 99, axis=0)), "falls into 2 pieces"),
        (sf.MDS(metric="precomputed"), near(5), "dissimilarities of all pairs"),
        (sf.LocallyLinearEmbedding(), SPARSE, "needs dense rows"),
        (sf.SpectralEmbedding(affinity="matern"), SPARSE, "rows must be dense"),
        (sf.SpectralEmbedding(affinity="precomputed"), near(5), "must be symmetric"),
        (sf.SpectralEmbedding(affinity="precomputed"), -near(5), "must not be negative"),
        (sf.SpectralEmbedding(affinity=lambda X: 3.0), SHEET, "affinity must give one number for each pair"),
        (sf.SpectralEmbedding(affinity=lambda X: X @ X.T), SHEET, "is below 0 for some rows"),
        (sf.SpectralEmbedding(affinity=lambda X: np.exp(X[:, :1] - X[:, 1])), SHEET, r"affinity\(X\)\[\d+, \d+\]"),
        (sf.SpectralClustering(2, affinity=lambda X: rbf_kernel(X) * np.nan), SHEET, "NaN or infinity"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(model, X, words):
    with pytest.raises((InvalidData, SparseNotSupported), match=words):
        model.fit(X)


def test_new_rows_that_list_nobody_or_only_some():
    listed = sf.Isomap(2, metric="precomputed").fit(near(5))
    with pytest.raises(InvalidData, match="row 1 lists no row of the fit"):
        listed.transform(sparse.csr_array(np.eye(2, 120) * [[1.0], [0.0]] + 0.0))
    whole = sf.Isomap(2, metric="precomputed").fit(np.linalg.norm(SHEET[:, None] - SHEET, axis=2))
    with pytest.raises(InvalidData, match="the fit had those of all pairs"):
        whole.transform(near(5))


TWINS = np.abs(np.subtract.outer(np.arange(14) // 2, np.arange(14) // 2)) * 1.0
TWINS[0, 5] = TWINS[5, 0] = 9.0  # a pair at no distance that others tell apart


@pytest.mark.parametrize(
    "model",
    [
        sf.MDS(2, metric="precomputed"),
        sf.MDS(2, kind="nonmetric", metric="precomputed"),
        sf.Isomap(2, metric="precomputed"),
        sf.MaximumVarianceUnfolding(2, metric="precomputed", n_neighbors=3, random_state=0),
        sf.TSNE(2, metric="precomputed", max_iter=30, random_state=0),
        sf.SpectralEmbedding(2, affinity="precomputed_nearest_neighbors", n_neighbors=6),
    ],
    ids=lambda model: type(model).__name__,
)
def test_objects_at_no_distance_that_are_told_apart(model):
    """A row with the dissimilarities of one of them goes where that one is, not to the first that is as near."""
    model.fit(TWINS)
    assert_allclose(model.transform(TWINS), model.embedding_, atol=1e-9)


def test_no_dissimilarity_at_all():
    with pytest.raises(InvalidData, match="no dissimilarity between any two objects is known"):
        sf.MDS(2, metric="precomputed").fit(np.full((4, 4), np.nan))
