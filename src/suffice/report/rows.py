"""Rows to look at: a table read once, all of it described and some of its rows kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..data import datasets
from ..data.schema import Column
from ..description import Description, description
from ..description.looking import look_at
from ..errors import InvalidData, InvalidParameter, did_you_mean
from ..models.impute import SimpleImputer
from ..models.prepare import StandardScaler
from ..pipeline.preparing import MOST_CATEGORIES, encoder
from ..text import listed
from ..typing import Floats, Numbers
from .calendar import column_and_part, named_part, part_of, parts_of

if TYPE_CHECKING:
    import pyarrow as pa

Array = NDArray[Any]
Task = Literal["auto", "classes", "numbers"]

MOST_ROWS = 10_000
_ALL = 2**62  # rows
MOST_CELLS = 5_000_000  # of a sample; with many columns it has fewer rows
MOST_COLUMNS, MOST_FEATURES = 200, 300  # that are learned from
FEW_VALUES = 10  # whole numbers that take no more different values than this are classes
_TOP = 6  # most frequent categories that are shown
_LONGEST_TEXT = 200  # characters of a cell that are kept
_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a table, drawn at random but in their order, and the description of all its rows.

    Cells are floats for numbers and yes/no, text or None for categories, days since 1970 for dates; NaN is missing.
    """

    name: str
    description: Description
    columns: tuple[Column, ...]
    cells: dict[str, Array]
    places: NDArray[np.int64]
    """The number of each row in the table, from 0."""
    target: str | None = None
    left_out: tuple[str, ...] = ()
    """Columns that are described, but that nothing is learned from."""

    def __len__(self) -> int:
        return len(self.places)

    @property
    def is_all(self) -> bool:
        """Whether these are all rows of the table."""
        return len(self) == self.description.rows

    def of_kind(self, *kinds: str) -> list[str]:
        """The names of the columns of these kinds that may be learned from."""
        unused = (self.target, *self.left_out)
        return [column.name for column in self.columns if column.kind in kinds and column.name not in unused]

    def levels(self, name: str) -> tuple[str, ...]:
        """The levels of an ordered column, the lowest first; none of another."""
        return next((column.categories for column in self.columns if column.name == name and column.ordered), ())

    def only(self, kept: Any) -> Rows:
        """Some of these rows, by a mask or by their positions."""
        cells = {name: values[kept] for name, values in self.cells.items()}
        return replace(self, cells=cells, places=self.places[kept])

    def at_most(self, most: int, seed: int = 0) -> Rows:
        """Not more than so many of these rows, drawn at random."""
        if len(self) <= most:
            return self
        return self.only(np.sort(np.random.default_rng(seed).choice(len(self), most, replace=False)))

    # ---- as matrices ----

    def numeric_names(self) -> list[str]:
        """At most 200 columns of numbers that say something: neither constant, nor like an id, nor mostly missing."""
        telling = (name for name in self.of_kind("numeric") if not self._says_nothing(name))
        return list(islice(telling, MOST_COLUMNS))

    def _says_nothing(self, name: str) -> bool:
        values = self.cells[name]
        present = values[np.isfinite(values)]
        if len(present) < 0.5 * len(values) or not len(present) or present.min() == present.max():
            return True
        return name in self.description.ids

    def standardized(self, most: int = 2_000) -> Floats:
        """The columns `numeric_names()` of some rows: missing values filled by the median, mean 0, variance 1."""
        names = self.numeric_names()
        if not names:
            raise InvalidData(f"{self.name} has no columns of numbers that vary.")
        chosen = self.at_most(most).cells
        X = np.column_stack([np.where(np.isfinite(chosen[name]), chosen[name], np.nan) for name in names])
        filled = SimpleImputer(strategy="median").fit(X).transform(X)
        return np.asarray(StandardScaler().fit(filled).transform(filled))

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """What models learn from, as a pyarrow table: numbers, levels and categories; dates as days since 1970.

        The month, weekday and hour of a date stand beside it as categories where they come again.

        Columns that do not vary, or name each row, are left out. There are so few that `sf.prepared` makes no more
        than 300 features of them, so that no covariance outgrows memory. `columns` names those that are wanted.
        """
        import pyarrow as pa

        if columns is None:
            told = self._telling()[: self._within_bounds()]
            columns = [name for column in told for name in (column.name, *self._calendar(column))]
        if not columns:
            raise InvalidData(f"{self.name} has no columns that a model could learn from.")
        return pa.table({name: self._feature(name) for name in columns})

    def _feature(self, name: str) -> pa.Array:
        """A column, or a part of one of dates, for a pyarrow table."""
        import pyarrow as pa

        part = column_and_part(name, self.cells)
        if part is not None:
            return pa.array(part_of(self.cells[part[0]], part[1]).tolist(), pa.string())
        column = next(column for column in self.columns if column.name == name)
        return _as_arrow(column, self.cells[name])

    def _calendar(self, column: Column) -> list[str]:
        """The names of the parts of a date that are learned from."""
        found = parts_of(self.cells[column.name]) if column.kind == "date" else ()
        return [named_part(column.name, part) for part in found]

    def is_cut(self) -> bool:
        """Whether columns are left out of `table` because there are too many."""
        return self._within_bounds() < len(self._telling())

    def _telling(self) -> list[Column]:
        """The columns that vary and do not name each row."""
        used = (column for column in self.columns if column.name not in (self.target, *self.left_out))
        return [column for column in used if _tells(column, self.cells[column.name])]

    def _within_bounds(self) -> int:
        """How many of these columns make no more than the most features."""
        widths = [_width(c, self.cells[c.name]) + 12 * len(self._calendar(c)) for c in self._telling()]
        return int(np.searchsorted(np.cumsum(widths), MOST_FEATURES, side="right"))

    def features(self) -> tuple[Floats, list[str]]:
        """The columns of `table` as numbers, (n, p), and their names; text as `sf.prepared` encodes it."""
        return as_features(self.table())

    def labelled(self, task: Task = "auto") -> tuple[Rows, Array, str]:
        """The rows whose target is known, their target, and whether it holds "classes" or "numbers"."""
        if self.target is None:
            raise InvalidParameter("This table was read without a target; name one with target=….")
        values = self.cells[self.target]
        kind = self._task(values) if task == "auto" else task
        known = np.array([value is not None and value == value for value in values], dtype=bool)
        if kind == "numbers":
            values = values.astype(np.float64) if values.dtype != object else _refused_numbers(self.target)
            known &= np.isfinite(values)
            return self.only(known), values[known], kind
        return self.only(known), np.array([_class_name(value) for value in values[known]], dtype=object), kind

    def _task(self, values: Array) -> str:
        column = next(column for column in self.columns if column.name == self.target)
        if column.kind == "date":
            raise InvalidData(f"The target {self.target!r} holds dates; classes or numbers are needed.")
        if column.kind != "numeric":
            return "classes"
        known = values[np.isfinite(values)]
        present = np.unique(known)
        few = len(present) <= min(FEW_VALUES, max(2, len(known) / 3))
        return "classes" if few and np.all(present == np.floor(present)) else "numbers"


def read_rows(
    data: Any,
    target: str | None = None,
    *,
    leave_out: Sequence[str] = (),
    rows: int | None = MOST_ROWS,
    top: int = _TOP,
    random_state: int = 0,
    **options: object,
) -> Rows:
    """Read a table once: describe all of it, and keep at most `rows` rows, drawn at random, in their order; None keeps
    all.

    `data` and `options` are as for `describe`; `leave_out` names columns that nothing is learned from, to which
    those belong that only name or count the rows of a bundled table.

    >>> iris = read_rows("iris", target="species", rows=50)
    >>> len(iris), iris.description.rows, iris.numeric_names()
    (50, 150, ['sepal_length', 'sepal_width', 'petal_length', 'petal_width'])
    """
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, Integral) or rows < 1):
        raise InvalidParameter(f"read_rows: rows must be an integer, at least 1; got {rows!r}.")
    from ..data.table import HowRead, as_table

    table = as_table(data, **options)
    for name in (*leave_out, *([] if target is None else [target])):
        _check_known(name, table)
    most = _ALL if rows is None else min(rows, max(100, MOST_CELLS // max(1, len(table.schema))))
    schema = table.schema
    found = look_at(table, most, random_state)
    drawn = found.drawn
    read = getattr(table, "read", HowRead())
    described = description(found.summary, str(table), top, drawn=drawn, read=read)
    cells = {column.name: _cells(drawn.rows.column(j), column.kind) for j, column in enumerate(schema.columns)}
    names = (*_row_names(data), *read.unused)
    left_out = tuple(
        dict.fromkeys(n for n in (*leave_out, *names, *described.free_text, *described.numbering) if n != target)
    )
    return Rows(str(table), described, schema.columns, cells, drawn.places, target, left_out)


def as_features(table: pa.Table) -> tuple[Floats, list[str]]:
    """The columns of a table of `Rows` as numbers, (n, p), and their names; text as `sf.prepared` encodes it."""
    found = encoder(reference=True).fit(table)
    return np.asarray(found.transform(table)), found.get_feature_names_out().tolist()


def _check_known(name: str, table: Any) -> None:
    known = list(table.schema.names)
    if name not in known:
        hint = did_you_mean(str(name), known)
        raise InvalidData(f"{table} has no column {name!r}.{hint} Its columns: {listed(known)}.")


def _row_names(data: Numbers | None) -> tuple[str, ...]:
    """The columns that only name or count the rows, where a bundled table says so."""
    if isinstance(data, str) and not os.path.isfile(data) and data in datasets.names():
        data = datasets.load(data)
    if not isinstance(data, datasets.Dataset):
        return ()
    used = (*data.features, data.target)
    return tuple(n for n in data.names if n == data.label or (data[n].dtype == np.float64 and n not in used))


def _cells(values: Any, kind: str) -> Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind == "categorical":
        text = values.cast(pa.string())
        return np.array(pc.utf8_slice_codeunits(text, 0, _LONGEST_TEXT).to_pylist(), dtype=object)
    if kind == "boolean":
        values = values.cast(pa.int8())
    if kind == "date":
        ticks = values.cast(pa.timestamp("us", tz=getattr(values.type, "tz", None)), safe=False).cast(pa.int64())
        return np.asarray(ticks.cast(pa.float64(), safe=False).to_numpy() / _DAY)
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def _tells(column: Column, values: Array) -> bool:
    """Whether a column varies, and has categories that are no names for each row."""
    if column.kind == "categorical":
        there = [value for value in values if value is not None]
        different = len(set(there))
        return different > 1 and (different < len(there) or bool(column.ordered and column.categories))
    present = values[np.isfinite(values)]
    return bool(len(present) and present.min() < present.max())


def _width(column: Column, values: Array) -> int:
    """How many features a column becomes at the most."""
    if column.kind != "categorical" or (column.ordered and column.categories):
        return 1
    return min(len(set(values.tolist())), MOST_CATEGORIES)


def _as_arrow(column: Column, values: Array) -> pa.Array:
    """The cells of a column for a pyarrow table."""
    import pyarrow as pa

    if column.kind != "categorical":
        return pa.array(np.where(np.isfinite(values), values, np.nan), from_pandas=True)
    if not (column.ordered and column.categories):
        return pa.array(values.tolist(), pa.string())
    codes = pa.array(scores(values, column.categories), from_pandas=True).cast(pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(column.categories, pa.string()), ordered=True)


def scores(values: Array, levels: Sequence[str]) -> Floats:
    """The ranks 0, 1, 2, … of the cells of an ordered column, NaN where a cell is missing or none of its levels."""
    rank = {level: float(i) for i, level in enumerate(levels)}
    return np.array([rank.get(value, np.nan) for value in values], dtype=np.float64)


def _class_name(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)


def _refused_numbers(target: str) -> Array:
    raise InvalidData(
        f"The target {target!r} holds text, and numbers are to be predicted; take a classifier, or another target."
    )
