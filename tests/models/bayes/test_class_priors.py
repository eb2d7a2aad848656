"""What is believed of the probabilities of classes: Dirichlet and Beta priors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.distributions import Bernoulli, Beta, Dirichlet
from suffice.errors import InvalidParameter
from suffice.models.bayes.base import BayesClassifier

MODELS = [cls for cls in sf.contracts.estimators() if issubclass(cls, BayesClassifier)]


def with_prior(cls, prior):
    name = "priors" if "priors" in cls().get_params() else "class_prior"
    return cls(**{name: prior})


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_probabilities_are_the_mean_of_the_posterior(cls, tmp_path):
    X, y = cls.example(np.random.default_rng(0), 60)
    count = np.unique(y, return_counts=True)[1]
    for concentration in (2.5, np.array([4.0, 0.5, 2.0])):
        model = with_prior(cls, Dirichlet(concentration)).fit(X, y)
        wanted = (count + concentration) / np.sum(count + concentration)
        assert_allclose(np.exp(model._log_prior()), wanted, rtol=1e-12)
        sf.save(model, tmp_path / "model.sff")
        assert_allclose(sf.load(tmp_path / "model.sff").predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_a_beta_prior_is_of_the_second_class(cls):
    X, y = cls.example(np.random.default_rng(0), 60)
    first_two = np.unique(y)[:2]
    two = np.isin(y, first_two)
    second = y[two] == first_two[1]
    wanted = Beta(3, 5).posterior(Bernoulli().statistic(second[:, None].astype(float))).mean()["probability"]
    model = with_prior(cls, Beta(3, 5)).fit(X[two], y[two])
    assert_allclose(np.exp(model._log_prior())[1], wanted)
    with pytest.raises(InvalidParameter, match=r"is a Beta prior, of two classes; y has 3\. Use a Dirichlet\."):
        with_prior(cls, Beta(3, 5)).fit(X, y)


def test_a_prior_counts_whatever_fit_prior_says():
    X, y = np.array([[1], [2], [0]]), ["a", "a", "b"]
    model = sf.MultinomialNB(class_prior=Dirichlet(1), fit_prior=False).fit(X, y)
    assert_allclose(np.exp(model.class_log_prior_), [0.6, 0.4])


@pytest.mark.parametrize(
    ("prior", "said"),
    [
        (Dirichlet([1.0, 2.0, 3.0]), r"priors must have one number a class, shape \(2,\); got shape \(3,\)"),
        (Dirichlet(-0.5), "priors must have numbers, at least 0; got Dirichlet"),
        (Dirichlet(np.nan), "priors must be finite numbers"),
        (Beta([1.0, 2.0], 1.0), "priors must "),
        (Dirichlet(([1.0, 2.0], [1.0, 1.0, 1.0])), "priors must "),
    ],
)
def test_a_prior_that_fits_no_classes_is_refused(prior, said):
    with pytest.raises(InvalidParameter, match=said):
        sf.GaussianNB(priors=prior).fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])


def test_weights_are_counts():
    X, y = np.arange(6.0)[:, None] ** 2, np.array(list("aabbbb"))
    weighted = sf.GaussianNB(priors=Dirichlet(1)).fit(X, y, sample_weight=[3, 1, 1, 1, 1, 1])
    assert_allclose(weighted.class_prior_, [0.5, 0.5])
