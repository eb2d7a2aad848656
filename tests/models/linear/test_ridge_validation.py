"""Ridge regression chooses its strength whatever the shape of the table: by columns, by rows, by iterations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidData
from suffice.models.linear import ridge_validation

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 12)) + RNG.normal(size=12) * 3
Y = X @ RNG.normal(size=12) + 2 * RNG.normal(size=60)
TWO = np.column_stack([Y, RNG.normal(size=60)])
TIMES = np.arange(60) % 3


@pytest.fixture
def few_columns(monkeypatch):
    """More columns than products are formed of, as a test of thousands would take long."""
    monkeypatch.setattr(ridge_validation, "_PRODUCTS", 11)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("y", [Y, TWO], ids=["one", "two"])
@pytest.mark.parametrize("weight", [None, TIMES], ids=["alike", "weighted"])
def test_products_of_rows_give_the_errors_of_moments(intercept, form, y, weight):
    found = sf.Ridge("cv", fit_intercept=intercept, n_alphas=20).fit(form(X), y, weight)
    source = found._open(form(X), y, weight, reset=False)
    by_rows = ridge_validation._by_rows(source.in_memory, "Ridge", intercept, 5, 20, "min")
    assert_allclose(by_rows.alphas, found.cv_path_.alphas, rtol=1e-9)
    assert_allclose(by_rows.weight, found.cv_path_.weight, rtol=1e-12)
    assert_allclose(by_rows.errors, found.cv_path_.errors, rtol=1e-7)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_more_columns_than_rows(form):
    wide = RNG.normal(size=(80, 3100))
    y = wide[:, :5].sum(axis=1) + RNG.normal(size=80)
    model = sf.Ridge("cv", n_alphas=10).fit(form(wide), y)
    assert model.alpha_ in model.cv_path_.alphas * 80
    assert_allclose(model.coef_, sf.Ridge(model.alpha_).fit(form(wide), y).coef_, rtol=1e-9)


@pytest.mark.usefixtures("few_columns")
def test_many_rows_and_columns_go_by_iterations(tmp_path):
    found = sf.Ridge("cv", n_alphas=20).fit(X, Y)
    alphas = found.cv_path_.alphas
    for k in (3, 10, 19):
        errors = []
        for fold in range(5):
            own = ridge_validation.fold_of(found._open(X, Y, None, reset=False).in_memory, 5) == fold
            other = sf.Ridge(alphas[k] * np.count_nonzero(~own)).fit(X[~own], Y[~own])
            errors.append(np.mean((Y[own] - other.predict(X[own])) ** 2))
        assert_allclose(found.cv_path_.errors[:, k], errors, rtol=1e-3)
    header = ",".join("abcdefghijkly")
    np.savetxt(tmp_path / "rows.csv", np.column_stack([X, Y]), delimiter=",", header=header, comments="")
    table = sf.scan(tmp_path / "rows.csv", target="y")
    assert sf.Ridge("cv", n_alphas=20).fit(table).alpha_ == pytest.approx(found.alpha_, rel=1e-6)
    with pytest.raises(InvalidData, match="Ridge: alpha='cv' of more than 11 rows and columns chooses for one target"):
        sf.Ridge("cv").fit(X, TWO)
