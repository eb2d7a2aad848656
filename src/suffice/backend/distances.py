"""Distances of all pairs of rows: what the columns add, summed, then finished. The portable form is the definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import native
from .dispatch import is_native
from .portable import as_double, namespace
from .threads import thread_count
from .weights import doubles

Array = Any
Floats = NDArray[np.float64]
Kind = Literal["squared", "absolute", "largest", "power", "different", "mixed", "jaccard", "product", "jensen"]
Layout = Literal["full", "symmetric", "condensed"]


@dataclass(frozen=True)
class Term:
    """What a column adds to the distance of two rows, and what becomes of the sum.

    `weight` (d,) says that cells may be NaN: then the columns where both rows have one count, by weight, and the sum
    over them is divided by their weight and multiplied by `scale`. "mixed" has `numbers` columns of numbers, the
    others hold codes of categories.
    """

    kind: Kind
    finish: Literal["none", "root", "power"] = "none"
    p: float = 2.0
    numbers: int = 0
    weight: Floats | None = None
    scale: float = 1.0


def pairwise(X: Array, Y: Array | None, term: Term, dtype: Any = None) -> Array:
    """The distances (n, m) of the rows of X from those of Y, or (n, n) among those of X, in `dtype` or that of X."""
    if not is_native(X):
        return _cast(_portable(X, X if Y is None else Y, term), dtype)
    out = np.empty((len(X), len(X if Y is None else Y)), dtype=dtype or X.dtype)
    _run(X, X if Y is None else Y, term, "symmetric" if Y is None else "full", out)
    return out


def condensed(X: Array, term: Term, dtype: Any = None) -> Array:
    """The distances of the pairs i < j, row by row, (n (n − 1) / 2,)."""
    n = X.shape[0]
    if not is_native(X):
        return _cast(_portable(X, X, term), dtype)[np.triu_indices(n, 1)]
    out = np.empty(n * (n - 1) // 2, dtype=dtype or X.dtype)
    _run(X, X, term, "condensed", out)
    return out


def _run(X: NDArray[Any], Y: NDArray[Any], term: Term, layout: Layout, out: NDArray[Any]) -> None:
    if out.dtype != X.dtype and X.dtype == np.float32:
        X, Y = X.astype(np.float64), Y.astype(np.float64)
    native.kernels().pairwise(
        X, Y.astype(X.dtype, copy=False), term.kind, term.p, term.numbers, term.finish, doubles(term.weight),
        term.scale, layout, thread_count(), out,
    )  # fmt: skip


def _cast(values: Array, dtype: Any) -> Array:
    return values if dtype is None else namespace(values).astype(values, dtype)


def _portable(X: Array, Y: Array, term: Term) -> Array:
    xp = namespace(X)
    Z = as_double(Y)
    rows = [_from_row(xp, row[None, :], Z, term) for row in as_double(X)]
    return xp.astype(xp.stack(rows), X.dtype)


def _from_row(xp: Any, x: Array, Y: Array, term: Term) -> Array:
    """The distances (m,) of one row from all of Y."""
    cells = _cells(xp, x, Y, term)  # (m, d)
    if term.weight is None:
        total = xp.max(cells, axis=1) if term.kind == "largest" else xp.sum(cells, axis=1)
    else:
        total = _over_present(xp, cells, xp.asarray(term.weight), term)
    if term.finish == "root":
        return xp.sqrt(total)
    return total ** (1 / term.p) if term.finish == "power" else total


def _cells(xp: Any, x: Array, Y: Array, term: Term) -> Array:
    apart = xp.abs(x - Y)
    differ = xp.where(apart > 0, xp.ones_like(apart), apart)
    if term.kind == "mixed":
        return xp.concat([apart[:, : term.numbers], differ[:, term.numbers :]], axis=1)
    if term.kind == "jensen":
        return _jensen(xp, x, Y)
    if term.kind == "jaccard":  # sets as rows of 0 and 1; cells in neither do not count
        return xp.where(x + Y > 0, apart, xp.full_like(apart, xp.nan))
    simple = {"squared": apart**2, "absolute": apart, "largest": apart, "different": differ, "product": x * Y}
    return apart**term.p if term.kind == "power" else simple[term.kind]


def _over_present(xp: Any, cells: Array, weight: Array, term: Term) -> Array:
    there = ~xp.isnan(cells)
    values = xp.where(there, cells * weight, xp.zeros_like(cells))
    present = xp.sum(xp.where(there, weight + xp.zeros_like(cells), xp.zeros_like(cells)), axis=1)
    some = xp.where(present > 0, present, xp.ones_like(present))
    total = xp.max(values, axis=1) if term.kind == "largest" else xp.sum(values, axis=1) / some * term.scale
    return xp.where(present > 0, total, xp.full_like(total, xp.nan))


def _jensen(xp: Any, x: Array, Y: Array) -> Array:
    """(x log(x/m) + y log(y/m)) / 2 with m = (x + y) / 2; a cell of 0 adds nothing by itself."""
    both = x + Y
    t = (x - Y) / xp.where(both > 0, both, xp.ones_like(both))
    return both / 4 * (_x_log_x(xp, 1 + t) + _x_log_x(xp, 1 - t))


def _x_log_x(xp: Any, u: Array) -> Array:
    return u * xp.log(xp.where(u > 0, u, xp.ones_like(u)))
