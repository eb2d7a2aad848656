"""Sparse rows give what the same rows give when they are filled in, and are never filled in."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, SparseNotSupported
from suffice.models.cluster import initialisation as starts

MODELS = [sf.KMeans, sf.MiniBatchKMeans, sf.BisectingKMeans]


def words(n=400, d=60, k=4, seed=0, dtype=np.float64):
    """Counts of words, those of a topic more often; some rows are empty."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, k, n)
    rate = 0.05 + 2.0 * (np.arange(d) % k == topic[:, None]) * (rng.random((n, d)) < 0.4)
    X = rng.poisson(rate).astype(dtype)
    X[::50] = 0
    return X


@pytest.fixture(params=[np.float64, np.float32], ids=["double", "single"])
def rows(request):
    return words(dtype=request.param)


def same(found, wanted, rtol=1e-9):
    assert_array_equal(found.labels_, wanted.labels_)
    assert_allclose(found.cluster_centers_, wanted.cluster_centers_, rtol=rtol, atol=1e-9)
    assert_allclose(found.inertia_, wanted.inertia_, rtol=rtol)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_equals_dense(rows, make):
    start = rows[[1, 3, 5, 7]].astype(float)
    wanted = sf.KMeans(4, init=start, tol=0).fit(rows)
    found = sf.KMeans(4, init=start, tol=0).fit(make(rows))
    same(found, wanted)
    assert found.history_.objective == pytest.approx(wanted.history_.objective, rel=1e-9)
    X = make(rows)
    assert_array_equal(found.predict(X), wanted.predict(rows))
    assert_allclose(found.transform(X), wanted.transform(rows), rtol=1e-5, atol=1e-5)
    assert found.score(X) == pytest.approx(wanted.score(rows), rel=1e-9)
    assert found.transform(X).dtype == wanted.transform(rows).dtype


@pytest.mark.parametrize("model", MODELS)
def test_weights(model):
    X, weight = words(), np.random.default_rng(1).integers(0, 3, 400).astype(float)
    wanted = model(4, random_state=3).fit(X, sample_weight=weight)
    found = model(4, random_state=3).fit(sparse.csr_array(X), sample_weight=weight)
    same(found, wanted)
    assert_array_equal(found.predict(sparse.csr_array(X)), wanted.predict(X))


@pytest.mark.parametrize("init", [name for name in starts.INITIALISERS if name != "pca"])
def test_every_start(init):
    X = words(n=600)
    same(
        sf.KMeans(4, init=init, n_init=1, random_state=5).fit(sparse.csr_array(X)),
        sf.KMeans(4, init=init, n_init=1, random_state=5).fit(X),
    )


def test_a_start_from_a_sample():
    X = words(n=11_000, d=20)
    same(sf.KMeans(4, random_state=0).fit(sparse.csr_array(X)), sf.KMeans(4, random_state=0).fit(X))


def test_more_columns_than_cells():
    X = sparse.random_array((40, 3000), density=0.002, rng=np.random.default_rng(0), format="csr")
    start = X[[0, 9]].toarray()
    same(sf.KMeans(2, init=start).fit(X), sf.KMeans(2, init=start).fit(X.toarray()))


def test_batches():
    X = words()
    found, wanted = (sf.MiniBatchKMeans(3, random_state=0) for _ in range(2))
    for start in range(0, 400, 100):
        found.partial_fit(sparse.csr_array(X[start : start + 100]))
        wanted.partial_fit(X[start : start + 100])
    same(found, wanted)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_threads(n_threads):
    X = sparse.csr_array(words(n=3000))
    with sf.threads(n_threads):
        model = sf.KMeans(6, random_state=0).fit(X)
    assert_array_equal(model.cluster_centers_, sf.KMeans(6, random_state=0).fit(X).cluster_centers_)


def test_rows_equal_to_a_centre_have_no_distance():
    X = sparse.csr_array(words(n=50) * 1e3)
    model = sf.KMeans(3, init=X[[1, 2, 3]].toarray(), max_iter=1).fit(X)
    model.cluster_centers_[:] = X[[1, 2, 3]].toarray()
    assert np.all(model.transform(X)[[1, 2, 3], [0, 1, 2]] == 0)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_cell_that_is_no_number_is_refused(model, bad):
    X = words(n=40)
    good, fitted = sparse.csr_array(X), model(3, random_state=0).fit(sparse.csr_array(X))
    good.data[5] = bad
    for call in (model(3).fit, fitted.predict, fitted.transform, fitted.score):
        with pytest.raises(InvalidData, match=model.__name__):
            call(good)


def test_what_needs_dense_rows_says_so():
    X = sparse.csr_array(words(n=40))
    with pytest.raises(InvalidParameter, match="init='pca' needs dense rows"):
        sf.KMeans(2, init="pca").fit(X)
    with pytest.raises(SparseNotSupported):
        sf.KMeans(2, metric="cosine").fit(X)
    with pytest.raises(SparseNotSupported):
        sf.SoftKMeans(2).fit(X)
