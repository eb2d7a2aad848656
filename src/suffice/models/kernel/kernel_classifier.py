"""What classifiers by sums over the rows of the fit share: scores and the class of the highest."""

from __future__ import annotations

import numpy as np

from ...data import Chunk
from ...estimator import Classifier, declares
from ...holds import floats, require
from ...params import learned
from ...typing import Floats, Labels, Reals, TableLike, Whole
from .kernel_of_rows import KernelModel, finite


@declares
class KernelClassifier(Classifier, KernelModel):
    """Base: scores of the rows are Σⱼ cⱼ k(x, xⱼ) + intercept, one for two classes, else one a class."""

    dual_coef_: Floats = learned(
        "The coefficients c, (n, classes), or (n, 1) for two classes, where they are those of the second.",
        holds=floats("n", "scores"),
    )
    intercept_: Floats = learned("The intercepts, (classes,), or (1,) for two classes.", holds=floats("scores"))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.classes_) > 1, "classes_ must hold at least 2 classes")
        wanted = 1 if len(self.classes_) == 2 else len(self.classes_)
        require(len(self.intercept_) == wanted, f"intercept_ must have {wanted} numbers")

    def _scores(self, chunk: Chunk) -> Floats:
        """The scores of some rows, (m, scores)."""
        return finite(self._sums(chunk, self.dual_coef_) + self.intercept_, type(self).__name__, "scores")

    def decision_function(self, X: TableLike) -> Reals:
        """The scores of the rows, (n,) for two classes, where the second is predicted above 0; else (n, classes)."""
        self._check_fitted("dual_coef_")
        flat = self.dual_coef_.shape[1] == 1

        def scores(chunk: Chunk) -> Reals:
            found = self._scores(chunk)
            return np.asarray(found[:, 0] if flat else found, dtype=chunk.X.dtype)

        return self._rows(X, scores)

    def predict(self, X: TableLike) -> Labels:
        """The class of the highest score."""
        self._check_fitted("dual_coef_")

        def codes(chunk: Chunk) -> Whole:
            found = self._scores(chunk)
            return (found[:, 0] > 0).astype(np.int64) if found.shape[1] == 1 else np.argmax(found, axis=1)

        found: Labels = np.take(self.classes_, self._rows(X, codes))
        return found
