"""The kernels in plain array-API code: readable, on any array library, and the reference for the native ones."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any  # anything that follows the array API standard


def namespace(x: Array) -> Any:
    """The array-API module of an array."""
    return x.__array_namespace__()


def as_double(x: Array) -> Array:
    """The array in double precision; sums are always kept so."""
    xp = namespace(x)
    return xp.astype(x, xp.float64, copy=False)


def moments(X: Array, Y: Array | None, weight: Array | None, rows: Array | None = None) -> tuple[Array, Array, Array]:
    """Weight (), mean (d) and centred scatter (d, d) of the columns of [X | Y], over all rows or those listed."""
    xp = namespace(X)
    if rows is not None:
        X, Y, weight = (None if a is None else xp.take(a, rows, axis=0) for a in (X, Y, weight))
    Z = as_double(X) if Y is None else xp.concat([as_double(X), as_double(Y)], axis=1)  # (n, d)
    w = xp.ones(Z.shape[0], dtype=xp.float64) if weight is None else weight  # (n,)
    total = xp.sum(w)
    if total == 0:
        return total, xp.zeros(Z.shape[1]), xp.zeros((Z.shape[1], Z.shape[1]))
    mean = (w @ Z) / total
    centred = Z - mean
    return total, mean, (centred * w[:, None]).T @ centred


def grouped_moments(
    X: Array, group: Array | None, groups: int, weight: Array | None
) -> tuple[Array, Array, Array, Array]:
    """Row weight (k,), and weight, mean and centred squares (k, d) of the cells that are not NaN, per group."""
    xp = namespace(X)
    Z = as_double(X)
    w = xp.ones(Z.shape[0], dtype=xp.float64) if weight is None else weight
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
    """(X − shift) matrix + offset, (n, k), in the type of X."""
    xp = namespace(X)
    Z = as_double(X) if shift is None else as_double(X) - shift
    return xp.astype(Z @ matrix + offset, X.dtype, copy=False)


def diagonal_log_density(X: Array, mean: Array, variance: Array) -> Array:
    """log N(x; mean, variance) (n, k), the columns independent; NaN cells and infinite variances are left out."""
    xp = namespace(X)
    Z = as_double(X)[:, None, :]  # (n, 1, d)
    seen = ~xp.isnan(Z) & xp.isfinite(variance)  # (n, k, d)
    scale = xp.where(xp.isfinite(variance), variance, xp.ones_like(variance))
    terms = xp.log(2 * xp.pi * scale) + (Z - mean) ** 2 / scale
    return -0.5 * xp.sum(xp.where(seen, terms, xp.zeros_like(terms)), axis=2)


def fill_rows(columns: list[Array], out: Array) -> bool:
    """Write columns side by side; whether all cells are finite."""
    for j, column in enumerate(columns):
        out[:, j] = column
    return first_bad(out, allow_nan=False) is None


def row_uniforms(X: Array, seed: int) -> Array:
    """The bits of the cells mixed one after the other, as a number in (0, 1)."""
    with np.errstate(over="ignore"):
        mixed = np.full(len(X), seed, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        for column in np.asarray(X, dtype=np.float64).T:
            mixed = _mix(mixed ^ np.ascontiguousarray(column + 0.0).view(np.uint64))
        return ((mixed >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def _mix(z: Array) -> Array:
    """A bijection of 64 bits that spreads every bit over all (as in SplitMix64)."""
    z = z + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def first_bad(X: Array, allow_nan: bool) -> tuple[int, int] | None:
    """Row and column of the first cell that is infinite (or NaN, unless allowed)."""
    xp = namespace(X)
    bad = xp.isinf(X) if allow_nan else ~xp.isfinite(X)
    if not xp.any(bad):
        return None
    rows, columns = xp.nonzero(bad)
    return int(rows[0]), int(columns[0])
