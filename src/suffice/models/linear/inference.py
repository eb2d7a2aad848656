"""How sure the coefficients of a likelihood are: errors, deviances and criteria, from sums that a fit keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data import Source
from ...data.rows import as_array
from ...errors import InvalidData, InvalidParameter, NotEstimated
from ...estimator import declares
from ...holds import flag, instance, number, sometimes
from ...losses import Loss
from ...params import derived
from ...solvers import Coefficients
from ...solvers.problem import gradient_sums
from ...statistics import Moments
from ...typing import Floats
from .coefficients import CoefficientTable
from .fit_sums import MOST, MOST_OF_CLASSES, MOST_PENALISED, FitSums
from .fitted_loss import KeepsLoss
from .inverse import Inverse, inverted, unit_of, with_intercept
from .likelihood_tests import TestResult, chi_squared, wald
from .robust import HasRobustErrors
from .sandwich import Kind, sandwich

_SAME = 1e-9  # the part of a sum by which it may differ for the same rows


@declares
class Inference(KeepsLoss, HasRobustErrors):
    """Errors and tests of one linear predictor with a likelihood; a subclass gives `_loss`, its loss.

    Rows count by their weight: a row of weight 2 is two rows.
    """

    holds: ClassVar = {
        "_information": sometimes(instance(Moments)),
        "_sums": sometimes(instance(FitSums)),
        "_ridge": sometimes(number(at_least=0)),  # the strength of the penalty beside the information of all rows
        "_centred": sometimes(flag()),  # whether an intercept was fitted
    }

    @property
    def _kept(self) -> tuple[Moments, FitSums]:
        sums = self._fit_sums
        return self._information, sums

    @property
    def _fit_sums(self) -> FitSums:
        if not hasattr(self, "_sums"):
            raise NotEstimated(
                f"{type(self).__name__}: this fit has no standard errors: they take a likelihood, at most {MOST} "
                f"coefficients ({MOST_PENALISED} with a penalty, {MOST_OF_CLASSES} of several classes with one), and "
                "no L1 penalty, after which intervals would not hold."
            )
        found: FitSums = self._sums
        return found

    def _law(self) -> Loss:
        """The likelihood of a fit."""
        self._fit_sums  # noqa: B018 (refuses what was not fitted, or not so)
        try:
            return self._loss_of_fit()
        except (InvalidParameter, TypeError, ValueError) as error:  # of a file of an earlier version, changed since
            raise NotEstimated(str(error)) from None

    @derived
    def _inverse(self) -> Inverse:
        information, _ = self._kept
        scatter, mean, weight = information.scatter, information.mean, information.weight
        if not self._centred:
            scatter = scatter + weight * np.outer(mean, mean)
        return inverted(scatter, self._ridge, unit_of(scatter, mean, weight))

    @derived
    def _whole_inverse(self) -> Inverse:
        """Of slopes and, last, of the intercept where one was fitted."""
        information, _ = self._kept
        return with_intercept(self._inverse, information.mean, information.weight) if self._centred else self._inverse

    @property
    def _fixed(self) -> list[int]:
        """The columns whose slopes were given."""
        return [getattr(self, name) for name in ("_offset", "_exposure") if hasattr(self, name)]

    @property
    def _t_freedom(self) -> float:
        """Infinite where the dispersion is known, so that t values are z values."""
        return float(self.degrees_of_freedom_) if self._law().dispersed else np.inf

    @derived
    def deviance_(self) -> float:
        """Twice the sum of the loss: 2 Σ w (log p of a perfect fit − log p), in units of the dispersion."""
        return 2 * self._fit_sums.value

    @derived
    def null_deviance_(self) -> float:
        """The deviance of the best constant, or of 0 where no intercept is fitted."""
        return 2 * self._fit_sums.null

    @derived
    def degrees_of_freedom_(self) -> float:
        """Σw less what slopes and intercept use."""
        return float(self._fit_sums.weight - self._used)

    @derived
    def dispersion_(self) -> float:
        """Pearson's squares divided by the degrees of freedom; 1 where the likelihood has none."""
        if not self._law().dispersed:
            return 1.0
        freedom = self.degrees_of_freedom_
        return self._fit_sums.pearson / freedom if freedom > 1e-9 else np.nan

    @derived
    def log_likelihood_(self) -> float:
        """Σ w log p(y), with the dispersion deviance / Σw where there is one."""
        if not self._law().has_likelihood:
            raise NotEstimated(
                f"{type(self).__name__}: the density of this family has no formula, so that no log-likelihood, AIC and "
                "BIC are known; deviances and their tests are there."
            )
        return self._fit_sums.log_density

    @property
    def _used(self) -> float:
        """The degrees of freedom that slopes and intercept use."""
        return float(self._inverse.used + self._centred)

    @property
    def _parameters(self) -> float:
        return float(self._used + self._law().dispersed)

    @derived
    def aic_(self) -> float:
        """Akaike's criterion, −2 log likelihood + 2 · parameters; an estimated dispersion is one of them."""
        return -2 * self.log_likelihood_ + 2 * self._parameters

    @derived
    def bic_(self) -> float:
        """Schwarz's criterion, −2 log likelihood + log(Σw) · parameters."""
        return -2 * self.log_likelihood_ + float(np.log(self._fit_sums.weight)) * self._parameters

    @derived
    def standard_errors_(self) -> Floats:
        """Of the slopes, in the shape of `coef_`; NaN for columns that others determine."""
        return self._in_shape(np.sqrt(self.dispersion_ * self._inverse.variances))

    def _in_shape(self, errors: Floats) -> Floats:
        """Errors of the slopes that were estimated in the shape of `coef_`; NaN for those that were given."""
        found = np.full(np.size(self.coef_), np.nan)
        found[np.delete(np.arange(len(found)), self._fixed)] = errors
        return found.reshape(np.shape(self.coef_))

    @derived
    def intercept_standard_error_(self) -> float | Floats:
        """Of the intercept; NaN where columns that depend on each other do not determine it."""
        if not self._centred:
            return 0.0
        return float(np.sqrt(self.dispersion_ * self._whole_inverse.variances[-1]))

    @property
    def penalised(self) -> bool:
        """Whether the slopes were drawn to 0, which tests of likelihoods do not allow for."""
        return bool(self._ridge > 0) if hasattr(self, "_ridge") else True

    @property
    def dispersed(self) -> bool:
        """Whether the likelihood has a dispersion, which is estimated."""
        return self._law().dispersed

    @derived
    def covariance_(self) -> Floats:
        """The covariance of the slopes and, last, of the intercept, (p + 1, p + 1); of slopes alone without one.

        NaN for columns that others determine.
        """
        return self.dispersion_ * self._whole_inverse.covariance

    def wald_test(self, columns: Sequence[int] | Sequence[str]) -> TestResult:
        """Whether the slopes of some columns, by number or name, are all 0.

        The statistic is wᵀ Σ⁻¹ w, chi-squared, or F with a dispersion.
        """
        self._check_fitted("coef_")
        places = self._places(columns)
        slope = np.delete(np.ravel(self.coef_), self._fixed)[places]
        statistic = wald(slope, self.covariance_[np.ix_(places, places)])
        if not self.dispersed:
            return chi_squared(statistic, len(places))
        from scipy.special import fdtrc

        below, statistic = float(self.degrees_of_freedom_), statistic / len(places)
        return TestResult(statistic, len(places), float(fdtrc(len(places), below, statistic)), below)

    def _places(self, columns: Sequence[int] | Sequence[str]) -> NDArray[np.intp]:
        """The numbers of columns that somebody asks for."""
        given, d = as_array(columns, "wald_test"), np.shape(self.coef_)[-1]
        names = list(getattr(self, "feature_names_in_", ()))
        if names and given.dtype.kind in "OU" and given.ndim == 1 and set(given.tolist()) <= set(names):
            given = np.array([names.index(name) for name in given.tolist()])
        if given.dtype.kind not in "iu" or given.ndim != 1 or not given.size or given.min() < 0 or given.max() >= d:
            raise InvalidParameter(
                f"wald_test: columns must be a list of numbers from 0 to {d - 1}, or of names that the fit has seen; "
                f"got {columns!r:.80}."
            )
        if len(set(given.tolist())) < len(given):
            raise InvalidParameter(f"wald_test: columns names a column twice; got {columns!r:.80}.")
        if set(given.tolist()) & set(self._fixed):
            raise InvalidParameter("wald_test: the slopes of an offset and of an exposure are given, not estimated.")
        free = np.delete(np.arange(d), self._fixed)
        return np.searchsorted(free, given) if len(free) < d else given.astype(np.intp)

    def _variances_of_rows(self) -> Callable[[Floats], Floats]:
        """What gives the variance of the predictor of dense rows."""
        information, _ = self._kept
        free, found, dispersion = (
            np.delete(np.arange(self.n_features_in_), self._fixed),
            self._inverse,
            self.dispersion_,
        )
        centre, level = (information.mean, 1 / information.weight) if self._centred else (0.0, 0.0)
        return lambda rows: dispersion * (level + found.variance_of(rows[:, free] - centre))

    def _robust_errors(self, source: Source, kind: Kind) -> tuple[Floats, float | Floats]:
        _, kept = self._kept
        at = Coefficients(np.ravel(self.coef_), np.asarray(np.sum(self.intercept_)))
        free = np.delete(np.arange(np.size(self.coef_)), self._fixed)
        bread = self._whole_inverse
        rows, loss = self._same_rows(source, at), self._loss_of_fit()
        variance = np.where(bread.known, sandwich(rows, loss, at, free, bread.inverse, kind), np.nan)
        if kind == "HC1":
            variance = variance * kept.weight / self.degrees_of_freedom_
        return self._in_shape(np.sqrt(variance[: len(free)])), float(np.sqrt(variance[-1])) if self._centred else 0.0

    def _same_rows(self, opened: Source, at: Coefficients) -> Source:
        """The rows with targets as the loss takes them; others than those of the fit are told by weight and loss."""
        kept, owner = self._fit_sums, type(self).__name__
        source = self._as_targets(opened)
        sums = source.reduce(partial(gradient_sums, loss=self._loss_of_fit(), at=at))
        size = _SAME * max(abs(kept.value), abs(kept.null))
        if not (abs(sums.weight - kept.weight) <= _SAME * kept.weight and abs(sums.value - kept.value) <= size):
            raise InvalidData(
                f"{owner}: robust_coefficients needs the rows of the fit, of weight {kept.weight:g} and deviance "
                f"{2 * kept.value:g}; got others, of weight {sums.weight:g} and deviance {2 * sums.value:g}. Give X, y "
                "and sample_weight of the fit, or fit again."
            )
        return source

    def _as_targets(self, source: Source) -> Source:
        """The rows with targets as the loss takes them."""
        return source

    def coefficients(self, level: float = 0.95) -> CoefficientTable:
        """Estimates with standard errors, t or z values, p values and confidence intervals."""
        return CoefficientTable.of(self, level)
