"""Tables as pictures see them: names and numbers, groups as codes, and some rows of many."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.labels import encode
from ..data.rows import as_array, is_gap
from ..errors import InvalidData
from ..typing import Floats, Labels, Numbers, Predictor, TableLike, TargetLike

MOST_ROWS = 5000  # points of a scatter, lines of a plot
MOST_GROUPS = 40
OTHERS, MISSING = "others", "missing"


@dataclass(frozen=True)
class Table:
    """Columns of numbers by name; what is no number is NaN. `total` counts the columns before the choice."""

    names: tuple[str, ...]
    values: Floats  # (n, d)
    total: int

    def note(self) -> str:
        """How many columns of how many are shown, where some are not."""
        return "" if len(self.names) == self.total else f"{len(self.names):,} of {self.total:,} columns"

    def standardised(self) -> Floats:
        """Columns with mean 0 and standard deviation 1; a constant column is 0."""
        out = np.full_like(self.values, np.nan)
        for j, column in enumerate(self.values.T):
            present = column[np.isfinite(column)]
            if len(present):
                spread = present.std()
                out[:, j] = (column - present.mean()) / (spread if spread > 0 else 1.0)
        return out


@dataclass(frozen=True)
class Groups:
    """The names of groups and, for each row, the position of its own; one group without a name where none is given."""

    names: tuple[str, ...]
    codes: NDArray[np.int64]  # (n,)


def read(X: TableLike, names: object, who: str, most: int | None = None) -> Table:
    """Numbers from an array, a frame of any library, or a mapping from names to columns; at most so many columns."""
    frame = as_frame(X)
    if frame is not None:
        columns = _numeric_columns(frame, names, who)
    elif isinstance(X, Mapping):
        columns = {str(name): _floats(column, who) for name, column in X.items()}
    else:
        values = _floats(X, who)
        if values.ndim not in (1, 2):
            raise InvalidData(f"{who}: the table has {values.ndim} dimensions; give rows and columns.")
        values = values[:, None] if values.ndim == 1 else values
        columns = dict(zip(column_names(names, values.shape[1], who), values.T, strict=True))
    if not columns or not len(next(iter(columns.values()))):
        raise InvalidData(
            f"{who}: the table has no {'rows' if columns else 'columns of numbers'}; at least 1 is needed."
        )
    if len({len(column) for column in columns.values()}) > 1:
        raise InvalidData(f"{who}: the columns have different numbers of rows; give columns of one length.")
    chosen = list(columns)[:most]
    values = np.column_stack([columns[name] for name in chosen])
    return Table(tuple(chosen), np.where(np.isfinite(values), values, np.nan), len(columns))


def column_names(names: Any, d: int, who: str) -> tuple[str, ...]:
    """The names that were given, made distinct, or x0, x1, …"""
    if names is None:
        return tuple(f"x{j}" for j in range(d))
    given = [str(name) for name in names]
    if len(given) != d:
        raise InvalidData(f"{who}: there are {len(given)} names but {d} columns; give one name a column.")
    seen: dict[str, int] = {}
    for j, name in enumerate(given):
        seen[name] = seen.get(name, 0) + 1
        given[j] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return tuple(given)


def as_frame(X: TableLike) -> Any:
    """X as a narwhals frame, or None where it is not a frame."""
    library = type(X).__module__.partition(".")[0]
    if library in ("builtins", "numpy") or library not in sys.modules:
        return None
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True, eager_only=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _numeric_columns(frame: Any, names: object, who: str) -> dict[str, Floats]:
    import narwhals as nw

    columns = {
        str(series.name): np.asarray(series.cast(nw.Float64).to_numpy(), dtype=float)
        for series in frame.iter_columns()
        if series.dtype.is_numeric() or series.dtype == nw.Boolean
    }
    if names is None:
        return columns
    return dict(zip(column_names(names, len(columns), who), columns.values(), strict=True))


def _floats(values: object, who: str) -> Floats:
    if hasattr(values, "tocsr"):
        raise InvalidData(f"{who}: X is a sparse matrix; give dense rows, as by X.toarray().")
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidData(f"{who}: the table holds values that are no numbers; leave such columns out.") from None


def numbers(values: object, who: str, what: str, n: int | None = None) -> Floats:
    """One column of finite numbers, of a given length."""
    column = _floats(values, who)
    if column.ndim != 1 or (n is not None and len(column) != n):
        wanted = "one column" if n is None else f"one column of {n} values"
        raise InvalidData(f"{who}: {what} has the shape {column.shape}; {wanted} is needed.")
    if not np.isfinite(column).all():
        raise InvalidData(f"{who}: {what} holds a value that is missing or infinite; leave such rows out.")
    return column


def groups(labels: TargetLike, n: int, who: str, most: int = MOST_GROUPS) -> Groups:
    """Labels of n rows as codes; beyond `most` groups the rarest are one, called others."""
    if labels is None:
        return Groups(("",), np.zeros(n, dtype=np.int64))
    values = np.asarray(labels)
    if values.shape != (n,):
        raise InvalidData(f"{who}: there are {n} rows but groups of shape {values.shape}; give one label a row.")
    distinct, codes = _coded(values) if values.dtype.kind == "O" else np.unique(values, return_inverse=True)
    names = [MISSING if is_gap(value) else name_of(value) for value in distinct.tolist()]
    return _few(names, codes.astype(np.int64), most)


def _coded(values: NDArray[np.generic]) -> tuple[NDArray[np.generic], NDArray[np.int64]]:
    """The distinct objects in order, those that cannot be compared by their text, missing last; and codes."""
    cells = [None if is_gap(value) else value for value in values.tolist()]
    distinct: list[object] = [value for value in dict.fromkeys(cells) if value is not None]
    try:
        distinct.sort()
    except TypeError:
        distinct.sort(key=str)
    place = {value: k for k, value in enumerate(distinct)} | {None: len(distinct)}
    found = np.empty(len(distinct) + (None in cells), dtype=object)
    found[: len(distinct)] = distinct
    return found, np.array([place[value] for value in cells], dtype=np.int64)


def _few(names: list[str], codes: NDArray[np.int64], most: int) -> Groups:
    if len(names) <= most:
        return Groups(tuple(names), codes)
    counts = np.bincount(codes, minlength=len(names))
    kept = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    code = np.full(len(names), len(kept))
    code[kept] = np.arange(len(kept))
    return Groups((*(names[k] for k in kept), f"{OTHERS} ({len(names) - len(kept)})"), code[codes])


def name_of(value: object) -> str:
    """A label as text; a whole number without a decimal point."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def some(n: int, most: int = MOST_ROWS) -> NDArray[np.int64]:
    """The rows to show: all, or `most` of them drawn without replacement, in order and always the same."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def some_rows(
    X: TableLike, names: Sequence[str] | None, labels: TargetLike, who: str, most: int, most_rows: int
) -> tuple[Table, Groups, NDArray[np.int64], str]:
    """The first columns of a table, the groups of its rows, which rows to show, and the remark about what is not."""
    table = read(X, names, who, most)
    shown = some(len(table.values), most_rows)
    return table, groups(labels, len(table.values), who), shown, rows_note(len(shown), len(table.values), table.note())


def codes_or_zeros(codes: NDArray[np.int64] | None, n: int) -> NDArray[np.int64]:
    """The group of each of n rows; the only one where there are none."""
    return np.zeros(n, dtype=np.int64) if codes is None else codes


def rows_note(shown: int, total: int, *more: str) -> str:
    """The remark of a picture: "5,000 of 20,000 rows", and others."""
    parts = [f"{shown:,} of {total:,} rows" if shown < total else "", *more]
    return ", ".join(part for part in parts if part)


def take(X: TableLike, rows: Sequence[int] | NDArray[np.generic]) -> Any:
    """Some rows of an array, a sparse matrix or a frame, of the same kind."""
    matrix: object = X
    if hasattr(matrix, "tocsr"):
        return matrix.tocsr()[rows]
    frame = as_frame(X)
    return np.asarray(X)[rows] if frame is None else frame[np.asarray(rows)].to_native()


def names_of(estimator: Predictor, d: int) -> tuple[str, ...] | None:
    """The names of the columns that an estimator was fitted on, where it knows them."""
    known = getattr(estimator, "feature_names_in_", None)
    return tuple(map(str, known)) if known is not None and len(known) == d else None


def fitted(estimator: object, attribute: str, who: str) -> Any:
    """An attribute that `fit` sets, or a sentence."""
    value = getattr(estimator, attribute, None)
    if value is None:
        raise InvalidData(
            f"{who}: {type(estimator).__name__} has no {attribute}; give a fitted estimator that sets it."
        )
    return value


def like(X: TableLike, values: Floats) -> Any:
    """Numbers as a table of the kind of X: a frame of the same library and columns, or an array."""
    frame = as_frame(X)
    if frame is None:
        return values
    import narwhals as nw

    columns = dict(zip(frame.columns, values.T, strict=True))
    return nw.from_dict(columns, backend=frame.implementation).to_native()


def one_a_row(values: object, who: str, name: str = "y") -> Labels:
    """Labels as an array (n,)."""
    found: Labels = as_array(values, who, f"{name} must be a list of labels")
    if found.ndim != 1:
        raise InvalidData(f"{who}: {name} must be a list of labels, shape (n,); got shape {found.shape}.")
    return found


def against_rest(
    truth: Labels, values: Floats, classes: TargetLike, positive: object, who: str
) -> Iterator[tuple[str, NDArray[np.bool_], Floats]]:
    """For each class that gets a curve: its name, whether rows are of it, and their scores."""
    known = encode(truth)[0].tolist() if classes is None else one_a_row(classes, who, "classes").tolist()
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    if len(known) < 2:
        only = f"every row is of the class {known[0]!r}" if known else "there are no classes"
        raise InvalidData(f"{who}: {only}; a curve needs rows of at least 2 classes.")
    if values.shape[1] != len(known):
        raise InvalidData(
            f"{who}: there are {len(known)} classes ({', '.join(map(str, known[:5]))}) "
            f"but {values.shape[1]} scores a row; give one column a class, and classes= for those without rows."
        )
    if positive is not None and positive not in known:
        raise InvalidData(f"{who}: positive={positive!r} is not one of the classes {', '.join(map(str, known[:10]))}.")
    chosen = [positive] if positive is not None else known[1:] if len(known) == 2 else known
    for name in chosen:
        yield name_of(name), truth == name, values[:, known.index(name)]


def decoded(codes: Numbers, classes: Labels | Sequence[object]) -> NDArray[np.generic]:
    """The classes that codes stand for."""
    names = np.empty(len(classes), dtype=object)
    names[:] = list(classes)
    return np.asarray(names[np.asarray(codes)])


def labels_of(estimator: object, X: Any, who: str) -> Any:
    """The clusters of rows: `labels_` where the fit had as many, else by `predict`."""
    labels, n = getattr(estimator, "labels_", None), len(X)
    if labels is not None and len(labels) == n:
        return labels
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    known = len(fitted(estimator, "labels_", who))
    raise InvalidData(f"{who}: X has {n} rows but labels_ {known}; give the rows of the fit.")
