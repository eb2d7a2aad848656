"""Dissimilarities that come as something else: as similarities, or as a table of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from ..data.rows import as_array, as_numbers
from ..errors import InvalidData
from ..params import check_argument
from ..typing import Floats, Labels, Numbers

_ROUNDING = 1e-9  # of the largest similarity: a square no further below 0 is 0


class Dissimilarities(NamedTuple):
    """A square matrix with NaN where a pair is missing, and what its rows and columns are called."""

    matrix: Floats
    names: Labels


def from_pairs(pairs: Any) -> Dissimilarities:
    """The matrix of a table of pairs: two names and their dissimilarity in each row, in any order.

    `pairs` is a frame of three columns, a list of triples, or a mapping from pairs of names. A pair that is not there
    is NaN; one that is there twice must have the same number both times.

    >>> found = from_pairs([("Rome", "Oslo", 2007), ("Rome", "Bern", 690)])
    >>> found.names.tolist(), found.matrix[1].tolist()
    (['Bern', 'Oslo', 'Rome'], [nan, 0.0, 2007.0])
    """
    first, second, values = _columns(pairs)
    names = np.array(sorted({*first, *second}, key=lambda name: (str(type(name)), name)), dtype=object)
    place = {name: k for k, name in enumerate(names.tolist())}
    D = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(D, 0.0)
    for row, (a, b, value) in enumerate(zip(first, second, values.tolist(), strict=True)):
        i, j = place[a], place[b]
        if not np.isnan(D[i, j]) and D[i, j] != value:
            what = "differs from itself by" if i == j else f"and {b!r} have {D[i, j]:g} elsewhere and"
            raise InvalidData(f"from_pairs: row {row}: {a!r} {what} {value:g}; give one number a pair.")
        D[i, j] = D[j, i] = value
    return Dissimilarities(D, names)


def _columns(pairs: Any) -> tuple[list[Any], list[Any], Floats]:
    if isinstance(pairs, Mapping) and all(isinstance(key, tuple) and len(key) == 2 for key in pairs):
        pairs = [(a, b, value) for (a, b), value in pairs.items()]
    if hasattr(pairs, "columns"):
        import narwhals as nw

        frame: Any = nw.from_native(pairs, eager_only=True)
        columns = [series.to_list() for series in frame.iter_columns()]
    else:
        rows = [tuple(row) for row in pairs] if isinstance(pairs, Iterable) else []
        columns = [list(column) for column in zip(*rows, strict=False)]
        if any(len(row) != 3 for row in rows):
            columns = []
    if len(columns) != 3:
        raise InvalidData("from_pairs: every row must have two names and a number; give three columns.")
    return columns[0], columns[1], as_numbers(columns[2], "from_pairs")


def from_similarities(
    S: Numbers, *, form: Literal["inner", "difference"] = "inner", own: Any = None, others: Any = None
) -> Floats:
    """Dissimilarities of similarities s, (n, n): √(sᵢᵢ + sⱼⱼ − 2 sᵢⱼ), or with form="difference" max s − sᵢⱼ.

    The first is how far apart points with these inner products are; correlations r give √(2 − 2 r). New rows (m, n),
    for `transform`, take `own` (m,), their similarities to themselves, and `others` (n,), those of the rows of the fit
    to themselves; form="difference" takes the largest similarity of the fit as `others`.

    >>> from_similarities(np.array([[1.0, 0.5], [0.5, 1.0]]))
    array([[0., 1.],
           [1., 0.]])
    """
    who = "from_similarities"
    check_argument(who, "form", form, choices=("inner", "difference"))
    values = np.asarray(as_array(S, who, "similarities are numbers"), dtype=np.float64)
    if values.ndim != 2 or (others is None and values.shape[0] != values.shape[1]):
        raise InvalidData(f"{who}: similarities are a square matrix, or rows with `others`; got shape {values.shape}.")
    if form == "difference":
        top = float(np.nanmax(values) if others is None else np.max(others))
        found = top - values
        if others is None:
            np.fill_diagonal(found, 0.0)
    else:
        columns = np.diagonal(values) if others is None else np.asarray(others, dtype=np.float64)
        rows = columns if others is None else np.asarray(own, dtype=np.float64)
        if rows.shape != values.shape[:1] or columns.shape != values.shape[1:]:
            raise InvalidData(f"{who}: own and others need one number a row and a column of S, {values.shape}.")
        found = rows[:, None] + columns - 2 * values
    bad = found < -_ROUNDING * float(np.nanmax(np.abs(values), initial=0.0))
    if bad.any():
        i, j = (int(at) for at in np.argwhere(bad)[0])
        raise InvalidData(
            f"{who}: rows {i} and {j} are more alike, {values[i, j]:g}, than they are to themselves; take "
            "form='difference', or mend the diagonal."
        )
    found = np.maximum(found, 0.0)
    return np.sqrt(found) if form == "inner" else found
