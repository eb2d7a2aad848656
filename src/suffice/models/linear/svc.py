"""Linear support vector machines for classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from ...data import Chunk, Needs, Source
from ...engine import Kept, Outcome, Step, iterate
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, whole
from ...losses import CrammerSingerLoss, HingeLoss, Loss, SquaredHingeLoss
from ...observing import unobserved
from ...params import param
from ...penalties import L1, L2, Penalty
from ...scikit_learn import VERBOSE, Counterpart
from ...solvers import SOLVERS, Coefficients, Problem
from ...typing import Floats, Labels
from .classifier import LinearClassifier, by_class
from .iterative import IterativeLinearModel, finished
from .targets import CodedClasses

_FEW = 500  # columns whose Hessian is small

LEFT_ASIDE = {
    "dual": "it says how the work is done",
    "intercept_scaling": "no penalty touches the intercept, which scikit-learn's class penalises as if it were "
    "the slope of a column of that value",
    "random_state": "the order of rows is always the same",
    "verbose": VERBOSE,
}


@estimator
class LinearSVC(LinearClassifier, IterativeLinearModel):
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

    proposed = False

    needs = Needs(target="classes", scaled=True, one_hot=True, sparse=True)

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
    class_weight: object = param(
        None,
        choices=(None, "balanced"),
        types=(dict,),
        doc="What a row of each class counts: numbers by class, or balanced, which gives all classes the same weight.",
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
        coded = CodedClasses.of(source, self.class_weight, signs=not at_once)  # type: ignore[arg-type]
        shown = partial(_shown, classes=coded.classes)
        penalty, k = self._penalty(float(coded.weight.sum())), len(coded.classes)
        if k > 2 and not at_once:
            return self._class_by_class(coded, penalty)
        loss, shape = self._loss(), (len(source.schema),)
        several = k if at_once else None
        start = self._held(shape if several is None else (*shape, k))
        _, outcome = self._minimised(coded.source, loss, penalty, start, several, shown)
        return finished(outcome, shown)

    def _loss(self) -> Loss:
        if self.multi_class == "crammer_singer":
            return CrammerSingerLoss()
        return HingeLoss() if self.loss == "hinge" else SquaredHingeLoss()

    def _penalty(self, weight: float) -> Penalty:
        strength = 1 / (self.C * weight)
        return L2(strength) if self.penalty == "l2" else L1(strength)

    def _preferred(self, problem: Problem) -> tuple[str, ...]:
        return preferred(problem)

    def _class_by_class(self, coded: CodedClasses, penalty: Penalty) -> Outcome[Attributes]:
        """Each class against all others, an iteration each; the objective is the mean of theirs."""
        k, p = len(coded.classes), len(coded.source.schema)
        held = self._held((p, k))
        zero = self._loss().value(np.zeros(1), np.ones(1))[0]

        def step(state: _Planes) -> Step[_Planes]:
            c = state.done
            source = coded.source.mapped(partial(_against_others, code=c))
            start = None if held is None else Coefficients(held.slope[:, c], np.asarray(held.intercept[c]))
            with unobserved():
                _, found = self._minimised(source, self._loss(), penalty, start, None, lambda at: {})
            after = state.with_class(c, found.state, float(found.history.objective[-1]))
            return Step(after, float(after.value.mean()), done=c == k - 1)

        first = _Planes(np.zeros((p, k)), np.zeros(k), np.full(k, float(zero)), 0)
        outcome = iterate(
            lambda run: first, step, max_iter=k, snapshot=lambda state: _shown(state.coefficients, coded.classes),
            kept=lambda: Kept.fields(_Planes, slope=floats(p, k), intercept=floats(k), value=floats(k), done=whole()),
        )  # fmt: skip
        return outcome.then(lambda state: _shown(state.coefficients, coded.classes))


@dataclass(frozen=True)
class _Planes:
    """The planes of the classes that are done, (p, k), with their objectives, (k,)."""

    slope: Floats
    intercept: Floats
    value: Floats
    done: int

    def with_class(self, c: int, found: Coefficients, value: float) -> _Planes:
        """With the plane of one more class."""
        slope, intercept, values = self.slope.copy(), self.intercept.copy(), self.value.copy()
        slope[:, c], intercept[c], values[c] = found.slope, found.intercept, value
        return replace(self, slope=slope, intercept=intercept, value=values, done=c + 1)

    @property
    def coefficients(self) -> Coefficients:
        """As solvers give them."""
        return Coefficients(self.slope + 0.0, self.intercept)


def _shown(found: Coefficients, classes: Labels) -> Attributes:
    if len(classes) == 2 and found.slope.ndim == 2:  # of both classes: the score of the second is the difference
        found = Coefficients(found.slope[:, 1] - found.slope[:, 0], np.asarray(found.intercept[1] - found.intercept[0]))
    return {**by_class(found), "classes_": classes}


def _against_others(chunk: Chunk, code: int) -> Chunk:
    return replace(chunk, y=np.where(chunk.y == code, 1.0, -1.0))


def preferred(problem: Problem) -> tuple[str, ...]:
    """Names of solvers for support vector machines, the best for a problem first."""
    if not problem.penalty.is_smooth:
        return tuple(name for name in ("coordinate", "fista") if name in SOLVERS)
    few = problem.columns <= _FEW
    if problem.loss.is_smooth:
        return ("newton", "lbfgs") if few else ("dual", "lbfgs")
    return ("smoothing", "dual") if few else ("dual", "smoothing")
