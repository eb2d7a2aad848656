"""Ridge regression."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...data import Needs
from ...errors import InvalidParameter
from ...estimator import estimator
from ...params import are_numbers, numbers, param
from ...scikit_learn import COPY, Counterpart
from ...typing import Floats
from .base import ClosedFormRegression


@estimator
class Ridge(ClosedFormRegression):
    """Least squares with an L2 penalty: minimises Σ w (y − b₀ − xᵀb)² + α ‖b‖², from the same moments as least squares.

    The same as a Gaussian prior on b with variance σ²/α. Standard errors are those of the penalised estimate,
    √(σ² A Sxx A) with A = (Sxx + αI)⁻¹; they do not include its bias.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
    >>> sf.Ridge(alpha=2.5).fit(X, iris["sepal_length"]).coef_.round(4)
    array([ 0.5915, -0.3047,  0.5586])
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.linear_model",
        ignored={
            "copy_X": COPY,
            "max_iter": "the solution is exact",
            "random_state": "nothing is drawn",
            "tol": "the solution is exact",
        },
        absent={"positive": "coefficients may have either sign"},
    )

    needs = Needs(target="numbers", scaled=True, one_hot=True, sparse=True)

    alpha: Any = param(
        1.0,
        positional=True,
        number=True,
        at_least=0,
        accept=lambda value: are_numbers(value, 1),
        allowed="a list of one such number a target",
        doc="The strength of the penalty; 0 is ordinary least squares.",
    )

    def _penalty(self, q: int) -> Floats:
        if np.ndim(self.alpha) == 0:
            return np.full(q, self.alpha, dtype=np.float64)
        count = q if len(self.alpha) != 1 else 1
        alpha = numbers("Ridge", "alpha", self.alpha, (count,), "one number, or one for each target")
        if np.any(alpha < 0):
            raise InvalidParameter(f"Ridge: alpha must be at least 0; got {self.alpha!r}.")
        return np.broadcast_to(alpha, (q,))
