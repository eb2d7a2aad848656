"""Triples of row, column and value as known cells, and the labels of rows and columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ...data.rows import as_array, gaps
from ...data.validate import check_some_weight, check_weight
from ...errors import InvalidData
from ...typing import Floats, Labels, TargetLike, WeightLike, Whole
from .cells import Cells


@dataclass(frozen=True)
class Ratings:
    """Known cells and the sorted labels of their rows and columns."""

    cells: Cells
    rows: Labels
    columns: Labels


def ratings(
    rows: TargetLike, columns: TargetLike, values: TargetLike, weight: WeightLike, owner: str, counts: bool
) -> Ratings:
    """Of triples; those of the same cell become one, counts by their sum and values by their mean."""
    row_labels, i = coded(rows, owner, "rows")
    column_labels, j = coded(columns, owner, "columns")
    x = cell_values(values, owner)
    if not len(i) == len(j) == len(x):
        raise InvalidData(
            f"{owner}: rows, columns and values must have one entry a triple; got {len(i)}, {len(j)} and {len(x)}."
        )
    w = np.ones(len(x))
    if weight is not None:
        w = check_weight(weight, len(x), owner)
        check_some_weight(w, owner)
    shape = (len(row_labels), len(column_labels))
    mass = sparse.csr_array((w, (i, j)), shape=shape)
    sums = sparse.csr_array((w * x, (i, j)), shape=shape)
    for one in (mass, sums):
        one.sum_duplicates()
    data = sums.data if counts else np.divide(sums.data, mass.data, out=np.zeros(mass.nnz), where=mass.data > 0)
    plain = counts or bool(np.all(mass.data == 1))
    cells = Cells(
        np.asarray(mass.indptr, dtype=np.int64), np.asarray(mass.indices, dtype=np.int64), data, shape[1],
        None if plain else mass.data,
    )  # fmt: skip
    if counts:
        cells = cells.some(data != 0)
    return Ratings(cells, row_labels, column_labels)


def coded(labels: TargetLike, owner: str, place: str) -> tuple[Labels, Whole]:
    """The sorted labels, and which of them each entry is."""
    values = label_array(labels, owner, place)
    try:
        found, codes = np.unique(values, return_inverse=True)
    except TypeError:
        raise InvalidData(
            f"{owner}: {place} must hold labels that can be sorted: all text, or all whole numbers."
        ) from None
    return found, codes.astype(np.int64)


def label_array(labels: TargetLike, owner: str, place: str) -> Labels:
    """Labels, (m,), none of them missing."""
    values = as_array(labels, owner, f"{place} must hold one label a triple")
    if values.ndim != 1 or not len(values):
        raise InvalidData(f"{owner}: {place} must hold at least one label, shape (m,); got shape {values.shape}.")
    listed = values.dtype.kind == "U" and isinstance(labels, list | tuple)  # NumPy has written NaN as text
    missing = gaps(np.array(labels, dtype=object) if listed else values)
    if missing.any():
        raise InvalidData(f"{owner}: {place}, entry {int(np.argmax(missing))} has no label; drop the triple.")
    return values


def cell_values(values: object, owner: str) -> Floats:
    """Numbers, (m,), finite and not too large to be squared."""
    found = as_array(values, owner, "values must hold one number a triple")
    if found.ndim != 1 or found.dtype.kind not in "biuf":
        raise InvalidData(f"{owner}: values must be numbers, shape (m,); got {found.dtype} of shape {found.shape}.")
    x = found.astype(np.float64)
    bad = ~np.isfinite(x) | (np.abs(x) > 1e150)
    if bad.any():
        at = int(np.argmax(bad))
        raise InvalidData(f"{owner}: values, entry {at} is {x[at]}; finite numbers are needed. Drop the triple.")
    return x
