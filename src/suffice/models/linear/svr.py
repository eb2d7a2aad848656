"""Linear support vector regression."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Needs, Source
from ...engine import Outcome
from ...estimator import Attributes, ByChance, estimator
from ...holds import floats
from ...losses import EpsilonInsensitiveLoss, Loss, SquaredEpsilonInsensitiveLoss
from ...params import learned, param
from ...penalties import L2
from ...scikit_learn import Counterpart
from ...solvers import Coefficients, Problem, Solver
from ...typing import Floats
from .iterative import IterativeLinearModel, finished, strength_of
from .regressor import LinearRegressor
from .svc import LEFT_ASIDE, fastest
from .targets import target_sums


@estimator
class LinearSVR(LinearRegressor, IterativeLinearModel):
    """Linear support vector regression: minimises ½‖w‖² + C Σᵢ sᵢ max(0, |yᵢ − xᵢ·w − b| − ε), or with squares of it.

    Rows within ε count nothing. In terms of the mean loss the strength of the penalty is λ = 1 / (C Σ s).

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
    >>> model = sf.LinearSVR(epsilon=0.2).fit(X, iris["sepal_length"])
    >>> round(model.score(X, iris["sepal_length"]), 2)
    0.86
    """

    complexity = "C"

    proposed = False

    needs = Needs(target="numbers", one_target=True, scaled=True, one_hot=True, sparse=True)

    counterpart: ClassVar = Counterpart(
        "sklearn.svm",
        ignored=LEFT_ASIDE,
    )

    exemptions: ClassVar = {
        "summaries_add_up": ByChance(
            "close to a kink that is hardly rounded, a gradient magnifies the rounding of rows"
        ),
    }

    epsilon: float = param(0.0, number=True, at_least=0, below=np.inf, doc="How far off a row may be at no cost.")
    C: float = param(1.0, number=True, above=0, below=np.inf, doc="How much the rows count against the penalty.")
    loss: str = param(
        "epsilon_insensitive",
        choices=("epsilon_insensitive", "squared_epsilon_insensitive"),
        doc="What a row costs by how far it is beyond ε.",
    )
    tol: float = param(
        1e-6,
        number=True,
        at_least=0,
        doc="Stop when the objective is known, or expected, to be so close to its minimum, as a part of it.",
    )

    coef_: Floats = learned("The slopes, (d,).", holds=floats("d"))
    intercept_: Floats = learned("The intercept, (1,).", holds=floats(1))

    def _learn(self, source: Source) -> Outcome[Attributes]:
        weight = source.reduce_targets(target_sums).weight
        penalty = L2(strength_of(self.C, weight, type(self).__name__))
        _, outcome = self._minimised(source, self._loss(), penalty, self._held((len(source.schema),)), None, _shown)
        return finished(outcome, _shown)

    def _loss(self) -> Loss:
        squared = self.loss == "squared_epsilon_insensitive"
        return SquaredEpsilonInsensitiveLoss(self.epsilon) if squared else EpsilonInsensitiveLoss(self.epsilon)

    def _fastest(self, problem: Problem) -> Solver:
        return fastest(problem)


def _shown(found: Coefficients) -> Attributes:
    return {"coef_": found.slope, "intercept_": np.atleast_1d(found.intercept)}
