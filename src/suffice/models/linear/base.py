"""The estimator behind every closed-form linear regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Self

import numpy as np
from sklearn.utils import Tags

from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...errors import IllConditioned, InvalidData, NotEstimated, warn
from ...estimator import Attributes, SummaryModel, declares
from ...holds import flag, floats, instance, require, sometimes
from ...losses import SquaredLoss
from ...params import derived, learned, param
from ...resampling.left_out_rows import TOLERANCE, LeftOutRows
from ...resampling.press import Press
from ...solvers import Coefficients
from ...statistics import JointMoments, Moments, RootMoments, SparseRows
from ...typing import Floats
from .coefficients import CoefficientTable
from .intervals import HasIntervals
from .inverse import underflows, with_intercept
from .least_squares import LeastSquares, solve
from .non_negative import non_negative
from .regressor import LinearRegressor
from .robust import HasRobustErrors
from .sandwich import Kind, sandwich
from .targets import one_target
from .uncertainty import Uncertainty, condition, inverse_of, uncertainty, whole_inverse


@declares
class ClosedFormRegression(LinearRegressor, HasRobustErrors, HasIntervals, SummaryModel):
    """Linear regression whose summary is the moments of [X | Y]."""

    needs = Needs(target="numbers", one_hot=True, sparse=True)
    in_unit_of_target = True

    fit_intercept: bool = param(
        True, choices=(True, False), doc="Whether to fit an intercept, which no penalty touches."
    )
    solver: str = param(
        "auto",
        choices=("auto", "moments", "qr"),
        doc="Normal equations, or the QR summary, slower and exact; auto takes qr where the columns need it.",
    )
    positive: bool = param(
        False, choices=(True, False), doc="Whether no slope may be below 0; there are no standard errors then."
    )

    rank_: int = learned("The numerical rank of the columns.")
    holds: ClassVar = {
        "summary_": instance(JointMoments),
        "_residual": sometimes(floats("each", at_least=0)),
        "_alpha": sometimes(floats("each", at_least=0)),
        "_centred": sometimes(flag()),
        "_positive": sometimes(flag()),
        "_well_conditioned": sometimes(flag()),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        targets = self.summary_.targets
        if not hasattr(self, "_alpha"):  # a file of an earlier version
            self.__dict__ |= {k: v for k, v in self.solve(self.summary_).state.items() if k.startswith("_")}
        require(self.summary_.inputs == self.n_features_in_, "summary_ must have the columns of the fit")
        require(self.coef_.shape[:-1] == targets, "coef_ must have a row for each target")
        require(len(self._alpha) == int(np.prod(targets, dtype=int)), "_alpha must have a number for each target")
        require(targets != () or np.ndim(self.intercept_) == 0, "intercept_ must be one number for one target")

    def _penalty(self, q: int) -> Floats:
        """α of each of the q targets."""
        return np.zeros(q)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solve_source(source))

    def _solve_source(self, source: Source) -> Step[Attributes]:
        auto = self.solver not in ("moments", "qr")
        by_rows = auto and source.is_wide
        step = self._solved(source.reduce(_rooted if by_rows or self.solver == "qr" else _moments))
        if not step.state["_well_conditioned"] and auto:
            step = self._solved(source.reduce(_rooted))
        self._warn(step.state["rank_"], step.state["summary_"].moments)
        return step

    def summarise(self, chunk: Chunk) -> JointMoments:
        held = getattr(self, "summary_", None)  # whose form new rows take on
        return JointMoments.of(chunk.X, chunk.weight, chunk.y, rooted=self.solver == "qr", like=held)

    def solve(self, summary: JointMoments) -> Step[Attributes]:
        alpha = self._penalty(int(np.prod(summary.targets, dtype=int)))
        solved = non_negative if self.positive else solve
        with np.errstate(over="ignore", invalid="ignore"):
            found = solved(summary.moments, summary.inputs, alpha, self.fit_intercept)
        if not np.isfinite(found.slope).all():
            raise InvalidData(
                f"{type(self).__name__}: slopes are larger than any number, as some columns are so small; scale the "
                "columns up."
            )
        objective = float(np.sum(found.residual) + np.sum((np.sqrt(alpha) * found.slope) ** 2))
        return Step(self._attributes(found, summary, alpha), objective)

    def _left_out(self, source: Source) -> LeftOutRows | None:
        rows, moments = source.in_memory, self.summary_.moments
        chosen = self.positive or isinstance(getattr(self, "alpha", 0.0), str)  # each fit chooses anew
        if rows is None or not isinstance(moments, Moments) or chosen or np.ptp(self._alpha) > 0:
            return None
        if self.rank_ < self.n_features_in_:
            return None
        y = rows.y[:, None] if rows.y.ndim == 1 else rows.y
        press = Press(moments, np.atleast_2d(self.coef_).T, float(self._alpha[0]), self.fit_intercept)
        try:
            found, left = press.predicted(rows.X, y, rows.weight)
        except np.linalg.LinAlgError:  # columns that depend on one another
            return None
        with np.errstate(divide="ignore"):
            lost = np.finfo(np.float64).eps * self.condition_**2 / np.maximum(left, 0.0)
        found = found.reshape(rows.y.shape).astype(rows.X.dtype, copy=False)
        return LeftOutRows({"predicted": found}, lost <= TOLERANCE)

    def _warn(self, rank: int, summary: Moments | RootMoments | SparseRows) -> None:
        if isinstance(summary, Moments) and underflows(summary.scatter[: self.n_features_in_], above=0.0):
            warn(
                f"{type(self).__name__}: some columns are so small that their squares have lost digits, and the slopes "
                "with them. Scale the columns up, or take solver='qr'.",
                IllConditioned,
            )
        if rank < self.n_features_in_:
            warn(
                f"{type(self).__name__}: the {self.n_features_in_} columns have rank {rank}; many coefficients fit "
                "equally well, and the smallest ones are given, without standard errors for columns that others "
                "determine. Drop columns, or use Ridge.",
                IllConditioned,
            )

    def _update(self, opened: Callable[[], Source], merge: Callable[..., object]) -> Self:
        super()._update(opened, merge)
        if self.summary_.moments.weight > self.n_features_in_ + 1:  # else more rows are still to come
            self._warn(self.rank_, self.summary_.moments)
        return self

    def _attributes(self, found: LeastSquares, summary: JointMoments, alpha: Floats) -> Attributes:
        flat = summary.targets == ()
        return {
            "coef_": found.slope[:, 0] if flat else np.ascontiguousarray(found.slope.T),
            "intercept_": (float(found.intercept[0]) if flat else found.intercept) if self.fit_intercept else 0.0,
            "rank_": found.rank,
            "_residual": found.residual,
            "_alpha": np.array(alpha),
            "_centred": self.fit_intercept,
            "_positive": self.positive,
            "_well_conditioned": found.well_conditioned,
        }

    # -- what is computed when it is read ---------------------------------------------------------------------------
    @derived
    def _uncertainty(self) -> Uncertainty:
        return uncertainty(self.summary_.moments, self.n_features_in_, self._alpha, self._centred)

    @derived
    def _freedom(self) -> Floats:
        """Σw less what the slopes and the intercept use, of each target."""
        used = self._uncertainty.used if self._alpha.any() else np.full(len(self._alpha), float(self.rank_))
        if self._constrained:
            used = np.count_nonzero(np.atleast_2d(self.coef_), axis=1).astype(float)
        return np.asarray(self.summary_.moments.weight - used - self._centred)

    @derived
    def _noise(self) -> Floats:
        some = self._freedom > 1e-9
        return np.where(some, self._residual / np.where(some, self._freedom, 1.0), np.nan)

    @property
    def _constrained(self) -> bool:
        """Whether no slope of the fit could be below 0."""
        return bool(getattr(self, "_positive", False))

    @property
    def _known_noise(self) -> Floats:
        """The noise variance where slopes may have either sign; else NaN."""
        return np.full_like(self._noise, np.nan) if self._constrained else self._noise

    def _each(self, values: Floats) -> float | Floats:
        """One number for one target."""
        return float(values[0]) if self.summary_.targets == () else values

    @derived
    def noise_variance_(self) -> float | Floats:
        """Residual squares divided by the degrees of freedom, one a target."""
        return self._each(self._noise)

    @derived
    def degrees_of_freedom_(self) -> float | Floats:
        """Σw less what the slopes and the intercept use."""
        return self._each(self._freedom)

    @property
    def _t_freedom(self) -> float | Floats:
        return self.degrees_of_freedom_

    @derived
    def standard_errors_(self) -> Floats:
        """Of the slopes, in the shape of `coef_`; NaN for dependent columns."""
        noise = self._known_noise
        if np.isnan(noise).all():
            return np.full(self.coef_.shape, np.nan)
        found = np.sqrt(noise[:, None] * self._uncertainty.slopes)
        return np.where(np.isfinite(found), found, np.nan).reshape(self.coef_.shape)

    @derived
    def intercept_standard_error_(self) -> float | Floats:
        """Of the intercept; NaN where columns that depend on each other do not determine it."""
        noise, found = self._known_noise, np.zeros(len(self._alpha))
        if self._centred and np.isnan(noise).all():
            found = noise
        elif self._centred:
            found = np.sqrt(noise * (1 / self.summary_.moments.weight + self._uncertainty.at_zero))
        return self._each(found)

    @derived
    def condition_(self) -> float:
        """The condition number of the columns scaled to length 1."""
        return condition(self.summary_.moments, self.n_features_in_, float(self._alpha.min()), self._centred)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _robust_errors(self, source: Source, kind: Kind) -> tuple[Floats, float | Floats]:
        moments, p, q = self.summary_.moments, self.n_features_in_, len(self._alpha)
        errors = np.full((q, p + self._centred), np.nan)
        slopes, intercepts = np.atleast_2d(self.coef_), np.broadcast_to(self.intercept_, q)
        for k in range(q if np.isfinite(self._known_noise).any() else 0):
            bread = whole_inverse(moments, p, float(self._alpha[k]), self._centred)
            if self._centred:
                bread = with_intercept(bread, moments.mean[:p], moments.weight)
            own = source if self.summary_.targets == () else one_target(source, k)
            at = Coefficients(slopes[k], np.asarray(intercepts[k]))
            variance = np.where(
                bread.known, sandwich(own, SquaredLoss(), at, np.arange(p), bread.inverse, kind), np.nan
            )
            errors[k] = np.sqrt(variance * (moments.weight / self._freedom[k] if kind == "HC1" else 1.0))
        return errors[:, :p].reshape(self.coef_.shape), self._each(errors[:, -1]) if self._centred else 0.0

    def _predictor(self, chunk: Chunk) -> Floats:
        return np.asarray(self._predictions()(chunk), dtype=np.float64)

    def _variances_of_rows(self) -> Callable[[Floats], Floats]:
        if self._constrained:
            raise NotEstimated(f"{type(self).__name__}: with positive=True no errors are known, and no intervals.")
        moments, p = self.summary_.moments, self.n_features_in_
        values, at = np.unique(self._alpha, return_inverse=True)
        each = [inverse_of(moments, p, float(alpha), self._centred) for alpha in values]
        centre, level = (moments.mean[:p], 1 / moments.weight) if self._centred else (0.0, 0.0)

        def variances(rows: Floats) -> Floats:
            found = np.column_stack([level + part.variance_of(rows - centre) for part in each])[:, at] * self._noise
            return found[:, 0] if self.summary_.targets == () else found

        return variances

    def _noise_of_targets(self) -> float | Floats:
        return self.noise_variance_

    def coefficients(self, level: float = 0.95) -> CoefficientTable:
        """Estimates with standard errors, t values, p values and confidence intervals."""
        return CoefficientTable.of(self, level)


def _moments(chunk: Chunk) -> JointMoments:
    return JointMoments.of(chunk.X, chunk.weight, chunk.y)


def _rooted(chunk: Chunk) -> JointMoments:
    return JointMoments.of(chunk.X, chunk.weight, chunk.y, rooted=True)
