"""Numbers as the bins they fall into."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin

from ...backend import features
from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidData, InvalidParameter, shown
from ...estimator import Attributes, Transformer, estimator
from ...holds import floats, integers, require, tuples
from ...params import are_numbers, learned, param
from ...scikit_learn import Counterpart
from ...statistics import PerClass
from ...statistics.sorted_values import ColumnValues
from ...typing import Floats, Reals, TableLike
from .bins import bin_flags, bin_middles, bin_numbers, flagged_bins
from .cuts import at_equal_weights, at_equal_weights_of_rows, at_equal_widths, by_entropy

_MOST_BINS = 100_000  # of a column: edges, and columns of 0 and 1, take memory
_EVERY_ROW = "every row is looked at, in bounded memory"


@dataclass(frozen=True)
class _Spread:
    """The lowest and highest values of the columns, NaN where there are none, and all values where needed."""

    low: Floats
    high: Floats
    values: ColumnValues | PerClass[ColumnValues] | None = None

    def __add__(self, other: _Spread) -> _Spread:
        values = None if self.values is None or other.values is None else self.values + other.values  # type: ignore[operator]
        return _Spread(np.fmin(self.low, other.low), np.fmax(self.high, other.high), values)

    def inner(self, bins: list[int]) -> Iterator[Floats]:
        """The inner edges of each column."""
        if isinstance(self.values, PerClass):
            parts = zip(*(part.columns for part in self.values.parts), strict=True)
            return map(by_entropy, parts)
        if self.values is not None:
            columns = (column.in_order() for column in self.values.columns)
            return (at_equal_weights(*column, own) for column, own in zip(columns, bins, strict=True))
        return map(at_equal_widths, self.low.tolist(), self.high.tolist(), bins)


@estimator
class KBinsDiscretizer(OneToOneFeatureMixin, Transformer):  # type: ignore[misc]
    """Cut every column into bins: of equal width, of equal weight, or where the classes change.

    `strategy="uniform"` cuts at equal widths, "quantile" so that every bin has about the same weight, and "entropy",
    which needs a target, where the entropy of the classes falls most, as often as the minimum description length of
    Fayyad and Irani (1993) allows; `n_bins` is not used then. A value on an edge belongs to the bin above it, values
    beyond the outer edges to the outer bins. Missing values stay missing.

    Quantiles of rows in memory are exact; those of rows read in pieces, and entropies, are exact up to 131,072 distinct
    values of a column (in a class), from bins of neighbours beyond. Equal edges are one, so that a column may have
    fewer bins than asked for.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[1.0], [2.0], [3.0], [10.0]]
    >>> sf.KBinsDiscretizer(2, encode="ordinal", strategy="uniform").fit_transform(X).ravel()
    array([0., 0., 0., 1.])
    >>> sf.KBinsDiscretizer(2, encode="ordinal").fit_transform(X).ravel()
    array([0., 0., 1., 1.])
    """

    complexity = "n_bins"

    read_late = ("encode",)

    counterpart: ClassVar = Counterpart(
        "sklearn.preprocessing",
        ignored={"subsample": _EVERY_ROW, "random_state": _EVERY_ROW},
        absent={
            "quantile_method": "quantiles are averaged_inverted_cdf, the one that weights can have",
            "dtype": "the result has the type of the rows",
        },
    )

    needs = Needs(missing=True)

    n_bins: object = param(
        5,
        positional=True,
        integer=True,
        at_least=2,
        at_most=_MOST_BINS,
        accept=lambda value: are_numbers(value, 1),
        allowed="a list of one number a column",
        doc="The number of bins of every column, or of each.",
    )
    encode: str = param(
        "onehot",
        choices=("onehot", "onehot-dense", "ordinal"),
        doc="A column of 0 and 1 for each bin, as a dense array by either name, or the number of the bin from 0.",
    )
    strategy: str = param("quantile", choices=("uniform", "quantile", "entropy"), doc="Where columns are cut.")

    bin_edges_: tuple[Floats, ...] = learned(
        "The edges of the bins of each column, the outer ones too.", holds=tuples(floats(None), "d")
    )
    n_bins_: NDArray[np.int64] = learned("The number of bins of each column, (d,).", holds=integers("d", at_least=1))

    def check_loaded(self) -> None:
        super().check_loaded()
        for edges, bins in zip(self.bin_edges_, self.n_bins_, strict=True):
            require(len(edges) == bins + 1 and np.all(np.diff(edges) >= 0), "bin_edges_ must rise, one more than bins")

    def _needs(self) -> Needs:
        return super()._needs().but(target="classes" if self.strategy == "entropy" else "none")

    def _fit_needs(self) -> Needs:
        return super()._fit_needs().but(squares=self.strategy == "uniform")  # others count and compare

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(source))

    def _solved(self, source: Source) -> Step[Attributes]:
        rows = source.in_memory if self.strategy == "quantile" else None  # of which no summary is needed
        spread = source.reduce(_range if rows is not None else self._spread)
        empty = np.flatnonzero(np.isnan(spread.low))
        if empty.size:
            column = source.schema.describe(int(empty[0]))
            raise InvalidData(f"{type(self).__name__}: {column} has only missing values; leave it out.")
        wanted = self._wanted(len(spread.low))
        inner = spread.inner(wanted) if rows is None else at_equal_weights_of_rows(rows.X, rows.weight, wanted)
        edges = tuple(map(_edges, spread.low.tolist(), inner, spread.high.tolist()))
        found = np.array([len(each) - 1 for each in edges], dtype=np.int64)
        return Step({"bin_edges_": edges, "n_bins_": found}, float(found.sum()))

    def _spread(self, chunk: Chunk) -> _Spread:
        spread = _range(chunk)
        if self.strategy == "quantile":
            return replace(spread, values=ColumnValues.of(chunk.X, chunk.weight))
        if self.strategy == "entropy":
            return replace(spread, values=PerClass.by(_grouped, chunk.X, chunk.y, chunk.weight))
        return spread

    def _wanted(self, d: int) -> list[int]:
        given = np.asarray(self.n_bins)
        whole = given.dtype.kind in "iu" and given.ndim <= 1 and given.size in (1, d)
        if not whole or given.min() < 2 or given.max() > _MOST_BINS:
            raise InvalidParameter(
                f"{type(self).__name__}: n_bins must be a whole number from 2 to {_MOST_BINS:,}, or {d} of them, one a "
                f"column; got {shown(self.n_bins)}."
            )
        return [int(bins) for bins in np.broadcast_to(given, d)]

    def transform(self, X: TableLike) -> Reals:
        """The bins of the rows: their numbers, or columns of 0 and 1."""
        found: Reals = self._rows(X, self._forward, lean=self.encode == "ordinal")
        return found

    def inverse_transform(self, X: TableLike) -> Reals:
        """The middles of the bins."""
        self._check_fitted()
        width = len(self.n_bins_) if self.encode == "ordinal" else int(self.n_bins_.sum())
        found: Reals = self._rows_back(X, self._backward, width)
        return found

    def _forward(self, chunk: Chunk) -> Reals:
        numbers = bin_numbers(chunk.X, [edges[1:-1] for edges in self.bin_edges_])
        return numbers if self.encode == "ordinal" else bin_flags(numbers, self.n_bins_)

    def _backward(self, chunk: Chunk) -> Reals:
        numbers = chunk.X if self.encode == "ordinal" else flagged_bins(chunk.X, self.n_bins_)
        return bin_middles(numbers, self.bin_edges_)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the columns, with the number of the bin behind them where each bin has a column."""
        names: NDArray[np.object_] = super().get_feature_names_out(input_features)
        if self.encode == "ordinal":
            return names
        pairs = zip(names, self.n_bins_, strict=True)
        return np.array([f"{name}_{bin_:.1f}" for name, bins in pairs for bin_ in range(bins)], dtype=object)


def _range(chunk: Chunk) -> _Spread:
    """The lowest and highest values of the columns among rows that weigh something."""
    X = chunk.X if chunk.weight is None or chunk.weight.all() else chunk.X[chunk.weight > 0]
    return _Spread(*features.column_ranges(X)[:2])


def _edges(low: float, inner: Floats, high: float) -> Floats:
    """The edges of a column, the outer ones too; equal ones are one, but for those of a constant column."""
    if low == high:
        return np.array([low, high])
    edges = np.concatenate(([low], inner, [high]))
    rises = edges[1:] > edges[:-1]
    return edges if rises.all() else np.unique(np.clip(edges, low, high))


def _grouped(X: Reals, group: NDArray[np.int64], groups: int, weight: Floats | None) -> tuple[ColumnValues, ...]:
    """The values of the rows of each class."""
    rows = [group == k for k in range(groups)]
    return tuple(ColumnValues.of(X[own], None if weight is None else weight[own]) for own in rows)
