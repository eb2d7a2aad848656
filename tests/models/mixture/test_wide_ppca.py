"""Probabilistic principal components of tables with more columns than rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.contracts.wide_tables import uncounted
from suffice.data import as_source


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) * [9, 5, 3, 2] @ rng.normal(size=(4, 80)) + rng.normal(size=(30, 80)) + 7
    return X, rng.integers(1, 3, 30).astype(float)


def test_rows_give_what_columns_give(table):
    X, weight = table
    by_rows = sf.PPCA(3).fit(X, sample_weight=weight)
    by_columns = sf.PPCA(3).fit(uncounted(as_source(X, None, weight, needs=by_rows._fit_needs())))
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "noise_variance_", "loglike_"):
        assert_allclose(getattr(by_rows, name), getattr(by_columns, name), rtol=1e-8, atol=1e-8, err_msg=name)
    for method in ("transform", "score_samples"):
        assert_allclose(getattr(by_rows, method)(X), getattr(by_columns, method)(X), rtol=1e-8, err_msg=method)
    full = sf.distributions.Gaussian(by_rows.mean_, by_rows.get_covariance())
    assert_allclose(by_rows.score_samples(X), full.log_prob(X), rtol=1e-8)


def test_a_file_keeps_it(table, tmp_path):
    X, _ = table
    model = sf.PPCA(3).fit(X)
    sf.save(model, tmp_path / "ppca.sff")
    assert_allclose(sf.load(tmp_path / "ppca.sff").transform(X), model.transform(X))


def test_rows_without_noise_get_some(table):
    X, _ = table
    with pytest.warns(sf.errors.IllConditioned, match="plane"):
        model = sf.PPCA(5).fit(X[:4])
    assert np.isfinite(model.score_samples(X)).all()


def test_iterations_end_at_the_closed_form(table):
    X, _ = table
    by_iterations = sf.PPCA(2, method="em", tol=1e-12, max_iter=5000, random_state=0).fit(X)
    assert by_iterations.noise_variance_ == pytest.approx(sf.PPCA(2).fit(X).noise_variance_, rel=1e-5)
