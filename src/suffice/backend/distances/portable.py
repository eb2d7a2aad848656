"""Distances in plain array-API code: readable, and the definition of what the kernel computes."""

from __future__ import annotations

from types import ModuleType

from numpy.typing import DTypeLike

from ..arrays import Array, as_double, beside, namespace
from .values import Term


def pairwise(X: Array, Y: Array | None, term: Term, dtype: DTypeLike | None = None) -> Array:
    """The distances (n, m) of the rows of X from those of Y, or (n, n) among those of X, in `dtype` or that of X."""
    xp, Z = namespace(X), as_double(X if Y is None else beside(X, Y))
    if not X.shape[0]:
        return xp.empty((0, Z.shape[0]), dtype=dtype or X.dtype, device=X.device)
    Q = as_double(X)
    rows = [_from_row(xp, Q[i : i + 1, :], Z, term) for i in range(Q.shape[0])]
    return xp.astype(xp.stack(rows), dtype or X.dtype)


def condensed(X: Array, term: Term, dtype: DTypeLike | None = None) -> Array:
    """The distances of the pairs i < j, row by row, (n (n − 1) / 2,)."""
    xp, D = namespace(X), pairwise(X, None, term, dtype)
    empty = xp.empty(0, dtype=dtype or X.dtype, device=X.device)
    return xp.concat([empty, *(D[i, i + 1 :] for i in range(X.shape[0]))])


def _from_row(xp: ModuleType, x: Array, Y: Array, term: Term) -> Array:
    """The distances (m,) of one row from all of Y."""
    cells = _cells(xp, x, Y, term)  # (m, d)
    if term.weight is None:
        total = xp.max(cells, axis=1) if term.kind == "largest" else xp.sum(cells, axis=1)
    else:
        total = _over_present(xp, cells, beside(Y, term.weight), term)
    if term.finish == "root":
        return xp.sqrt(total)
    return total ** (1 / term.p) if term.finish == "power" else total


def _cells(xp: ModuleType, x: Array, Y: Array, term: Term) -> Array:
    apart = xp.abs(x - Y)
    differ = xp.where(apart > 0, xp.ones_like(apart), apart)
    if term.kind == "mixed":
        return xp.concat([apart[:, : term.numbers], differ[:, term.numbers :]], axis=1)
    if term.kind == "jensen":
        return _jensen(xp, x, Y)
    if term.kind == "chi":  # a cell that both rows lack adds nothing
        return apart**2 / xp.where(x + Y > 0, x + Y, xp.ones_like(apart))
    if term.kind == "smaller":
        return xp.where(x > Y, Y, x + xp.zeros_like(Y))
    if term.kind == "jaccard":  # sets as rows of 0 and 1; cells in neither do not count
        return xp.where(x + Y > 0, apart, xp.full_like(apart, xp.nan))
    simple = {"squared": apart**2, "absolute": apart, "largest": apart, "different": differ, "product": x * Y}
    return apart**term.p if term.kind == "power" else simple[term.kind]


def _over_present(xp: ModuleType, cells: Array, weight: Array, term: Term) -> Array:
    there = ~xp.isnan(cells)
    values = xp.where(there, cells * weight, xp.zeros_like(cells))
    present = xp.sum(xp.where(there, weight + xp.zeros_like(cells), xp.zeros_like(cells)), axis=1)
    some = xp.where(present > 0, present, xp.ones_like(present))
    total = xp.max(values, axis=1) if term.kind == "largest" else xp.sum(values, axis=1) / some * term.scale
    return xp.where(present > 0, total, xp.full_like(total, xp.nan))


def _jensen(xp: ModuleType, x: Array, Y: Array) -> Array:
    """(x log(x/m) + y log(y/m)) / 2 with m = (x + y) / 2; a cell of 0 adds nothing by itself."""
    both = x + Y
    t = (x - Y) / xp.where(both > 0, both, xp.ones_like(both))
    return both / 4 * (_x_log_x(xp, 1 + t) + _x_log_x(xp, 1 - t))


def _x_log_x(xp: ModuleType, u: Array) -> Array:
    return u * xp.log(xp.where(u > 0, u, xp.ones_like(u)))
