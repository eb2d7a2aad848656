"""Many classes by binary problems: what each classifier of two sides learns, and what it says of new rows.

A code matrix (k, m) says it all: classifier j learns the classes with 1 in column j against those with −1, from the
rows of these classes alone; classes with 0 are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from ...backend.posteriors import rounded
from ...data import Chunk, Needs, Schema, Source
from ...data.labels import encode
from ...engine import Outcome, Step, closed_form, in_turn
from ...errors import InvalidParameter
from ...estimator import Attributes, Classifier, Estimator, declares
from ...holds import floats, instance, lists, optional, require
from ...params import learned, param
from ...scikit_learn import JOBS
from ...statistics import Counts
from ...typing import EstimatorLike, Flags, Floats, Labels, Reals, TableLike
from ..inner import ask, columns_of, fit_inner, needs_around

IGNORED = {"n_jobs": JOBS}
Question = Callable[
    [EstimatorLike, Chunk, Schema], Reals
]  # of a classifier, about rows with these columns: one number a row
_NO_CODE = np.ones((1, 0))  # of one class, about which there is nothing to learn
_SURE = 1e150  # no confidence counts for more, so that sums of them are numbers


def _classifies(model: object) -> bool:
    known = hasattr(model, "__sklearn_tags__") and hasattr(model, "fit") and not isinstance(model, type)
    return known and is_classifier(model)


@declares
class BinaryProblems(Classifier):
    """Base: a subclass gives the code matrix of k classes, and the decisions that follow from the confidences."""

    compound = True
    needs = Needs(target="classes")  # of the classifier that is taken where none is given

    estimator: object = param(
        None,
        positional=True,
        choices=(None,),
        accept=_classifies,
        allowed="a classifier",
        doc="What learns each binary problem, of either library; None: `GaussianNB`.",
    )
    normalize: bool = param(
        False,
        choices=(True, False),
        doc="Whether the confidence of a linear classifier is divided by ‖w‖: the distance to its boundary.",
    )

    estimators_: list[EstimatorLike | None] = learned(
        "The fitted classifiers of 0 against 1; None for those that a fit ended early has not come to.",
        holds=lists(optional(instance(Estimator, d="d")), "m"),
    )
    norms_: Floats = learned(
        "What the confidence of each classifier is divided by, (m,): ‖w‖ or 1.", holds=floats("m", above=0)
    )
    class_count_: Floats = learned("The weight of the rows of each class, (k,).", holds=floats("k", at_least=0))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self._code().shape[1] == len(self.estimators_), "there must be a classifier for each binary problem")
        fitted = [model for model in self.estimators_ if model is not None]
        for model in fitted:
            require(hasattr(model, "history_") and is_classifier(model), "the classifiers inside must be fitted")
            require(np.array_equal(getattr(model, "classes_", ()), [0, 1]), "their classes must be 0 and 1")
        require(fitted or not self.estimators_, "one classifier must be fitted")

    @property
    def n_classes_(self) -> int:
        """How many classes there are."""
        check_is_fitted(self)
        return len(self.classes_)

    # -- learning ---------------------------------------------------------------------------------------------------
    def _draw_code(self, k: int) -> Floats:
        """The code matrix of k classes, (k, m)."""
        raise TypeError(f"{type(self).__name__} does not define _draw_code")

    def _described(self, code: Floats) -> Attributes:
        """What a subclass keeps of its code matrix."""
        return {}

    def _code(self) -> Floats:
        """The code matrix of the fit, (k, m)."""
        return self._draw_code(len(self.classes_)) if len(self.classes_) > 1 else _NO_CODE

    def _inner(self) -> EstimatorLike:
        from ..bayes import GaussianNB  # which stands on mixtures and clusters, and they on much else

        given = cast(EstimatorLike, self.estimator)
        return given if _classifies(given) else GaussianNB()  # what is no classifier, `fit` refuses

    def _needs(self) -> Needs:
        return needs_around(self._inner(), self.needs, type(self).__name__)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._fitted(source))

    def _fitted(self, source: Source) -> Step[Attributes]:
        counted = source.reduce_targets(_counted)
        code = self._draw_code(len(counted.values)) if len(counted.values) > 1 else _NO_CODE
        works = [partial(self._fit_one, source, counted.values, column) for column in code.T]
        found = list(in_turn(works))
        models = [model for model, _ in found]
        attributes = {
            "classes_": counted.values,
            "class_count_": counted.counts,
            "estimators_": models + [None] * (len(works) - len(models)),
            "norms_": self._norms(models, len(works)),
            **self._described(code),
        }
        return Step(attributes, sum(objective for _, objective in found))

    def _fit_one(self, source: Source, classes: Labels, column: Floats) -> tuple[EstimatorLike, float]:
        """A copy of the classifier that has learned one binary problem, and the objective it ended at."""
        if not column.all():
            source = source.filtered(partial(_takes_part, classes=classes, column=column))
        problem = source.mapped(partial(_of_two_sides, classes=classes, column=column))
        outcome = fit_inner(clone(self._inner()), problem, type(self).__name__, lambda model, X, weight: 0.0)
        return outcome.state, float(outcome.history.objective[-1])

    def _norms(self, models: Sequence[EstimatorLike], m: int) -> Floats:
        norms = np.ones(m)
        for j, model in enumerate(models if self.normalize else ()):
            if not hasattr(model, "coef_"):
                raise InvalidParameter(
                    f"{type(self).__name__}: normalize divides by ‖w‖ of a linear classifier, and "
                    f"{type(model).__name__} has no coef_; leave normalize out."
                )
            weights = model.coef_
            norms[j] = np.linalg.norm(weights.toarray() if hasattr(weights, "toarray") else weights)
        return np.where(norms > 0, norms, 1.0)  # without any slope, the intercept decides as it is

    # -- answers ----------------------------------------------------------------------------------------------------
    def _decided(self, confidence: Floats) -> Floats:
        """A score of each class, (n, k), the largest of which is predicted, from the confidences (n, m)."""
        raise TypeError(f"{type(self).__name__} does not define _decided")

    def _scores(self, chunk: Chunk) -> Floats:
        """A score of each class, (n, k)."""
        if len(self.classes_) == 1:
            return np.zeros((len(chunk), 1))
        confidence = self._asked(chunk, _confidence, 0.0) / self.norms_
        return self._decided(np.clip(confidence, -_SURE, _SURE))

    def _asked(self, chunk: Chunk, question: Question, absent: float) -> Floats:
        """What each classifier answers to a question, (n, m); `absent` for one that is missing."""
        schema, found = columns_of(self), np.full((len(chunk), len(self.estimators_)), absent)
        for j, model in enumerate(self.estimators_):
            if model is not None:
                found[:, j] = question(model, chunk, schema)
        return found

    def predict(self, X: TableLike) -> Labels:
        """The class with the largest score; of equal ones the first in sorted order."""
        check_is_fitted(self)
        found: Labels = self._rows(X, lambda chunk: np.take(self.classes_, np.argmax(self._scores(chunk), axis=1)))
        return found

    def decision_function(self, X: TableLike) -> Reals:
        """The score of each class, (n, k); of two classes that of the second less that of the first, (n,)."""
        check_is_fitted(self)

        def decided(chunk: Chunk) -> Reals:
            scores = self._scores(chunk)
            return rounded(scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores, chunk.X.dtype)

        found: Reals = self._rows(X, decided)
        return found

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner())
        tags.input_tags.positive_only = inner.input_tags.positive_only
        return tags


def probability(model: EstimatorLike, chunk: Chunk, schema: Schema) -> Reals:
    """P(1 | x) of a classifier of 0 and 1, (n,)."""
    return np.asarray(ask(model, "predict_proba", chunk, schema)[:, 1], dtype=np.float64)


def _confidence(model: EstimatorLike, chunk: Chunk, schema: Schema) -> Reals:
    """Above 0 for 1, below 0 for 0, (n,): the decision function, else 2 P(1 | x) − 1, else −1 or 1 as predicted."""
    if hasattr(model, "decision_function"):
        return np.asarray(ask(model, "decision_function", chunk, schema), dtype=np.float64).reshape(len(chunk))
    if hasattr(model, "predict_proba"):
        return 2 * probability(model, chunk, schema) - 1
    return 2.0 * np.asarray(ask(model, "predict", chunk, schema), dtype=np.float64) - 1


def _counted(chunk: Chunk) -> Counts:
    return Counts.of(chunk.y, chunk.weight)


def _sides(chunk: Chunk, classes: Labels, column: Floats) -> Floats:
    """−1, 0 or 1 of each row; 0 also for a row whose class has no weight."""
    own, codes = encode(chunk.y)
    at = np.minimum(np.searchsorted(classes, own), len(classes) - 1)
    side = np.where(classes[at] == own, column[at], 0.0)
    return np.asarray(side[codes])


def _takes_part(chunk: Chunk, classes: Labels, column: Floats) -> Flags:
    return np.asarray(_sides(chunk, classes, column) != 0)


def _of_two_sides(chunk: Chunk, classes: Labels, column: Floats) -> Chunk:
    return replace(chunk, y=(_sides(chunk, classes, column) > 0).astype(np.int64))
