"""What linear classifiers share: planes between classes."""

from __future__ import annotations

import numpy as np

from ...backend.affine_rows import affine_rows
from ...data import Chunk
from ...estimator import Attributes, Classifier, declares
from ...holds import floats, require
from ...losses import Loss
from ...params import learned, param
from ...solvers import Coefficients
from ...typing import Floats, Labels, Reals, TableLike


@declares
class LinearClassifier(Classifier):
    """Base: scores of the rows are X coefᵀ + intercept, one for two classes, else one a class."""

    class_weight: object = param(
        None,
        choices=(None, "balanced"),
        types=(dict,),
        doc="What a row of each class counts: numbers by class, or balanced, which gives all classes the same weight.",
    )

    coef_: Floats = learned(
        "The slopes, (classes, d), or (1, d) for two classes, where they are those of the second.",
        holds=floats("scores", "d"),
    )
    intercept_: Floats = learned("The intercepts, (classes,), or (1,) for two classes.", holds=floats("scores"))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.classes_) > 1, "classes_ must hold at least 2 classes")
        wanted = 1 if len(self.classes_) == 2 else len(self.classes_)
        require(len(self.coef_) == wanted, f"coef_ must have {wanted} rows for {len(self.classes_)} classes")

    def decision_function(self, X: TableLike) -> Reals:
        """The scores of the rows, (n,) for two classes, where the second is predicted above 0; else (n, classes)."""
        self._check_fitted("coef_")
        flat = len(self.coef_) == 1

        def scores(chunk: Chunk) -> Reals:
            found = self._scores(chunk)
            return found[:, 0] if flat else found

        return self._rows(X, scores, late=True, lean=True)

    def _scores(self, chunk: Chunk) -> Reals:
        slope = np.ascontiguousarray(self.coef_.T)
        return affine_rows(chunk.X, None, slope, np.asarray(self.intercept_, dtype=np.float64))

    def predict(self, X: TableLike) -> Labels:
        """The class of the highest score."""
        scores = self.decision_function(X)
        code = (scores > 0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)
        found: Labels = np.take(self.classes_, code)
        return found


def shares(loss: Loss, scores: Reals, dtype: np.dtype[np.floating]) -> Reals:
    """P(class | x), (n, classes), of scores; those of each class against all others are normalised."""
    eta = np.asarray(scores, dtype=np.float64)
    if loss.target == "classes":
        eta = np.column_stack([0 * eta, eta]) if eta.shape[1] == 1 else eta
        return np.asarray(loss.mean(eta)).astype(dtype, copy=False)
    found = np.asarray(loss.mean(eta))
    if found.shape[1] == 1:
        found = np.column_stack([1 - found[:, 0], found[:, 0]])
    total = found.sum(axis=1, keepdims=True)
    even = np.full_like(found, 1 / found.shape[1])
    parts: Reals = np.divide(found, total, out=even, where=total > 0)
    return parts.astype(dtype, copy=False)


def by_class(found: Coefficients) -> Attributes:
    """Coefficients as fitted attributes, one row a score."""
    slope = found.slope[:, None] if found.slope.ndim == 1 else found.slope
    return {"coef_": np.ascontiguousarray(slope.T), "intercept_": np.atleast_1d(found.intercept).astype(np.float64)}
