"""Support vector regression."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...backend.smo import Programme, Solved
from ...estimator import estimator
from ...params import param
from ...scikit_learn import Counterpart
from ...typing import Floats
from .support_vector_regressor import SupportVectorRegressor
from .support_vectors import LEFT_ASIDE


@estimator
class SVR(SupportVectorRegressor):
    """Support vector regression: minimises ½‖w‖² + C Σᵢ sᵢ max(0, |yᵢ − w·φ(xᵢ) − b| − ε), where φ(x)·φ(x′) = k(x, x′).

    Rows within ε count nothing; those that are not are the support vectors. Its dual, which is solved, has one variable
    a row: minimise ½ Σᵢⱼ βᵢβⱼ k(xᵢ, xⱼ) − Σᵢ yᵢβᵢ + ε Σᵢ |βᵢ| with Σ βᵢ = 0 and |βᵢ| ≤ C sᵢ.

    Examples
    --------
    >>> import suffice as sf
    >>> x = np.linspace(0, 6, 50)[:, None]
    >>> model = sf.SVR(C=10, epsilon=0.1).fit(x, np.sin(x[:, 0]))
    >>> bool(np.abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.11), len(model.support_)
    (True, 6)
    """

    complexity = "C"

    proposed = True
    most_rows = 10_000

    counterpart: ClassVar = Counterpart("sklearn.svm", ignored=LEFT_ASIDE)

    epsilon: float = param(0.1, number=True, at_least=0, below=np.inf, doc="How far off a row may be at no cost.")

    def _programme(self, y: Floats, cost: Floats) -> tuple[Programme, Floats]:
        return Programme(np.arange(len(y)), y, -cost, cost, float(self.epsilon), len(y)), np.zeros(len(y))

    def _plane(self, found: Solved) -> tuple[Floats, float]:
        return found.a, found.levels[0]
