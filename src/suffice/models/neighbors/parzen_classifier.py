"""Classification by Parzen windows."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data import Chunk, Needs
from ...estimator import estimator
from ...typing import Floats, Numbers, Reals, TableLike
from .classes import VotingClassifier
from .parzen import ParzenWindows
from .votes import Pairs


@estimator
class ParzenClassifier(ParzenWindows, VotingClassifier):
    """The class of most rows in a window: P(c | x) = Σᵢ wᵢ [yᵢ = c] K(d(x, xᵢ) / r) / Σᵢ wᵢ K(d(x, xᵢ) / r).

    K is constant within the radius r, or falls with the distance; wᵢ are sample weights.

    Examples
    --------
    >>> import suffice as sf
    >>> X, y = [[0.0], [1.0], [2.0], [10.0], [11.0]], ["low", "low", "low", "high", "high"]
    >>> sf.ParzenClassifier(2.0).fit(X, y).predict([[1.5], [9.5]]).tolist()
    ['low', 'high']
    >>> sf.ParzenClassifier(4.0, window="gaussian").fit(X, y).predict_proba([[6.0]]).round(2)
    array([[0.43, 0.57]])
    """

    complexity = "-radius"

    read_late = ("radius", "window")

    needs: ClassVar = Needs(target="classes")

    def _shares(self, X: TableLike, pairs: Pairs) -> Floats:
        shares = super()._shares
        return self._where_empty(X, shares(X, pairs), pairs.total, lambda near: shares(X, near), self.class_prior_)

    def predict_proba(self, X: TableLike) -> Reals:
        """The share of each class among the votes, (m, classes)."""

        def shares(rows: Numbers, pairs: Pairs) -> Reals:
            return self._shares(rows, pairs).astype(rows.dtype)

        return self._rows(X, lambda chunk: self._in_blocks(chunk.X, shares))

    def _decided(self, chunk: Chunk) -> NDArray[np.generic]:
        return self._in_blocks(chunk.X, self._decided_by)
