"""Columns of categories as codes: learned from one table, applied to any other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data import Chunk, Schema, Source
from ...data.recode import UNSEEN
from ...errors import InvalidParameter
from ...holds import floats, label_array, require, tuples, whole
from ...params import numbers
from ...registry import registered
from ...statistics import Counts
from ...typing import Floats, Numbers, Whole
from .alternation import CENTRES, Counted


@dataclass(frozen=True)
class _Columns:
    """The counts of each of some columns, and of the rows, which add up."""

    counts: tuple[Counts, ...]
    rows: Counted

    def __add__(self, other: _Columns) -> _Columns:
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return _Columns(counts, self.rows + other.rows)


@registered("part/Coding")
@dataclass(frozen=True)
class Coding:
    """Which columns are numbers and which categories; rows are coded as [numbers | codes].

    `categories` has for each categorical column its values, sorted: text, or the numbers themselves; `shares` the
    part of the weight that each of them has.
    """

    numbers: tuple[int, ...]
    codes: tuple[int, ...]
    categories: tuple[NDArray[np.generic], ...]
    shares: tuple[Floats, ...]

    holds: ClassVar = {
        "numbers": tuples(whole()),
        "codes": tuples(whole(), "codes"),
        "categories": tuples(label_array(None, distinct=True), "codes"),
        "shares": tuples(floats(None), "codes"),
    }

    def check_loaded(self) -> None:
        """Raise an error unless every column is there once, and has categories of text or numbers."""
        columns = sorted((*self.numbers, *self.codes))
        require(columns == list(range(len(columns))), "numbers and codes must be all columns")
        for values, share in zip(self.categories, self.shares, strict=True):
            require(values.dtype.kind in "Uf", "categories must be text or numbers")
            require(np.array_equal(values, np.unique(values)), "categories must be sorted")
            require(len(values) == len(share), "shares must have a number for each category")

    @property
    def offsets(self) -> Whole:
        """Where the counts of each column of codes begin, and the end of the last."""
        return np.cumsum([0, *(len(values) for values in self.categories)], dtype=np.int64)

    def coder(self, schema: Schema) -> Callable[[Chunk], Chunk]:
        """How the chunks of a table with the columns of the fit are coded."""
        table = [self._recode(at, schema) for at in range(len(self.codes))]
        columns = list(self.numbers)

        def coded(chunk: Chunk) -> Chunk:
            X = np.empty((len(chunk), len(columns) + len(table)))
            X[:, : len(columns)] = chunk.X[:, columns]
            for at, (j, recode) in enumerate(zip(self.codes, table, strict=True)):
                X[:, len(columns) + at] = recode(chunk.X[:, j])
            return replace(chunk, X=X)

        return coded

    def _recode(self, at: int, schema: Schema) -> Callable[[NDArray[np.generic]], Floats]:
        values, column = self.categories[at], schema.columns[self.codes[at]]
        if column.kind != "categorical":
            return lambda cells: positions_of(cells, values)
        known = positions_of(np.array(column.categories, dtype=np.str_), values)
        table = np.append(
            known, [np.nan, UNSEEN]
        )  # a missing value; and the last, where the code of the unseen, -1, leads
        return lambda cells: table[np.where(np.isnan(cells), len(known), cells).astype(np.intp)]

    def decoded(self, centres: Floats) -> NDArray[np.generic]:
        """Centres (k, d) in the order and the values of the table; a column without any value has NaN."""
        text = any(values.dtype.kind == "U" for values in self.categories)
        out = np.full(centres.shape, np.nan, dtype=object if text else np.float64)
        out[:, list(self.numbers)] = centres[:, : len(self.numbers)]
        for at, (j, values) in enumerate(zip(self.codes, self.categories, strict=True)):
            if len(values):
                out[:, j] = values.astype(out.dtype)[centres[:, len(self.numbers) + at].astype(np.intp)]
        return out

    def encoded(self, centres: Numbers, k: int, owner: str) -> Floats:
        """k centres that the user gives, coded; every category must be one of the fit."""
        cells = np.ma.filled(centres.astype(object), None) if np.ma.isMaskedArray(centres) else centres
        given, m = np.array(cells, dtype=object), len(self.numbers)
        shape = (k, m + len(self.codes))
        if given.shape != shape:
            raise InvalidParameter(f"{owner}: init must have {CENTRES}, shape {shape}; got shape {given.shape}.")
        out = np.empty(shape)
        out[:, :m] = numbers(owner, "init", given[:, list(self.numbers)], (k, m), CENTRES)
        for at, (j, values) in enumerate(zip(self.codes, self.categories, strict=True)):
            for i, cell in enumerate(given[:, j]):
                out[i, m + at] = _code_of(cell, values)
                if not out[i, m + at] >= 0:
                    raise InvalidParameter(
                        f"{owner}: init must hold categories of the data; column {j} of them has no {cell!r}."
                    )
        return out


def positions_of(cells: NDArray[np.generic], values: NDArray[np.generic]) -> Floats:
    """The positions (n,) of cells among sorted values; `UNSEEN` where it is none of them, NaN for NaN."""
    if not len(values):
        codes = np.full(len(cells), UNSEEN)
    else:
        place = np.minimum(np.searchsorted(values, cells), len(values) - 1)
        codes = np.where(values[place] == cells, place, UNSEEN)
    if cells.dtype.kind == "f":
        codes[np.isnan(cells)] = np.nan
    return codes


def learn_coding(source: Source, categorical: tuple[int, ...]) -> tuple[Coding, Counted]:
    """The coding of a source of which these columns are categorical, and how many rows it has; one pass."""
    schema = source.schema
    others = tuple(j for j in range(len(schema)) if j not in categorical)
    found = source.reduce(lambda chunk: _Columns(tuple(_counts(chunk, j) for j in categorical), Counted.of(chunk)))
    values, shares = [], []
    for j, counts in zip(categorical, found.counts, strict=True):
        names, held = schema.columns[j].categories, counts.values
        if schema.columns[j].kind == "categorical":
            held = np.array([names[i] for i in counts.values.astype(np.intp)], dtype=np.str_)
        order = np.argsort(held)  # levels may have another order than that of their names
        values.append(held[order])
        shares.append(counts.counts[order] / (counts.total or 1.0))
    return Coding(others, categorical, tuple(values), tuple(shares)), found.rows


def _counts(chunk: Chunk, j: int) -> Counts:
    """The counts of one column; whole numbers are counted without sorting."""
    cells = chunk.X[:, j]
    present = ~np.isnan(cells)
    weight = None if chunk.weight is None else chunk.weight[present]
    cells = cells[present]
    if len(cells) and np.abs(cells).max() < 2**53 and np.all(cells == np.floor(cells)):
        counts = Counts.of(cells.astype(np.int64), weight)
        return Counts(counts.values.astype(np.float64), counts.counts)
    return Counts.of(cells.astype(np.float64), weight)


def _code_of(cell: Any, values: NDArray[np.generic]) -> float:
    """The position of one cell among sorted values; `UNSEEN` where it is none of them, NaN for NaN."""
    try:
        wanted = str(cell) if values.dtype.kind == "U" else float(cell)
    except (TypeError, ValueError, OverflowError):
        return UNSEEN
    return UNSEEN if cell is None else float(positions_of(np.array([wanted]), values)[0])
