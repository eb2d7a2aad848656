"""PCA and whitening against R and scikit-learn."""

import numpy as np
import pytest
import sklearn.decomposition as sk
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import IllConditioned, InvalidData, InvalidParameter

SOLVERS = ["moments", "svd"]


def same_up_to_sign(left, right, rtol=1e-8):
    assert_allclose(np.abs(np.sum(left * right, axis=1)), np.ones(len(left)), rtol=rtol)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["prcomp_usarrests", "prcomp_log_crabs", "prcomp_usarrests_scaled"])
def test_r_prcomp(r_values, solver, name):
    r = r_values[name]
    crabs = "crabs" in name
    X = np.log(sf.datasets.load("crabs").matrix()) if crabs else sf.datasets.load("usarrests").matrix()
    scaling = "correlation" if "scaled" in name else "covariance"
    pca = sf.PCA(scaling=scaling, solver=solver).fit(X)
    assert_allclose(np.sqrt(pca.explained_variance_), r["sdev"], rtol=1e-9)
    same_up_to_sign(pca.components_, np.array(r["rotation"]).T)
    assert_allclose(pca.mean_, r["center"], rtol=1e-12)


def test_r_princomp_on_correlations(r_values):
    r = r_values["princomp_usarrests_cor"]
    pca = sf.PCA(scaling="correlation").fit(sf.datasets.load("usarrests").matrix())
    assert_allclose(np.sqrt(pca.explained_variance_), r["sdev"], rtol=1e-10)
    same_up_to_sign(pca.components_, np.array(r["loadings"]).T)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("k", [1, 3, 5, 0.9, None])
def test_scikit_learn(rng, solver, whiten, k):
    X = rng.normal(size=(60, 5)) @ rng.normal(size=(5, 5)) + 100
    ours, theirs = sf.PCA(k, whiten=whiten, solver=solver).fit(X), sk.PCA(k, whiten=whiten).fit(X)
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-9, err_msg=name)
    assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=1e-7, atol=1e-9)
    assert ours.n_components_ == theirs.n_components_
    Z = ours.transform(X)
    assert_allclose(Z, theirs.transform(X), rtol=1e-6, atol=1e-8)
    assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), rtol=1e-8)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


@pytest.mark.parametrize("k", [None, 4, 12])
def test_fewer_rows_than_columns(rng, k):
    X = rng.normal(size=(7, 20))
    pca = sf.PCA(k).fit(X)
    kept = min(pca.n_components_, 6)
    theirs = sk.PCA(kept).fit(X)
    assert pca.n_components_ == (6 if k is None else k)
    assert_allclose(pca.explained_variance_[:kept], theirs.explained_variance_, rtol=1e-9)
    assert_allclose(pca.explained_variance_[kept:], 0, atol=1e-12)
    assert_allclose(pca.components_ @ pca.components_.T, np.eye(pca.n_components_), atol=1e-9)


def test_a_small_component_keeps_its_digits_with_svd(rng):
    X = rng.normal(size=(500, 3)) * [1.0, 1.0, 1e-9]
    exact = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[-1] ** 2 / 499
    assert_allclose(sf.PCA(solver="svd").fit(X).explained_variance_[-1], exact, rtol=1e-5)


@pytest.mark.parametrize("method", ["pca", "zca"])
def test_whitened_columns_are_uncorrelated(rng, method):
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) + 7
    w = rng.integers(0, 4, 300)
    whiten = sf.Whiten(method).fit(X, sample_weight=w)
    Z = whiten.transform(X)
    assert_allclose(np.cov(Z, rowvar=False, fweights=w), np.eye(4), atol=1e-10)
    assert_allclose(whiten.inverse_transform(Z), X, rtol=1e-9)
    if method == "zca":
        assert_allclose(whiten.whitening_, whiten.whitening_.T, atol=1e-10)


def test_whitening_of_dependent_columns_warns(rng):
    X = rng.normal(size=(50, 2))
    X = np.column_stack([X, X.sum(axis=1)])
    with pytest.warns(IllConditioned, match="1 of 3 directions have no variance"):
        whiten = sf.Whiten().fit(X)
    assert_allclose(whiten.transform(X)[:, 2], 0, atol=1e-8)
    assert_allclose(whiten.inverse_transform(whiten.transform(X)), X, atol=1e-8)


def test_too_many_components():
    with pytest.raises(InvalidParameter, match="n_components=5 must be at most the number of columns, 2"):
        sf.PCA(5).fit(np.eye(2))


def test_inverse_needs_the_right_width(rng):
    with pytest.raises(InvalidData, match="X has 3 columns; inverse_transform needs 2"):
        sf.PCA(2).fit(rng.normal(size=(9, 3))).inverse_transform(np.ones((1, 3)))


def test_output_as_a_frame(rng):
    Z = sf.PCA(2).set_output(transform="pandas").fit_transform(rng.normal(size=(9, 3)))
    assert list(Z.columns) == ["pca0", "pca1"]
