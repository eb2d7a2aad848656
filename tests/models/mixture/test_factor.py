"""Factor analysis against scikit-learn and R."""

from pathlib import Path

import numpy as np
import pytest
import sklearn.decomposition as sk
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.datasets import load_wine

import suffice as sf
from suffice.contracts.wide_tables import uncounted
from suffice.data import as_source
from suffice.errors import HeywoodCase, IllConditioned

REFERENCE = Path(__file__).parents[2] / "reference"


@pytest.fixture(scope="module")
def wine():
    X = load_wine().data
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("q", [1, 2, 3])
def test_the_same_maximum_as_scikit_learn(wine, q):
    ours = sf.FactorAnalysis(q, tol=1e-12).fit(wine)
    theirs = sk.FactorAnalysis(q, tol=1e-10, max_iter=20_000, svd_method="lapack").fit(wine)
    assert ours.score(wine) == pytest.approx(theirs.score(wine), abs=1e-8)
    assert_allclose(ours.noise_variance_, theirs.noise_variance_, atol=2e-4)
    assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-4)
    assert ours.loglike_[-1] == pytest.approx(theirs.loglike_[-1], rel=1e-9)
    assert ours.n_iter_ < theirs.n_iter_
    sign = np.sign(np.sum(ours.components_ * theirs.components_, axis=1))
    assert_allclose(ours.transform(wine), theirs.transform(wine) * sign, atol=5e-3)


def test_the_same_maximum_as_r():
    """R: factanal(USArrests, 1)."""
    arrests = sf.StandardScaler().fit_transform(sf.datasets.load("usarrests").matrix())
    model = sf.FactorAnalysis(1, tol=1e-12).fit(arrests)
    assert_allclose(model.components_, [[0.81759470, 0.97901136, 0.26186976, 0.68289708]], atol=2e-5)
    assert_allclose(model.noise_variance_, [0.331535098, 0.041536699, 0.931420003, 0.533644096], atol=2e-5)


def r_table(name, columns):
    """A table of R's package datasets, standardised."""
    X = np.loadtxt(REFERENCE / f"{name}.csv", delimiter=",", skiprows=1)[:, :columns]
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize(
    ("name", "columns", "q", "log_likelihood"), [("swiss", 6, 2, -333.11), ("mtcars", 7, 3, -179.12)]
)
def test_the_best_of_several_maxima(name, columns, q, log_likelihood):
    """R: factanal(swiss, 2) and factanal(mtcars[1:7], 3) with a small `lower`; one start without factors ends lower."""
    Z = r_table(name, columns)
    with pytest.warns(HeywoodCase, match=r"the noise of column \d is at its bound, min_noise=1e-06"):
        model = sf.FactorAnalysis(q, random_state=0).fit(Z)
    assert len(Z) * model.score(Z) == pytest.approx(log_likelihood, abs=0.006)
    assert model.noise_variance_.min() == pytest.approx(1e-6)
    assert len(model.history_.finals) == 4
    with pytest.warns(HeywoodCase):
        other = sf.FactorAnalysis(q, random_state=1).fit(Z)
    assert other.history_.finals[1:] != model.history_.finals[1:]
    with pytest.warns(HeywoodCase):
        assert sf.FactorAnalysis(q, min_noise=0.005).fit(Z).noise_variance_.min() == pytest.approx(0.005)


def test_slow_maxima_are_reached():
    """Where there are more factors than the rows were made of, plain iterations take thousands of steps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2)) @ rng.normal(size=(2, 7)) * 2 + rng.normal(size=(600, 7))
    for q in (3, 4):
        model = sf.FactorAnalysis(q, n_init=1).fit(X)
        assert model.n_iter_ < 200
        assert model.score(X) > sf.FactorAnalysis(q, n_init=1, tol=1e-12).fit(X).score(X) - 2e-6


@pytest.mark.filterwarnings("ignore::suffice.errors.HeywoodCase")
def test_no_iteration_lowers_the_likelihood(wine):
    model = sf.FactorAnalysis(5, tol=0, max_iter=2000).fit(wine)
    assert np.all(np.diff(model.history_.objective) >= -1e-10)
    assert_allclose(np.asarray(model.loglike_), model.history_.objective * len(wine))


@pytest.mark.parametrize("rotation", ["varimax", "quartimax"])
def test_rotations_are_those_of_scikit_learn(wine, rotation):
    ours = sf.FactorAnalysis(3, rotation=rotation, tol=1e-12).fit(wine)
    theirs = sk.FactorAnalysis(3, rotation=rotation, tol=1e-10, max_iter=20_000, svd_method="lapack").fit(wine)
    alike = np.abs(ours.components_ @ theirs.components_.T)
    place = alike.argmax(axis=1)
    assert sorted(place) == [0, 1, 2]
    assert_allclose(np.abs(ours.components_), np.abs(theirs.components_[place]), atol=0.02)
    plain = sf.FactorAnalysis(3, tol=1e-12).fit(wine)
    assert_allclose(ours.get_covariance(), plain.get_covariance(), atol=1e-6)
    assert_allclose(ours.score_samples(wine), plain.score_samples(wine), atol=1e-6)


def test_there_and_back_is_the_identity_in_the_factors(wine):
    model = sf.FactorAnalysis(2).fit(wine)
    z = model.transform(wine)
    assert_allclose(model.transform(model.inverse_transform(z)), z, atol=1e-9)


def test_gaps(wine):
    gappy = np.where(np.random.default_rng(0).random(wine.shape) < 0.15, np.nan, wine)
    model = sf.FactorAnalysis(2, tol=1e-8).fit(gappy)
    assert np.all(np.diff(model.history_.objective) >= -1e-9)
    assert_allclose(model.noise_variance_, sf.FactorAnalysis(2).fit(wine).noise_variance_, atol=0.15)
    assert np.all(np.isfinite(model.transform(gappy)))
    away = np.isnan(gappy)
    error = np.mean((model.impute(gappy) - wine)[away] ** 2)
    assert error < 0.7 * np.mean(wine[away] ** 2)


def test_weights_are_repetitions_with_missing(wine):
    gappy = np.where(np.random.default_rng(0).random(wine.shape) < 0.15, np.nan, wine)
    weight = np.random.default_rng(1).integers(0, 3, len(wine))
    weighted = sf.FactorAnalysis(2).fit(gappy, sample_weight=weight)
    repeated = sf.FactorAnalysis(2).fit(gappy.repeat(weight, axis=0))
    assert_allclose(weighted.get_covariance(), repeated.get_covariance(), rtol=1e-7)


def test_a_column_that_the_factor_explains_alone_keeps_a_little_noise(rng):
    z = rng.normal(size=(300, 1))
    X = np.column_stack([z, z + 0.5 * rng.normal(size=(300, 1)), z + rng.normal(size=(300, 1)), rng.normal(size=300)])
    X[:, 0] = 3 * X[:, 0]
    with pytest.warns(HeywoodCase, match="column 0"):
        model = sf.FactorAnalysis(1).fit(X)
    assert model.noise_variance_.min() >= 1e-6 * X.var(axis=0).min()
    assert np.all(np.isfinite(model.score_samples(X)))


def test_equal_rows_are_given_some_noise():
    with pytest.warns(IllConditioned, match="FactorAnalysis"):
        model = sf.FactorAnalysis(1).fit(np.ones((5, 3)))
    assert np.all(np.isfinite(model.score_samples(np.ones((2, 3)))))


# -- few rows, many columns -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [30, 80])
def test_rows_give_what_columns_give(n):
    """Of few rows, or as many as columns, the products of all columns are never formed."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) @ rng.normal(size=(2, 80)) * 2 + rng.normal(size=(n, 80)) + 7
    weight = rng.integers(1, 3, n).astype(float)
    by_rows = sf.FactorAnalysis(2, tol=1e-10).fit(X, sample_weight=weight)
    by_columns = sf.FactorAnalysis(2, tol=1e-10).fit(uncounted(as_source(X, None, weight, needs=by_rows._fit_needs())))
    assert_allclose(by_rows.loglike_[-1], by_columns.loglike_[-1], rtol=1e-9)
    assert_allclose(by_rows.get_covariance(), by_columns.get_covariance(), atol=1e-4)
    assert by_rows.loglike_[-1] == pytest.approx(weight @ by_rows.score_samples(X))


@pytest.mark.parametrize("n", [150, 400])
def test_the_leading_factors_of_many_columns_are_found_by_products(n):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 200)) + rng.normal(size=(n, 200)) * rng.uniform(0.5, 2, 200)
    ours = sf.FactorAnalysis(3).fit(X)
    theirs = sk.FactorAnalysis(3, tol=1e-8, max_iter=5000, svd_method="lapack").fit(X)
    assert ours.score(X) == pytest.approx(theirs.score(X), abs=1e-5)


def test_more_starts_only_beside_a_bound(wine):
    assert len(sf.FactorAnalysis(2).fit(wine).history_.finals) == 1
    assert len(sf.FactorAnalysis(2, n_init=3).fit(wine).history_.finals) == 3


@pytest.mark.parametrize("factors", [3, 4, None])
def test_as_many_factors_as_make_up_any_covariance_have_that_of_the_rows(factors: int | None) -> None:
    """There is nothing to iterate, and no noise need go to its bound."""
    X = np.random.default_rng(3).normal(size=(60, 4)) @ np.random.default_rng(4).normal(size=(4, 4)) * [1, 10, 100, 1]
    model = sf.FactorAnalysis(factors).fit(X)
    np.testing.assert_allclose(model.get_covariance(), np.cov(X.T, bias=True), rtol=1e-10)
    assert model.n_iter_ == 1
    share = model.noise_variance_ / X.var(axis=0)
    np.testing.assert_allclose(share, np.linalg.eigvalsh(np.corrcoef(X.T))[0], rtol=1e-8)


def test_score_of_one_column_is_the_mean_of_its_densities() -> None:
    X = np.random.default_rng(5).normal(size=(70_000, 1)) * 3 + 1
    model = sf.FactorAnalysis(1).fit(X)
    expected = stats.norm(X.mean(), X.std()).logpdf(X[:, 0])
    np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-9)
    assert model.score(X) == pytest.approx(expected.mean(), rel=1e-12)
    weight = np.arange(70_000) % 3
    assert model.score(X, sample_weight=weight) == pytest.approx(np.average(expected, weights=weight), rel=1e-12)


def test_all_axes_but_one_give_the_covariance_of_the_rows(rng):
    """The likeliest model is known then, and no iteration is needed."""
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)) + 3
    model = sf.FactorAnalysis(3).fit(X)
    assert_allclose(model.get_covariance(), np.cov(X.T, bias=True), rtol=1e-8)
    assert model.n_iter_ == 1
    assert_allclose(model.loglike_[-1], model.score_samples(X).sum(), rtol=1e-10)
    again = sf.FactorAnalysis(3, n_init=2, random_state=0).fit(X)
    assert_allclose(again.loglike_[-1], model.loglike_[-1], rtol=1e-8)
