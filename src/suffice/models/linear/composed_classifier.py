"""Classifiers that are any composition of a loss, a penalty and a solver."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.utils.metaestimators import available_if

from ...data import Chunk, Needs, Source
from ...engine import Kept, Outcome, Step, end_outer, iterate
from ...errors import InvalidParameter
from ...estimator import Attributes, declares, estimator
from ...holds import floats, whole
from ...losses import LOSSES, ExponentialLoss, LogisticLoss, Loss, SoftmaxLoss, as_loss
from ...observing import unobserved
from ...params import param
from ...penalties import Penalty
from ...solvers import Coefficients, Problem
from ...typing import Floats, Labels, Reals, TableLike
from .classifier import LinearClassifier, by_class, shares
from .fitted_loss import KeepsLoss
from .iterative import IterativeLinearModel, finished
from .regularized import AnyPenalty
from .separation import warn_if_separated
from .targets import CodedClasses

_NUMBERS = "its targets are numbers; take LinearModel"


@declares
class ComposedClassifier(KeepsLoss, LinearClassifier, IterativeLinearModel):
    """Base: a subclass gives `_loss`, of signs or of classes, and `_penalty` of rows that weigh so much.

    A loss of signs learns each of several classes against all others, one of classes all at once.
    """

    needs = Needs(target="classes", scaled=True, one_hot=True, sparse=True)

    def _penalty(self, weight: float) -> Penalty:
        raise TypeError(f"{type(self).__name__} does not define _penalty")

    def _coded(self, source: Source) -> CodedClasses:
        return CodedClasses.of(source, self.class_weight, signs=self._loss().target == "signs")  # type: ignore[arg-type]

    def _learn(self, source: Source) -> Outcome[Attributes]:
        loss, coded = self._loss(), self._coded(source)
        shown = partial(_shown, classes=coded.classes)
        penalty, k = self._penalty(float(coded.weight.sum())), len(coded.classes)
        if k > 2 and loss.target == "signs":
            return self._class_by_class(coded, penalty)
        shape, several = (len(source.schema),), None if loss.target == "signs" else k
        start = self._held(shape if several is None else (*shape, k))
        problem, outcome = self._minimised(coded.source, loss, penalty, start, several, shown)
        _warn_if_endless(problem, outcome.state)
        return finished(outcome, lambda found: {**shown(found), "_fitted_loss": loss})

    def _class_by_class(self, coded: CodedClasses, penalty: Penalty) -> Outcome[Attributes]:
        """Each class against all others, an iteration each; the objective is the mean of theirs."""
        k, p = len(coded.classes), len(coded.source.schema)
        held = self._held((p, k))
        loss = self._loss()
        zero = loss.value(np.zeros(1), np.ones(1))[0]

        def step(state: _Planes) -> Step[_Planes]:
            c = state.done
            source = coded.source.mapped(partial(_against_others, code=c))
            start = None if held is None else Coefficients(held.slope[:, c], np.asarray(held.intercept[c]))
            with unobserved():
                problem, found = self._minimised(source, loss, penalty, start, None, lambda at: {})
            _warn_if_endless(problem, found.state)
            end_outer(found.history.status)
            after = state.with_class(c, found.state, found.history.iterations[-1].objective)
            return Step(after, float(after.value.mean()), done=c == k - 1)

        first = _Planes(np.zeros((p, k)), np.zeros(k), np.full(k, float(zero)), 0)
        outcome = iterate(
            lambda run: first, step, max_iter=k, snapshot=lambda state: _shown(state.coefficients, coded.classes),
            kept=Kept.fields(_Planes, slope=floats(p, k), intercept=floats(k), value=floats(k), done=whole()),
        )  # fmt: skip
        return outcome.then(lambda state: {**_shown(state.coefficients, coded.classes), "_fitted_loss": loss})


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
        return _Planes(slope, intercept, values, c + 1)

    @property
    def coefficients(self) -> Coefficients:
        """As solvers give them."""
        return Coefficients(self.slope + 0.0, self.intercept)


def _warn_if_endless(problem: Problem, found: Coefficients) -> None:
    """Warn where larger slopes are always better, as the loss falls without end and nothing holds them."""
    if isinstance(problem.loss, LogisticLoss | SoftmaxLoss | ExponentialLoss):
        warn_if_separated(problem, found, "Use a penalty, such as L2(0.01).")


def _shown(found: Coefficients, classes: Labels) -> Attributes:
    if len(classes) == 2 and found.slope.ndim == 2:  # of both classes: the score of the second is the difference
        found = Coefficients(found.slope[:, 1] - found.slope[:, 0], np.asarray(found.intercept[1] - found.intercept[0]))
    return {**by_class(found), "classes_": classes}


def _against_others(chunk: Chunk, code: int) -> Chunk:
    return Chunk(chunk.X, np.where(chunk.y == code, 1.0, -1.0), chunk.weight)


@estimator
class LinearModelClassifier(AnyPenalty, ComposedClassifier):
    """Every loss of classes with any penalty, by any solver that can: minimises Σ s ℓ(x·w + b, y) / Σ s + penalty(w).

    A loss of signs (logistic, hinge, squared_hinge, modified_huber, exponential, perceptron) learns one plane between
    two classes, and each of several against all others; softmax and crammer_singer learn all of them at once. s holds
    the weights of rows times those of their class, `class_weight`: costs c_y by class. λ stands beside the mean of the
    losses, as in `LinearModel`.

    Examples
    --------
    >>> import suffice as sf
    >>> from suffice.penalties import L1
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.LinearModelClassifier("modified_huber", penalty=L1(0.01)).fit(iris.matrix(), iris["species"])
    >>> round(model.score(iris.matrix(), iris["species"]), 2)
    0.97
    """

    complexity = "-alpha"

    proposed = False

    loss: object = param(
        "logistic",
        names=LOSSES.only(lambda loss: _NUMBERS if loss.target == "numbers" else ""),
        positional=True,
        doc="The loss, by name or itself.",
    )

    def _loss(self) -> Loss:
        return as_loss(self.loss, type(self).__name__)

    def _penalty(self, weight: float) -> Penalty:
        return self._prior()

    def _preferred(self, problem: Problem) -> tuple[str, ...]:
        return (*super()._preferred(problem), "smoothing", "dual")

    def _of_strength_one(self, source: Source) -> tuple[Problem, Labels | None]:
        owner, loss, coded = type(self).__name__, self._loss(), self._coded(source)
        k = len(coded.classes)
        if k > 2 and loss.target == "signs":
            raise InvalidParameter(
                f"{owner}: a path is that of one fit, and {k} classes take one each; take 'softmax'."
            )
        penalty, several = self._penalty(1.0), None if loss.target == "signs" else k
        penalty.check_columns(len(source.schema), owner)
        problem = Problem(owner, coded.source, loss, penalty, self.fit_intercept, several)
        return problem, None if several is None else coded.classes

    def _has_probabilities(self) -> bool:
        if type(self._loss_of_fit()).mean is not Loss.mean:
            return True
        raise AttributeError(f"{type(self).__name__}: loss={self.loss!r} has no probabilities; 'logistic' has.")

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, classes), of losses that have it; those of each class against all others are normalised."""
        self._check_fitted("coef_")
        loss = self._loss_of_fit()
        return self._rows_by_scores(X, self._scores, lambda scores, chunk: shares(loss, scores, chunk.X.dtype))
