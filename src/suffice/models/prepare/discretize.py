"""Numbers as the bins they fall into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidParameter
from ...estimator import Attributes, Transformer, estimator
from ...holds import floats, integers, require, tuples
from ...params import are_numbers, learned, param
from ...scikit_learn import Counterpart
from ...statistics import PerClass
from ...statistics.sorted_values import ColumnValues
from ...typing import Floats, Reals, TableLike
from .base import check_some_values
from .cuts import at_equal_weights, at_equal_widths, by_entropy
from .places import Range

_MOST_BINS = 1 << 24  # of a column: their edges take memory
_EVERY_ROW = "every row is looked at, in bounded memory"


@dataclass(frozen=True)
class _Spread:
    """The bounds of the columns, and all values where needed."""

    bounds: Range
    values: ColumnValues | PerClass[ColumnValues] | None

    def __add__(self, other: _Spread) -> _Spread:
        values = None if self.values is None or other.values is None else self.values + other.values  # type: ignore[operator]
        return _Spread(self.bounds + other.bounds, values)


@estimator
class KBinsDiscretizer(OneToOneFeatureMixin, Transformer):  # type: ignore[misc]
    """Cut every column into bins: of equal width, of equal weight, or where the classes change.

    `strategy="uniform"` cuts at equal widths, "quantile" so that every bin has about the same weight, and "entropy",
    which needs a target, where the entropy of the classes falls most, as often as the minimum description length of
    Fayyad and Irani (1993) allows; `n_bins` is not used then. A value on an edge belongs to the bin above it, values
    beyond the outer edges to the outer bins. Missing values stay missing.

    Quantiles and entropies are exact up to 131,072 distinct values of a column (in a class), from bins of neighbours
    beyond. Equal edges are one, so that a column may have fewer bins than asked for.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[1.0], [2.0], [3.0], [10.0]]
    >>> sf.KBinsDiscretizer(2, encode="ordinal", strategy="uniform").fit_transform(X).ravel()
    array([0., 0., 0., 1.])
    >>> sf.KBinsDiscretizer(2, encode="ordinal").fit_transform(X).ravel()
    array([0., 0., 1., 1.])
    """

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

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(source.reduce(self._spread), source))

    def _spread(self, chunk: Chunk) -> _Spread:
        X, weight = chunk.X, chunk.weight
        values: ColumnValues | PerClass[ColumnValues] | None = None
        if self.strategy == "quantile":
            values = ColumnValues.of(X, weight)
        elif self.strategy == "entropy":
            values = PerClass.by(_grouped, X, chunk.y, weight)
        return _Spread(Range.of(chunk, np.arange(X.shape[1])), values)

    def _solved(self, spread: _Spread, source: Source) -> Step[Attributes]:
        empty = np.isnan(spread.bounds.low)
        check_some_values(empty, source, np.arange(len(empty)), type(self).__name__)
        wanted = self._wanted(len(empty))
        edges = tuple(self._edges(spread, j, bins) for j, bins in enumerate(wanted))
        found = np.array([len(each) - 1 for each in edges], dtype=np.int64)
        return Step({"bin_edges_": edges, "n_bins_": found}, float(found.sum()))

    def _wanted(self, d: int) -> list[int]:
        given = np.asarray(self.n_bins)
        whole = given.dtype.kind in "iu" and given.ndim <= 1 and given.size in (1, d)
        if not whole or given.min() < 2 or given.max() > _MOST_BINS:
            raise InvalidParameter(
                f"{type(self).__name__}: n_bins must be a whole number from 2 to {_MOST_BINS:,}, or {d} of them, one a "
                f"column; got {self.n_bins!r}."
            )
        return [int(bins) for bins in np.broadcast_to(given, d)]

    def _edges(self, spread: _Spread, j: int, bins: int) -> Floats:
        low, high = float(spread.bounds.low[j]), float(spread.bounds.high[j])
        if low == high:
            return np.array([low, high])
        if isinstance(spread.values, PerClass):
            inner = by_entropy(tuple(part.columns[j] for part in spread.values.parts))
        elif spread.values is not None:
            inner = np.unique(at_equal_weights(spread.values.columns[j], bins))
            inner = inner[(inner > low) & (inner < high)]
        else:
            inner = at_equal_widths(low, high, bins)[1:-1]
        return np.concatenate([[low], inner, [high]])

    def transform(self, X: TableLike) -> Reals:
        """The bins of the rows: their numbers, or columns of 0 and 1."""
        found: Reals = self._rows(X, self._forward)
        return found

    def inverse_transform(self, X: TableLike) -> Reals:
        """The middles of the bins."""
        check_is_fitted(self)
        width = len(self.n_bins_) if self.encode == "ordinal" else int(self.n_bins_.sum())
        found: Reals = self._rows_back(X, self._backward, width)
        return found

    def _forward(self, chunk: Chunk) -> Reals:
        bins: Reals = np.empty_like(chunk.X)
        for j, edges in enumerate(self.bin_edges_):
            cells = chunk.X[:, j]
            bins[:, j] = np.where(np.isnan(cells), np.nan, np.searchsorted(edges[1:-1], cells, side="right"))
        if self.encode == "ordinal":
            return bins
        number = np.repeat(bins, self.n_bins_, axis=1)  # (n, bins of all columns)
        own = np.concatenate([np.arange(k) for k in self.n_bins_])
        flags: Reals = np.where(np.isnan(number), number, number == own).astype(chunk.X.dtype, copy=False)
        return flags

    def _backward(self, chunk: Chunk) -> Reals:
        starts = np.cumsum([0, *self.n_bins_])
        found = np.empty((len(chunk), len(self.n_bins_)), chunk.X.dtype)
        for j, edges in enumerate(self.bin_edges_):
            own = chunk.X[:, j] if self.encode == "ordinal" else _number(chunk.X[:, starts[j] : starts[j + 1]])
            middles = np.append(edges[:-1] / 2 + edges[1:] / 2, np.nan)
            last = len(middles) - 2
            found[:, j] = middles[np.where(np.isnan(own), last + 1, np.clip(own, 0, last)).astype(np.intp)]
        return found

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the columns, with the number of the bin behind them where each bin has a column."""
        names: NDArray[np.object_] = super().get_feature_names_out(input_features)
        if self.encode == "ordinal":
            return names
        pairs = zip(names, self.n_bins_, strict=True)
        return np.array([f"{name}_{bin_:.1f}" for name, bins in pairs for bin_ in range(bins)], dtype=object)


def _grouped(X: Reals, group: NDArray[np.int64], groups: int, weight: Floats | None) -> tuple[ColumnValues, ...]:
    """The values of the rows of each class."""
    rows = [group == k for k in range(groups)]
    return tuple(ColumnValues.of(X[own], None if weight is None else weight[own]) for own in rows)


def _number(flags: Reals) -> Floats:
    """The number of the bin in columns of 0 and 1, NaN where they are missing."""
    return np.where(np.isnan(flags).any(axis=1), np.nan, np.argmax(np.nan_to_num(flags), axis=1))
