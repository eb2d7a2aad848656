"""What every selection of columns is: a transformer that leaves columns out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin

from ...data import Chunk, Needs
from ...errors import InvalidData
from ...estimator import Transformer, declares
from ...holds import flags, require
from ...params import learned
from ...typing import Flags, Reals, TableLike, Whole
from ..prepare.base import columns_at


@declares
class FeatureSelector(OneToOneFeatureMixin, Transformer):  # type: ignore[misc]
    """Base: a subclass learns `support_`."""

    needs = Needs(target="numbers")

    support_: Flags = learned("Whether each column was chosen, (d,).", holds=flags("d"))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.support_.any(), "support_ must hold a column")

    def get_support(self, indices: bool = False) -> Flags | Whole:
        """Whether each column was chosen, (d,), or the numbers of those that were."""
        self._check_fitted("support_")
        return np.flatnonzero(self.support_) if indices else self.support_.copy()

    def transform(self, X: TableLike) -> Reals:
        """The rows with the chosen columns alone."""
        self._check_fitted("support_")
        chosen = np.flatnonzero(self.support_)
        found: Reals = self._rows(X, lambda chunk: columns_at(chunk.X, chosen))
        return found

    def inverse_transform(self, X: TableLike) -> Reals:
        """Rows of the chosen columns with 0 in all others."""
        self._check_fitted("support_")
        chosen = np.flatnonzero(self.support_)

        def spread(chunk: Chunk) -> Reals:
            rows = np.zeros((len(chunk), len(self.support_)), dtype=chunk.X.dtype)
            rows[:, chosen] = chunk.X.toarray() if hasattr(chunk.X, "toarray") else chunk.X
            return rows

        return self._rows_back(X, spread, len(chosen))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the chosen columns."""
        names: NDArray[np.object_] = super().get_feature_names_out(input_features)
        return names[self.get_support()]


def check_count(count: int | None, d: int, owner: str) -> None:
    """Refuse more columns than there are."""
    if count is not None and count > d:
        raise InvalidData(f"{owner}: n_features_to_select must be at most the number of columns, {d}; got {count}.")
