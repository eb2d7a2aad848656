"""Operations of preparation in plain array code: readable, and the definition of what the kernels compute."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, pairwise

import numpy as np
from numpy.typing import DTypeLike

from ...typing import Floats, Reals, Whole


def category_places(X: Reals, levels: Floats, starts: Whole, places: Whole, missing: Whole, unknown: Whole) -> Whole:
    """The place of each cell (n, m) by its category; NaN has that of `missing` (m,), other numbers of `unknown` (m,).

    The categories of column j, sorted, and their places stand at starts[j] to starts[j + 1].
    """
    found = np.empty(X.shape, dtype=np.int64)
    for j, (a, b) in enumerate(pairwise(starts.tolist())):
        own, cells = levels[a:b], np.asarray(X[:, j], dtype=np.float64)
        at = np.minimum(np.searchsorted(own, cells), max(len(own) - 1, 0))
        known = own[at] == cells if len(own) else np.zeros(len(cells), dtype=bool)
        found[:, j] = np.where(np.isnan(cells), missing[j], unknown[j])
        found[known, j] = places[a:b][at[known]]
    return found


def flags(places: Whole, width: int, dtype: DTypeLike) -> Reals:
    """Rows of 0 and 1, (n, width): a 1 at each of the places (n, m) of a row that is at least 0."""
    made: Reals = np.zeros((len(places), width), dtype)
    row, column = np.nonzero(places >= 0)
    made[row, places[row, column]] = 1
    return made


def flagged_places(X: Reals, starts: Whole) -> Whole:
    """Which column of each block is the largest, the first of several, (n, m); −1 where all are 0.

    Block j has the columns from starts[j] to starts[j + 1], the last of which is their number. A NaN is above all.
    """
    found = np.full((len(X), len(starts) - 1), -1, dtype=np.int64)
    for j, (a, b) in enumerate(pairwise(starts.tolist())):
        if b > a:
            block = X[:, a:b]
            found[:, j] = np.where(np.any(block, axis=1), np.argmax(block, axis=1), -1)
    return found


def interpolate(X: Reals, knots: Floats, values: Floats) -> Reals:
    """A curve of each column, straight between its knots (m, q), which do not fall, where it has `values` (m, q).

    Cells at or beyond an outer knot have its value, the first before the last; where knots are equal, the mean of the
    values at the first and the last of them counts. NaN stays.
    """
    made: Reals = np.empty(X.shape, X.dtype)
    for j, (at, value) in enumerate(zip(knots, values, strict=True)):
        x = np.asarray(X[:, j], dtype=np.float64)
        upto, below = np.interp(x, at, value), np.interp(-x, -at[::-1], value[::-1])
        inside = np.where(x >= at[-1], value[-1], 0.5 * (upto + below))
        made[:, j] = np.where(np.isnan(x), x, np.where(x <= at[0], value[0], inside))
    return made


def look_up(X: Reals, values: Reals, starts: Whole) -> Reals:
    """The number at each place (n, d) in the list of its column, those of column j from starts[j] to starts[j + 1].

    Parts of places do not count, those beyond a list are its ends, and NaN stays. The answer lies in memory as X does.
    """
    missing = np.isnan(X)
    inside = np.clip(np.where(missing, 0, X), 0, np.diff(starts) - 1).astype(np.int64)
    return np.where(missing, X, values.astype(X.dtype, copy=False)[inside + starts[:-1]])


def splines(X: Reals, knots: Floats, starts: Whole, degree: int, within: bool) -> Reals:
    """The B-splines of each column side by side, (n, Σ size), on the knots from starts[j] to starts[j + 1].

    Knots rise, and as many as the degree lie beyond either end; so there are degree + 1 fewer splines. Cells beyond the
    ends have what these have, if `within`, else the polynomials there go on. NaN gives NaN.
    """
    made = []
    for j, (a, b) in enumerate(pairwise(starts.tolist())):
        t, x = knots[a:b], np.asarray(X[:, j], dtype=np.float64)
        x = np.clip(x, t[degree], t[-degree - 1]) if within else x
        made.append(_splines(t, x, degree))
    return np.concatenate(made, axis=1).astype(X.dtype, copy=False)


def _splines(t: Floats, x: Floats, degree: int) -> Floats:
    """By the recursion of Cox and de Boor, (n, size)."""
    size = len(t) - degree - 1
    missing = np.isnan(x)
    x = np.where(missing, t[degree], x)
    at = np.clip(np.searchsorted(t, x, side="right") - 1, degree, size - 1)  # x lies in the interval from t[at]
    values = [np.ones(len(x))]
    for j in range(1, degree + 1):
        saved = np.zeros(len(x))
        for r in range(j):
            high, low = t[at + r + 1], t[at + r + 1 - j]
            part = values[r] / (high - low)
            values[r] = saved + (high - x) * part
            saved = (x - low) * part
        values.append(saved)
    found = np.zeros((len(x), size))
    for r, value in enumerate(values):
        found[np.arange(len(x)), at - degree + r] = value
    found[missing] = np.nan
    return found


def monomials(X: Reals, degree: int, once: bool) -> tuple[Reals, bool]:
    """All products of columns up to a degree, (p, n), lower degrees first; and whether one is infinite.

    Those of one degree stand in the order of their columns: x₁², x₁x₂, …, x₂², …. `once` says that no column is
    multiplied with itself.
    """
    choose = combinations if once else combinations_with_replacement
    held = [chosen for k in range(degree + 1) for chosen in choose(range(X.shape[1]), k)]
    made: Reals = np.ones((len(held), len(X)), X.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for i, chosen in enumerate(held):
            for j in reversed(chosen):
                made[i] *= X[:, j]
    return made, bool(np.isinf(made).any())


def column_ranges(X: Reals) -> tuple[Floats, Floats, Floats]:
    """The lowest and the highest number of each column, NaN where it has none, and how many cells are missing, (d,)."""
    low, high = (best.reduce(X, axis=0, initial=np.nan).astype(np.float64) for best in (np.fmin, np.fmax))
    return low, high, np.isnan(X).sum(axis=0, dtype=np.float64)
