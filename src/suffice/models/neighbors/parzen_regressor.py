"""Regression by Parzen windows."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Chunk, Needs
from ...estimator import estimator
from ...typing import Floats, Reals, TableLike
from .parzen import ParzenWindows
from .targets import AveragingRegressor
from .votes import Pairs


@estimator
class ParzenRegressor(ParzenWindows, AveragingRegressor):
    """The mean target of the rows in a window: f(x) = Σᵢ wᵢ yᵢ K(d(x, xᵢ) / r) / Σᵢ wᵢ K(d(x, xᵢ) / r).

    K is constant within the radius r, or falls with the distance (Nadaraya, 1964; Watson, 1964); wᵢ are sample weights.

    Examples
    --------
    >>> import suffice as sf
    >>> X, y = [[0.0], [1.0], [2.0], [10.0]], [0.0, 1.0, 4.0, 100.0]
    >>> sf.ParzenRegressor(1.0).fit(X, y).predict([[1.4], [6.5]])
    array([  2.5, 100. ])
    >>> sf.ParzenRegressor(1.0, window="gaussian").fit(X, y).predict([[1.4]]).round(2)
    array([2.])
    """

    complexity = "-radius"

    read_late = ("radius", "window")

    needs: ClassVar = Needs(target="numbers")
    in_unit_of_target = True

    def _means(self, X: TableLike, pairs: Pairs) -> Floats:
        total, means = pairs.total, super()._means
        found = pairs.sums(self._y) / np.where(total > 0, total, 1.0)[:, None]
        return self._where_empty(X, found, total, lambda near: means(X, near), self.mean_)

    def _averaged(self, chunk: Chunk) -> Reals:
        return self._in_blocks(chunk.X, self._averaged_by)
