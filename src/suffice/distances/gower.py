"""Gower's distance of rows with numbers, categories and missing values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..backend.arrays import Array
from ..backend.distances import Term
from ..data import Needs, Schema
from ..data.memory import ArraySource, from_memory
from ..errors import InvalidData, InvalidParameter, squares_overflow
from ..holds import array_like, either, flags, floats, instance, optional, text, tuples, whole
from ..params import are_numbers
from ..registry import registered
from ..typing import Floats, Numbers, TableLike, WeightLike
from .base import Distance


@registered("part/GowerColumns")
@dataclass(frozen=True)
class Columns:
    """What the rows of all tables say of the columns: the range of numbers, which are codes, and of what text."""

    ranges: Floats  # (d,), 1 for codes
    is_code: NDArray[np.bool_]  # (d,)
    texts: tuple[tuple[str, ...], ...]  # the categories of text columns, empty for others

    holds: ClassVar = {"ranges": floats("d", above=0), "is_code": flags("d"), "texts": tuples(tuples(text()), "d")}

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
    differ. Text columns of a frame are categorical, and those named or numbered in `categorical`; two rows without a
    common column are at distance NaN. `weight` has one number a column.

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

    holds: ClassVar = {
        "categorical": tuples(either(whole(), text())),
        "weight": optional(array_like("d")),
        "columns": optional(instance(Columns, d="d")),
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

    def for_columns(self, schema: Schema) -> Self:
        own = [schema.names.index(c) if isinstance(c, str) else c for c in self.categorical]
        text = [j for j, column in enumerate(schema.columns) if column.kind == "categorical"]
        return replace(self, categorical=tuple(sorted({*own, *text})))

    @property
    def learns(self) -> bool:
        return self.columns is None

    def fitted(self, X: TableLike, *more: object, weight: Numbers | None = None) -> Self:
        if self.columns is not None:
            return self
        tables = [self._source(X, weight), *(self._source(table) for table in more)]
        for table in tables:
            _check_width(table.schema, len(tables[0].schema))
        is_code = self._is_code(tables[0].schema)
        cells = [table.chunk.X for table in tables]
        if tables[0].chunk.weight is not None:
            cells[0] = cells[0][tables[0].chunk.weight > 0]  # a row without weight is absent
        low = np.fmin.reduce([np.fmin.reduce(X) for X in cells]).astype(np.float64)
        high = np.fmax.reduce([np.fmax.reduce(X) for X in cells]).astype(np.float64)
        with np.errstate(over="ignore"):
            ranges = np.where((high > low) & ~is_code, high - low, 1.0)
        if np.isinf(ranges).any():
            raise squares_overflow("Gower")
        texts = zip(*([column.categories for column in table.schema.columns] for table in tables), strict=True)
        union = tuple(tuple(sorted(set().union(*each))) for each in texts)
        return replace(self, columns=Columns(ranges, is_code, union))

    def _source(self, X: Any, weight: WeightLike = None) -> ArraySource:
        return from_memory(X, None, weight, Needs("Gower", missing=True, categories=True))

    def _is_code(self, schema: Schema) -> NDArray[np.bool_]:
        found = np.array([column.kind == "categorical" for column in schema.columns])
        for name in self.categorical:
            at = schema.names.index(name) if name in schema.names else name
            if isinstance(at, str) or not 0 <= at < len(schema):
                raise InvalidParameter(f"Gower: categorical names the column {name!r}, which X does not have.")
            found[at] = True
        return found

    def matrix(self, X: object, like: object = None) -> Array:
        """X as a checked matrix, text as codes."""
        columns, source = self._fitted_columns(), self._source(X)
        _check_width(source.schema, len(columns.ranges))
        return columns.coded(source.chunk.X, source.schema)

    def rows(self, X: Array) -> Array:
        """Numbers first, in units of their range, then codes."""
        columns = self._fitted_columns()
        return np.asarray(X / columns.ranges)[:, columns.order]

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
