"""Ridge regression."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from ...data import Needs, Source
from ...engine import Outcome
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import instance, number, sometimes
from ...params import are_numbers, numbers, param
from ...scikit_learn import COPY, Counterpart
from ...typing import Floats
from .base import ClosedFormRegression
from .paths import CrossValidatedPath
from .ridge_validation import ridge_validated


@estimator
class Ridge(ClosedFormRegression):
    """Least squares with an L2 penalty: minimises Σ w (y − b₀ − xᵀb)² + α ‖b‖², from the same moments as least squares.

    The same as a Gaussian prior on b with variance σ²/α. Standard errors are those of the penalised estimate,
    √(σ² A Sxx A) with A = (Sxx + αI)⁻¹; they do not include its bias. With `alpha="cv"` strengths are compared by
    cross-validation over folds that are moments: what a fold learns from is the sum of the others. `cv_path_` holds the
    errors for λ = α / Σ w, beside the mean loss, and `alpha_` the α that was chosen.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
    >>> sf.Ridge(alpha=2.5).fit(X, iris["sepal_length"]).coef_.round(4)
    array([ 0.5915, -0.3047,  0.5586])
    """

    complexity = "-alpha"

    counterpart: ClassVar = Counterpart(
        "sklearn.linear_model",
        ignored={
            "copy_X": COPY,
            "max_iter": "the solution is exact",
            "random_state": "nothing is drawn",
            "tol": "the solution is exact",
        },
    )

    needs = Needs(target="numbers", scaled=True, one_hot=True, sparse=True)

    alpha: Any = param(
        1.0,
        positional=True,
        number=True,
        at_least=0,
        choices=("cv",),
        accept=lambda value: are_numbers(value, 1),
        allowed="a list of one such number a target",
        doc="The strength of the penalty; 0 is ordinary least squares, cv chooses it by cross-validation.",
    )
    solver: str = param(
        "auto",
        choices=("auto", "moments", "qr", "cholesky", "lbfgs", "lsqr", "sag", "saga", "sparse_cg", "svd"),
        doc="Normal equations, or the QR summary, slower and exact; auto takes qr where the columns need it. "
        "Scikit-learn's other names are ways to the same slopes, and taken as auto.",
    )
    folds: int = param(5, integer=True, at_least=2, doc="The number of folds of cross-validation.")
    rule: str = param(
        "min",
        choices=("min", "1se"),
        doc="What cross-validation chooses: the least error, or the largest α within one standard error of it.",
    )
    n_alphas: int = param(100, integer=True, at_least=2, doc="How many strengths cross-validation compares.")

    holds: ClassVar = {
        "alpha_": sometimes(number(at_least=0)),
        "cv_path_": sometimes(instance(CrossValidatedPath)),
    }

    def _learn(self, source: Source) -> Outcome[Attributes]:
        if not isinstance(self.alpha, str):
            return super()._learn(source)
        if self.positive:
            raise InvalidParameter("Ridge: alpha='cv' compares slopes of either sign; for positive=True give a number.")
        found = ridge_validated(source, self.fit_intercept, self.folds, self.n_alphas, self.rule)
        chosen = clone(self).set_params(alpha=found.alpha * found.weight.sum())  # of the sum, not of the mean
        chosen.n_features_in_ = self.n_features_in_
        outcome: Outcome[Attributes] = chosen._learn(source)
        return outcome.then(lambda state: {**state, "alpha_": float(chosen.alpha), "cv_path_": found})

    def _penalty(self, q: int) -> Floats:
        if isinstance(self.alpha, str):
            if not hasattr(self, "alpha_"):
                raise InvalidParameter("Ridge: alpha='cv' needs all rows at once; call fit, or give a number.")
            return np.full(q, self.alpha_)
        if np.ndim(self.alpha) == 0:
            return np.full(q, self.alpha, dtype=np.float64)
        count = q if len(self.alpha) != 1 else 1
        alpha = numbers("Ridge", "alpha", self.alpha, (count,), "one number, or one for each target")
        if np.any(alpha < 0):
            raise InvalidParameter(f"Ridge: alpha must be at least 0; got {self.alpha!r}.")
        return np.broadcast_to(alpha, (q,))
