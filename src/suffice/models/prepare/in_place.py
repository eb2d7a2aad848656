"""Maps that change columns where they stand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk
from ...estimator import declares
from ...params import param
from ...typing import Reals, TableLike
from .base import FeatureMap, are_columns


@declares
class InPlace(FeatureMap):
    """Base: each mapped column becomes one, in its place; a subclass gives `_features`, and `_back` if there is one."""

    columns: object = param(
        "all",
        choices=("all",),
        accept=are_columns,
        allowed="a list of names or numbers of columns",
        doc="The columns that are changed; the others stay as they are.",
    )

    def transform(self, X: TableLike) -> Reals:
        """The rows with their columns changed."""
        found: Reals = self._rows(X, self._forward)
        return found

    def _forward(self, chunk: Chunk) -> Reals:
        return self._exchanged(chunk.X, self._features)

    def _exchanged(self, rows: Reals, f: Callable[[Reals], Reals]) -> Reals:
        """The rows with f of the mapped columns in their place; f gives a new array."""
        if len(self.mapped_) == self.n_features_in_ and np.all(np.diff(self.mapped_) == 1):
            return f(rows).astype(rows.dtype, copy=False)
        X = np.array(rows)
        X[:, self.mapped_] = f(X[:, self.mapped_])
        return X

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the columns, which stay."""
        names: NDArray[np.object_] = super(FeatureMap, self).get_feature_names_out(input_features)
        return names


@declares
class Invertible(InPlace):
    """Base of those that can be undone."""

    def _back(self, X: Reals) -> Reals:
        """The mapped columns before they were changed, (n, m)."""
        raise TypeError(f"{type(self).__name__} does not define _back")

    def inverse_transform(self, X: TableLike) -> Reals:
        """The rows as they were."""
        check_is_fitted(self)
        found: Reals = self._rows_back(X, self._backward, self.n_features_in_)
        return found

    def _backward(self, chunk: Chunk) -> Reals:
        return self._exchanged(chunk.X, self._back)
