"""Gower's distance of rows with numbers, categories and missing values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..backend.arrays import Array
from ..backend.distances import Term
from ..data import Needs, Schema
from ..data.memory import ArraySource, from_memory
from ..errors import InvalidData, InvalidParameter, squares_overflow
from ..holds import array_like, either, flags, floats, instance, optional, record, sometimes, text, tuples, whole
from ..params import are_numbers
from ..registry import registered
from ..typing import Floats, Numbers, TableLike, WeightLike
from .base import Distance


@registered("part/GowerColumns")
@dataclass(frozen=True)
class Columns:
    """What the rows of all tables say of the columns: the range of numbers, which are codes, and of what text."""

    ranges: Floats  # (d,), 1 for codes, m − 1 for m levels
    is_code: NDArray[np.bool_]  # (d,)
    texts: tuple[tuple[str, ...], ...]  # the categories of text columns, empty for others
    ordinal: tuple[int, ...] = ()  # the columns of levels, whose codes are ranks

    holds: ClassVar = {
        "ranges": floats("d", above=0),
        "is_code": flags("d"),
        "texts": tuples(tuples(text()), "d"),
        "ordinal": sometimes(tuples(whole(below="d"))),  # files of earlier versions do not know it
    }

    @property
    def order(self) -> NDArray[np.intp]:
        """The columns as the kernel takes them: numbers first."""
        return np.argsort(self.is_code, kind="stable")

    def coded(self, cells: Array, schema: Schema) -> Array:
        """The cells with the same codes for the same text in every table."""
        changed = [j for j, column in enumerate(schema.columns) if column.categories != self.texts[j]]
        if not changed:
            return cells
        cells = cells.copy()
        for j in changed:
            theirs = schema.columns[j].categories
            if bool(theirs) != bool(self.texts[j]):
                raise InvalidData(
                    f"Gower: {schema.describe(j)} holds text in one table and numbers in another; give both as text, "
                    "or both as codes."
                )
            cells[:, j] = _recoded(cells[:, j], theirs, self.texts[j])
        return cells


@dataclass(frozen=True, eq=False)
class Gower(Distance):
    """Gower's distance of mixed rows: d(x, y) = Σⱼ wⱼ δⱼ sⱼ / Σⱼ wⱼ δⱼ, over the columns that both rows have (δⱼ).

    A column of numbers adds `sⱼ = |xⱼ − yⱼ| / rⱼ`, rⱼ its range over all rows; one of categories adds 1 where the rows
    differ; one of m ordered levels adds `|i − j| / (m − 1)` for ranks i and j (Kaufman and Rousseeuw, 1990). Text
    columns of a frame are categorical, and those named or numbered in `categorical`. Ordered categories of a frame are
    levels, and columns of codes 0 … m − 1 that `ordinal` maps to m, as in {"size": 3}; a level that the fit did not
    know counts as missing. Two rows without a common column are at distance NaN. `weight` has one number a column.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [20.0, 30.0, 60.0], "town": ["Bath", "Bath", "York"]})
    >>> Gower().pairwise(people)
    array([[0.   , 0.125, 1.   ],
           [0.125, 0.   , 0.875],
           [1.   , 0.875, 0.   ]])
    """

    categorical: tuple[int | str, ...] = ()
    weight: Any = None
    columns: Columns | None = None
    ordinal: Mapping[int | str, int] | tuple[tuple[int | str, int], ...] = ()

    holds: ClassVar = {
        "categorical": tuples(either(whole(), text())),
        "weight": optional(array_like("d")),
        "columns": optional(instance(Columns, d="d")),
        "ordinal": sometimes(tuples(record(either(whole(), text()), whole(at_least=1)))),
    }

    names: ClassVar = ("gower",)
    kind: ClassVar = "mixed"
    is_metric: ClassVar = True
    missing: ClassVar = True
    categories: ClassVar = True

    def __post_init__(self) -> None:
        known = isinstance(self.categorical, tuple | list)
        if not known or not all(isinstance(c, str | int | np.integer) for c in self.categorical):
            raise InvalidParameter(
                f"Gower: categorical must be a tuple of names or numbers of columns; got {self.categorical!r}."
            )
        try:
            levels = tuple(dict(self.ordinal).items())
        except (TypeError, ValueError):
            levels = ((self.ordinal, 0),)  # type: ignore[assignment]
        if not all(_are_levels(name, m) for name, m in levels):
            raise InvalidParameter(
                f"Gower: ordinal must map names or numbers of columns to their numbers of levels; got {self.ordinal!r}."
            )
        object.__setattr__(self, "ordinal", levels)

    def for_columns(self, schema: Schema) -> Self:
        own = [schema.names.index(c) if isinstance(c, str) else c for c in self.categorical]
        levels = self._levels(schema)
        text = [j for j, column in enumerate(schema.columns) if column.kind == "categorical" and j not in levels]
        return replace(self, categorical=tuple(sorted({*own, *text})), ordinal=tuple(levels.items()))

    @property
    def learns(self) -> bool:
        return self.columns is None

    def fitted(self, X: TableLike, *more: object, weight: Numbers | None = None) -> Self:
        if self.columns is not None:
            return self
        tables = [self._source(X, weight), *(self._source(table) for table in more)]
        for table in tables:
            _check_width(table.schema, len(tables[0].schema))
        levels = self._levels(tables[0].schema)
        is_code = self._is_code(tables[0].schema, levels)
        cells = [table.chunk.X for table in tables]
        if tables[0].chunk.weight is not None:
            cells[0] = cells[0][tables[0].chunk.weight > 0]  # a row without weight is absent
        low = np.fmin.reduce([np.fmin.reduce(X) for X in cells]).astype(np.float64)
        high = np.fmax.reduce([np.fmax.reduce(X) for X in cells]).astype(np.float64)
        with np.errstate(over="ignore"):
            ranges = np.where((high > low) & ~is_code, high - low, 1.0)
        for j, m in levels.items():
            _check_codes(float(low[j]), float(high[j]), m, tables[0].schema.describe(j))
            ranges[j] = max(m - 1, 1)
        if np.isinf(ranges).any():
            raise squares_overflow("Gower")
        texts = zip(*([column.categories for column in table.schema.columns] for table in tables), strict=True)
        union = tuple(each[0] if j in levels else tuple(sorted(set().union(*each))) for j, each in enumerate(texts))
        return replace(self, columns=Columns(ranges, is_code, union, tuple(levels)))

    def _source(self, X: Any, weight: WeightLike = None) -> ArraySource:
        return from_memory(X, None, weight, Needs("Gower", missing=True, categories=True))

    def _levels(self, schema: Schema) -> dict[int, int]:
        """The numbers of levels of the ordinal columns: those of the table, then those that were given."""
        found = {
            j: len(column.categories)
            for j, column in enumerate(schema.columns)
            if column.ordered and not {j, column.name} & set(self.categorical)
        }
        given = {_place(name, schema, "ordinal"): m for name, m in dict(self.ordinal).items()}
        for j in given:
            self._check_ordinal(schema, j)
        return found | given

    def _check_ordinal(self, schema: Schema, j: int) -> None:
        """Refuse levels of a column whose text has no order, or that is said to have none."""
        column = schema.columns[j]
        if {j, column.name} & set(self.categorical):
            raise InvalidParameter(
                f"Gower: {schema.describe(j)} is in categorical and in ordinal; name it in one of them."
            )
        if column.categories and not column.ordered:
            raise InvalidData(
                f"Gower: {schema.describe(j)} holds text, whose order ordinal does not say; make it an ordered "
                "categorical column of the frame, or give its ranks 0, 1, 2 …"
            )

    def _is_code(self, schema: Schema, levels: Mapping[int, int]) -> NDArray[np.bool_]:
        codes = [column.kind == "categorical" and j not in levels for j, column in enumerate(schema.columns)]
        found = np.array(codes, dtype=bool)
        for name in self.categorical:
            found[_place(name, schema, "categorical")] = True
        return found

    def matrix(self, X: object, like: object = None) -> Array:
        """X as a checked matrix, text as codes."""
        columns, source = self._fitted_columns(), self._source(X)
        _check_width(source.schema, len(columns.ranges))
        return columns.coded(source.chunk.X, source.schema)

    def rows(self, X: Array) -> Array:
        """Numbers first, in units of their range, then codes."""
        columns = self._fitted_columns()
        scaled = np.asarray(X / columns.ranges)
        for j in columns.ordinal:  # an unseen level has the code -1, which is no rank
            scaled[(scaled[:, j] < 0) | (scaled[:, j] > 1), j] = np.nan
        return scaled[:, columns.order]

    def _fitted_columns(self) -> Columns:
        if self.columns is None:
            raise InvalidParameter("Gower: the ranges of the columns are not known yet; call fitted(X) first.")
        return self.columns

    def term(self, ranking: bool = False) -> Term:
        columns = self._fitted_columns()
        d = len(columns.ranges)
        given = np.ones(d) if self.weight is None else self.weight
        weight = np.asarray(given, dtype=np.float64) if are_numbers(given, 1) else np.empty(0)
        if weight.shape != (d,) or not np.all(weight >= 0) or not 0 < weight.max() < np.finfo(np.float64).max / d:
            raise InvalidParameter(
                f"Gower: weight must have {d} finite numbers, at least 0 and not all 0, one a column; got "
                f"{self.weight!r}."
            )
        return Term("mixed", numbers=int(np.sum(~columns.is_code)), weight=weight[columns.order])

    @classmethod
    def examples(cls) -> tuple[Distance, ...]:
        return cls(categorical=(1, 3)), cls(weight=(1.0, 2.0, 0.5, 1.0, 3.0))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> Floats:
        return np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 3, size=(n, 2))])[:, [0, 3, 1, 4, 2]]


def _are_levels(name: object, m: object) -> bool:
    whole = isinstance(m, int | np.integer) and not isinstance(m, bool)
    return isinstance(name, str | int | np.integer) and whole and m >= 1  # type: ignore[operator]


def _check_codes(low: float, high: float, m: int, column: str) -> None:
    if low < 0 or high > m - 1:
        raise InvalidData(
            f"Gower: {column} holds {low:g} to {high:g}, but has {m} levels, of which the codes are 0 to {m - 1}; mend "
            "the codes, or the number in ordinal."
        )


def _place(name: int | str, schema: Schema, parameter: str) -> int:
    """The number of a column that is named or numbered in a parameter."""
    at = schema.names.index(name) if name in schema.names else name
    if isinstance(at, str) or not 0 <= at < len(schema):
        raise InvalidParameter(f"Gower: {parameter} names the column {name!r}, which X does not have.")
    return int(at)


def _check_width(schema: Schema, d: int) -> None:
    if len(schema) != d:
        raise InvalidData(
            f"Gower: a table has {len(schema)} columns, another {d}; all rows must have the same columns."
        )


def _recoded(codes: Array, theirs: tuple[str, ...], ours: tuple[str, ...]) -> Array:
    """Codes into the categories of one table as codes into those of all; -1 for a category that is not among them."""
    if theirs == ours:
        return codes
    place = {text: float(k) for k, text in enumerate(ours)}
    table = np.array([*(place.get(text, -1.0) for text in theirs), np.nan])
    return table[np.where(np.isnan(codes), len(theirs), codes).astype(np.intp)]
