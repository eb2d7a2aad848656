"""What every classifier by Bayes' rule does once it has log P(class) + log p(x | class)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data import Chunk
from ...estimator import Classifier


class BayesClassifier(Classifier):
    """Base: a subclass gives `_log_joint(chunk)`, (n, k)."""

    def _log_joint(self, chunk: Chunk) -> NDArray[Any]:
        raise TypeError(f"{type(self).__name__} does not define _log_joint")

    def predict(self, X: Any) -> Any:
        """The class with the largest posterior probability."""
        return self._rows(X, lambda chunk: self.classes_[np.argmax(self._log_joint(chunk), axis=1)])

    def predict_joint_log_proba(self, X: Any) -> Any:
        """log P(class) + log p(x | class), (n, k)."""
        return self._rows(X, self._log_joint)

    def predict_log_proba(self, X: Any) -> Any:
        """log P(class | x), (n, k)."""
        return self._rows(X, lambda chunk: _normalised(self._log_joint(chunk)))

    def predict_proba(self, X: Any) -> Any:
        """P(class | x), (n, k)."""
        return self._rows(X, lambda chunk: np.exp(_normalised(self._log_joint(chunk))))


def _normalised(log_joint: NDArray[Any]) -> NDArray[Any]:
    top = log_joint.max(axis=1, keepdims=True)
    shifted = log_joint - top
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))  # type: ignore[no-any-return]
