"""What a pipeline says about rows: the methods of its last step, there where that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar, cast

from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..data.source import Source, TargetKind
from ..typing import TableLike, TargetLike, WeightLike
from . import flow
from .flow import Flow, Given

F = TypeVar("F", bound=Callable[..., object])
SKIPPED = ("passthrough", None)


def where(holds: Callable[[Any], bool]) -> Callable[[F], F]:
    """A method that is there only where something holds of its object."""
    return cast(Callable[[F], F], available_if(holds))


def every(method: str) -> Callable[[Any], bool]:
    """Whether all steps have a method."""
    return lambda self: all(hasattr(step, method) for _, step in self._active())


def last(method: str) -> Callable[[Any], bool]:
    """Whether the last step has a method."""
    return lambda self: hasattr(self._final(), method)


class Answers:
    """The methods of a pipeline that its steps may have."""

    def fit(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Self:
        """Fit all steps."""
        raise NotImplementedError

    def _active(self) -> Iterator[tuple[str, Any]]:
        raise NotImplementedError

    def _final(self) -> Any:
        raise NotImplementedError

    def _target(self) -> TargetKind:
        raise NotImplementedError

    def _before_last(
        self, X: TableLike, y: TargetLike = None, weight: WeightLike = None, target: TargetKind = "none"
    ) -> Flow:
        raise NotImplementedError

    def _answer(self, method: str, X: TableLike, **named: object) -> object:
        return flow.answered(self._final(), method, self._before_last(X), **named)

    @where(last("predict"))
    def predict(self, X: TableLike, **named: object) -> Any:
        """What the last step predicts for every row."""
        return self._answer("predict", X, **named)

    @where(last("predict_proba"))
    def predict_proba(self, X: TableLike) -> Any:
        """The probabilities that the last step gives, (n, k)."""
        return self._answer("predict_proba", X)

    @where(last("predict_log_proba"))
    def predict_log_proba(self, X: TableLike) -> Any:
        """The logarithms of the probabilities that the last step gives, (n, k)."""
        return self._answer("predict_log_proba", X)

    @where(last("decision_function"))
    def decision_function(self, X: TableLike) -> Any:
        """The scores by which the last step decides."""
        return self._answer("decision_function", X)

    @where(last("score_samples"))
    def score_samples(self, X: TableLike) -> Any:
        """The log density, or the score, of every row by the last step."""
        return self._answer("score_samples", X)

    @where(last("score"))
    def score(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> float:
        """The score of the last step."""
        target = "none" if y is None and not isinstance(X, Source) else self._target()
        return flow.scored(self._final(), self._before_last(X, y, sample_weight, target), self._target())

    @where(every("transform"))
    def transform(self, X: TableLike) -> Any:
        """The rows after all steps."""
        if self._final() in SKIPPED:
            rows = self._before_last(X)
            return rows.X if isinstance(rows, Given) else rows.map(lambda chunk: chunk.X)
        return self._answer("transform", X)

    @where(every("inverse_transform"))
    def inverse_transform(self, X: TableLike) -> Any:
        """Rows after all steps taken back to what they were."""
        check_is_fitted(self)
        for _, step in reversed(list(self._active())):
            X = step.inverse_transform(X)
        return X

    @where(every("transform"))
    def fit_transform(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Any:
        """Fit, and give the rows after all steps."""
        return self.fit(X, y, sample_weight).transform(X)

    @where(last("fit_predict"))
    def fit_predict(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Any:
        """Fit, and give the label of every row."""
        self.fit(X, y, sample_weight)
        labels = getattr(self._final(), "labels_", None)
        return self.predict(X) if labels is None else labels
