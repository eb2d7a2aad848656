"""Operations on dense rows in plain array-API code: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, RecordBatch
from ..arrays import Array, as_double, beside, namespace
from ..mixing import GOLDEN, mixed


def moments(
    X: Array, Y: Array | None = None, weight: Array | None = None, rows: Array | None = None
) -> tuple[float, Array, Array]:
    """Weight, mean (d,) and centred scatter (d, d) of the columns of [X | Y], of all rows or those listed (int64)."""
    xp = namespace(X)
    Y, weight, rows = beside(X, Y), beside(X, weight), beside(X, rows)
    if rows is not None:
        X, Y, weight = (None if a is None else xp.take(a, rows, axis=0) for a in (X, Y, weight))
    Z = as_double(X) if Y is None else xp.concat([as_double(X), as_double(Y)], axis=1)  # (n, d)
    w = _ones(Z) if weight is None else as_double(weight)  # (n,)
    total = xp.sum(w)
    mean = (w @ Z) / xp.where(total > 0, total, xp.ones_like(total))
    centred = Z - mean
    return float(total), mean, (centred * w[:, None]).T @ centred


def _ones(Z: Array) -> Array:
    xp = namespace(Z)
    return xp.ones(Z.shape[0], dtype=xp.float64, device=Z.device)


def grouped_moments(
    X: Array, group: Array | None = None, groups: int = 1, weight: Array | None = None
) -> tuple[Array, Array, Array, Array]:
    """Row weight (k,), and weight, mean and centred squares (k, d) of the cells that are not NaN, per group.

    `group` holds the group of each row as int64 from 0 to `groups` - 1; None puts all rows into group 0.
    """
    xp, Z = namespace(X), as_double(X)
    group, weight = beside(X, group), beside(X, weight)
    w = _ones(Z) if weight is None else as_double(weight)
    present = ~xp.isnan(Z)  # (n, d)
    filled = xp.where(present, Z, xp.zeros_like(Z))
    parts = []
    for g in range(groups):
        own = w if group is None else xp.where(group == g, w, xp.zeros_like(w))
        cells = xp.where(present, own[:, None], xp.zeros_like(Z))  # (n, d)
        total = xp.sum(cells, axis=0)
        mean = xp.sum(cells * filled, axis=0) / xp.where(total > 0, total, xp.ones_like(total))
        parts.append((xp.sum(own), total, mean, xp.sum(cells * (filled - mean) ** 2, axis=0)))
    row_weight, total, mean, scatter = (xp.stack(column) for column in zip(*parts, strict=True))
    return row_weight, total, mean, scatter


def affine(X: Array, shift: Array | None, matrix: Array, offset: Array) -> Array:
    """(X − shift) matrix + offset, (n, k), in the type of X; shift (d,) may be None."""
    xp = namespace(X)
    Z = as_double(X) if shift is None else as_double(X) - beside(X, shift)
    return xp.astype(Z @ beside(X, matrix) + beside(X, offset), X.dtype, copy=False)


def cosines(X: Array, factor: float) -> Array:
    """factor · cos(X) of each cell, (n, d), in the type of X."""
    xp = namespace(X)
    return xp.astype(factor * xp.cos(as_double(X)), X.dtype, copy=False)


def scale_columns(X: Array, before: Array | None, factor: Array, after: Array | None) -> Array:
    """(X − before) factor + after, a number (d,) of each for a column, in the type of X; two of them may be None."""
    xp = namespace(X)
    before, factor, after = (
        None if each is None else xp.astype(beside(X, each), X.dtype, copy=False) for each in (before, factor, after)
    )
    Z = (X if before is None else X - before) * factor
    return Z if after is None else Z + after


def diagonal_log_density(X: Array, mean: Array, variance: Array, offset: Array | None = None) -> Array:
    """log N(x; mean, variance) (n, k), the columns independent; NaN cells and infinite variances are left out.

    `offset` (k,) is added, if there is one.
    """
    xp, mean, variance = namespace(X), beside(X, mean), beside(X, variance)
    Z = as_double(X)[:, None, :]  # (n, 1, d)
    seen = ~xp.isnan(Z) & xp.isfinite(variance)  # (n, k, d)
    scale = xp.where(xp.isfinite(variance), variance, xp.ones_like(variance))
    terms = xp.log(2 * xp.pi * scale) + (Z - mean) ** 2 / scale
    found = -0.5 * xp.sum(xp.where(seen, terms, xp.zeros_like(terms)), axis=2)
    return found if offset is None else found + beside(X, offset)


def first_bad(X: Array, allow_nan: bool = False) -> tuple[int, int] | None:
    """Row and column of the first cell that is infinite (or NaN, unless allowed); None where all are good."""
    xp = namespace(X)
    bad = xp.isinf(X) if allow_nan else ~xp.isfinite(X)
    if not xp.any(bad):
        return None
    rows, columns = xp.nonzero(bad)
    return int(rows[0]), int(columns[0])


def largest(X: Array) -> float:
    """The largest |x| of all cells, missing ones apart; 0 where there is none."""
    xp = namespace(X)
    size = xp.abs(X)
    return float(xp.max(xp.where(xp.isnan(size), xp.zeros_like(size), size))) if 0 not in X.shape else 0.0


def row_uniforms(X: Array, seed: int) -> Floats:
    """A number in (0, 1) for each row (n,) that depends on its cells and the seed alone.

    The bits of the cells are mixed one after the other.
    """
    with np.errstate(over="ignore"):
        bits = np.full(len(X), seed, dtype=np.uint64) * GOLDEN
        for column in np.asarray(X, dtype=np.float64).T:
            bits = mixed(bits ^ np.ascontiguousarray(column + 0.0).view(np.uint64))
        return np.asarray(((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53)


def fill_rows(columns: list[Array], out: Array) -> bool:
    """Write columns (n,), of the type of `out`, side by side as the rows of `out` (n, d); whether all are finite."""
    for j, column in enumerate(columns):
        out[:, j] = column
    return first_bad(out) is None


def fill_from_arrow(batch: RecordBatch, made: list[Array | None], out: Array) -> bool:
    """Write the first columns of an Arrow record batch as the rows of `out`, as `fill_rows` does.

    They are numbers or booleans, missing where the batch says so; `made[j]`, if there is one, stands in for column j.
    """
    columns = [
        _cells(column) if instead is None else instead for column, instead in zip(batch.columns, made, strict=False)
    ]
    return fill_rows(columns, out)


def _cells(column: Array) -> Array:
    """A column of Arrow as doubles, NaN where a cell is missing."""
    cells = column.to_numpy(zero_copy_only=False)
    return np.array([np.nan if cell is None else cell for cell in cells]) if cells.dtype == object else cells
