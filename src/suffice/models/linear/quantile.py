"""Quantile regression."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...estimator import estimator
from ...losses import Loss, QuantileLoss
from ...params import param
from ...penalties import L1, NoPenalty, Penalty
from ...scikit_learn import Counterpart
from .composed import ComposedRegressor
from .iterative import solver_param


@estimator
class QuantileRegressor(ComposedRegressor):
    """Quantile regression: x·w + b is a quantile of the target given x, by default the median.

    Minimises Σ s ρ(y − x·w − b) / Σ s + λ ‖w‖₁ with the pinball loss ρ(r) = q r where r > 0, else (q − 1) r; λ is
    `alpha` and q is `quantile`. Found by linear programming, exactly; where many intercepts are equally good, as for
    the median of an even number of rows, the middle one is given. The rows are gathered in memory.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X, y = iris.matrix(["petal_length"]), iris["sepal_length"]
    >>> sf.QuantileRegressor(quantile=0.9, alpha=0).fit(X, y).coef_.round(4)
    array([0.4314])
    """

    complexity = "-alpha"

    proposed = False
    in_unit_of_target = True

    counterpart: ClassVar = Counterpart(
        "sklearn.linear_model",
        ignored={"solver_options": "the programme is solved to rounding"},
    )

    quantile: float = param(0.5, number=True, above=0, below=1, doc="The quantile q, between 0 and 1.")
    alpha: float = param(1.0, number=True, at_least=0, below=np.inf, doc="The strength λ of the L1 penalty; 0 is none.")

    solver: object = solver_param("highs-ds", "highs-ipm")

    def _loss(self) -> Loss:
        return QuantileLoss(self.quantile)

    def _prior(self) -> Penalty:
        return L1(self.alpha) if self.alpha > 0 else NoPenalty()
