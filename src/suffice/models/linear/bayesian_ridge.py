"""Bayesian ridge regression, whose penalty is found by the evidence."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, Needs
from ...engine import Step
from ...errors import NotConverged, warn
from ...estimator import Attributes, SummaryModel, estimator
from ...holds import floats, instance, number, whole
from ...params import learned, param
from ...scikit_learn import COPY, VERBOSE, Counterpart
from ...statistics import JointMoments, Moments
from ...typing import Floats, Reals, TableLike
from .composed import PredictorOfNumbers
from .least_squares import scatter_of

_TINY = 1e-150  # slopes or residuals of 0 have a precision without bound
_LARGEST = 1e300


@estimator
class BayesianRidge(PredictorOfNumbers, SummaryModel):
    """Ridge regression with a Gaussian prior of the slopes, whose precision λ and that of the noise, α, are estimated.

    y = x·w + b + ε with ε ~ N(0, 1/α) and w ~ N(0, I/λ); α and λ have gamma priors. MacKay's (1992) iterations for the
    evidence repeat λ = (γ + 2 λ₁) / (‖w‖² + 2 λ₂) and α = (n − γ + 2 α₁) / (Σ s r² + 2 α₂), where n is Σ s and
    γ = Σ α e / (λ + α e) of the eigenvalues e of XᵀX. Slopes are those of `Ridge` with the penalty λ / α. One pass over
    the rows; all else follows from the sums.

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
    needs = Needs(target="numbers", one_target=True, scaled=True, one_hot=True)

    max_iter: int = param(300, integer=True, at_least=1, doc="The most iterations.")
    tol: float = param(1e-3, number=True, above=0, doc="Stop when the slopes change by less than this in all.")
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
        None, number=True, at_least=1e-100, at_most=1e100, choices=(None,), doc="λ at the start; None is 1."
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
        moments = summary.moments
        assert isinstance(moments, Moments)
        S, n, p, eps = scatter_of(moments, self.fit_intercept), moments.weight, summary.inputs, np.finfo(float).eps
        values, vectors = np.linalg.eigh(S[:p, :p])
        spanned = values > max(p * eps * float(values.max()), 0.0)  # along the others there is nothing but rounding
        values, vectors = values[spanned], vectors[:, spanned]
        along, total = vectors.T @ S[:p, p], float(S[p, p])
        a = self.alpha_init or 1 / (float(moments.scatter[p, p]) / n + eps)
        b = self.lambda_init or 1.0
        scores: list[float] = []
        slope, converged = np.zeros(len(values)), False
        for _ in range(self.max_iter):
            before, slope = slope, along / (values + b / a)
            rest = max(total - 2 * float(slope @ along) + float(values @ slope**2), 0.0)
            scores.append(self._evidence(a, b, values, slope, rest, n))
            used = float(np.sum(values / (values + b / a)))
            converged = len(scores) > 1 and float(np.sum(np.abs(vectors @ (before - slope)))) < self.tol
            b = _precision(used + 2 * self.lambda_1, float(slope @ slope) + 2 * self.lambda_2)
            a = _precision(n - used + 2 * self.alpha_1, rest + 2 * self.alpha_2)
            if converged:
                break
        if not converged:
            warn(f"BayesianRidge: not converged after max_iter={self.max_iter} iterations; raise it.", NotConverged)
        slope = along / (values + b / a)
        rest = max(total - 2 * float(slope @ along) + float(values @ slope**2), 0.0)
        scores.append(self._evidence(a, b, values, slope, rest, n))
        centre = moments.mean[:p] if self.fit_intercept else np.zeros(p)
        coef = vectors @ slope
        found: Attributes = {
            "coef_": coef,
            "intercept_": float(moments.mean[p] - centre @ coef) if self.fit_intercept else 0.0,
            "alpha_": float(a),
            "lambda_": float(b),
            "sigma_": (np.eye(p) - (vectors * (values / (values + b / a))) @ vectors.T) / b,
            "scores_": np.array(scores),
            "n_iter_": len(scores) - 1,
            "_centre": centre,
        }
        return Step(found, -scores[-1], unfinished=not converged)

    def _evidence(self, a: float, b: float, values: Floats, slope: Floats, rest: float, n: float) -> float:
        """log p(y | α, λ) and the logarithms of their priors."""
        prior = self.lambda_1 * np.log(b) - self.lambda_2 * b + self.alpha_1 * np.log(a) - self.alpha_2 * a
        shrunk = float(np.sum(np.logaddexp(0, np.log(values) + np.log(a) - np.log(b))))  # Σ log (b + a e) / b
        logs = n * np.log(a) - shrunk - n * np.log(2 * np.pi)
        found = float(prior + 0.5 * (logs - a * rest - b * float(slope @ slope)))
        return max(found, -np.finfo(float).max)

    def predict(self, X: TableLike, return_std: bool = False) -> Reals | tuple[Reals, Reals]:  # type: ignore[override]
        """The expected target of each row; with `return_std` also its standard deviation, with that of the noise."""
        check_is_fitted(self)
        means = super().predict(X)
        if not return_std:
            return means

        def spread(chunk: Chunk) -> Reals:
            rows = np.asarray(chunk.X, dtype=np.float64) - self._centre
            variance = np.einsum("np,pq,nq->n", rows, self.sigma_, rows, optimize=True)
            return np.asarray(np.sqrt(variance + 1 / self.alpha_), dtype=chunk.X.dtype)

        return means, self._rows(X, spread)


def _precision(twice_shape: float, twice_rate: float) -> float:
    """The mode of a gamma posterior, within what can be inverted."""
    return min(max(max(twice_shape, _TINY) / max(twice_rate, _TINY), 1 / _LARGEST), _LARGEST)
