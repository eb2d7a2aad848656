"""PPCA and mixtures of it, against PCA, EM, and each other."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

import suffice as sf
from suffice.errors import IllConditioned, InvalidData, InvalidParameter, NotConverged


@pytest.fixture(scope="module")
def crabs():
    return sf.datasets.load("crabs").matrix()


def with_missing(X, share=0.2, seed=0):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def test_names_of_pca(crabs):
    ours, theirs = sf.PPCA(2).fit(crabs), PCA(2).fit(crabs)
    n = len(crabs)
    assert_allclose(np.abs(np.sum(ours.components_ * theirs.components_, axis=1)), 1)
    assert_allclose(ours.explained_variance_ * n / (n - 1), theirs.explained_variance_)
    assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)
    assert_allclose(ours.singular_values_, theirs.singular_values_)
    assert_allclose(ours.noise_variance_ * n / (n - 1), theirs.noise_variance_)
    assert_allclose(ours.mean_, theirs.mean_)
    assert_allclose(ours.get_precision() @ ours.get_covariance(), np.eye(5), atol=1e-8)


def test_the_likelihood_is_the_largest(crabs):
    ours, theirs = sf.PPCA(2).fit(crabs), PCA(2).fit(crabs)
    assert theirs.score(crabs) < ours.score(crabs) < theirs.score(crabs) + 1e-3  # theirs divides by n - 1
    assert ours.history_.objective[-1] == pytest.approx(ours.score(crabs))
    assert ours.loglike_[-1] == pytest.approx(ours.score_samples(crabs).sum())


def test_there_and_back_is_the_projection(crabs):
    model, pca = sf.PPCA(2).fit(crabs), PCA(2).fit(crabs)
    back = model.inverse_transform(model.transform(crabs))
    assert_allclose(back, pca.inverse_transform(pca.transform(crabs)), atol=1e-9)


def test_coordinates_are_shrunken_components(crabs):
    model = sf.PPCA(2).fit(crabs)
    straight = (crabs - model.mean_) @ model.components_.T
    strength = model.explained_variance_ - model.noise_variance_
    assert_allclose(model.transform(crabs), straight * np.sqrt(strength) / model.explained_variance_, atol=1e-9)


def test_em_ends_at_the_closed_form(crabs):
    closed = sf.PPCA(2, method="closed_form").fit(crabs)
    iterations = sf.PPCA(2, method="em", tol=0, max_iter=20_000, random_state=0).fit(crabs)
    assert iterations.n_iter_ > 5
    assert np.all(np.diff(iterations.history_.objective) >= -1e-12)
    assert_allclose(iterations.get_covariance(), closed.get_covariance(), rtol=1e-4)
    assert_allclose(np.abs(iterations.components_), np.abs(closed.components_), atol=1e-3)


def test_gaps(crabs):
    gappy = with_missing(crabs)
    model = sf.PPCA(2, tol=1e-9).fit(gappy)
    assert np.all(np.diff(model.history_.objective) >= -1e-9)
    assert_allclose(model.explained_variance_ratio_, sf.PPCA(2).fit(crabs).explained_variance_ratio_, atol=2e-3)
    away = np.isnan(gappy)
    filled = model.impute(gappy)
    assert_allclose(filled[~away], crabs[~away])
    mean = np.broadcast_to(np.nanmean(gappy, axis=0), crabs.shape)
    assert np.sum((filled - crabs)[away] ** 2) < 0.05 * np.sum((mean - crabs)[away] ** 2)
    assert np.all(np.isfinite(model.transform(gappy)))
    assert_allclose(model.score_samples(gappy)[~away.any(axis=1)], model.score_samples(crabs[~away.any(axis=1)]))
    with pytest.raises(InvalidData, match=r"PPCA: X holds NaN.*auto"):
        sf.PPCA(2, method="closed_form").fit(gappy)


def test_missing_values_from_pieces_and_weights(crabs, tmp_path):
    pd = pytest.importorskip("pandas")
    gappy, weight = with_missing(crabs), np.random.default_rng(1).integers(0, 3, len(crabs))
    frame = pd.DataFrame(gappy, columns=list("abcde")).assign(w=weight)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=37)
    repeated = sf.PPCA(2).fit(gappy.repeat(weight, axis=0))
    from_file = sf.PPCA(2).fit(sf.scan(tmp_path / "rows.parquet", weight="w"))
    assert_allclose(from_file.get_covariance(), repeated.get_covariance(), rtol=1e-7)


def test_samples_have_the_covariance(crabs):
    model = sf.PPCA(1, random_state=0).fit(crabs)
    assert_allclose(np.cov(model.sample(200_000).T), model.get_covariance(), rtol=0.03)


def test_criteria_count_parameters(crabs):
    model = sf.PPCA(2).fit(crabs)
    total, free = model.score_samples(crabs).sum(), 5 + 2 * 5 - 1 + 1
    assert model.aic(crabs) == pytest.approx(-2 * total + 2 * free)
    assert model.bic(crabs) == pytest.approx(-2 * total + free * np.log(len(crabs)))


def test_a_plane_without_noise_is_given_some(rng):
    X = rng.normal(size=(30, 1)) @ rng.normal(size=(1, 3))
    with pytest.warns(IllConditioned, match="without noise"):
        model = sf.PPCA(1).fit(X)
    assert np.all(np.isfinite(model.score_samples(X)))


def test_too_many_factors(crabs):
    with pytest.raises(InvalidParameter, match="n_components=6 must be at most the number of columns, 5"):
        sf.PPCA(6).fit(crabs)
    assert_allclose(sf.PPCA(5).fit(crabs).get_covariance(), np.cov(crabs.T, ddof=0))


def test_iterations_that_do_not_suffice(crabs):
    with pytest.warns(NotConverged, match="PPCA: not converged after max_iter=2"):
        sf.PPCA(2, method="em", max_iter=2, random_state=0).fit(crabs)


def test_overflow_is_named(crabs):
    with pytest.raises(InvalidData, match="overflow"):
        sf.PPCA(1).fit(crabs * 1e300)


# -- mixtures ---------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def planes():
    """Two lines in space, far from each other, with a little noise."""
    rng = np.random.default_rng(3)
    along = rng.normal(size=(2, 300, 1)) * 3
    X = np.concatenate([along[0] * [1.0, 0.0, 0.0], along[1] * [0.0, 1.0, 1.0] + [0.0, 0.0, 9.0]])
    return X + 0.1 * rng.normal(size=X.shape), np.repeat([0, 1], 300)


def test_a_mixture_finds_the_planes(planes):
    X, truth = planes
    model = sf.MixtureOfPPCA(2, rank=1, tol=1e-8, random_state=0).fit(X)
    assert sf.align(model.predict(X), truth).accuracy > 0.98
    order = np.argsort(model.means_[:, 2])
    directions = model.loadings_[order, :, 0] / np.linalg.norm(model.loadings_[order, :, 0], axis=1, keepdims=True)
    assert_allclose(np.abs(directions), [[1, 0, 0], [0, 0.5**0.5, 0.5**0.5]], atol=0.03)
    assert_allclose(model.noise_variances_, 0.01, rtol=0.2)
    assert np.all(np.diff(model.history_.objective) >= -1e-9)
    assert np.sqrt(np.mean((model.reconstruct(X) - X) ** 2)) < 0.1
    assert model.latents(X).shape == (600, 2, 1)


def test_one_component_is_ppca(planes):
    X, _ = planes
    one = sf.MixtureOfPPCA(1, rank=2, reg_covar=0.0, tol=1e-10).fit(X)
    alone = sf.PPCA(2).fit(X)
    assert_allclose(one.covariances_[0], alone.get_covariance(), atol=1e-9)
    assert_allclose(one.score_samples(X), alone.score_samples(X), atol=1e-8)


def test_a_mixture_with_missing(planes):
    X, truth = planes
    gappy = with_missing(X)
    model = sf.MixtureOfPPCA(2, rank=1, max_iter=500, random_state=0).fit(gappy)
    away = np.isnan(gappy)
    assert sf.align(model.predict(gappy), truth).accuracy > 0.9
    mean = np.broadcast_to(np.nanmean(gappy, axis=0), X.shape)
    assert np.mean((model.impute(gappy) - X)[away] ** 2) < 0.5 * np.mean((mean - X)[away] ** 2)


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 3), (2, 2), (3, 3), (4, 4), (3, 4), (4, 5)])
def test_as_many_columns_as_rows_or_one_of_each(shape):
    rng = np.random.default_rng(0)
    for _ in range(40):
        X = rng.normal(size=shape)
        for k in range(1, shape[1] + 1):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", IllConditioned)  # the rows lie in a plane
                model = sf.PPCA(k).fit(X)
            assert np.isfinite(model.score(X)), (X, k)
            assert model.noise_variance_ > 0


def test_one_cell():
    with pytest.warns(IllConditioned, match="without noise"):
        model = sf.PPCA().fit([[3.0]])
    assert_allclose(model.mean_, [3.0])
    assert np.isfinite(model.score_samples([[3.0]])).all()
