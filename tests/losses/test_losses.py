"""Losses: their laws, and values that others give."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import (
    hinge_loss,
    log_loss,
    mean_gamma_deviance,
    mean_pinball_loss,
    mean_poisson_deviance,
    mean_tweedie_deviance,
)

from suffice import losses
from suffice.contracts.discover import losses as discovered
from suffice.contracts.loss_laws import check_loss
from suffice.errors import InvalidParameter

EVERY = [example for cls in discovered() for example in cls.examples()]
rng = np.random.default_rng(3)
ETA = rng.normal(size=40)


@pytest.mark.parametrize("loss", EVERY, ids=repr)
@pytest.mark.filterwarnings("error")
def test_laws(loss):
    check_loss(loss)


def test_values_of_scikit_learn():
    y, mean = rng.poisson(2.0, 40).astype(float), np.exp(ETA)
    positive = y + 0.5
    assert_allclose(2 * losses.PoissonLoss().value(ETA, y).mean(), mean_poisson_deviance(y, mean))
    assert_allclose(2 * losses.GammaLoss().value(ETA, positive).mean(), mean_gamma_deviance(positive, mean))
    for power in (1.2, 1.5, 1.9, 2.5, 3.0):
        own = losses.TweedieLoss(power).value(ETA, positive).mean()
        assert_allclose(2 * own, mean_tweedie_deviance(positive, mean, power=power))
    assert_allclose(losses.QuantileLoss(0.8).value(ETA, y).mean(), mean_pinball_loss(y, ETA, alpha=0.8))
    sign = np.where(rng.random(40) < 0.4, -1.0, 1.0)
    assert_allclose(losses.HingeLoss().value(ETA, sign).mean(), hinge_loss(sign, ETA))
    chance = 1 / (1 + np.exp(-ETA))
    assert_allclose(
        losses.LogisticLoss().value(ETA, sign).mean(), log_loss(sign, np.column_stack([1 - chance, chance]))
    )


def test_densities_of_scipy():
    y, mean = rng.poisson(2.0, 40).astype(float), np.exp(ETA)
    assert_allclose(losses.PoissonLoss().log_density(ETA, y), stats.poisson(mean).logpmf(y))
    nb = losses.NegativeBinomialLoss(1.7).log_density(ETA, y)
    assert_allclose(nb, stats.nbinom(1.7, 1.7 / (1.7 + mean)).logpmf(y))
    gamma = losses.GammaLoss().log_density(ETA, y + 1, 0.4)
    assert_allclose(gamma, stats.gamma(1 / 0.4, scale=0.4 * mean).logpdf(y + 1))
    assert_allclose(losses.SquaredLoss().log_density(ETA, y, 2.0), stats.norm(ETA, np.sqrt(2)).logpdf(y))
    assert_allclose(losses.AbsoluteLoss().log_density(ETA, y, 2.0), stats.laplace(ETA, 2).logpdf(y))
    assert_allclose(losses.StudentTLoss(3.0, 0.5).log_density(ETA, y), stats.t(3, ETA, 0.5).logpdf(y))


def test_far_away_nothing_overflows():
    far = np.array([-800.0, 800.0])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        for sign in (-1.0, 1.0):
            for part in losses.LogisticLoss().parts(far, np.full(2, sign)):
                assert np.isfinite(part).all()
        value, gradient = losses.SoftmaxLoss().value_and_gradient(np.array([[1e3, -1e3, 0.0]]), np.array([1]))
        assert_allclose(value, 2000)
        assert_allclose(gradient, [[1, -1, 0]])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: losses.HuberLoss(0.0), "HuberLoss: delta must be a number, above 0; got 0.0."),
        (lambda: losses.QuantileLoss(1.0), "QuantileLoss: quantile must be a number, above 0 and below 1; got 1.0."),
        (lambda: losses.TweedieLoss(0.5), "no family lies between"),
        (lambda: losses.PoissonLoss("lag"), "PoissonLoss: .*'log'"),
        (lambda: losses.as_loss("hubber"), "'huber'"),
    ],
)
def test_refused(make, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        make()


def test_targets_that_a_loss_refuses():
    assert losses.PoissonLoss().refusal(np.array([-1.0])) == "needs targets at least 0; got -1"
    assert losses.GammaLoss().refusal(np.array([0.0])) == "needs targets above 0; got 0"
    assert losses.BinomialLoss().refusal(np.array([2.0])) == "needs targets of at most 1; got 2"
    assert losses.SquaredLoss().refusal(np.array([-1e9])) == ""


def test_the_slack_of_rounded_kinks_is_the_gap_to_the_dual():
    """ℓ(η) + ℓ*(g) − g η at the gradient g of the rounded loss."""
    sign, width = np.where(rng.random(40) < 0.4, -1.0, 1.0), 0.7
    hinge, insensitive = losses.HingeLoss(), losses.EpsilonInsensitiveLoss(0.2)
    g = hinge.rounded(width).gradient(ETA, sign)
    assert_allclose(hinge.rounded(width).slack(ETA, sign), hinge.value(ETA, sign) + sign * g - g * ETA, atol=1e-15)
    y = ETA[::-1]
    rounded = insensitive.rounded(width)
    s = rounded.gradient(ETA, y)
    dual = s * (ETA - y) - 0.2 * np.abs(s)
    assert np.all(rounded.slack(ETA, y) >= insensitive.value(ETA, y) - dual - 1e-15)  # of both kinks, each by itself
