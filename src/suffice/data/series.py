"""Columns of frames as numbers or codes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, NotNumbers
from .declared import agreed, as_level
from .rows import is_gap
from .schema import Column
from .source import Needs


def from_series(series: Any, name: str, needs: Needs) -> tuple[Column, NDArray[np.generic]]:
    import narwhals as nw

    dtype = series.dtype
    if dtype in (nw.Float32, nw.Float64):
        return Column(name), series.to_numpy()
    if dtype.is_numeric():
        values = series.to_numpy()  # not cast by the library, which may refuse integers that doubles do not hold
        return Column(name), values if values.dtype.kind in "biuf" else series.cast(nw.Float64).to_numpy()
    if dtype == nw.Boolean:
        return Column(name, "boolean"), series.cast(nw.Float64).to_numpy()
    levels = _levels(series)
    if levels:
        return from_levels(series.to_list(), Column(name, "categorical", levels, ordered=True))
    if dtype == nw.String:
        return from_texts(series.to_list(), name)
    if dtype in (nw.Categorical, nw.Enum, nw.Object):
        return from_labels(series.to_list(), name)
    raise InvalidData(
        f"{needs.owner}: column {name!r} is of type {dtype}, which is no number and no category. "
        "Turn it into one of them, or leave it out."
    )


def _levels(series: Any) -> tuple[str, ...]:
    """The levels of ordered categories: those of pandas, an Enum of polars, an ordered dictionary of pyarrow."""
    import narwhals as nw

    if isinstance(series.dtype, nw.Enum):
        return tuple(map(as_level, series.dtype.categories))
    type_ = getattr(series.to_native(), "type", None)
    if series.dtype != nw.Categorical or not getattr(type_, "ordered", False):
        return ()
    lists = [tuple(map(as_level, chunk.dictionary.to_pylist())) for chunk in series.to_native().chunks]
    return functools.reduce(lambda one, other: agreed(series.name, one, other, "Suffice"), lists, ())


def with_text_levels(frame: Any) -> Any:
    """A narwhals frame whose ordered categories are text, for Arrow: those that `pandas.cut` makes are intervals."""
    import narwhals as nw

    others = {
        j: [as_level(level) for level in dtype.categories]
        for j, dtype in enumerate(frame.schema.dtypes())
        if isinstance(dtype, nw.Enum) and not all(isinstance(level, str) for level in dtype.categories)
    }
    if not others:
        return frame
    native = frame.to_native().copy(deep=False)  # of pandas: those of others are text
    for j, levels in others.items():
        native.isetitem(j, native.iloc[:, j].cat.rename_categories(levels))
    return nw.from_native(native)


def from_levels(values: list[object], column: Column) -> tuple[Column, NDArray[np.float64]]:
    """Values of an ordered column as codes into its levels."""
    code = {level: float(i) for i, level in enumerate(column.categories)}
    codes = [code[as_level(v)] if not is_gap(v) else np.nan for v in values]
    return column, np.array(codes, dtype=np.float64)


def from_texts(values: list[object], name: str) -> tuple[Column, NDArray[np.float64]]:
    """Texts as codes into their sorted distinct values; each different one is looked at once.

    >>> from_texts(["b", None, "a", "b"], "x")[1]
    array([ 1., nan,  0.,  1.])
    """
    different = set(values)
    present = {value: str(value) for value in different if not is_gap(value)}
    categories = tuple(sorted(set(present.values())))
    place = {category: float(i) for i, category in enumerate(categories)}
    code = {value: place[present[value]] if value in present else np.nan for value in different}
    codes = np.fromiter(map(code.__getitem__, values), np.float64, len(values))
    return Column(name, "categorical", categories), codes


def from_labels(values: list[object], name: str) -> tuple[Column, NDArray[np.float64]]:
    """Text as codes into its sorted distinct values; a column of numbers kept as objects becomes numeric."""
    present = [value for value in values if not is_gap(value)]
    if present and all(isinstance(value, int | float) for value in present):
        return Column(name), _doubles(values, name)
    categories = tuple(sorted({str(value) for value in present}))
    code = {category: i for i, category in enumerate(categories)}
    codes = [code[str(v)] if not is_gap(v) else np.nan for v in values]
    return Column(name, "categorical", categories), np.array(codes, dtype=np.float64)


def _doubles(values: list[object], name: str) -> NDArray[np.float64]:
    try:
        return np.array([np.nan if is_gap(v) else v for v in values], dtype=np.float64)
    except OverflowError:
        raise NotNumbers(
            f"Column {name!r} holds an integer that is larger than any double; leave the row out."
        ) from None
