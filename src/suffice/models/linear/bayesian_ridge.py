"""Bayesian ridge regression, whose penalty is found by the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, Needs
from ...data.rows import is_sparse
from ...engine import Step
from ...errors import NotConverged, warn
from ...estimator import Attributes, SummaryModel, estimator
from ...holds import floats, instance, number, whole
from ...params import learned, param
from ...scikit_learn import COPY, VERBOSE, Counterpart
from ...statistics import JointMoments, Moments
from ...typing import Floats, Reals, TableLike
from .composed import PredictorOfNumbers
from .cross_validation import moments_of
from .least_squares import scatter_of

_TINY = 1e-150  # slopes or residuals of 0 have a precision without bound
_LARGEST = 1e300


@estimator
class BayesianRidge(PredictorOfNumbers, SummaryModel):
    """Ridge regression with a Gaussian prior of the slopes, whose precision λ and that of the noise, α, are estimated.

    y = x·w + b + ε with ε ~ N(0, 1/α) and w ~ N(0, I/λ); α and λ have gamma priors. MacKay's (1992) iterations for the
    evidence repeat λ = (γ + 2 λ₁) / (‖w‖² + 2 λ₂) and α = (n − γ + 2 α₁) / (Σ s r² + 2 α₂), where n is Σ s and
    γ = Σ α e / (λ + α e) of the eigenvalues e of XᵀX. Slopes are those of `Ridge` with the penalty λ / α. One pass over
    the rows; all else follows from the sums. α and λ begin in the units of the rows, so that these change nothing but
    what the priors say.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
    >>> model = sf.BayesianRidge().fit(X, iris["sepal_length"])
    >>> model.coef_.round(3), round(model.lambda_, 2)
    (array([ 0.693, -0.52 ,  0.64 ]), 2.54)
    """

    proposed = False

    counterpart: ClassVar = Counterpart(
        "sklearn.linear_model",
        ignored={"copy_X": COPY, "verbose": VERBOSE, "compute_score": "`scores_` are always there"},
    )
    needs = Needs(target="numbers", one_target=True, scaled=True, one_hot=True, sparse=True)

    max_iter: int = param(300, integer=True, at_least=1, doc="The most iterations.")
    tol: float = param(1e-3, number=True, above=0, doc="Stop when the slopes change by less, in units of spreads.")
    alpha_1: float = param(1e-6, number=True, at_least=0, at_most=1e100, doc="The shape of the gamma prior of α.")
    alpha_2: float = param(1e-6, number=True, at_least=0, at_most=1e100, doc="Its rate.")
    lambda_1: float = param(1e-6, number=True, at_least=0, at_most=1e100, doc="The shape of the gamma prior of λ.")
    lambda_2: float = param(1e-6, number=True, at_least=0, at_most=1e100, doc="Its rate.")
    alpha_init: float | None = param(
        None,
        number=True,
        at_least=1e-100,
        at_most=1e100,
        choices=(None,),
        doc="α at the start; None is 1 / the variance of y.",
    )
    lambda_init: float | None = param(
        None,
        number=True,
        at_least=1e-100,
        at_most=1e100,
        choices=(None,),
        doc="λ at the start; None is as if of one row.",
    )
    fit_intercept: bool = param(True, choices=(True, False), doc="Whether to fit an intercept.")

    alpha_: float = learned("The precision of the noise.", holds=number(above=0))
    lambda_: float = learned("The precision of the slopes.", holds=number(above=0))
    sigma_: Floats = learned("The covariance of the slopes, (d, d).", holds=floats("d", "d"))
    scores_: Floats = learned("The log evidence at each iteration.", holds=floats(None))
    n_iter_: int = learned("The number of iterations.", holds=whole(at_least=1))
    holds: ClassVar = {"summary_": instance(JointMoments), "_centre": floats("d")}

    def summarise(self, chunk: Chunk) -> JointMoments:
        return JointMoments.of(chunk.X, chunk.weight, chunk.y)

    def solve(self, summary: JointMoments) -> Step[Attributes]:
        moments, p = moments_of(summary), summary.inputs
        along = _Directions.of(moments, p, self.fit_intercept)
        a, b, scores, converged = self._precisions(along, float(moments.scatter[p, p]) / moments.weight)
        centre = moments.mean[:p] if self.fit_intercept else np.zeros(p)
        coef = along.vectors @ along.slope(b / a)
        found: Attributes = {
            "coef_": coef,
            "intercept_": float(moments.mean[p] - centre @ coef) if self.fit_intercept else 0.0,
            "alpha_": float(a),
            "lambda_": float(b),
            "sigma_": along.covariance(a, b),
            "scores_": np.array(scores),
            "n_iter_": len(scores) - 1,
            "_centre": centre,
        }
        return Step(found, -scores[-1], unfinished=not converged)

    def _precisions(self, along: _Directions, variance: float) -> tuple[float, float, list[float], bool]:
        """α and λ, the log evidence at each iteration and at the end, and whether they converged."""
        a = self.alpha_init or min(1 / max(variance, 1 / _LARGEST), _LARGEST)
        b = self.lambda_init or min(max(a * along.mean_square, 1 / _LARGEST), _LARGEST)
        scores: list[float] = []
        slope, converged = np.zeros_like(along.values), False
        while len(scores) < self.max_iter and not converged:
            before, slope = slope, along.slope(b / a)
            scores.append(self._evidence(a, b, along, slope))
            used = float(np.sum(along.values / (along.values + b / a)))
            change = along.vectors @ (before - slope) * along.spread
            converged = len(scores) > 1 and float(np.sum(np.abs(change))) <= self.tol * np.sqrt(variance)
            b = _precision(used + 2 * self.lambda_1, float(slope @ slope) + 2 * self.lambda_2)
            a = _precision(along.weight - used + 2 * self.alpha_1, along.rest(slope) + 2 * self.alpha_2)
        if not converged:
            warn(f"BayesianRidge: not converged after max_iter={self.max_iter} iterations; raise it.", NotConverged)
        return a, b, [*scores, self._evidence(a, b, along, along.slope(b / a))], converged

    def _evidence(self, a: float, b: float, along: _Directions, slope: Floats) -> float:
        """log p(y | α, λ) and the logarithms of their priors."""
        prior = self.lambda_1 * np.log(b) - self.lambda_2 * b + self.alpha_1 * np.log(a) - self.alpha_2 * a
        own = np.log(along.values) + np.log(a) - np.log(b)
        shrunk = float(np.sum(np.logaddexp(0, own)))  # Σ log (b + a e) / b
        logs = along.weight * (np.log(a) - np.log(2 * np.pi)) - shrunk
        found = float(prior + 0.5 * (logs - a * along.rest(slope) - b * float(slope @ slope)))
        return max(found, -np.finfo(float).max)

    def predict(self, X: TableLike, return_std: bool = False) -> Reals | tuple[Reals, Reals]:  # type: ignore[override]
        """The expected target of each row; with `return_std` also its standard deviation, with that of the noise."""
        check_is_fitted(self)
        means = super().predict(X)
        if not return_std:
            return means

        def spread(chunk: Chunk) -> Reals:
            rows = np.asarray(chunk.X.toarray() if is_sparse(chunk.X) else chunk.X, dtype=np.float64) - self._centre
            variance = np.einsum("np,pq,nq->n", rows, self.sigma_, rows, optimize=True)
            return np.asarray(np.sqrt(variance + 1 / self.alpha_), dtype=chunk.X.dtype)

        return means, self._rows(X, spread)


def _precision(twice_shape: float, twice_rate: float) -> float:
    """The mode of a gamma posterior, within what can be inverted."""
    return min(max(max(twice_shape, _TINY) / max(twice_rate, _TINY), 1 / _LARGEST), _LARGEST)


@dataclass(frozen=True)
class _Directions:
    """XᵀX as eigenvalues (r,) above rounding and vectors (p, r), Xᵀy along them (r,), yᵀy, and what the rows weigh.

    `spread` (p,) is the root mean square of each column.
    """

    values: Floats
    vectors: Floats
    cross: Floats
    total: float
    weight: float
    spread: Floats

    @property
    def mean_square(self) -> float:
        """Of all cells."""
        return float(np.mean(self.spread**2))

    @classmethod
    def of(cls, moments: Moments, p: int, centred: bool) -> _Directions:
        S = scatter_of(moments, centred)
        values, vectors = np.linalg.eigh(S[:p, :p])
        spanned = values > max(p * np.finfo(float).eps * float(values.max()), 0.0)
        values, vectors = values[spanned], vectors[:, spanned]
        spread = np.sqrt(S.diagonal()[:p].clip(0.0) / moments.weight)
        return cls(values, vectors, vectors.T @ S[:p, p], float(S[p, p]), moments.weight, spread)

    def slope(self, penalty: float) -> Floats:
        """The slopes of ridge regression, along the vectors."""
        return self.cross / (self.values + penalty)

    def covariance(self, a: float, b: float) -> Floats:
        """(α XᵀX + λ I)⁻¹, (p, p)."""
        V, p = self.vectors, len(self.vectors)
        inside = (V * (1 / a / (self.values + b / a))) @ V.T
        return inside if V.shape[1] == p else inside + (np.eye(p) - V @ V.T) / b

    def rest(self, slope: Floats) -> float:
        """The squares of the residuals."""
        return max(self.total - 2 * float(slope @ self.cross) + float(self.values @ slope**2), 0.0)
