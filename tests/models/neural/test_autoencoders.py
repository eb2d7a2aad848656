"""Autoencoders against principal components, and variational ones against probabilistic PCA."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import subspace_angles

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.layers import Convolution, Dense, Dropout, Flatten

CRABS = sf.datasets.load("crabs").matrix()
SCALED = (CRABS - CRABS.mean(axis=0)) / CRABS.std(axis=0)
SLOW = {"learning_rate": 0.02, "schedule": "cosine", "random_state": 0}


@pytest.fixture(scope="module")
def linear():
    return sf.VariationalAutoencoder([], n_components=2, max_iter=2000, **SLOW).fit(SCALED)


def test_a_linear_autoencoder_spans_the_principal_plane():
    model = sf.Autoencoder([], n_components=2, max_iter=2000, **SLOW).fit(CRABS)
    axes = np.linalg.svd(SCALED, full_matrices=False)[2][:2]
    assert subspace_angles(model.parameters_["2.weight"], axes.T).max() < 0.02
    lost = 0.5 * np.sum(np.linalg.svd(SCALED, compute_uv=False)[2:] ** 2) / len(SCALED)
    assert model.score(CRABS) == pytest.approx(-lost, rel=0.01)


def test_a_linear_variational_autoencoder_is_probabilistic_pca(linear):
    best = sf.PPCA(2).fit(SCALED)
    assert best.score(SCALED) - 0.01 < linear.elbo(SCALED).mean() < best.score(SCALED) + 1e-3
    assert linear.score(SCALED) == pytest.approx(best.score(SCALED), abs=0.02)
    assert linear.noise_variance_ == pytest.approx(best.noise_variance_, rel=0.1)


def test_both_terms_of_the_bound_are_in_the_history(linear):
    metrics = linear.history_.iterations[-1].metrics
    assert metrics["reconstruction"] + metrics["kl"] == pytest.approx(metrics["loss"])
    assert metrics["kl"] > 0


def test_the_likelihood_is_in_the_units_of_the_table():
    settings = {"n_components": 2, "max_iter": 100, "learning_rate": 0.02, "random_state": 0}
    one = sf.VariationalAutoencoder([], **settings).fit(CRABS)
    other = sf.VariationalAutoencoder([], **settings).fit(CRABS * 10)
    np.testing.assert_allclose(other.score_samples(CRABS * 10), one.score_samples(CRABS) - 5 * np.log(10), rtol=1e-6)


def test_samples_have_the_moments_of_the_table(linear):
    drawn = linear.sample(4000)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(SCALED.T), atol=0.1)
    np.testing.assert_allclose(drawn.mean(axis=0), 0, atol=0.1)


def test_missing_cells_are_filled_by_what_the_others_say():
    gaps = np.random.default_rng(0).random(CRABS.shape) < 0.2
    model = sf.Autoencoder([Dense(16, "tanh")], max_iter=300, learning_rate=0.01, random_state=0)
    filled = model.fit(np.where(gaps, np.nan, CRABS)).reconstruct(np.where(gaps, np.nan, CRABS))
    error = np.sqrt(np.mean((filled - CRABS)[gaps] ** 2))
    assert error < 0.4 * np.sqrt(np.mean((CRABS.mean(axis=0) - CRABS)[gaps.nonzero()[0]] ** 2))


def test_interpolation_goes_from_one_row_to_the_other(linear):
    way = linear.interpolate(SCALED[:1], SCALED[-1:], steps=5)
    np.testing.assert_allclose(way[[0, -1]], linear.reconstruct(SCALED[[0, -1]]))
    np.testing.assert_allclose(np.diff(way, 2, axis=0), 0, atol=1e-12)  # a linear decoder has straight ways
    with pytest.raises(InvalidData, match="interpolate goes from one row to another; got 2 and 1"):
        linear.interpolate(SCALED[:2], SCALED[:1])


def test_pictures_are_shares_between_0_and_1():
    grey = np.random.default_rng(0).random((40, 6, 6)).round()
    layers = [Convolution(3, 3, padding=1), Flatten(), Dense(16), Dropout(0.1)]
    model = sf.VariationalAutoencoder(layers, reconstruction="bernoulli", max_iter=3, random_state=0).fit(grey)
    assert model.sample(2).shape == (2, 36)
    assert set(np.unique(model.sample(5))) <= {0.0, 1.0}
    means = model.sample(5, noise=False)
    assert ((means > 0) & (means < 1)).all()
    with pytest.raises(InvalidData, match="row 1 holds 7, and bernoulli cells lie between 0 and 1"):
        sf.Autoencoder(reconstruction="bernoulli").fit(np.array([[0.0, 1.0], [0.5, 7.0]]))


def test_bad_questions_are_answered_in_one_sentence(linear):
    with pytest.raises(InvalidParameter, match="n_samples must be an integer, at least 1; got 0"):
        linear.sample(0)
    with pytest.raises(InvalidParameter, match="layers must be a list of layers"):
        sf.Autoencoder(layers="dense").fit(CRABS)
    with pytest.raises(InvalidData, match="modes must be a table"):
        linear.diagnose(SCALED, modes=[1.0, 2.0])


def test_rows_that_are_drawn_again_are_told(linear):
    found = linear.diagnose(SCALED[:100], held_out=SCALED[100:], modes=SCALED[:3] * 0.1, n_samples=400)
    assert found.ratio is not None
    assert 0.3 < found.ratio < 3
    assert set(found.table()) == {"distance", "held_out_distance", "ratio", "covered", "stray"}
    linear_copies = type("Copies", (type(linear),), {"sample": lambda self, n_samples=1: SCALED[:n_samples]})
    copies = linear_copies()
    assert copies.diagnose(SCALED[:100], held_out=SCALED[100:], n_samples=100).ratio == 0
