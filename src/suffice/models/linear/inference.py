"""How sure the coefficients of a likelihood are: errors, deviances and criteria, from sums that a fit keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data import Chunk, Source, as_source
from ...data.rows import as_array, as_weight
from ...errors import IllConditioned, InvalidParameter, NotEstimated, warn
from ...estimator import Attributes, Estimator, declares
from ...holds import instance, number, sometimes
from ...losses import Loss
from ...params import derived
from ...penalties import NoPenalty
from ...solvers import Coefficients, Problem
from ...solvers.problem import gradient_sums
from ...solvers.systems import factored
from ...statistics import GradientSums, Moments, Statistic
from ...statistics.gradient import bent_moments, forth
from ...typing import Floats, TableLike, TargetLike, WeightLike
from .coefficients import CoefficientTable
from .inverse import Inverse, inverted, scaled_system, unit_of
from .likelihood_tests import TestResult, chi_squared

_CONDITION = 1e12  # of scaled columns: below, no rank is lost
_MOST = 1000  # columns whose information matrix a model keeps


@dataclass(frozen=True)
class FitSums(Statistic):
    """Σw of the rows, and Σ w of: the loss at the fit, at the best constant, Pearson's squares, and log p(y).

    >>> FitSums.of(np.ones(3), np.ones(3), np.ones(3), np.ones(3)).weight
    3.0
    """

    weight: float
    value: float
    null: float
    pearson: float
    log_density: float

    holds: ClassVar = {
        "weight": number(above=0),
        "value": number(),
        "null": number(),
        "pearson": number(at_least=0),
        "log_density": number(finite=False),
    }

    @classmethod
    def of(
        cls, value: Floats, null: Floats, pearson: Floats, log_density: Floats, weight: Floats | None = None
    ) -> FitSums:
        """The sums of some rows, each with one number a row."""
        n = np.size(value)
        columns = [as_weight(column, n, cls.__name__) for column in (value, null, pearson, log_density)]
        w = as_weight(weight, n, cls.__name__)
        totals = [float(np.sum(column) if w is None else w @ column) for column in columns if column is not None]
        return cls(float(n if w is None else w.sum()), *totals)

    def __add__(self, other: FitSums) -> FitSums:
        mine, theirs = ((s.weight, s.value, s.null, s.pearson, s.log_density) for s in (self, other))
        return FitSums(*(a + b for a, b in zip(mine, theirs, strict=True)))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return *(rng.random(n) for _ in range(4)), rng.integers(0, 3, n).astype(float)


def learned_sums(problem: Problem, found: Coefficients, null: Coefficients) -> Attributes:
    """What a fit keeps for inference: its information matrix, and its sums, by one more pass over the rows."""
    if problem.columns > _MOST or problem.loss.target == "classes" or not problem.loss.has_likelihood:
        return {}
    if not problem.loss.has_curvature:
        return {}
    if not problem.penalty.is_smooth:  # slopes were selected, after which intervals do not hold
        return {}
    loss = problem.loss
    curved = problem.curved(found)
    if not (curved.second.weight > 0 and curved.second.is_finite()):  # it ran away
        return {}
    if isinstance(problem.penalty, NoPenalty):
        _warn_if_dependent(problem, curved.second)
    level = 2 * curved.first.value / curved.first.weight if loss.dispersed else 1.0
    level = level if level > 0 else float(np.finfo(float).tiny)

    if loss.target == "signs":
        sums = _sums_of_signs(loss, curved.first, float(null.intercept))
        return {"_information": curved.second, "_sums": sums, "_ridge": _ridge(problem, sums)}

    summarise = _at_constant if not (loss.dispersed or null.slope.any()) else _at_fit
    sums = problem.source.reduce(partial(summarise, loss=loss, found=found, null=null, level=level))
    if summarise is _at_constant:  # the fit differs from the constant by its loss alone
        logs = sums.log_density + sums.null - curved.first.value
        sums = replace(sums, log_density=logs)
    sums = replace(sums, value=curved.first.value)
    information = curved.second
    if problem.free is not None:
        both = np.ix_(problem.free, problem.free)
        information = Moments(information.weight, information.mean[problem.free], information.scatter[both])
    return {"_information": information, "_sums": sums, "_ridge": _ridge(problem, sums)}


def _at_fit(chunk: Chunk, loss: Loss, found: Coefficients, null: Coefficients, level: float) -> FitSums:
    """The sums of some rows but for the loss at the fit, which is known."""
    eta = forth(chunk.X, found.slope, found.intercept)
    mean, nothing = loss.mean(eta), np.zeros(len(chunk))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        squares = (chunk.y - mean) ** 2 / loss.variance(mean)
        logs = loss.log_density(eta, chunk.y, level)
        rest = FitSums.of(nothing, nothing, squares, logs, chunk.weight)
    return replace(rest, null=gradient_sums(chunk, loss, null).value)


def _at_constant(chunk: Chunk, loss: Loss, found: Coefficients, null: Coefficients, level: float) -> FitSums:
    """The sums of some rows at the best constant alone: no column is looked at, and no dispersion estimated."""
    bare = replace(chunk, X=np.zeros((len(chunk), 0)))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        logs = np.asarray(loss.log_density(np.full(1, float(null.intercept)), chunk.y))
    total = float(logs.sum() if chunk.weight is None else chunk.weight @ logs)
    sums = gradient_sums(bare, loss, Coefficients(np.zeros(0), null.intercept))
    return FitSums(sums.weight, 0.0, sums.value, 0.0, total)


def _warn_if_dependent(problem: Problem, information: Moments) -> None:
    """Warn where columns follow from others, so that many coefficients fit equally well."""
    free = np.arange(problem.columns) if problem.free is None else np.flatnonzero(problem.free)
    scatter, mean, weight = information.scatter[np.ix_(free, free)], information.mean[free], information.weight
    if not problem.fit_intercept:
        scatter = scatter + weight * np.outer(mean, mean)
    unit = unit_of(np.diagonal(scatter), mean, weight)
    if not len(free) or factored(scaled_system(scatter, 0.0, unit))[1] <= _CONDITION:
        return
    rank = inverted(scatter, 0.0, unit).rank
    if rank < len(free):
        warn_of_rank(problem, len(free), rank)


def warn_of_rank(problem: Problem, columns: int, rank: int) -> None:
    """Warn that columns depend on each other."""
    warn(
        f"{problem.owner}: the {columns} columns have rank {rank}; many coefficients fit equally well, and some are "
        "given, without standard errors. Drop columns, or use a penalty.",
        IllConditioned,
    )


def _ridge(problem: Problem, sums: FitSums) -> float:
    """The strength of the penalty beside the information of all rows."""
    return float(problem.penalty.curvature(problem.columns).max(initial=0.0)) * sums.weight


def _sums_of_signs(loss: Loss, first: GradientSums, constant: float) -> FitSums:
    """The sums where rows have one of two targets: they follow from those of the fit."""
    share = float(loss.mean(np.float64(constant)))  # of the sign 1 among all rows
    each = loss.value(np.full(2, constant), np.array([-1.0, 1.0]))
    null = first.weight * float(each @ np.array([1 - share, share]))
    return FitSums(first.weight, first.value, null, 0.0, -first.value)


def _bordered(spread: Floats, information: Moments, fit_intercept: bool) -> Floats:
    """The inverse of the information of slopes and intercept, of that of the slopes about the curved mean."""
    if not fit_intercept:
        return spread
    beside = -spread @ information.mean
    corner = 1 / information.weight - float(information.mean @ beside)
    return np.block([[spread, beside[:, None]], [beside[None, :], np.array([[corner]])]])


def _products(moments: Moments, fit_intercept: bool) -> Floats:
    """Σ w x xᵀ of rows with a column of 1 behind them where there is an intercept."""
    total = moments.weight * moments.mean
    inner = moments.scatter + np.outer(total, moments.mean)
    if not fit_intercept:
        return inner
    return np.block([[inner, total[:, None]], [total[None, :], np.array([[moments.weight]])]])


@declares
class Inference(Estimator):
    """Errors and tests of one linear predictor with a likelihood; a subclass gives `_likelihood`, its loss.

    Rows count by their weight: a row of weight 2 is two rows.
    """

    holds: ClassVar = {
        "_information": sometimes(instance(Moments)),
        "_sums": sometimes(instance(FitSums)),
        "_ridge": sometimes(number(at_least=0)),
    }

    def _likelihood(self) -> Loss:
        raise TypeError(f"{type(self).__name__} does not define _likelihood")

    @property
    def _kept(self) -> tuple[Moments, FitSums]:
        sums = self._fit_sums
        return self._information, sums

    @property
    def _fit_sums(self) -> FitSums:
        if not hasattr(self, "_sums"):
            raise NotEstimated(
                f"{type(self).__name__}: this fit has no standard errors: they take a likelihood, at most {_MOST} "
                "columns, and no L1 penalty, after which intervals would not hold."
            )
        found: FitSums = self._sums
        return found

    def _law(self) -> Loss:
        """The likelihood of a fit."""
        self._fit_sums  # noqa: B018 (refuses what was not fitted, or not so)
        try:
            return self._likelihood()
        except (InvalidParameter, TypeError, ValueError) as error:  # changed since
            raise NotEstimated(str(error)) from None

    @derived
    def _inverse(self) -> Inverse:
        information, _ = self._kept
        scatter, mean, weight = information.scatter, information.mean, information.weight
        if not self.fit_intercept:
            scatter = scatter + weight * np.outer(mean, mean)
        return inverted(scatter, self._ridge, unit_of(np.diagonal(scatter), mean, weight))

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
        return self._fit_sums.log_density

    @property
    def _used(self) -> float:
        """The degrees of freedom that slopes and intercept use."""
        return float(self._inverse.used + self.fit_intercept)

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
        found, errors = self._inverse, np.full(np.size(self.coef_), np.nan)
        free = np.delete(np.arange(len(errors)), self._fixed)
        if found.rank == len(found.inverse):
            errors[free] = np.sqrt(self.dispersion_ * np.diagonal(found.spread))
        return errors.reshape(np.shape(self.coef_))

    @derived
    def intercept_standard_error_(self) -> float | Floats:
        """Of the intercept."""
        information, _ = self._kept
        found = self._inverse
        if not self.fit_intercept:
            return 0.0
        if found.rank < len(found.inverse):
            return np.nan
        at_zero = float(information.mean @ found.spread @ information.mean)
        return float(np.sqrt(self.dispersion_ * (1 / information.weight + at_zero)))

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
        """The covariance of the slopes and, last, of the intercept, (p + 1, p + 1); of slopes alone without one."""
        information, _ = self._kept
        found = self._inverse
        if found.rank < len(found.inverse):
            return np.full((len(found.inverse) + self.fit_intercept,) * 2, np.nan)
        return self.dispersion_ * _bordered(found.spread, information, self.fit_intercept)

    def wald_test(self, columns: Sequence[int] | Sequence[str]) -> TestResult:
        """Whether the slopes of some columns, by number or name, are all 0.

        The statistic is wᵀ Σ⁻¹ w, chi-squared, or F with a dispersion.
        """
        known = self.covariance_
        places = self._places(columns)
        slope = np.ravel(self.coef_)[places]
        statistic = float(slope @ np.linalg.solve(known[np.ix_(places, places)], slope))
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

    def robust_coefficients(
        self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None, *, level: float = 0.95
    ) -> CoefficientTable:
        """`coefficients` with errors that hold where the variance is not as the likelihood says: the sandwich H⁻¹GH⁻¹.

        X and y are the rows of the fit; G = Σ g² x xᵀ is the scatter of their gradients (HC0), H their information.
        """
        information, _ = self._kept
        opened = as_source(X, y, sample_weight, needs=self._fit_needs())
        self._check_columns(X, opened, reset=False)
        source = self._as_targets(opened)
        at = Coefficients(np.ravel(self.coef_), np.asarray(np.sum(self.intercept_)))
        loss, free = self._likelihood(), np.delete(np.arange(np.size(self.coef_)), self._fixed)

        def summarise(chunk: Chunk) -> Moments:
            squares = loss.gradient(forth(chunk.X, at.slope, at.intercept), chunk.y) ** 2
            rows = chunk.X[:, free] if len(free) < chunk.X.shape[1] else chunk.X
            return bent_moments(rows, squares if chunk.weight is None else squares * chunk.weight)

        spread = _products(source.reduce(summarise), self.fit_intercept)
        bread = _bordered(self._inverse.inverse, information, self.fit_intercept)
        variance = np.diagonal(bread @ spread @ bread)
        errors = np.full(np.size(self.coef_), np.nan)
        errors[free] = np.sqrt(variance[: len(free)])
        intercept = float(np.sqrt(variance[-1])) if self.fit_intercept else 0.0
        return CoefficientTable.with_errors(self, level, errors.reshape(np.shape(self.coef_)), intercept, np.inf)

    def _as_targets(self, source: Source) -> Source:
        """The rows with targets as the loss takes them."""
        return source

    def coefficients(self, level: float = 0.95) -> CoefficientTable:
        """Estimates with standard errors, t or z values, p values and confidence intervals."""
        return CoefficientTable.of(self, level)
