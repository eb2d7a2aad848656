"""What regressors by averages of rows share."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from ...data import Chunk
from ...estimator import Attributes, Regressor, declares
from ...holds import flag, floats, require
from ...params import learned
from ...typing import Floats, Numbers, Reals, TableLike
from .base import NeighborsModel
from .training import Training
from .votes import Pairs


@declares
class AveragingRegressor(NeighborsModel, Regressor):
    """Base: a subclass gives the pairs of rows and neighbours, and what each counts."""

    mean_: Floats = learned("The mean of the targets of the fit.", holds=floats("targets"))
    holds: ClassVar = {"_y": floats("n", "targets"), "_is_table": flag()}

    def check_loaded(self) -> None:
        super().check_loaded()
        shape = (len(self._y), len(self.mean_)) if self._is_table else (len(self._y),)
        targets = self._rows_fit.y
        known = isinstance(targets, np.ndarray) and targets.shape == shape and targets.dtype.kind in "biuf"
        require(len(self.mean_) and known, "the rows of the fit must have their targets")
        require(self._is_table or len(self.mean_) == 1, "a target that is no table must have one column")

    def _targets(self, rows: Training) -> Attributes:
        y = rows.y.reshape(len(rows.y), -1).astype(np.float64)
        return {"mean_": np.average(y, axis=0, weights=rows.weight), "_y": y, "_is_table": rows.y.ndim == 2}

    def _pairs(self, X: TableLike) -> Pairs:
        raise TypeError(f"{type(self).__name__} does not define _pairs")

    def predict(self, X: TableLike) -> Reals:
        """The weighted mean of the targets of the neighbours, (m,) or (m, targets)."""
        return self._rows(X, self._averaged)

    def _averaged(self, chunk: Chunk) -> Reals:
        return self._averaged_by(chunk.X, self._pairs(chunk.X))

    def _averaged_by(self, X: Numbers, pairs: Pairs) -> Reals:
        found = self._means(X, pairs).astype(X.dtype)
        return found if self._is_table else found[:, 0]

    def _means(self, X: TableLike, pairs: Pairs) -> Floats:
        total = pairs.total[:, None]
        return np.where(total > 0, pairs.sums(self._y) / np.where(total > 0, total, 1.0), self.mean_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
