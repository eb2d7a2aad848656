"""Linear support vector machines for classes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Source
from ...engine import Outcome
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...losses import CrammerSingerLoss, HingeLoss, Loss, SquaredHingeLoss
from ...params import param
from ...penalties import L1, L2, Penalty
from ...scikit_learn import VERBOSE, Counterpart
from ...solvers import SOLVERS, DualFirst, Problem, Solver
from ...solvers.small import are_few
from .composed_classifier import ComposedClassifier
from .iterative import strength_of

_FEW = 500  # columns whose Hessian is small
_SQUARE = 4  # rows a column: Newton's method takes many more of a smooth loss in fewer passes than their dual

LEFT_ASIDE = {
    "dual": "it says how the work is done",
    "intercept_scaling": "no penalty touches the intercept, which scikit-learn's class penalises as if it were "
    "the slope of a column of that value",
    "random_state": "the order of rows is always the same",
    "verbose": VERBOSE,
}


@estimator
class LinearSVC(ComposedClassifier):
    """A linear support vector machine: minimises ½‖w‖² + C Σᵢ sᵢ ℓ(yᵢ (xᵢ·w + b)).

    The loss of a margin m is ℓ = max(0, 1 − m), or its square; the penalty may be ‖w‖₁ instead. In terms of the mean
    loss the strength of the penalty is λ = 1 / (C Σ s). Several classes are each learned against all others, or all at
    once with `multi_class="crammer_singer"`. The squared loss is minimised by Newton's method, from any source; the
    hinge loss by the same with rounded kinks where columns are few, else by dual coordinate descent; so is Crammer and
    Singer's, by rounded maxima where rows are few.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.LinearSVC(loss="hinge").fit(iris.matrix(), iris["species"] == "virginica")
    >>> round(model.score(iris.matrix(), iris["species"] == "virginica"), 2)
    0.99
    """

    complexity = "C"

    proposed = False

    counterpart: ClassVar = Counterpart(
        "sklearn.svm",
        ignored=LEFT_ASIDE,
    )

    penalty: str = param(
        "l2", choices=("l2", "l1"), doc="What slopes cost: ½‖w‖², or ‖w‖₁ with the squared hinge loss."
    )
    loss: str = param("squared_hinge", choices=("squared_hinge", "hinge"), doc="The loss ℓ of the margin.")
    C: float = param(1.0, number=True, above=0, below=np.inf, doc="How much the rows count against the penalty.")
    multi_class: str = param(
        "ovr",
        choices=("ovr", "crammer_singer"),
        doc="Each class against all others, or all at once, ℓ = max_c (η_c + [c ≠ y]) − η_y, whatever `loss` is.",
    )
    tol: float = param(
        1e-6,
        number=True,
        at_least=0,
        doc="Stop when the objective is known, or expected, to be so close to its minimum, as a part of it.",
    )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        at_once = self.multi_class == "crammer_singer"
        if self.penalty == "l1" and (self.loss == "hinge" or at_once):
            raise InvalidParameter(
                f"{type(self).__name__}: penalty='l1' needs loss='squared_hinge' and multi_class='ovr'."
            )
        return super()._learn(source)

    def _loss(self) -> Loss:
        if self.multi_class == "crammer_singer":
            return CrammerSingerLoss()
        return HingeLoss() if self.loss == "hinge" else SquaredHingeLoss()

    def _penalty(self, weight: float) -> Penalty:
        strength = strength_of(self.C, weight, type(self).__name__)
        return L2(strength) if self.penalty == "l2" else L1(strength)

    def _fastest(self, problem: Problem) -> Solver:
        return fastest(problem)


def fastest(problem: Problem) -> Solver:
    """The best solver for a support vector machine."""
    few, rows = problem.columns <= _FEW, problem.source.in_memory
    if not problem.penalty.is_smooth:
        return SOLVERS.make("coordinate")
    if not few:
        return SOLVERS.make("dual")
    newton = SOLVERS.make("newton" if problem.loss.is_smooth else "smoothing")
    if rows is None or are_few(len(rows), problem.columns):
        return newton
    square = len(rows) <= _SQUARE * problem.columns
    return DualFirst(newton) if square or not problem.loss.is_smooth else newton
