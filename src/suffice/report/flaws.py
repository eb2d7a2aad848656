"""What someone should know before they trust a table: one sentence each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..description.text import count
from ..text import counted
from ..typing import Labels
from .division import AT_RANDOM, Division
from .grouping import grouped_rows
from .leaks import leaks
from .rows import Rows, as_features
from .timing import time_order

MANY_MISSING = 0.3  # of the cells of a column
LEAKING = 0.995  # how well one column alone may tell the target before it looks like the answer itself
_ROWS = 2_000
_COLUMNS = 200  # that are asked whether they tell the target
_FEWEST = 30  # rows below which nothing is said about leaking

_MISSING = np.uint64(0x7FF8DEAD00000001)
_BITS = (1 << 64) - 1


def findings(rows: Rows, divided: Division = AT_RANDOM) -> list[str]:
    """All warnings about a table, those first that make scores untrue: leaks, the order of time, uneven classes.

    Where rows are divided by time or by groups to compare models, nothing is said of folds drawn at random.
    """
    of_folds = [time_order, grouped_rows] if divided.column is None else []
    first = (leaks, leaking_columns, *of_folds, target_shape)  # what makes a score untrue
    said = [sentence for look in first for sentence in look(rows)]
    said += map(_sentence, rows.description.warnings)
    return [*said, *mostly_missing(rows), *equal_columns(rows)]


def _sentence(warning: str) -> str:
    return f"{warning[0].upper()}{warning[1:]}."


def _where(rows: Rows) -> str:
    return "" if rows.is_all else f", in the {count(len(rows))} rows looked at"


def _of(rows: Rows) -> str:
    return "" if rows.is_all else f" of the {count(len(rows))} rows looked at"


def mostly_missing(rows: Rows) -> Iterator[str]:
    """Columns with many missing values."""
    for column in rows.description.columns:
        share = column.missing / column.rows if column.rows else 0.0
        if MANY_MISSING <= share < 1:
            yield f"Column {column.name!r} is missing in {100 * share:.3g} % of the rows."


def equal_columns(rows: Rows) -> Iterator[str]:
    """Columns that hold the same values, row by row."""
    seen: dict[bytes, str] = {}
    for column in rows.columns:
        if column.name in rows.description.numbering:
            continue
        codes = _codes(rows.cells[column.name])
        if len(codes) < 2 or np.all(codes == _MISSING):
            continue
        key = codes.tobytes()
        if key in seen and _same(rows.cells[column.name], rows.cells[seen[key]]):
            yield f"Column {column.name!r} is the same as {seen[key]!r}{_where(rows)}."
        seen.setdefault(key, column.name)


def _codes(values: NDArray[np.generic]) -> NDArray[np.uint64]:
    """A number for each cell, equal for equal cells: the bits of a float, the hash of a text."""
    if values.dtype == object:
        return np.array([_MISSING if value is None else np.uint64(hash(value) & _BITS) for value in values], np.uint64)
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)  # −0 becomes 0
    return np.where(np.isnan(values), _MISSING, bits)


def _same(one: NDArray[np.generic], other: NDArray[np.generic]) -> bool:
    return bool(np.all((one == other) | ((one != one) & (other != other)))) if one.dtype == other.dtype else False


def target_shape(rows: Rows) -> Iterator[str]:
    """A target that is hard to learn as it is: classes that are rare, or of very different size."""
    if rows.target is None:
        return
    try:
        known, y, kind = rows.labelled()
    except ValueError:
        return
    gone = len(rows) - len(known)
    if gone:
        teach = "teaches" if gone == 1 else "teach"
        yield f"The target {rows.target!r} is missing in {counted(gone, 'row')}{_of(rows)}, which {teach} nothing."
    if kind != "classes" or not len(y):
        return
    names, sizes = np.unique(y, return_counts=True)
    if len(names) > 1 and sizes.max() >= 10 * sizes.min():
        rare, common = names[sizes.argmin()], names[sizes.argmax()]
        yield (
            f"The classes differ in size: {rare!r} has {counted(int(sizes.min()), 'row')}, {common!r} "
            f"{count(int(sizes.max()))}{_of(rows)}. A high accuracy may then mean little."
        )


def leaking_columns(rows: Rows) -> Iterator[str]:
    """Columns that alone tell the target almost perfectly, out of sample: perhaps the answer in another form."""
    if rows.target is None:
        return
    try:
        known, y, kind = rows.at_most(_ROWS).labelled()
        table = known.table()
    except ValueError:
        return
    if len(y) < _FEWEST or len(set(y.tolist())) < 2 or (kind == "classes" and len(set(y.tolist())) > len(y) / 3):
        return
    common = np.unique(y, return_counts=True)[1].max() / len(y)
    one_error = min(LEAKING, 1 - 1.5 / len(y))
    bar = LEAKING if kind == "numbers" else max(one_error, 1 - (1 - common) / 10)
    for name in table.column_names[:_COLUMNS]:
        score = _told_by(as_features(table.select([name]))[0], y, kind)
        if score >= bar:
            yield (
                f"Column {name!r} alone tells the target {rows.target!r} almost perfectly ({100 * score:.3g} % "
                f"{'right' if kind == 'classes' else 'of its variance'}, on rows not learned from). "
                "If it is only known after the target, leave it out."
            )


def _told_by(x: NDArray[np.generic], y: Labels, kind: str) -> float:
    """Accuracy or R² of a small tree of the features of one column, on rows that it has not seen."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    x = np.where(np.isnan(x), -1.0 - np.nanmax(np.abs(x), initial=0.0), x)
    fold = np.arange(len(y)) % 2 == 0
    tree: Any = DecisionTreeClassifier(max_depth=5) if kind == "classes" else DecisionTreeRegressor(max_depth=9)
    tree.set_params(random_state=0)
    scores = [tree.fit(x[part], y[part]).score(x[~part], y[~part]) for part in (fold, ~fold)]
    return float(np.mean(scores))
