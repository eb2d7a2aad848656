"""Gradient boosting of classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer
from sklearn.utils.metaestimators import available_if

from ...backend.weights import given_or_ones
from ...data import Needs, Source
from ...data.labels import encode
from ...data.scratch import IN_MEMORY
from ...engine import Outcome
from ...errors import InvalidParameter
from ...estimator import Attributes, Classifier, estimator
from ...growth import TreeRows
from ...growth.rows import held_bytes
from ...holds import require
from ...losses import LOSSES, Loss, SoftmaxLoss
from ...params import derived, param
from ...scikit_learn import VERBOSE, Counterpart
from ...typing import Flags, Floats, Labels, Reals, TableLike, Whole
from ..linear.classifier import shares
from ..tree.classes import KnownClasses, classes_of
from .gradient_boosting import HistGradientBoosting


@estimator
class HistGradientBoostingClassifier(HistGradientBoosting, Classifier):
    """A sum of small trees, each a step down the gradient of a loss: η(x) = η₀ + ν Σ_t v_t(leaf of x in tree t).

    A round grows a tree on the gradients g and curvatures h of Σ w ℓ(η, y) at the predictors so far: a node is split
    where Σ G² / (H + λ) over both halves rises most, and a leaf says −G / (H + λ), times the learning rate ν. With
    log_loss P(second class | x) = 1 / (1 + exp(−η)); of more than two classes each has a predictor, and a round grows
    a tree for each, with P(c | x) = exp η_c / Σ exp η. Other losses are for two classes. Where y holds one class, it is
    what is predicted.

    Splits lie between at most 255 bins of a column; text is told apart by sets of categories, and missing values go to
    the side where they do better. The table is held as two bytes a cell, and lies in temporary files where it
    would take more than `memory`. Sums are whole numbers, so that the model is the same from an array, files and Dask,
    and for any number of threads; weights count as repeated rows.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.HistGradientBoostingClassifier(max_iter=30).fit(iris.matrix(), iris["species"])
    >>> model.score(iris.matrix(), iris["species"]) > 0.97, model.n_trees_per_iteration_
    (True, 3)
    """

    complexity = "max_iter"

    counterpart: ClassVar = Counterpart("sklearn.ensemble", ignored={"verbose": VERBOSE})
    needs: ClassVar = Needs(target="classes", missing=True, categories=True)

    loss: object = param(
        "log_loss",
        positional=True,
        names=LOSSES.only(
            lambda loss: "" if loss.target == "signs" and loss.has_curvature else "it is no smooth loss of two classes"
        ),
        doc="The loss ℓ of a predictor and a sign, −1 or 1; log_loss is for any number of classes.",
    )
    class_weight: object = param(
        None,
        choices=(None, "balanced"),
        types=(dict,),
        doc="What a row of each class counts: numbers by class, or balanced, which gives all classes the same weight.",
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        k = len(self.classes_)
        require(len(self._baseline) == (1 if k == 2 else k), "_baseline must have a predictor for each class")

    @derived
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def _loss_of_fit(self) -> Loss:
        found: Loss = getattr(self, "_fitted_loss", None) or self._loss(len(self.classes_))
        return found

    def _loss(self, classes: int) -> Loss:
        found = LOSSES.member(self.loss, type(self).__name__, "loss")
        if classes == 2:
            return found
        if found.kernel != "logistic" and classes > 2:
            raise InvalidParameter(
                f"{type(self).__name__}: loss={self.loss!r} is for two classes; y has {classes}. Use 'log_loss'."
            )
        return SoftmaxLoss()

    def _learn(self, source: Source) -> Outcome[Attributes]:
        owner = type(self).__name__
        rows = self._rows_of_classes(source)
        known = classes_of(rows.y, rows.weight, self.class_weight, owner, rows.classes)
        loss, rows = self._loss(len(known.classes)), known.weighted(rows)
        y: Floats | Whole = known.code
        if len(known.classes) == 2:
            y = rows.room.empty((len(rows),), np.float64)
        mass = np.zeros(len(known.classes))
        for own in rows.room.blocks(len(rows)):
            weight = given_or_ones(None if rows.weight is None else rows.weight[own], own.stop - own.start)
            mass += np.bincount(known.code[own], weight, len(mass))
            if len(mass) == 2:
                y[own] = 2.0 * known.code[own] - 1.0
        p = mass / mass.sum()
        logs = np.log(p)
        baseline = np.array([loss.constant(float(p[1] - p[0]))]) if len(p) == 2 else logs - logs.mean()
        judge = self._judge(loss, known, rows)
        outcome = self._boosted(source, rows, loss, y, baseline, judge, known.classes)
        return outcome.then(lambda found: {**found, "classes_": known.classes})

    def _rows_of_classes(self, source: Source) -> TreeRows:
        """The coded rows; of several classes, each of which has a predictor, they may take more than they may."""
        rows = self._tree_rows(source, None)
        if source.in_memory is not None or rows.room is not IN_MEMORY:
            return rows
        k = len(encode(np.asarray(rows.y))[0] if rows.classes is None else rows.classes)
        return rows if k == 2 or held_bytes(source, 1, k) <= self.memory else self._tree_rows(source, None, k)

    def _judge(
        self, loss: Loss, known: KnownClasses, rows: TreeRows
    ) -> Callable[[Floats, Flags | None], float] | None:  # fmt: skip
        if isinstance(self.scoring, str) and self.scoring == "loss":
            return None
        w = given_or_ones(rows.weight, len(rows))
        scorer = get_scorer("accuracy" if self.scoring is None else self.scoring)
        y = np.take(known.classes, known.code)

        def judged(raw: Floats, held_out: Flags | None) -> float:
            own = slice(None) if held_out is None else held_out
            return float(scorer(_Standing(loss, known.classes), raw.T, y[own], sample_weight=w[own]))

        return judged

    # ---- predictions ----

    def decision_function(self, X: TableLike) -> Reals:
        """The predictors η: (n,) of two classes, the higher the more the second; else (n, classes)."""
        found = self._raw(X)
        return found[:, 0] if found.shape[1] == 1 else found

    def staged_decision_function(self, X: TableLike) -> Iterator[Reals]:
        """The predictors after each round."""
        return (raw[:, 0] if raw.shape[1] == 1 else raw for raw in self._staged_raw(X))

    def predict(self, X: TableLike) -> Labels:
        """The likeliest class of each row; the first of equals."""
        return _decided(self._raw(X), self.classes_)

    def staged_predict(self, X: TableLike) -> Iterator[Labels]:
        """The predictions after each round."""
        return (_decided(raw, self.classes_) for raw in self._staged_raw(X))

    def _has_probabilities(self) -> bool:
        loss = getattr(self, "_fitted_loss", None) or LOSSES.member(self.loss, type(self).__name__, "loss")
        if type(loss).mean is not Loss.mean:
            return True
        raise AttributeError(f"{type(self).__name__}: loss={self.loss!r} has no probabilities; use loss='log_loss'.")

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, classes), of losses that have one."""
        raw = self._raw(X)
        return _probabilities(self._loss_of_fit(), raw, self.classes_)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def staged_predict_proba(self, X: TableLike) -> Iterator[Reals]:
        """P(class | x) after each round."""
        staged, loss = self._staged_raw(X), self._loss_of_fit()
        return (_probabilities(loss, raw, self.classes_) for raw in staged)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: TableLike) -> Reals:
        """log P(class | x), (n, classes)."""
        with np.errstate(divide="ignore"):  # a probability of 0 has no logarithm but −∞
            found: Reals = np.log(self.predict_proba(X))
        return found


def _decided(raw: Reals, classes: Labels) -> Labels:
    code = (raw[:, 0] > 0).astype(np.int64) if raw.shape[1] == 1 else np.argmax(raw, axis=1)
    found: Labels = np.take(classes, code)
    return found


def _probabilities(loss: Loss, raw: Reals, classes: Labels) -> Reals:
    """P(class | x), (n, classes)."""
    return shares(loss, raw, raw.dtype) if len(classes) > 1 else np.ones_like(raw)


class _Standing(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The model as a scorer sees it within a fit, whose rows are their predictors."""

    def __init__(self, loss: Loss, classes: Labels) -> None:
        self.loss, self.classes_ = loss, classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Floats) -> Labels:
        return _decided(np.asarray(X), self.classes_)

    def decision_function(self, X: Floats) -> Floats:
        return X[:, 0] if X.shape[1] == 1 else X

    def predict_proba(self, X: Floats) -> Reals:
        return _probabilities(self.loss, X, self.classes_)
