"""Gaussian mixtures of rows with missing values: exact EM, and what is missing given what was seen."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal

import suffice as sf
from suffice.distributions import Mixture
from suffice.errors import InvalidData

TYPES = ["full", "tied", "diag", "spherical"]
quiet = pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")


def rows(n=300, d=4, k=2, share=0.25, seed=0, apart=3.0):
    """Rows of k groups, and the same with missing values."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(k, d, d))
    labels = rng.integers(0, k, n)
    X = apart * rng.normal(size=(k, d))[labels] + np.einsum("nij,nj->ni", mix[labels], rng.normal(size=(n, d)))
    return X, np.where(rng.random((n, d)) < share, np.nan, X)


def covariance_of(part):
    return part.covariance if hasattr(part, "covariance") else np.diag(part.spread)


def direct(row, weights, parts):
    """The mean and covariance of a row given its cells: conditional Gaussians, mixed by the posterior."""
    m, o = np.flatnonzero(np.isnan(row)), np.flatnonzero(~np.isnan(row))
    means, spreads, joint = [], [], []
    for weight, part in zip(weights, parts, strict=True):
        C, mean = covariance_of(part), part.mean
        gain = C[np.ix_(m, o)] @ np.linalg.inv(C[np.ix_(o, o)])
        means.append(mean[m] + gain @ (row[o] - mean[o]))
        spreads.append(C[np.ix_(m, m)] - gain @ C[np.ix_(o, m)])
        joint.append(weight * (multivariate_normal(mean[o], C[np.ix_(o, o)]).pdf(row[o]) if len(o) else 1.0))
    posterior = np.array(joint) / np.sum(joint)
    mean = posterior @ means
    spread = sum(p * (S + np.outer(c - mean, c - mean)) for p, S, c in zip(posterior, spreads, means, strict=True))
    filled, covariance = row.copy(), np.zeros((len(row), len(row)))
    filled[m] = mean
    covariance[np.ix_(m, m)] = spread
    return filled, covariance


@quiet
@pytest.mark.parametrize("algorithm", ["soft", "hard"])
@pytest.mark.parametrize("share", [0.05, 0.5])
@pytest.mark.parametrize("kind", TYPES)
def test_the_likelihood_rises_and_splits(kind, share, algorithm):
    _, X = rows(share=share)
    X[7] = np.nan
    model = sf.GaussianMixture(
        2, covariance_type=kind, algorithm=algorithm, random_state=0, tol=1e-10, reg_covar=0, max_iter=40
    ).fit(X)
    objective, bound = model.history_.objective, model.history_.metric("free_energy")
    assert np.all(np.diff(objective) > -1e-9)
    assert np.all(bound[:-1] <= objective[1:] + 1e-9)
    assert np.all(bound >= objective - 1e-9)


@pytest.mark.parametrize("kind", ["full", "tied"])
def test_a_monotone_pattern_has_a_closed_form(kind):
    """Little & Rubin: where column 2 is seen only with column 1, its regression on column 1 is that of those rows."""
    X, _ = rows(200, d=2, k=1)
    X[120:, 1] = np.nan
    model = sf.GaussianMixture(1, covariance_type=kind, reg_covar=0, tol=1e-15, max_iter=5000).fit(X)
    seen = X[:120]
    slope = np.cov(seen.T, ddof=0)[0, 1] / seen[:, 0].var()
    mean, variance = X[:, 0].mean(), X[:, 0].var()
    rest = np.mean((seen[:, 1] - seen[:, 1].mean() - slope * (seen[:, 0] - seen[:, 0].mean())) ** 2)
    covariance = np.squeeze(model.covariances_)
    assert_allclose(model.means_[0], [mean, seen[:, 1].mean() + slope * (mean - seen[:, 0].mean())], rtol=1e-6)
    across = slope * variance
    assert_allclose(covariance, [[variance, across], [across, rest + slope * across]], rtol=1e-5)


def test_independent_columns_have_a_closed_form():
    _, X = rows(k=1)
    model = sf.GaussianMixture(1, covariance_type="diag", reg_covar=0).fit(X)
    assert_allclose(model.means_[0], np.nanmean(X, axis=0))
    assert_allclose(model.covariances_[0], np.nanvar(X, axis=0))
    model = sf.GaussianMixture(1, covariance_type="spherical", reg_covar=0).fit(X)
    assert_allclose(model.covariances_[0], np.nanmean((X - np.nanmean(X, axis=0)) ** 2))


@pytest.mark.parametrize("kind", TYPES)
def test_at_the_end_the_gradient_is_zero(kind):
    """The likelihood of what was seen is largest: moving any mean or variance lowers it."""
    _, X = rows(150, share=0.3)
    model = sf.GaussianMixture(2, covariance_type=kind, reg_covar=0, tol=1e-13, max_iter=20_000, random_state=0).fit(X)
    best = model.score(X)
    for step in (-1e-3, 1e-3):
        for j in range(4):
            moved = model.mixture_.parts[0].moved_to(model.means_[0] + step * np.eye(4)[j])
            other = Mixture.of(model.weights_, [moved, model.mixture_.parts[1]])
            assert other.log_prob(X).mean() < best


@pytest.mark.parametrize("kind", TYPES)
def test_weights_of_whole_numbers_are_repeated_rows(kind):
    _, X = rows(120)
    weight = np.random.default_rng(0).integers(1, 4, 120)
    once = sf.GaussianMixture(2, covariance_type=kind, random_state=0).fit(X, sample_weight=weight)
    often = sf.GaussianMixture(2, covariance_type=kind, random_state=0).fit(np.repeat(X, weight, axis=0))
    assert_allclose(once.means_, often.means_, rtol=1e-7)
    assert_allclose(once.covariances_, often.covariances_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kind", TYPES)
def test_one_gap_changes_little(kind):
    X, _ = rows(400)
    holed = X.copy()
    holed[3, 1] = np.nan
    options = {"covariance_type": kind, "random_state": 0, "tol": 1e-8, "max_iter": 500}
    models = [sf.GaussianMixture(2, **options).fit(Z) for Z in (X, holed)]
    assert_allclose(models[0].means_, models[1].means_, atol=0.05)


@pytest.mark.parametrize("kind", TYPES)
def test_what_is_missing_given_what_was_seen(kind):
    _, X = rows(80)
    X[5] = np.nan
    model = sf.GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    expected = [direct(row, model.weights_, model.mixture_.parts) for row in X]
    filled, covariance = model.conditional(X)
    assert_allclose(filled, [mean for mean, _ in expected], rtol=1e-8, atol=1e-8)
    assert_allclose(covariance, [spread for _, spread in expected], rtol=1e-8, atol=1e-8)
    assert_allclose(model.impute(X), filled, rtol=1e-12)
    assert_array_equal(model.impute(X)[~np.isnan(X)], X[~np.isnan(X)])
    assert_allclose(filled[5], model.weights_ @ model.means_)


@pytest.mark.parametrize("kind", TYPES)
def test_draws_of_what_is_missing(kind):
    _, X = rows(300)
    model = sf.GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    row = np.array([np.nan, X[0, 1] if np.isfinite(X[0, 1]) else 0.0, np.nan, 1.0])
    mean, covariance = direct(row, model.weights_, model.mixture_.parts)
    drawn = model.sample_missing(np.tile(row, (40_000, 1)), random_state=1)
    size = np.sqrt(np.diag(covariance)).max()
    assert_allclose(drawn.mean(axis=0), mean, atol=0.03 * size)
    assert_allclose(np.cov(drawn.T), covariance, atol=0.05 * size**2)
    assert len(np.unique(drawn[:, 0])) == 40_000


def test_draws_repeat_and_do_not_depend_on_the_cut(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    _, X = rows(1000)
    model = sf.GaussianMixture(2, random_state=0).fit(X)
    pd.DataFrame(X, columns=list("abcd")).to_parquet(tmp_path / "rows.parquet", row_group_size=170)
    plain = model.sample_missing(X)
    assert_array_equal(plain, model.sample_missing(X))
    assert_allclose(model.sample_missing(sf.scan(tmp_path / "rows.parquet")), plain, rtol=1e-12)
    assert not np.array_equal(plain, model.sample_missing(X, random_state=5))


def test_imputing_beats_the_mean_by_the_expected_factor():
    """With correlation r the error falls by √(1 − r²)."""
    rng = np.random.default_rng(0)
    r = 0.9
    X = rng.multivariate_normal([5, -2], [[1, r], [r, 1]], 20_000)
    holed = X.copy()
    gap = rng.random(20_000) < 0.3
    holed[gap, 1] = np.nan
    filled = sf.GaussianMixture(1, tol=1e-8, max_iter=500).fit(holed).impute(holed)
    error, plain = filled[gap, 1] - X[gap, 1], np.nanmean(holed[:, 1]) - X[gap, 1]
    assert_allclose(error.std() / plain.std(), np.sqrt(1 - r**2), rtol=0.03)


def test_single_precision():
    _, X = rows(200)
    model = sf.GaussianMixture(2, random_state=0).fit(X.astype(np.float32))
    assert model.impute(X.astype(np.float32)).dtype == np.float32
    assert model.sample_missing(X.astype(np.float32)).dtype == np.float32
    assert_allclose(model.means_, sf.GaussianMixture(2, random_state=0).fit(X).means_, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kind", TYPES)
def test_rows_without_any_value(kind):
    _, X = rows(200)
    empty = np.vstack([X, np.full((30, 4), np.nan)])
    options = {"covariance_type": kind, "random_state": 0, "tol": 1e-9, "max_iter": 2000, "reg_covar": 0}
    plain, more = sf.GaussianMixture(2, **options).fit(X), sf.GaussianMixture(2, **options).fit(empty)
    order = [np.argsort(model.means_[:, 0]) for model in (plain, more)]
    assert_allclose(more.means_[order[1]], plain.means_[order[0]], rtol=1e-3, atol=1e-3)
    assert_allclose(more.score_samples(empty)[200:], 0, atol=1e-10)
    assert_allclose(more.predict_proba(empty)[200:], np.tile(more.weights_, (30, 1)), rtol=1e-10)


@pytest.mark.parametrize("kind", TYPES)
def test_a_column_without_any_value(kind):
    _, X = rows(50)
    X[:, 2] = np.nan
    with pytest.raises(InvalidData, match=r"column 2.* has only missing values; leave it out"):
        sf.GaussianMixture(2, covariance_type=kind).fit(X)


@pytest.mark.parametrize("kind", TYPES)
def test_a_column_never_seen_in_a_component(kind):
    """One group never has the last column: the other group, or the column's start, speaks for it."""
    X, _ = rows(300, apart=8.0)
    labels = sf.GaussianMixture(2, random_state=0).fit(X).predict(X)
    X[labels == 0, 3] = np.nan
    model = sf.GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    assert np.all(np.isfinite(model.means_))
    assert np.all(np.isfinite(model.impute(X)))


@pytest.mark.parametrize("columns", [60, 130])
@quiet
def test_many_missing_values_in_long_rows(columns):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, columns)) + 0.1 * rng.normal(size=(60, columns))
    holed = np.where(rng.random(X.shape) < 0.3, np.nan, X)
    model = sf.GaussianMixture(1, reg_covar=1e-3, max_iter=15).fit(holed)
    assert np.all(np.diff(model.lower_bounds_) > -1e-6)
    assert np.sqrt(np.mean((model.impute(holed) - X)[np.isnan(holed)] ** 2)) < 0.6
