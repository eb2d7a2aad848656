"""Filling missing values by a number for each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...estimator import Attributes, Transformer, estimator
from ...holds import floats, integers, require
from ...params import learned, param
from ...scikit_learn import COPY, Counterpart
from ...statistics import DiagonalMoments
from ...statistics.sorted_values import ColumnValues, SortedValues
from ...typing import Flags, Floats, Reals, TableLike, Whole
from ..prepare.categories import missing_weight

ONLY_NAN = "missing values are NaN; say what else means one where the table is read, missing=…"


@dataclass(frozen=True)
class Gaps:
    """What fills the columns is found in `known`, and `missing` (d,) is the weight of the cells to fill."""

    known: DiagonalMoments | ColumnValues
    missing: Floats

    @classmethod
    def of(cls, chunk: Chunk, strategy: str) -> Gaps:
        """The known cells of some rows and the weight of the missing ones."""
        by_value = strategy in ("median", "most_frequent")
        known = (ColumnValues if by_value else DiagonalMoments).of(chunk.X, chunk.weight)
        return cls(known, missing_weight(chunk.X, chunk.weight))

    def __add__(self, other: Gaps) -> Gaps:
        return Gaps(self.known + other.known, self.missing + other.missing)  # type: ignore[operator]


def indicators(X: Reals, features: Whole) -> Reals:
    """1 where a cell of these columns is missing, else 0, in the type of the rows."""
    flags = np.isnan(X)
    neighbours = len(features) > 0 and bool(np.all(np.diff(features) == 1))
    return (flags[:, features[0] : features[-1] + 1] if neighbours else flags[:, features]).astype(X.dtype)


def indicator_names(names: NDArray[np.object_], features: Whole) -> list[str]:
    """The names of columns of 0 and 1 that say where others are missing."""
    return [f"missingindicator_{name}" for name in names[features]]


@estimator
class SimpleImputer(OneToOneFeatureMixin, Transformer):  # type: ignore[misc]
    """Fill the missing values of each column by its mean, median, most frequent value, or by a constant.

    Rows count by weight. Medians and frequencies are exact up to 131,072 different values of a column, from bins of
    neighbours beyond. A column without any value is left out, unless `keep_empty_features`, which fills it with 0.
    `add_indicator` adds a column of 0 and 1 for each column that had missing values. A filled cell counts for others as
    if it had been seen; see `GaussianImputer` for what other columns say about it.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> X = [[1.0, np.nan], [2.0, 5.0], [np.nan, 5.0], [6.0, 8.0]]
    >>> sf.SimpleImputer(add_indicator=True).fit_transform(X)
    array([[1., 6., 0., 1.],
           [2., 5., 0., 0.],
           [3., 5., 1., 0.],
           [6., 8., 0., 0.]])
    """

    counterpart: ClassVar = Counterpart("sklearn.impute", ignored={"copy": COPY}, absent={"missing_values": ONLY_NAN})
    needs = Needs(missing=True)

    strategy: str = param(
        "mean",
        choices=("mean", "median", "most_frequent", "constant"),
        doc="What fills the missing values of a column.",
    )
    fill_value: float | None = param(
        None, number=True, at_least=-1e150, at_most=1e150, choices=(None,), doc="The constant; None is 0."
    )
    add_indicator: bool = param(
        False, choices=(True, False), doc="Whether columns of 0 and 1 follow that say what was missing."
    )
    keep_empty_features: bool = param(False, choices=(True, False), doc="Whether columns without any value are kept.")

    statistics_: Floats = learned(
        "What fills each column, (d,); NaN where it is left out.", holds=floats("d", finite=False)
    )
    features_: Whole = learned("The columns that have an indicator.", holds=integers(None, at_least=0, below="d"))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(not np.isinf(self.statistics_).any(), "statistics_ must be finite numbers or NaN")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        X = rng.normal(size=(n, 4)).round(2) + 3
        is_missing = rng.random(X.shape) < 0.1
        is_missing[7 % n, 2] = False  # where the table of bad input puts its cells
        return np.where(is_missing, np.nan, X), None

    def _fit_needs(self) -> Needs:
        return super()._fit_needs().but(squares=self.strategy == "mean")  # others count and compare

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(source))

    def _solved(self, source: Source) -> Step[Attributes]:
        rows = source.in_memory
        if self.strategy == "median" and rows is not None and rows.weight is None:  # no summary is needed
            filling, missing = _medians(rows.X)
            empty = missing == len(rows)
        else:
            found = source.reduce(lambda chunk: Gaps.of(chunk, self.strategy))
            empty, filling = self._filling(found.known)
            missing = found.missing
        constant = float(self.fill_value or 0.0) if self.strategy == "constant" else 0.0
        if self.strategy == "constant":
            filling = np.full(len(empty), constant)
        filling = np.where(empty, constant if self.keep_empty_features else np.nan, filling)
        features = np.flatnonzero((missing > 0) & self.add_indicator)
        return Step({"statistics_": filling, "features_": features.astype(np.int64)}, float(missing.sum()))

    def _filling(self, known: DiagonalMoments | ColumnValues) -> tuple[Flags, Floats]:
        """Which columns have no value, and what fills the others."""
        if isinstance(known, DiagonalMoments):
            return known.weight == 0, known.mean
        of = SortedValues.median if self.strategy == "median" else _most_frequent
        empty = np.array([column.weight == 0 for column in known.columns])
        return empty, np.array([of(column) for column in known.columns])

    def transform(self, X: TableLike) -> Reals:
        """X with its missing values filled, and the indicators behind."""
        found: Reals = self._rows(X, self._forward)
        return found

    def _forward(self, chunk: Chunk) -> Reals:
        X, kept = chunk.X, self._kept()
        if kept.all() and not len(self.features_):
            return np.where(np.isnan(X), self.statistics_.astype(X.dtype), X)
        filled = np.where(np.isnan(X[:, kept]), self.statistics_[kept].astype(X.dtype), X[:, kept])
        return np.concatenate([filled, indicators(X, self.features_)], axis=1)

    def _kept(self) -> Flags:
        return np.asarray(~np.isnan(self.statistics_))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the columns that are kept, and of the indicators."""
        check_is_fitted(self)
        names: NDArray[np.object_] = super().get_feature_names_out(input_features)
        return np.array([*names[self._kept()], *indicator_names(names, self.features_)], dtype=object)


def _medians(X: Reals) -> tuple[Floats, Floats]:
    """The median of the known cells of each column, NaN of nothing, and how many are missing, (d,)."""
    missing = missing_weight(X, None)
    known = len(X) - missing.astype(np.int64)
    lower, upper = np.maximum(known - 1, 0) // 2, known // 2
    columns = np.ascontiguousarray(X.T)
    if len(columns) and np.all(lower == lower[0]) and np.all(upper == upper[0]):  # NaN are the last
        held = np.partition(columns, [lower[0], min(upper[0], len(X) - 1)], axis=1)
    else:
        held = np.sort(columns, axis=1)
    at = np.arange(len(held))
    low, high = (held[at, np.minimum(place, len(X) - 1)].astype(np.float64) for place in (lower, upper))
    return np.where(known > 0, (low + high) / 2, np.nan), missing


def _most_frequent(values: SortedValues) -> float:
    """The value with the most weight, the smallest of several; NaN of nothing."""
    at, weights = values.in_order()
    return float(at[np.argmax(weights)]) if len(at) else np.nan
