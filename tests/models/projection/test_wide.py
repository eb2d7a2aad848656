"""Principal components of tables with more columns than rows, and few components of large tables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.backend import leading as krylov
from suffice.backend.leading import Leading, leading, of_whole, random_block
from suffice.statistics import Moments, RootMoments

pytestmark = pytest.mark.native
ATTRIBUTES = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "noise_variance_")


def falling(n, d, rate=0.9, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, n)) * rate ** np.arange(n) @ rng.normal(size=(n, d)) + 10 * rng.normal(size=d)


@pytest.mark.parametrize("scaling", ["covariance", "correlation"])
@pytest.mark.parametrize("k", [None, 3, 0.9])
def test_rows_give_what_columns_give(k, scaling):
    X, weight = falling(25, 60), np.arange(25) % 3.0
    by_rows, by_columns, by_svd = (
        sf.PCA(k, scaling=scaling, solver=solver).fit(X, sample_weight=weight) for solver in ("auto", "moments", "svd")
    )
    assert isinstance(by_rows.summary_, RootMoments)
    assert isinstance(by_columns.summary_, Moments)
    for name in ATTRIBUTES:
        assert_allclose(getattr(by_rows, name), getattr(by_svd, name), rtol=1e-8, atol=1e-9, err_msg=name)
        if k is not None:
            assert_allclose(getattr(by_rows, name), getattr(by_columns, name), rtol=1e-7, atol=1e-8, err_msg=name)


def test_small_variances_keep_their_digits():
    X = falling(20, 50, rate=0.1)  # variances fall to 1e-38 of the first
    for k in (None, 12):
        found, exact = sf.PCA(k).fit(X), sf.PCA(k, solver="svd").fit(X)
        assert found.n_components_ == exact.n_components_
        assert_allclose(found.explained_variance_, exact.explained_variance_, rtol=1e-6)


def test_few_components_of_a_large_table_are_exact(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(430, 6)) * [30, 20, 20, 9, 5, 3] @ rng.normal(size=(6, 500)) + rng.normal(size=(430, 500))
    by_blocks = sf.PCA(2).fit(X)
    tall = sf.PCA(2, solver="moments").fit(X)
    monkeypatch.setattr(krylov, "_LARGE", 10**9)
    whole = sf.PCA(2).fit(X)
    for name in ATTRIBUTES:
        assert_allclose(getattr(by_blocks, name), getattr(whole, name), rtol=1e-8, atol=1e-8, err_msg=name)
        assert_allclose(getattr(tall, name), getattr(whole, name), rtol=1e-8, atol=1e-8, err_msg=name)


def test_equal_eigenvalues_are_found_with_their_multiplicity():
    values = np.concatenate([[50.0] * 4, [20.0], np.linspace(1, 0, 395)])
    found = leading(lambda V: values[:, None] * V, random_block(400, 5), 5)
    assert found.found
    assert_allclose(found.values, values[:5], rtol=1e-9)


def test_noise_is_left_to_the_whole_decomposition():
    A = np.random.default_rng(2).normal(size=(600, 600))
    assert not leading(lambda V: A @ (A.T @ V), random_block(600, 5), 5).found
    found = sf.PCA(5).fit(A)
    expected = np.linalg.svd(A - A.mean(axis=0), compute_uv=False)[:5]
    assert_allclose(found.singular_values_, expected, rtol=1e-10)


def test_an_eigenvalue_that_was_missed_is_noticed():
    values = np.concatenate([[2.0, 2.0], np.linspace(1, 0.9, 98)])
    right, wrong = (Leading(np.array(each), np.eye(100)[:, :2] + 0.01, False) for each in ([2.0, 1.9], [2.5, 1.9]))
    found = of_whole(np.diag(values), right)
    assert found is None or np.allclose(found[0], 2.0)
    assert of_whole(np.diag(values), wrong) is None


def test_rows_are_added_to_a_wide_fit_and_it_is_kept_in_a_file(tmp_path):
    X = falling(30, 40)
    model = sf.PCA(4).fit(X[:15])
    sf.save(model, tmp_path / "pca.sff")
    both = [each.partial_fit(X[15:]) for each in (model, sf.load(tmp_path / "pca.sff"))]
    for each in both:
        assert_allclose(each.components_, sf.PCA(4).fit(X).components_, atol=1e-9)
