"""Sparse rows are never filled in, and give what dense rows give."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import suffice as sf
from suffice.models.linear import iterations, least_squares
from suffice.models.projection import sparse_spectrum
from suffice.statistics import JointMoments, Moments, SparseRows, joint
from suffice.statistics.sparse_rows import SparseRoot


@pytest.fixture(params=[(150, 40), (40, 150)], ids=["tall", "wide"])
def table(request):
    n, d = request.param
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.15)
    X[:, 2] = 1e4 + rng.normal(size=n)  # full
    X[:, 3] = 0.0
    X[1] = 0.0
    y = X[:, 4:9] @ [1.0, 2.0, -1.0, 0.5, 3.0] + 0.1 * rng.normal(size=n)
    return X, y, rng.integers(0, 3, n).astype(float)


@pytest.fixture(params=["kept", "products", "iterations", "whole"])
def way(request, monkeypatch):
    if request.param != "products":  # rows are kept however few columns they have
        monkeypatch.setattr(joint, "_FEW", 1)
    if request.param == "iterations":
        monkeypatch.setattr(least_squares, "WHOLE", 1)
        monkeypatch.setattr(sparse_spectrum, "_WHOLE", 1)
    if request.param == "whole":
        monkeypatch.setattr(iterations, "_TRIES", 1)
    return request.param


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix], ids=["csr", "csc"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")
def test_regression(table, way, intercept, make):
    X, y, weight = table
    for model in (sf.Ridge(0.5, fit_intercept=intercept), sf.Ridge([1.0, 9.0]), sf.LinearRegression()):
        if model.get_params()["fit_intercept"] != intercept:
            continue
        Y = np.column_stack([y, y**2]) if np.ndim(model.get_params().get("alpha", 0)) else y
        dense = type(model)(**model.get_params()).fit(X, Y, sample_weight=weight)
        model.fit(make(X), Y, sample_weight=weight)
        assert_allclose(model.predict(make(X)), dense.predict(X), rtol=1e-6, atol=1e-6 * np.abs(Y).max())
        if isinstance(model, sf.Ridge):
            assert_allclose(model.coef_, dense.coef_, rtol=1e-5, atol=1e-6 * np.abs(dense.coef_).max())
            assert_allclose(model.standard_errors_, dense.standard_errors_, rtol=1e-4, atol=1e-10)
            assert_allclose(model.noise_variance_, dense.noise_variance_, rtol=1e-4)


@pytest.mark.parametrize("scaling", ["covariance", "correlation"])
@pytest.mark.parametrize("k", [3, None])
def test_components(table, way, k, scaling):
    X, _, weight = table
    X = np.where(np.arange(X.shape[1]) == 2, X - 1e4, X)
    dense = sf.PCA(k, scaling=scaling).fit(X, sample_weight=weight)
    model = sf.PCA(k, scaling=scaling).fit(sparse.csr_array(X), sample_weight=weight)
    assert model.n_components_ == dense.n_components_
    for name in ("explained_variance_", "explained_variance_ratio_", "mean_", "noise_variance_"):
        assert_allclose(getattr(model, name), getattr(dense, name), rtol=1e-7, atol=1e-9, err_msg=name)
    sparsely, densely = model.transform(sparse.csr_array(X))[:, :3], dense.transform(X)[:, :3]
    assert_allclose(np.abs(sparsely), np.abs(densely), atol=1e-6)  # of two largest entries either may be positive


def test_few_components_of_a_large_sparse_table():
    X = sparse.random(900, 2000, 0.01, format="csr", random_state=0)
    X = sparse.csr_array(X.multiply(0.97 ** np.arange(2000)[None, :]))
    model, dense = sf.PCA(4).fit(X), sf.PCA(4).fit(X.toarray())
    assert isinstance(model.summary_, SparseRows)
    assert_allclose(model.explained_variance_, dense.explained_variance_, rtol=1e-8)
    assert_allclose(model.components_, dense.components_, atol=1e-6)


def test_rows_are_added_and_kept_in_a_file(tmp_path):
    X = sparse.random(60, 700, 0.05, format="csr", random_state=1)
    y = np.asarray(X.sum(axis=1)).ravel()
    model = sf.Ridge().fit(X[:40], y[:40])
    assert isinstance(model.summary_, JointMoments)
    assert isinstance(model.summary_.moments, SparseRows)
    sf.save(model, tmp_path / "ridge.sff")
    loaded = sf.load(tmp_path / "ridge.sff").partial_fit(X[40:], y[40:])
    assert_allclose(loaded.coef_, sf.Ridge().fit(X, y).coef_, rtol=1e-8, atol=1e-10)
    for rows in (X[40:], X[40:].toarray()):  # whatever form they come in
        for first in (X[:40], X[:40].toarray()):
            mixed = sf.Ridge().fit(first, y[:40]).partial_fit(rows, y[40:])
            assert_allclose(mixed.coef_, loaded.coef_, rtol=1e-8, atol=1e-10)
            assert_allclose(sf.PCA(2).fit(first).partial_fit(rows).components_, sf.PCA(2).fit(X).components_, atol=1e-7)
    with pytest.raises(sf.errors.InvalidData, match="sparse"):
        loaded.remove(X[40:], y[40:])


def test_a_root_is_multiplied_without_being_filled_in(table):
    X, y, weight = table
    rows, dense = SparseRows.of(sparse.csr_array(X), weight, y[:, None]), Moments.of(X, weight, y[:, None])
    root = SparseRoot.of(rows)
    filled = np.hstack([root.toarray(), root.beside])
    rng = np.random.default_rng(0)
    V, U = rng.normal(size=(X.shape[1], 2)), rng.normal(size=(len(X), 2))
    scale = np.abs(dense.scatter).max()
    assert_allclose(rows.squared().scatter, dense.scatter, atol=1e-9 * scale)
    assert_allclose(filled.T @ filled, dense.scatter, atol=1e-9 * scale)
    assert_allclose(root @ V, filled[:, :-1] @ V, atol=1e-6)
    assert_allclose(root.back(U), filled[:, :-1].T @ U, atol=1e-6)
    assert_allclose(root.products(), filled[:, :-1] @ filled[:, :-1].T, atol=1e-9 * scale)
    assert_allclose(root.squares(), np.einsum("nd,nd->d", filled[:, :-1], filled[:, :-1]), rtol=1e-9, atol=1e-9)
