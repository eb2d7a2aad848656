"""Arguments to try the operations of preparation with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Whole
from ..examples import Arguments, Case


def _starts(rng: np.random.Generator, d: int, least: int, most: int) -> Whole:
    return np.concatenate([[0], np.cumsum(rng.integers(least, most, d))]).astype(np.int64)


def category_places(case: Case) -> Iterator[Arguments]:
    """Categories without gaps and with some, columns without any; missing cells and unknown numbers."""
    rng = case.rng()
    values = rng.integers(-1, 6, (case.n, case.d)) / rng.integers(1, 3, case.d)
    values[rng.random(values.shape) < 0.1] = np.nan
    starts = _starts(rng, case.d, 0, 6)
    for step in (1.0, 0.5):
        levels = np.concatenate([np.empty(0), *(step * np.arange(k) for k in np.diff(starts))])
        places, others = rng.integers(-1, 9, len(levels)), rng.integers(-2, 9, (2, case.d))
        yield case.laid_out(values), levels, starts, places, others[0], others[1]


def flags(case: Case) -> Iterator[Arguments]:
    """Places of which some are below 0, in both precisions."""
    rng = case.rng()
    for dtype in (np.float64, np.float32):
        yield rng.integers(-2, 5, (case.n, case.d)), 6, dtype


def flagged_places(case: Case) -> Iterator[Arguments]:
    """Flags, shares with ties, missing cells; a block without columns."""
    rng = case.rng()
    cuts = np.sort(rng.integers(0, case.d + 1, 3))
    starts = np.array([0, *cuts, case.d], dtype=np.int64)
    for values in (rng.integers(0, 2, (case.n, case.d)) * 1.0, rng.integers(-2, 3, (case.n, case.d)) / 2):
        values[rng.random(values.shape) < 0.05] = np.nan
        yield case.laid_out(values), starts


def interpolate(case: Case) -> Iterator[Arguments]:
    """One knot and several, of which some are equal, with cells at and beyond them; missing cells."""
    rng = case.rng()
    for q in (1, 2, 9):
        values = rng.integers(-1, 8, (case.n, case.d)) / 2.0
        values[rng.random(values.shape) < 0.1] = np.nan
        knots = np.sort(rng.integers(0, 6, (case.d, q)) / 2.0, axis=1)
        yield case.laid_out(values), knots, np.sort(rng.normal(size=(case.d, q)), axis=1)


def look_up(case: Case) -> Iterator[Arguments]:
    """Places within the lists and beyond, parts of them, missing ones."""
    rng = case.rng()
    values = rng.integers(-2, 9, (case.n, case.d)) / 2.0
    values[rng.random(values.shape) < 0.1] = np.nan
    starts = _starts(rng, case.d, 1, 5)
    yield case.laid_out(values), rng.normal(size=int(starts[-1])).astype(case.dtype), starts


def splines(case: Case) -> Iterator[Arguments]:
    """Degrees for which there is code of their own and others, cells beyond the ends."""
    rng = case.rng()
    for degree in (0, 1, 3, 5):
        sizes = rng.integers(2 * degree + 2, 2 * degree + 6, case.d)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        knots = np.concatenate([np.empty(0), *(np.cumsum(rng.uniform(0.5, 1.0, k)) - 2.0 for k in sizes)])
        for within in (False, True):
            if case.d:
                yield case.rows(rng, missing=0.1), knots, starts, degree, within


def monomials(case: Case) -> Iterator[Arguments]:
    """Powers and none, missing cells, and products that overflow."""
    rng = case.rng()
    for degree, once in ((0, False), (1, True), (3, True), (3, False)):
        yield case.rows(rng, missing=0.1), degree, once
    yield case.laid_out(np.full((case.n, case.d), 1e30)), 2, False


def column_ranges(case: Case) -> Iterator[Arguments]:
    """Missing cells, and a column of them."""
    rng = case.rng()
    yield (case.rows(rng),)
    values = np.array(case.rows(rng, missing=0.2))
    values[:, :1] = np.nan
    yield (case.laid_out(values),)
