"""Priors of the weights that empty components: as many are left as there are clear groups."""

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import dirichlet
from sklearn.mixture import BayesianGaussianMixture

import suffice as sf
from suffice.distributions import Mixture, Poisson
from suffice.errors import InvalidParameter
from suffice.models.mixture.prior import SpreadPrior

MESSAGE = {"weight_concentration_prior": "figueiredo_jain"}
VARIATIONAL = {"weight_concentration_prior": 1e-3, "weight_estimate": "variational"}
FORMS = pytest.mark.parametrize("settings", [MESSAGE, VARIATIONAL], ids=["message_length", "variational"])


def blobs(seed, n):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(centre, 1, (n, 2)) for centre in ([0, 0], [10, 0], [0, 10])])


@FORMS
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "reg_covar"), [(300, 1e-6), (100, 1e-2)])
def test_three_of_ten_components_are_left(settings, seed, n, reg_covar):
    X = blobs(seed, n)
    model = sf.GaussianMixture(10, random_state=seed, reg_covar=reg_covar, **settings).fit(X)
    assert np.count_nonzero(model.weights_) == 3
    assert np.sort(model.weights_)[-3:] == pytest.approx([1 / 3] * 3, abs=1e-3)
    assert len(set(model.predict(X)[::n])) == 3


@pytest.mark.parametrize("seed", range(3))
def test_as_many_as_the_variational_form_of_scikit_learn(seed):
    X = blobs(seed, 300)
    form = {"weight_concentration_prior": 1e-3, "weight_concentration_prior_type": "dirichlet_distribution"}
    theirs = BayesianGaussianMixture(n_components=10, max_iter=600, random_state=seed, **form).fit(X)
    ours = sf.GaussianMixture(10, random_state=seed, **VARIATIONAL).fit(X)
    assert np.count_nonzero(theirs.weights_ > 0.01) == np.count_nonzero(ours.weights_) == 3
    assert np.sort(ours.weights_)[-3:] == pytest.approx(np.sort(theirs.weights_)[-3:], abs=1e-3)


@FORMS
def test_any_family_with_weights_of_rows(settings):
    rng = np.random.default_rng(0)
    counts = np.concatenate([rng.poisson(2, 300), rng.poisson(40, 600)]).astype(float)[:, None]
    once = sf.MixtureModel(6, component="poisson", random_state=0, **settings).fit(counts, sample_weight=np.ones(900))
    assert np.count_nonzero(once.weights_) == 2


@FORMS
def test_the_best_of_all_that_were_tried_is_the_result(settings):
    model = sf.GaussianMixture(6, random_state=0, **settings).fit(blobs(0, 300))
    objective = model.history_.objective
    assert model.lower_bound_ == pytest.approx(objective.max(), abs=1e-6)
    assert (np.diff(objective) < -1e-6).any()  # where a component was removed
    assert model.converged_


@FORMS
def test_a_fit_can_go_on(settings):
    X = blobs(0, 300)
    model = sf.GaussianMixture(5, random_state=0, warm_start=True, **settings).fit(X)
    assert np.count_nonzero(model.fit(X).weights_) == 3
    assert np.isclose(model.partial_fit(X[::5]).weights_.sum(), 1)


def test_the_posterior_of_the_weights_follows_its_formulas():
    family = Mixture(Poisson(), 2, [0.5, 0.5], (Poisson([1.0]), Poisson([9.0])), 0.1, variational=True)
    found = family.mle(family.statistic(np.array([[0.0], [1.0], [8.0], [9.0], [10.0]])))
    alpha = found.posterior_counts
    assert alpha.sum() == pytest.approx(5.2)
    assert found.weights == pytest.approx(alpha / alpha.sum())
    assert found.log_weights == pytest.approx(digamma(alpha) - digamma(alpha.sum()))
    rows = np.random.default_rng(0).dirichlet(alpha, 100_000).T
    kl = np.mean(dirichlet(alpha).logpdf(rows) - dirichlet([0.1, 0.1]).logpdf(rows))
    assert SpreadPrior(np.ones(1), 1.0, 0.0).log_prob(found) == pytest.approx(-kl, abs=0.02)


def test_a_component_below_half_its_parameters_vanishes():
    parts = tuple(sf.distributions.DiagonalGaussian([m, m], [1.0, 1.0]) for m in (0.0, 20.0, 40.0))
    X = np.repeat([[0.0, 0.0], [20.0, 20.0], [40.0, 40.0]], [50, 3, 1], axis=0)
    member = Mixture.of([0.4, 0.3, 0.3], parts, 1 - 4 / 2)  # two means and two variances
    assert member.mle(member.statistic(X)).weights == pytest.approx([48 / 49, 1 / 49, 0])


def test_a_posterior_needs_a_proper_prior():
    with pytest.raises(InvalidParameter, match="above 0"):
        sf.GaussianMixture(3, weight_estimate="variational", **MESSAGE).fit(blobs(0, 20))


def test_the_objective_is_minus_the_message_length():
    X = blobs(0, 100)
    model = sf.GaussianMixture(3, random_state=0, reg_covar=0, **MESSAGE).fit(X)
    p, n, weights = 5, len(X), model.weights_[model.weights_ > 0]
    length = -model.score_samples(X).sum() + p / 2 * np.log(weights).sum() + len(weights) * (p + 1) / 2 * np.log(n)
    assert model.lower_bound_ == pytest.approx(-length / n, abs=1e-3)


def test_components_of_few_rows_are_not_free():
    left = [
        np.count_nonzero(sf.GaussianMixture(10, random_state=s, **MESSAGE).fit(blobs(s, 100)).weights_)
        for s in range(7)
    ]
    assert np.median(left) == 3


@FORMS
def test_components_that_labels_name_are_not_removed(settings):
    X = blobs(0, 30)
    y = np.where(np.arange(90) % 10 == 0, np.repeat(["a", "b", "c"], 30), "?")
    with pytest.raises(InvalidParameter, match=r"none can be removed, and .* removes components; leave it, or y, out"):
        sf.GaussianMixture(4, unlabelled="?", **settings).fit(X, y)
