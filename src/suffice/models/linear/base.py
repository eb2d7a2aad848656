"""The estimator behind every closed-form linear regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ... import backend
from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...errors import IllConditioned, warn
from ...estimator import Attributes, Regressor, SummaryModel, declares
from ...holds import either, floats, instance, number, require
from ...params import learned, param
from ...statistics import JointMoments
from ...typing import Floats, Reals, TableLike
from .coefficients import CoefficientTable
from .least_squares import LeastSquares, solve

# Above this condition number of the scaled columns the normal equations would cost more than six of the sixteen
# digits, and `auto` makes a second pass for the QR summary.
CONDITION_LIMIT = 1e3
_ERRORS = either(floats("d", finite=False), floats("targets", "d", finite=False))
_EACH = either(number(finite=False), floats("targets", finite=False))


@declares
class ClosedFormRegression(Regressor, SummaryModel):
    """Linear regression whose summary is the moments of [X | Y]."""

    needs = Needs(target="numbers", one_hot=True)

    fit_intercept: bool = param(
        True, choices=(True, False), doc="Whether to fit an intercept, which no penalty touches."
    )
    solver: str = param(
        "auto",
        choices=("auto", "moments", "qr"),
        doc="Normal equations, or the QR summary, slower and exact; auto takes qr where the columns need it.",
    )

    coef_: Floats = learned("The slopes, (d,), or (targets, d).", holds=either(floats("d"), floats("targets", "d")))
    intercept_: float | Floats = learned("The intercept, or one a target.", holds=either(number(), floats("targets")))
    noise_variance_: float | Floats = learned(
        "Residual squares divided by the degrees of freedom, one a target.", holds=_EACH
    )
    standard_errors_: Floats = learned(
        "Of the slopes, in the shape of `coef_`; NaN for dependent columns.", holds=_ERRORS
    )
    intercept_standard_error_: float | Floats = learned("Of the intercept.", holds=_EACH)
    degrees_of_freedom_: float | Floats = learned("Σw less what the slopes and the intercept use.", holds=_EACH)
    rank_: int = learned("The numerical rank of the columns.")
    condition_: float = learned("The condition number of the columns scaled to length 1.", holds=number(finite=False))
    holds: ClassVar = {"summary_": instance(JointMoments)}

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.summary_.inputs == self.n_features_in_, "summary_ must have the columns of the fit")
        flat = self.summary_.targets == ()
        require(self.coef_.shape[:-1] == self.summary_.targets, "coef_ must have a row for each target")
        require(self.standard_errors_.shape == self.coef_.shape, "standard_errors_ must have the shape of coef_")
        require(not flat or np.ndim(self.intercept_) == 0, "intercept_ must be one number for one target")

    def _penalty(self, q: int) -> Floats:
        """α of each of the q targets."""
        return np.zeros(q)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solve_source(source))

    def _solve_source(self, source: Source) -> Step[Attributes]:
        step = self._solved(source.reduce(self.summarise))
        if step.state["condition_"] > CONDITION_LIMIT and self.solver == "auto":
            exact = self._solved(source.reduce(_rooted))
            step = Step({**exact.state, "summary_": step.state["summary_"]}, exact.objective)
        self._warn(step.state["rank_"])
        return step

    def summarise(self, chunk: Chunk) -> JointMoments:
        return _rooted(chunk) if self.solver == "qr" else _moments(chunk)

    def solve(self, summary: JointMoments) -> Step[Attributes]:
        alpha = self._penalty(int(np.prod(summary.targets, dtype=int)))
        found = solve(summary.moments, summary.inputs, alpha, self.fit_intercept)
        objective = float(np.sum(found.residual) + np.sum(alpha * np.sum(found.slope**2, axis=0)))
        return Step(self._attributes(found, summary), objective)

    def _warn(self, rank: int) -> None:
        if rank < self.n_features_in_:
            warn(
                f"{type(self).__name__}: the {self.n_features_in_} columns have rank {rank}; many coefficients fit "
                "equally well, and the smallest ones are given, without standard errors. Drop columns, or use Ridge.",
                IllConditioned,
            )

    def _update(self, opened: Callable[[], Source], merge: Callable[[Any, Any], object]) -> Self:
        super()._update(opened, merge)
        if self.summary_.moments.weight > self.n_features_in_ + 1:  # else more rows are still to come
            self._warn(self.rank_)
        return self

    def _attributes(self, found: LeastSquares, summary: JointMoments) -> Attributes:
        p, weight = summary.inputs, summary.moments.weight
        mean = summary.moments.mean[:p]
        freedom = weight - found.used - self.fit_intercept
        noise = np.where(freedom > 1e-9, found.residual / np.where(freedom > 1e-9, freedom, 1.0), np.nan)
        known = noise if found.rank == p else np.full_like(noise, np.nan)
        errors = np.sqrt(known[:, None] * np.einsum("qpp->qp", found.spread))
        at_zero = np.einsum("p,qpr,r->q", mean, found.spread, mean)
        intercept_error = np.sqrt(known * (1 / weight + at_zero)) if self.fit_intercept else np.zeros_like(noise)
        flat = summary.targets == ()
        number = (lambda values: float(values[0])) if flat else (lambda values: values)
        return {
            "coef_": found.slope[:, 0] if flat else np.ascontiguousarray(found.slope.T),
            "intercept_": number(found.intercept) if self.fit_intercept else 0.0,
            "noise_variance_": number(noise),
            "standard_errors_": errors[0] if flat else errors,
            "intercept_standard_error_": number(intercept_error),
            "degrees_of_freedom_": number(freedom),
            "rank_": found.rank,
            "condition_": found.condition,
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def predict(self, X: TableLike) -> Reals:
        """The expected target of each row, X coef + intercept."""
        check_is_fitted(self)
        slope = np.ascontiguousarray(np.atleast_2d(self.coef_).T)
        offset = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), slope.shape[1:]).copy()
        flat = self.coef_.ndim == 1

        def predict(chunk: Chunk) -> Reals:
            fitted: Reals = backend.affine(chunk.X, None, slope, offset)
            return fitted[:, 0] if flat else fitted

        return self._rows(X, predict, late=True)

    def coefficients(self, level: float = 0.95) -> CoefficientTable:
        """Estimates with standard errors, t values, p values and confidence intervals."""
        return CoefficientTable.of(self, level)


def _moments(chunk: Chunk) -> JointMoments:
    return JointMoments.of(chunk.X, chunk.weight, chunk.y)


def _rooted(chunk: Chunk) -> JointMoments:
    return JointMoments.of(chunk.X, chunk.weight, chunk.y, rooted=True)
