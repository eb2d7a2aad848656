"""Tests of what a model's columns are good for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...errors import InvalidParameter, NotEstimated
from ...typing import Floats

_ALIKE = 1e-6  # of null deviances, which follow from targets, weights and the likelihood


@dataclass(frozen=True)
class TestResult:
    """A statistic, its degrees of freedom, and how likely a larger one is by chance; with F also those below."""

    statistic: float
    freedom: float
    p: float
    below: float | None = None  # of an F statistic, the degrees of freedom of its denominator

    def __str__(self) -> str:
        name = f"chi²({self.freedom:g})" if self.below is None else f"F({self.freedom:g}, {self.below:g})"
        return f"{name} = {self.statistic:.5g}, p = {self.p:.4g}"


class _Likelihood(Protocol):
    """A fitted model with a likelihood and no penalty."""

    log_likelihood_: float
    deviance_: float
    null_deviance_: float
    degrees_of_freedom_: float
    dispersion_: float
    penalised: bool
    dispersed: bool


def chi_squared(statistic: float, freedom: float) -> TestResult:
    """The result of a statistic that is chi-squared where nothing is going on."""
    from scipy.special import chdtrc

    return TestResult(statistic, freedom, float(chdtrc(freedom, max(statistic, 0.0))))


def wald(slope: Floats, covariance: Floats) -> float:
    """wᵀ Σ⁻¹ w."""
    if np.isnan(covariance).any():
        raise NotEstimated(
            "wald_test: the rows do not determine these slopes, as columns depend on each other; ask for columns that "
            "have standard errors, or drop the others and fit again."
        )
    return float(slope @ np.linalg.solve(covariance, slope))


def likelihood_ratio_test(smaller: _Likelihood, larger: _Likelihood) -> TestResult:
    """Whether a model is better than one nested in it than chance makes it, fitted to the same rows without penalty.

    The statistic is the difference of the deviances, chi-squared; where the dispersion is estimated, divided by that of
    the larger model and by the number of columns: an F statistic.

    >>> import numpy as np, suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = rng.poisson(np.exp(0.4 * X[:, 0]))
    >>> small, large = sf.PoissonRegressor(alpha=0).fit(X[:, :1], y), sf.PoissonRegressor(alpha=0).fit(X, y)
    >>> print(sf.likelihood_ratio_test(small, large))
    chi²(2) = 2.3512, p = 0.3086
    """
    for model in (smaller, larger):
        if not hasattr(model, "penalised"):
            raise InvalidParameter(
                f"likelihood_ratio_test: {type(model).__name__} has no likelihood to compare; take "
                "GeneralizedLinearRegressor, LogisticRegression or a relative of theirs."
            )
    if smaller.penalised or larger.penalised:
        raise InvalidParameter("likelihood_ratio_test: both models must be fitted without a penalty (alpha=0, C=inf).")
    freedom = smaller.degrees_of_freedom_ - larger.degrees_of_freedom_
    if not freedom > 1e-9:
        raise InvalidParameter(
            "likelihood_ratio_test: the second model must have more columns than the first; give the smaller one first."
        )
    least, most = sorted((smaller.null_deviance_, larger.null_deviance_))
    if not most - least <= _ALIKE * abs(most):
        raise InvalidParameter(
            "likelihood_ratio_test: the models differ in their likelihood, or were fitted to other rows, targets or "
            f"weights: without any column their deviances are {least:.6g} and {most:.6g}. Fit both to the same rows."
        )
    gained = smaller.deviance_ - larger.deviance_
    if not larger.dispersed:
        return chi_squared(gained, freedom)
    from scipy.special import fdtrc

    statistic = gained / freedom / larger.dispersion_
    below = larger.degrees_of_freedom_
    return TestResult(statistic, freedom, float(fdtrc(freedom, below, max(statistic, 0.0))), below)
