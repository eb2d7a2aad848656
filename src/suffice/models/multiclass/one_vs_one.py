"""One classifier for each pair of classes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ...backend.posteriors import rounded
from ...data import Chunk
from ...errors import InvalidParameter
from ...estimator import estimator
from ...params import param
from ...scikit_learn import Counterpart
from ...typing import Floats, Reals, TableLike
from .base import IGNORED, BinaryProblems, probability
from .coupling import averaged, coupled


def _couples(self: OneVsOneClassifier) -> bool:
    return self.decision != "votes" and hasattr(self._inner(), "predict_proba")


@estimator
class OneVsOneClassifier(BinaryProblems):
    """One classifier for each of the k (k − 1) / 2 pairs of classes, fitted to their rows: the most votes win.

    A pair votes for its second class where its confidence is above 0, else for its first. Of classes with equally many
    votes that with the larger sum of confidences wins, or the more frequent one in the fit (`ties`); of those that are
    still equal the first in sorted order. Scores are votes plus what decides between equal ones, from −1/3 to 1/3; of
    two classes, the confidence itself.

    With `decision="coupling"` the class with the largest probability wins instead. Let rᵢⱼ be what the classifier of
    classes i and j says of i; the probabilities p minimise Σᵢ Σⱼ (rⱼᵢ pᵢ − rᵢⱼ pⱼ)² with Σ pᵢ = 1 (Wu, Lin and Weng
    2004). `decision="average"` takes pᵢ = 2 Σⱼ rᵢⱼ / (k (k − 1)).

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.OneVsOneClassifier(sf.LinearDiscriminantAnalysis(), decision="coupling")
    >>> model.fit(iris.matrix(), iris["species"]).predict_proba(iris.matrix()[[0, 70]]).round(3)
    array([[1.   , 0.   , 0.   ],
           [0.   , 0.435, 0.565]])
    """

    read_late = ("decision", "ties")

    counterpart: ClassVar = Counterpart("sklearn.multiclass", ignored=IGNORED)

    decision: str = param(
        "votes",
        choices=("votes", "coupling", "average"),
        doc="What decides: the votes of all pairs, or probabilities made of theirs.",
    )
    ties: str = param(
        "confidence",
        choices=("confidence", "frequency"),
        doc="Who wins of classes with equally many votes: the larger sum of confidences, or the more frequent class.",
    )

    def _draw_code(self, k: int) -> Floats:
        if self.decision != "votes":
            self._check_probabilities()
        return one_vs_one(k)

    def _check_probabilities(self) -> None:
        name = type(self).__name__
        if self.normalize:
            raise InvalidParameter(f"{name}: normalize is for votes, and decision is {self.decision!r}; leave one out.")
        if not hasattr(self._inner(), "predict_proba"):
            raise InvalidParameter(
                f"{name}: decision={self.decision!r} needs predict_proba, which {type(self._inner()).__name__} does "
                "not have; use decision='votes'."
            )

    def _scores(self, chunk: Chunk) -> Floats:
        return super()._scores(chunk) if self.decision == "votes" else self._shares(chunk)

    def _decided(self, confidence: Floats) -> Floats:
        if len(self.classes_) == 2:
            return np.column_stack([np.zeros(len(confidence)), confidence])
        code = one_vs_one(len(self.classes_))
        code[:, [model is None for model in self.estimators_]] = 0  # a fit that was ended early
        sides = np.where(confidence > 0, 1.0, -1.0)
        votes = (sides @ code.T + np.abs(code).sum(axis=1)) / 2
        return np.asarray(votes + self._between(confidence @ code.T))

    def _between(self, confidence: Floats) -> Floats:
        """What decides between equal votes, (n, k) or (k,), above −1/3 and below 1/3."""
        if self.ties == "frequency":
            return np.asarray(self.class_count_ / (3 * self.class_count_.sum() + 1))
        return np.asarray(confidence / (3 * (np.abs(confidence) + 1)))

    @available_if(_couples)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Reals:
        """The probability of each class, (n, k), made of those of all pairs."""
        check_is_fitted(self)
        found: Reals = self._rows(X, lambda chunk: rounded(self._shares(chunk), chunk.X.dtype))
        return found

    def _shares(self, chunk: Chunk) -> Floats:
        k = len(self.classes_)
        if k == 1:
            return np.ones((len(chunk), 1))
        second = self._asked(chunk, probability, 0.5)
        if k == 2:
            return np.column_stack([1 - second, second])
        return coupled(second, k) if self.decision == "coupling" else averaged(second, k)


def one_vs_one(k: int) -> Floats:
    """The code matrix of k classes, (k, k (k − 1) / 2): the first class of each pair has −1, the second 1."""
    first, second = np.triu_indices(k, 1)
    code = np.zeros((k, len(first)))
    code[first, np.arange(len(first))], code[second, np.arange(len(first))] = -1, 1
    return code
