"""Gaussian classes: densities against SciPy, missing values against the closed form, sampling, outliers."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

import suffice as sf
from suffice.errors import IllConditioned, InvalidData

STRUCTURES = ["full", "tied", "diag", "spherical"]
FULL = [
    sf.GaussianBayes("full"),
    sf.GaussianBayes("tied"),
    sf.QuadraticDiscriminantAnalysis(),
    sf.LinearDiscriminantAnalysis(),
]


@pytest.fixture(scope="module")
def iris():
    table = sf.datasets.load("iris")
    return table.matrix(), table["species"]


def _matrix(model, k):
    """The covariance of class k as a matrix."""
    spread = model.covariance_
    if getattr(model, "covariance", "") in ("diag", "spherical"):
        return np.diag(np.broadcast_to(spread[k], model.means_[k].shape))
    return spread if spread.ndim == 2 else spread[k]


def _joint(model, X):
    """log P(class) + log p(x | class) by SciPy, of the cells that are there."""
    out = np.empty((len(X), len(model.classes_)))
    for i, x in enumerate(X):
        o = ~np.isnan(x)
        for k in range(len(model.classes_)):
            out[i, k] = np.log(model.priors_[k])
            if o.any():
                out[i, k] += multivariate_normal.logpdf(x[o], model.means_[k, o], _matrix(model, k)[np.ix_(o, o)])
    return out


@pytest.mark.parametrize("structure", STRUCTURES)
def test_estimates_are_those_of_maximum_likelihood(iris, structure):
    X, y = iris
    model = sf.GaussianBayes(structure).fit(X, y)
    own = np.stack([np.cov(X[y == c].T, bias=True) for c in model.classes_])
    variances = np.diagonal(own, axis1=1, axis2=2)
    expected = {
        "full": own,
        "tied": own.mean(axis=0),
        "diag": variances,
        "spherical": variances.mean(axis=1),
    }
    assert_allclose(model.covariance_, expected[structure], rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_densities_against_scipy(rng, iris, structure, missing):
    X, y = iris
    model = sf.GaussianBayes(structure, priors=[0.2, 0.3, 0.5]).fit(X, y)
    rows = X[::10].copy()
    if missing:
        rows[rng.random(rows.shape) < 0.4] = np.nan
        rows[0] = np.nan
    joint = _joint(model, rows)
    assert_allclose(model.predict_joint_log_proba(rows), joint, rtol=1e-9)
    assert_allclose(model.log_density(rows), logsumexp(joint, axis=1), rtol=1e-9, atol=1e-9)
    assert_allclose(model.predict_log_proba(rows), joint - logsumexp(joint, axis=1)[:, None], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_samples_have_the_moments_of_the_model(iris, structure):
    model = sf.GaussianBayes(structure, priors=[0.2, 0.3, 0.5]).fit(*iris)
    X, y = model.sample(60_000, random_state=0)
    assert_allclose([np.mean(y == c) for c in model.classes_], model.priors_, atol=0.01)
    for k, c in enumerate(model.classes_):
        assert_allclose(X[y == c].mean(axis=0), model.means_[k], atol=0.03)
        assert_allclose(np.cov(X[y == c].T), _matrix(model, k), atol=0.02)
    again = model.sample(5, random_state=0), model.sample(5, random_state=0)
    assert_array_equal(again[0][0], again[1][0])


def test_outliers_have_a_low_density(iris):
    X, y = iris
    model = sf.QuadraticDiscriminantAnalysis().fit(X, y)
    assert model.log_density([[9.0, 9.0, 9.0, 9.0]])[0] < model.log_density(X).min()


# -- missing values ---------------------------------------------------------------------------------------------------


def _monotone(n=400, seed=3):
    """Two classes of two columns; the second is missing in a part of the rows that the first decides."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    a = rng.normal(size=n) + 2 * y
    X = np.column_stack([a, 0.7 * a + rng.normal(size=n) - y])
    X[a > 2.0, 1] = np.nan
    return X, y


@pytest.mark.parametrize("model", [sf.GaussianBayes("full"), sf.QuadraticDiscriminantAnalysis()])
def test_monotone_missing_values_give_the_closed_form(model):
    """With one column complete, the maximum is that of the first column and of the regression on it."""
    X, y = _monotone()
    fitted = model.fit(X, y)
    for k in (0, 1):
        own, seen = X[y == k], X[(y == k) & ~np.isnan(X[:, 1])]
        slope, constant = np.polyfit(seen[:, 0], seen[:, 1], 1)
        noise = np.mean((seen[:, 1] - slope * seen[:, 0] - constant) ** 2)
        mean, variance = own[:, 0].mean(), own[:, 0].var()
        assert_allclose(fitted.means_[k], [mean, constant + slope * mean], rtol=1e-4)
        expected = [[variance, slope * variance], [slope * variance, slope**2 * variance + noise]]
        assert_allclose(fitted.covariance_[k], expected, rtol=1e-4)


@pytest.mark.parametrize("model", FULL, ids=repr)
def test_em_climbs_to_a_maximum(rng, iris, model):
    X, y = iris
    X = X.copy()
    X[rng.random(X.shape) < 0.2] = np.nan
    X[3] = np.nan
    fitted = model.fit(X, y)
    objective = fitted.history_.objective
    assert fitted.history_.status == "converged"
    assert np.all(np.diff(objective) <= 1e-9 * np.abs(objective[1:]))
    codes = np.searchsorted(fitted.classes_, y)
    likelihood = fitted.predict_joint_log_proba(X)[np.arange(150), codes].sum()
    assert_allclose(-likelihood, objective[-1], rtol=1e-8)
    for step in (0.01, -0.01):  # beside the maximum it is lower
        fitted._members = tuple(dataclasses.replace(member, mean=member.mean + step) for member in fitted._members)
        assert fitted.predict_joint_log_proba(X)[np.arange(150), codes].sum() < likelihood
        fitted = model.fit(X, y)


@pytest.mark.parametrize("model", FULL, ids=repr)
def test_weights_are_repetitions_with_missing(rng, iris, model):
    X, y = iris[0].copy(), iris[1]
    X[rng.random(X.shape) < 0.1] = np.nan
    weight = rng.integers(0, 3, 150)
    again = np.repeat(np.arange(150), weight)
    weighted = model.fit(X, y, sample_weight=weight).covariance_
    assert_allclose(weighted, model.fit(X[again], y[again]).covariance_, rtol=1e-6)


@pytest.mark.parametrize("model", FULL, ids=repr)
def test_chunks_with_missing_values_give_the_same(rng, iris, model, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = iris[0].copy(), iris[1]
    X[rng.random(X.shape) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=list("abcd")).assign(species=y)
    for part in range(3):
        frame[part::3].to_parquet(tmp_path / f"{part}.parquet")
    whole = model.fit(X, y).covariance_
    assert_allclose(model.fit(sf.scan(f"{tmp_path}/*.parquet", target="species")).covariance_, whole, rtol=1e-6)


def test_a_column_that_a_class_never_has(rng, iris):
    X, y = iris[0].copy(), iris[1]
    X[y == "setosa", 1] = np.nan
    X = np.column_stack([X, np.full(150, np.nan)])
    model = sf.QuadraticDiscriminantAnalysis().fit(X, y)
    assert np.isfinite(model.covariance_).all()
    assert model.score(X, y) > 0.9
    assert model.score(iris[0][:, [0, 1, 2, 3, 3]], y) > 0.5


def test_expected_coordinates_of_rows_with_missing(iris):
    X, y = iris
    model = sf.LinearDiscriminantAnalysis().fit(X, y)
    rows = X[:3].copy()
    rows[1, 2], rows[2] = np.nan, np.nan
    found = model.transform(rows)
    assert_allclose(found[0], model.transform(X[:1])[0])
    assert_allclose(found[2], 0, atol=1e-9)
    assert_allclose(found[1], model.transform(X[1:2])[0], atol=2.0)


def test_rows_with_missing_values_are_added_only_by_fit(iris):
    X, y = iris[0].copy(), iris[1]
    X[7, 1] = np.nan
    model = sf.QuadraticDiscriminantAnalysis()
    with pytest.raises(InvalidData, match="partial_fit and remove take complete rows"):
        model.partial_fit(X, y)
    model.fit(X, y)
    with pytest.raises(InvalidData, match="fit all rows anew"):
        model.partial_fit(iris[0], y)
    with pytest.raises(InvalidData, match="shrinkage='auto' needs complete rows"):
        sf.QuadraticDiscriminantAnalysis(shrinkage="auto").fit(X, y)
    assert sf.GaussianBayes("diag").partial_fit(X, y).score(X, y) > 0.9


def test_the_floor_of_a_constant_column(iris):
    X, y = iris[0].copy(), iris[1]
    X[:, 0] = np.where(y == "setosa", 5.0, X[:, 0])
    variance = X[:, 0].var()
    with pytest.warns(IllConditioned, match="class 'setosa' is singular in 1 of 4"):
        model = sf.GaussianBayes("full", floor=1e-6).fit(X, y)
    assert_allclose(model.covariance_[0, 0, 0], 1e-6 * variance, rtol=1e-6)
    diagonal = sf.GaussianBayes("diag", floor=1e-6).fit(X, y)
    assert_allclose(diagonal.covariance_[0, 0], 1e-6 * variance, rtol=1e-6)
