"""What an estimator is: a function of one summary, a transformer, a classifier, a regressor, a clusterer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, ClusterMixin, RegressorMixin, TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ..backend.weights import given_or_ones
from ..data import Chunk, Needs, Source
from ..data.rows import as_array, as_numbers
from ..engine import Outcome, Step, closed_form
from ..errors import InvalidData, squares_overflow
from ..holds import instance, integers, label_array, require, sometimes
from ..params import learned
from ..resampling.left_out_rows import LeftOutRows
from ..statistics import Affine, Statistic
from ..typing import Codes, Labels, Numbers, TableLike, TargetLike, WeightLike
from .base import Attributes, Estimator, blas_threads_for_rows, declares


@declares
class SummaryModel(Estimator):
    """A model that is a function of one summary: `summarise(chunk)` makes it, `solve(summary)` uses it.

    From the two follow fitting from any source, `partial_fit`, and, where the summary has `-`, `remove`.
    """

    summary_: Any = learned(
        "The summary of all rows so far, from which everything else follows.", holds=instance(Statistic, d="d")
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.summary_.is_finite(), "summary_ must hold finite numbers")

    def summarise(self, chunk: Chunk) -> Statistic:
        """The summary of some rows."""
        raise TypeError(f"{type(self).__name__} does not define summarise")

    def solve(self, summary: Any) -> Step[Attributes]:
        """The fitted attributes and the objective that follow from a summary."""
        raise TypeError(f"{type(self).__name__} does not define solve")

    def _fit_needs(self) -> Needs:
        return super()._fit_needs().but(late=True)  # sums carry a bad cell into the summary

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(source.reduce(self.summarise)))

    def _solved(self, summary: Any) -> Step[Attributes]:
        if not summary.is_finite():  # every cell was finite, so a sum was not
            raise squares_overflow(type(self).__name__, "X or y")
        step = self.solve(summary)
        return replace(step, state={**step.state, "summary_": summary})

    @property
    def follows_from_summary(self) -> bool:
        """Whether a fit is what `solve` makes of a summary; not of a subclass with a `fit` of its own."""
        return type(self).fit is Estimator.fit

    def source_of(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Source:
        """The checked rows of a fit, for `fit_source`: cross-validation opens a table once for all folds."""
        opener: Self = clone(self)
        return opener._open(X, y, sample_weight, reset=True)

    def _left_out(self, source: Source) -> LeftOutRows | None:
        """What the model says of each row of its fit after a fit to all others; None where no formula says it."""
        return None

    def partial_fit(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """Add rows: afterwards the model is what one fit of all rows so far would give."""
        first = not hasattr(self, "summary_")
        merge = (lambda old, new: new) if first else (lambda old, new: old + new)
        return self._update(lambda: self._open(X, y, sample_weight, reset=first), merge)

    def remove(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """Take rows away again: afterwards the model is what a fit without them would give."""
        check_is_fitted(self, "summary_")
        return self._update(lambda: self._open(X, y, sample_weight, reset=False), lambda old, new: old - new)

    def _update(self, opened: Callable[[], Source], merge: Callable[..., object]) -> Self:
        old, owner = getattr(self, "summary_", None), type(self).__name__

        def merged(new: object) -> Any:
            try:
                found: Any = merge(old, new)
            except InvalidData as error:
                raise InvalidData(f"{owner}: {error}") from None
            if not np.any(getattr(found, "weight", 1.0)):
                raise InvalidData(f"{owner}: no rows are left; at least one must stay.")
            return found

        def learn() -> Outcome[Attributes]:
            source = opened()
            with blas_threads_for_rows(source):
                return closed_form(lambda: self._solved(merged(source.reduce(self.summarise))))

        return self._adopt(learn)


class Transformer(TransformerMixin, Estimator):  # type: ignore[misc]
    """Base of estimators that map rows to rows."""

    # Whether the answer for a row follows from its cells and the parameters alone, whatever rows were learned from.
    row_by_row: ClassVar[bool] = False

    def _affine(self) -> Affine | None:
        """The map of the fit as an affine one; None where it is not."""
        return None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _fit_transform(self: Transformer, X: TableLike, y: TargetLike = None, **fit_params: WeightLike) -> object:
    """Learn from a table, and transform it."""
    return (self.fit(X, **fit_params) if y is None else self.fit(X, y, **fit_params)).transform(X)


# Set here, where scikit-learn does not see it: the answer of `transform` is in its container already.
_fit_transform.__name__ = "fit_transform"
Transformer.fit_transform = _fit_transform


class Scored:
    """`score` from any source: a scan brings its target, dask collections are computed."""

    def score(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> float:
        """How good the predictions for X are: accuracy for classes, R² for numbers; 1 is perfect."""
        if isinstance(X, Source):
            source = X.suited_to(self._needs())  # type: ignore[attr-defined]
            y = source.target()
            if sample_weight is None:
                sample_weight = source.map(lambda chunk: given_or_ones(chunk.weight, len(chunk)))
        owner = type(self).__name__
        weight = None if sample_weight is None else as_array(sample_weight, owner, "weights must be numbers")
        return self._score_of(y, np.asarray(self.predict(X)), weight)  # type: ignore[attr-defined]

    def _score_of(self, y: TargetLike, predicted: Numbers, weight: WeightLike) -> float:
        """How good predictions are; what has no score is said in one sentence."""
        owner = type(self).__name__
        try:
            return float(self._judged(as_array(y, owner, "y must have one entry a row"), predicted, weight))
        except (TypeError, ValueError, ArithmeticError) as error:  # of scikit-learn's measures
            raise InvalidData(f"{owner}: X, y and sample_weight have no score; {error}") from None

    def _judged(self, y: TargetLike, predicted: Numbers, sample_weight: WeightLike) -> float:
        """How good predictions are; overridden where the measure depends on parameters."""
        return self._measure(y, predicted, sample_weight)

    @staticmethod
    def _measure(y: TargetLike, predicted: Numbers, sample_weight: WeightLike) -> float:
        raise NotImplementedError


@declares
class Classifier(Scored, ClassifierMixin, Estimator):  # type: ignore[misc]
    """Base of estimators that predict a class."""

    classes_: Labels = learned("The classes, sorted.", holds=label_array("k", distinct=True))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.classes_), "classes_ must hold a class")

    @staticmethod
    def _measure(y: TargetLike, predicted: Numbers, sample_weight: WeightLike) -> float:
        from sklearn.metrics import accuracy_score

        if sample_weight is None and _are_labels_alike(y, predicted):
            return float(np.mean(y == predicted))  # the same number, without half a millisecond of checks
        return float(accuracy_score(_named(y), _named(predicted), sample_weight=sample_weight))


@declares
class SummaryClassifier(Classifier, SummaryModel):
    """Base of classifiers that are a function of one summary; classes may turn up at any time."""

    def partial_fit(
        self, X: TableLike, y: TargetLike = None, classes: TargetLike = None, *, sample_weight: WeightLike = None
    ) -> Self:
        """Add rows; `classes` may name the classes to expect, and those that never turn up are not predicted."""
        check_expected(type(self).__name__, y, classes)
        return super().partial_fit(X, y, sample_weight=sample_weight)


def _are_labels_alike(y: object, predicted: Numbers) -> bool:
    """Whether both are columns of whole numbers, flags or texts, as long and of one kind: nothing can be wrong."""
    if type(y) is not np.ndarray or type(predicted) is not np.ndarray:
        return False
    kinds = {y.dtype.kind, predicted.dtype.kind}
    alike = len(kinds) == 1 or kinds == {"i", "u"}
    return alike and kinds <= set("biuU") and y.shape == predicted.shape and y.ndim == 1 and len(y) > 0


def _named(labels: TargetLike) -> TargetLike:
    """Labels as scikit-learn's measures take them: whole numbers among objects are numbers."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind == "O" and all(type(label) is int for label in labels.flat):
        return np.array(labels.tolist())
    return labels


def check_expected(owner: str, y: TargetLike, classes: TargetLike) -> None:
    """Refuse labels that are not among the classes that were announced; a source brings its own."""
    if classes is None or y is None:
        return
    unknown = np.setdiff1d(np.unique(np.asarray(y)), np.asarray(classes))
    if unknown.size:
        raise InvalidData(f"{owner}: y has the class '{unknown[0]}', which is not among classes={classes!r}.")


class Regressor(Scored, RegressorMixin, Estimator):  # type: ignore[misc]
    """Base of estimators that predict numbers."""

    @staticmethod
    def _measure(y: TargetLike, predicted: Numbers, sample_weight: WeightLike) -> float:
        target = as_numbers(y, "score")
        if sample_weight is None and target.shape == predicted.shape == (predicted.size,):
            share = _explained_share(target, predicted)
            if share is not None:
                return share
        return _r2_score(target, predicted, sample_weight)


def _explained_share(y: Numbers, predicted: Numbers) -> float | None:
    """R² of one target, (n,); None where it takes more than the formula: fewer than two rows, or bad or equal cells."""
    if len(y) < 2:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        rest = np.subtract(y, predicted, dtype=np.float64)
        residual = float(rest @ rest)
        np.subtract(y, np.mean(y, dtype=np.float64), out=rest)
        total = float(rest @ rest)
    return 1 - residual / total if np.isfinite(residual) and 0 < total < np.inf else None


def _r2_score(y: Numbers, predicted: Numbers, sample_weight: WeightLike) -> float:
    from sklearn.metrics import r2_score

    if not np.isfinite(predicted).all():
        raise InvalidData("score: some predictions are not finite; scale the columns down, or fit again.")
    return float(r2_score(y, predicted, sample_weight=sample_weight))


@declares
class Clusterer(ClusterMixin, Estimator):  # type: ignore[misc]
    """Base of estimators that find groups of rows.

    One rule for all: `labels_` are there where the rows were in memory, given so or gathered there by the fit; a model
    that reads its rows piece by piece keeps none, and `predict` gives them. `inertia_`, for models that have one, is
    there from any source.
    """

    labels_: Codes = learned(
        "The cluster of each row, (n,), where the rows were in memory or gathered there.",
        holds=sometimes(integers(None, dtypes=(np.int32, np.int64), at_least=-1)),
    )

    def fit_predict(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Codes:
        """Fit, and give the cluster of every row."""
        self.fit(X, y, sample_weight)
        return self.labels_ if hasattr(self, "labels_") else self.predict(X)
