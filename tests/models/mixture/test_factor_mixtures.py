"""Mixtures of PPCA and of factor analysers against formulas with dense covariances."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import suffice as sf

rng = np.random.default_rng(0)
CRABS = sf.datasets.load("crabs").matrix()
MISSING = np.where(rng.random(CRABS.shape) < 0.2, np.nan, CRABS)
MISSING[np.isnan(MISSING).all(axis=1), 0] = 10.0


@pytest.fixture(scope="module", params=[sf.MixtureOfPPCA, sf.MixtureOfFactorAnalysers])
def model(request):
    return request.param(3, rank=2, random_state=0, max_iter=30, tol=1e-2).fit(CRABS)


def dense(model):
    """(π, m, C) of each component, the covariance from the loadings and the noise."""
    noise = np.broadcast_to(np.reshape(model.noise_variances_, (3, -1)), (3, CRABS.shape[1]))
    covariances = [W @ W.T + np.diag(psi) for W, psi in zip(model.loadings_, noise, strict=True)]
    return list(zip(model.weights_, model.means_, covariances, strict=True))


def by_formula(model, x):
    """γ, and of each component the row completed and its covariance."""
    seen, joint, filled, spread = ~np.isnan(x), [], [], []
    u = ~seen
    for weight, m, C in dense(model):
        joint.append(weight * multivariate_normal(m[seen], C[np.ix_(seen, seen)]).pdf(x[seen]))
        gain = C[np.ix_(u, seen)] @ np.linalg.inv(C[np.ix_(seen, seen)])
        full, covariance = x.copy(), np.zeros_like(C)
        full[u] = m[u] + gain @ (x[seen] - m[seen])
        covariance[np.ix_(u, u)] = C[np.ix_(u, u)] - gain @ C[np.ix_(seen, u)]
        filled.append(full)
        spread.append(covariance)
    return np.array(joint) / np.sum(joint), np.array(filled), np.array(spread)


def test_missing_values_given_what_was_seen(model):
    mean, covariance = model.conditional(MISSING[:40])
    assert np.allclose(model.impute(MISSING[:40]), mean)
    for i, x in enumerate(MISSING[:40]):
        share, filled, spread = by_formula(model, x)
        expected = share @ filled
        apart = filled - expected
        total = np.einsum("j,jab->ab", share, spread + apart[:, :, None] * apart[:, None, :])
        assert np.allclose(mean[i], expected)
        assert np.allclose(covariance[i], total, atol=1e-8)


def test_latent_coordinates(model):
    found, latents = model.transform(MISSING[:40]), model.latents(MISSING[:40])
    for i, x in enumerate(MISSING[:40]):
        share, filled, _ = by_formula(model, x)
        components = zip(dense(model), model.loadings_, filled, strict=True)
        z = np.array([W.T @ np.linalg.solve(C, full - m) for (_, m, C), W, full in components])
        assert np.allclose(latents[i], z, atol=1e-6)
        assert np.allclose(found[i], np.concatenate([share, (share[:, None] * z).ravel()]), atol=1e-6)


def test_the_likeliest_component_alone(model):
    alone = type(model)(**model.get_params()).set_params(coordinates="likeliest").fit(CRABS)
    found = alone.transform(CRABS)
    own = alone.predict(CRABS)
    assert np.array_equal(found[:, :3], np.eye(3)[own])
    every = np.arange(len(CRABS))
    z = found[:, 3:].reshape(-1, 3, 2)
    assert np.allclose(z[every, own], alone.latents(CRABS)[every, own])
    assert np.count_nonzero(z) == 2 * len(CRABS)


def test_back_from_the_coordinates(model):
    back = model.inverse_transform(model.transform(CRABS))
    assert np.allclose(back, model.reconstruct(CRABS))
    share, expected = model.predict_proba(CRABS), np.zeros_like(CRABS)
    for j, ((_, m, C), W) in enumerate(zip(dense(model), model.loadings_, strict=True)):
        inverse = np.linalg.inv(C)
        onto = W @ np.linalg.inv(W.T @ inverse @ W) @ W.T @ inverse  # the projection, by the noise
        expected += share[:, [j]] * (m + (CRABS - m) @ onto.T)
    assert np.allclose(back, expected)


def test_one_component_is_the_model_itself():
    one, alone = sf.MixtureOfPPCA(1, rank=2, reg_covar=0).fit(CRABS), sf.PPCA(2).fit(CRABS)
    assert np.allclose(one.covariances_[0], alone.get_covariance())
    assert np.allclose(one.inverse_transform(one.transform(CRABS)), alone.inverse_transform(alone.transform(CRABS)))
    assert np.allclose(one.impute(MISSING), alone.impute(MISSING))
    arrests = sf.datasets.load("usarrests").matrix()
    factors = sf.MixtureOfFactorAnalysers(1, rank=1, reg_covar=0, tol=1e-9).fit(arrests)
    assert np.allclose(factors.covariances_[0], sf.FactorAnalysis(1).fit(arrests).get_covariance(), rtol=1e-3)


def test_missing_values_are_learned_from(model):
    fitted = type(model)(2, rank=1, random_state=0).fit(MISSING)
    assert (np.diff(fitted.history_.objective) >= -1e-9).all()
    assert ((fitted.impute(MISSING) - CRABS) ** 2).sum() < 0.2 * np.nansum((np.nanmean(MISSING, axis=0) - CRABS) ** 2)


def test_coordinates_have_names(model):
    assert len(model.get_feature_names_out()) == model.transform(CRABS[:2]).shape[1] == 3 * (1 + 2)


def test_the_largest_loading_of_every_factor_is_positive(model):
    largest = np.take_along_axis(model.loadings_, np.abs(model.loadings_).argmax(axis=1)[:, None], axis=1)
    assert (largest > 0).all()
