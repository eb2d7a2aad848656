"""Regression by a power of the residuals."""

from __future__ import annotations

import numpy as np

from ...estimator import estimator
from ...losses import AbsoluteLoss, Loss, PowerLoss
from ...params import param
from ...penalties import NoPenalty, Penalty
from .composed import ComposedRegressor


@estimator
class LpRegressor(ComposedRegressor):
    """Regression by any power of the residuals, Σ s |y − x·w − b|ᵖ / (p Σ s): p = 2 is least squares, p = 1 the median.

    Large p heed the largest residuals. p = 1 is exact, by linear programming; otherwise Newton's method, below 2 with
    parabolas above the loss (iteratively reweighted least squares), which takes many iterations near 1. With p < 1 it
    is not convex: what is found depends on the start, which is a constant, or with `warm_start` the last fit.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X, y = iris.matrix(["petal_length"]), iris["sepal_length"]
    >>> [float(sf.LpRegressor(p).fit(X, y).coef_[0].round(4)) for p in (1, 1.5, 2, 4)]
    [0.3889, 0.403, 0.4089, 0.4069]
    """

    proposed = False
    units = "columns"
    in_unit_of_target = True

    p: float = param(1.5, positional=True, number=True, above=0, below=np.inf, doc="The power of the residuals.")

    def _loss(self) -> Loss:
        return AbsoluteLoss() if self.p == 1 else PowerLoss(self.p)

    def _prior(self) -> Penalty:
        return NoPenalty()
