"""Bagging of classifiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, cast

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ...backend.posteriors import rounded
from ...backend.weights import given_or_ones
from ...data import ArraySource, Chunk, Needs, Schema
from ...estimator import Attributes, Classifier, estimator
from ...holds import floats, require, sometimes
from ...params import learned
from ...resampling import Interval, wilson
from ...scikit_learn import Counterpart
from ...statistics import Counts
from ...typing import EstimatorLike, Flags, Floats, Labels, Reals, TableLike
from ..inner import ask, columns_of, is_predictor, predictor_param
from ..tree import DecisionTreeClassifier
from .bagging import IGNORED, Bagging
from .members import part_of, places, predicted


def _decides(self: BaggingClassifier) -> bool:
    return hasattr(self._inner(), "decision_function")


@estimator
class BaggingClassifier(Bagging, Classifier):
    """Bagging of any classifier: P(c | x) is the mean of what m models say, each of which learned from other draws.

    Each model draws as many rows as there are, with replacement; a row that is drawn twice has a weight of 2, and one
    that is not drawn has none (a model without weights gets such rows). It may draw columns too. Where a model has no
    probabilities, its vote counts 1. The mean varies less than each model, so it helps models that vary much from
    sample to sample, such as deep trees.

    About a third of the rows is out of the bag of each model: with `oob_score`, `oob_score_` is the accuracy by the
    models that have not learned from a row, with Wilson's interval, and `oob_decision_function_` has the probabilities.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> model = sf.BaggingClassifier(n_estimators=50, oob_score=True, random_state=0)
    >>> model.fit(crabs.matrix(), crabs["sex"]).oob_score_
    0.92
    >>> model.oob_interval_.round(3)
    array([0.874, 0.95 ])
    """

    counterpart: ClassVar = Counterpart("sklearn.ensemble", ignored=IGNORED)
    needs: ClassVar = Needs(target="classes")

    estimator: object = predictor_param(
        is_classifier,
        "The model, of either library; None: `DecisionTreeClassifier`.",
    )

    oob_decision_function_: Floats = learned(
        "Probabilities by the models that have not learned from a row, (n, k); NaN where there is none.",
        holds=sometimes(floats(None, "k", finite=False)),
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        for model in self.estimators_:
            require(is_classifier(model), "the models inside must be classifiers")
            require(np.isin(getattr(model, "classes_", ()), self.classes_).all(), "their classes must be known")

    @property
    def n_classes_(self) -> int:
        """How many classes there are."""
        check_is_fitted(self)
        return len(self.classes_)

    def _inner(self) -> EstimatorLike:
        known = is_predictor(self.estimator, is_classifier)  # what is no classifier, `fit` refuses
        return cast(EstimatorLike, self.estimator) if known else DecisionTreeClassifier()

    def _prepared(self, rows: ArraySource) -> Attributes:
        return {"classes_": Counts.of(rows.chunk.y, rows.chunk.weight).values}

    def _answered(self, model: EstimatorLike, chunk: Chunk, schema: Schema) -> Floats:
        shares = np.zeros((len(chunk), len(self.classes_)))
        if hasattr(model, "predict_proba"):
            shares[:, places(np.asarray(getattr(model, "classes_", ())), self.classes_)] = ask(
                model, "predict_proba", chunk, schema
            )
        else:
            shares[np.arange(len(chunk)), predicted(model, chunk, schema, self.classes_)] = 1.0
        return shares

    def _judged_out_of_bag(self, said: Floats, here: Flags, rows: Chunk) -> tuple[Attributes, float, Interval]:
        weight = given_or_ones(rows.weight, len(rows)) * here
        right = np.argmax(np.where(here[:, None], said, 0.0), axis=1) == places(rows.y, self.classes_)
        found = wilson(float(weight @ right), float(weight.sum()))
        return {"oob_decision_function_": said}, found.value, found

    def predict_proba(self, X: TableLike) -> Reals:
        """The probability of each class, (n, k): the mean over the models."""
        check_is_fitted(self)
        found: Reals = self._rows(X, lambda chunk: rounded(self._mean_answer(chunk), chunk.X.dtype))
        return found

    def predict_log_proba(self, X: TableLike) -> Reals:
        """The logarithms of the probabilities, (n, k)."""
        with np.errstate(divide="ignore"):
            found: Reals = np.log(self.predict_proba(X))
        return found

    def predict(self, X: TableLike) -> Labels:
        """The most probable class; of equal ones the first in sorted order."""
        check_is_fitted(self)
        found: Labels = self._rows(X, lambda chunk: np.take(self.classes_, np.argmax(self._mean_answer(chunk), axis=1)))
        return found

    def staged_predict_proba(self, X: TableLike) -> Iterator[Floats]:
        """The probabilities by the first model, the first two, and so on, (n, k) each."""
        return self._staged_answers(X)

    def staged_predict(self, X: TableLike) -> Iterator[Labels]:
        """The predicted classes by the first model, the first two, and so on."""
        return (np.take(self.classes_, np.argmax(said, axis=1)) for said in self._staged_answers(X))

    def _node_values(self, model: EstimatorLike) -> Floats:
        assert isinstance(model, DecisionTreeClassifier)
        own, value = places(model.classes_, self.classes_), model.trees_.value
        shares = np.zeros((len(value), len(self.classes_)))
        shares[:, own] = value[:, : len(own)]
        return shares

    @available_if(_decides)  # type: ignore[untyped-decorator]
    def decision_function(self, X: TableLike) -> Reals:
        """The mean of the decision functions of the models."""
        check_is_fitted(self)

        def decided(chunk: Chunk) -> Reals:
            schema, parts = columns_of(self), []
            for model, features in zip(self.estimators_, self.estimators_features_, strict=True):
                parts.append(np.asarray(ask(model, "decision_function", *part_of(chunk, schema, features)), np.float64))
            return rounded(np.mean(parts, axis=0), chunk.X.dtype)

        found: Reals = self._rows(X, decided)
        return found
