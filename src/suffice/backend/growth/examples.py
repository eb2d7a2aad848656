"""Arguments to try the growth of trees with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case
from .values import CODES, MISSING, Coded, Draws, Limits, Targets


def _table(case: Case, rng: np.random.Generator) -> Coded:
    """Codes of few and of many values, some of them missing, the last column of categories."""
    codes = rng.integers(0, [[5 if j % 2 else 40] for j in range(case.d)], (case.d, case.n))
    codes[rng.random(codes.shape) < 0.1] = MISSING
    categorical = np.arange(case.d) == case.d - 1
    return Coded(codes.astype(np.uint8), categorical, np.tile(np.arange(float(CODES)), (case.d, 1)))


def grow_boosted(case: Case) -> Iterator[Arguments]:
    """Packed and wide sums, one curvature for all, columns that rise or stand together, some rows left out."""
    if case.n < 1 or case.d < 1:
        return
    rng = case.rng()
    table, weight = _table(case, rng), rng.integers(1, 4, case.n)
    first = rng.integers(-9000, 9000, case.n) + 4000 * (table.codes[0].astype(np.int64) > 7)
    bends = rng.integers(1, 9000, case.n)
    own = Limits(tried=case.d, most_leaves=9, least_leaf=3.0, best_first=True)
    few = Limits(tried=max(1, case.d // 2), most_depth=3, least_leaf=1.0)
    all_rows = Draws(np.array([5]))
    some = Draws(np.array([7]), (rng.random((1, case.n)) < 0.7).astype(np.int32))
    some.times[0, 0] = 1  # type: ignore[index]
    way = np.where(np.arange(case.d) == 0, 1, 0).astype(np.int8)
    pairs = np.eye(case.d, dtype=bool) | np.roll(np.eye(case.d, dtype=bool), 1, axis=1)

    def targets(*columns: np.ndarray[tuple[int], np.dtype[np.int64]], l2: float = 0.0) -> Targets:
        sums = np.column_stack(columns).astype(np.int64)
        return Targets(sums, np.arange(case.n), 3, "newton", first_unit=1e-3, second_unit=1e-4, l2=l2)

    ones = np.ones(case.n, dtype=np.int64)
    yield table, targets(first, bends, ones), own, all_rows, None, None
    yield table, targets(first * weight, weight, weight, l2=1.0), own, some, way, None
    yield table, targets(first * 2**20, bends * 2**12, weight), few, all_rows, None, pairs


def whole_steps(case: Case) -> Iterator[Arguments]:
    """With and without curvatures, weights and repetitions."""
    rng = case.rng()
    gradient, bends = case.laid_out(rng.normal(size=case.n)), rng.random(case.n)
    yield gradient, bends, None, None, 2.0**14, 2.0**12
    yield gradient, None, rng.random(case.n), rng.integers(0, 5, case.n), 2.0**20, 1.0
    yield gradient, bends, None, rng.integers(0, 5, case.n), 2.0**20, 2.0**9
