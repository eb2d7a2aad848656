"""Support vector regression by the share of errors."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...backend.smo import Programme, Solved
from ...estimator import estimator
from ...params import param
from ...scikit_learn import Counterpart
from ...typing import Floats
from .sums import filled
from .support_vector_regressor import SupportVectorRegressor
from .support_vectors import LEFT_ASIDE


@estimator
class NuSVR(SupportVectorRegressor):
    """Support vector regression by ν: ε is chosen such that at most a share ν of the rows is further off than that.

    It minimises ½‖w‖² + C (ν ε Σ s + Σᵢ sᵢ max(0, |yᵢ − w·φ(xᵢ) − b| − ε)), in ε as well.

    Examples
    --------
    >>> import suffice as sf
    >>> x = np.linspace(0, 6, 50)[:, None]
    >>> model = sf.NuSVR(nu=0.2, C=10).fit(x, np.sin(x[:, 0]))
    >>> round(model.score(x, np.sin(x[:, 0])), 2)
    1.0
    """

    complexity = "C"

    proposed = False

    counterpart: ClassVar = Counterpart("sklearn.svm", ignored=LEFT_ASIDE)

    C: float = param(1.0, number=True, above=0, below=np.inf, doc="How much errors cost.")
    nu: float = param(
        0.5, number=True, above=0, at_most=1, positional=True, doc="The share of errors, and of support vectors."
    )

    def _programme(self, y: Floats, cost: Floats) -> tuple[Programme, Floats]:
        """Two variables a row, above and below it; each kind has a sum that stays."""
        n, zero = len(y), np.zeros(len(y))
        rows, bounds = np.tile(np.arange(n), 2), (np.concatenate([zero, -cost]), np.concatenate([cost, zero]))
        above = filled(cost, self.nu * float(cost.sum()) / 2)
        return Programme(rows, np.tile(y, 2), *bounds, 0.0, n), np.concatenate([above, -above])

    def _plane(self, found: Solved) -> tuple[Floats, float]:
        above, below = np.split(found.a, 2)
        return above + below, sum(found.levels) / 2
