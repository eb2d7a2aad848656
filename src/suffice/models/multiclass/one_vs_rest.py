"""One classifier for each class, against all others."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ...backend.posteriors import rounded
from ...data import Chunk
from ...estimator import estimator
from ...scikit_learn import VERBOSE, Counterpart
from ...typing import Floats, Reals, TableLike
from .base import IGNORED, BinaryProblems, probability


def _has_probabilities(self: OneVsRestClassifier) -> bool:
    return not self.normalize and hasattr(self._inner(), "predict_proba")


@estimator
class OneVsRestClassifier(BinaryProblems):
    """One classifier for each class against the rest: ŷ(x) = argmax_c f_c(x), where f_c tells class c from all others.

    f_c is the decision function of the classifier, else 2 P(c | x) − 1, else −1 or 1 as it predicts. `normalize`
    divides it by ‖w_c‖, which makes the confidences of linear classifiers comparable: they are the distances of x to
    the boundaries. Of equal confidences the first class in sorted order wins. Of two classes one classifier tells the
    second from the first.

    Probabilities are those of the classifiers, divided by their sum; equal where all are 0.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.OneVsRestClassifier(sf.LinearDiscriminantAnalysis()).fit(iris.matrix(), iris["species"])
    >>> len(model.estimators_), round(model.score(iris.matrix(), iris["species"]), 3)
    (3, 0.893)
    """

    read_late = ("normalize",)

    counterpart: ClassVar = Counterpart("sklearn.multiclass", ignored={**IGNORED, "verbose": VERBOSE})

    def _draw_code(self, k: int) -> Floats:
        return one_vs_rest(k)

    def _decided(self, confidence: Floats) -> Floats:
        if len(self.classes_) == 2:
            return np.column_stack([np.zeros(len(confidence)), confidence])
        missing = [model is None for model in self.estimators_]  # a fit that was ended early
        return np.where(missing, -np.inf, confidence)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Reals:
        """The probability of each class, (n, k): what its classifier says, divided by the sum over classes."""
        check_is_fitted(self)
        found: Reals = self._rows(X, self._shares)
        return found

    def _shares(self, chunk: Chunk) -> Reals:
        if len(self.classes_) == 1:
            return np.ones((len(chunk), 1), dtype=chunk.X.dtype)
        own = self._asked(chunk, probability, 0.0)
        shares = np.column_stack([1 - own, own]) if len(self.classes_) == 2 else own
        total = shares.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, shares / np.where(total > 0, total, 1), 1 / shares.shape[1])
        return rounded(shares, chunk.X.dtype)


def one_vs_rest(k: int) -> Floats:
    """The code matrix of k classes, (k, k); of two classes one column, (2, 1)."""
    return np.array([[-1.0], [1.0]]) if k == 2 else 2 * np.eye(k) - 1
