"""Columns that say where others are missing."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidData
from ...estimator import Attributes, Transformer, estimator
from ...holds import integers
from ...params import learned, param
from ...scikit_learn import Counterpart
from ...typing import Floats, Reals, TableLike, Whole
from ..prepare.categories import missing_weight
from .simple_imputer import ONLY_NAN, indicator_names, indicators


@estimator
class MissingIndicator(OneToOneFeatureMixin, Transformer):  # type: ignore[misc]
    """A column of 0 and 1 for each column that has missing values: 1 where a value is missing.

    That a value is missing may tell something itself. Columns whose missing cells have no weight count as complete.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> sf.MissingIndicator().fit_transform([[1.0, np.nan], [2.0, 5.0]])
    array([[1.],
           [0.]])
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.impute", absent={"missing_values": ONLY_NAN, "sparse": "the result is dense"}
    )
    needs = Needs(missing=True)
    squares = False
    exemptions: ClassVar = dict.fromkeys(
        ("bad_input_constant_column", "bad_input_large_constant_column", "bad_input_equal_rows"),
        "a missing value in a column that had none is refused, as scikit-learn's class refuses it",
    )

    features: str = param(
        "missing-only",
        choices=("missing-only", "all"),
        doc="Whether there is a column for those with missing values in the fit, or for all.",
    )
    error_on_new: bool = param(
        True, choices=(True, False), doc="Whether a missing value in a column that had none is an error."
    )

    features_: Whole = learned("The columns that have an indicator.", holds=integers(None, at_least=0, below="d"))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        X = rng.normal(size=(n, 4))
        missing = rng.random(n) < 0.4
        missing[0] = True
        X[missing, 1] = X[missing, 3] = np.nan
        return X, None

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(source.reduce(lambda chunk: missing_weight(chunk.X, chunk.weight))))

    def _solved(self, missing: Floats) -> Step[Attributes]:
        there = np.flatnonzero((missing > 0) | (self.features == "all"))
        return Step({"features_": there.astype(np.int64)}, float(missing.sum()))

    def transform(self, X: TableLike) -> Reals:
        """1 where a value is missing, else 0."""
        found: Reals = self._rows(X, self._forward)
        return found

    def _forward(self, chunk: Chunk) -> Reals:
        if self.features == "missing-only" and self.error_on_new and len(self.features_) < self.n_features_in_:
            others = np.setdiff1d(np.arange(self.n_features_in_), self.features_)
            missing = np.isnan(chunk.X[:, others])
            if missing.any():
                row, at = (int(place[0]) for place in np.nonzero(missing))
                raise InvalidData(
                    f"{type(self).__name__}: column {others[at]}, row {chunk.number(row)} is missing, and no value of "
                    "the column was in the fit; fit with such rows, or say error_on_new=False or features='all'."
                )
        return indicators(chunk.X, self.features_)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the columns, after `missingindicator_`."""
        check_is_fitted(self)
        names: NDArray[np.object_] = super().get_feature_names_out(input_features)
        return np.array(indicator_names(names, self.features_), dtype=object)
