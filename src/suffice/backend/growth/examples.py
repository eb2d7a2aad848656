"""Arguments to try the operations of trees with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Floats, Whole
from ..examples import Arguments, Case
from .portable import rank_rows as ranked
from .summed import add_to_nodes as added
from .values import (
    CATEGORICAL,
    CODES,
    MISSING,
    MISSING_LEFT,
    NODE,
    Bytes,
    Coded,
    Decoding,
    Draws,
    Forest,
    Limits,
    Sorted,
    Targets,
)

_MOST = 100  # rows of a tree: plain code grows it


def _is_small(case: Case) -> bool:
    """Whether to grow trees for it: the table is of codes, whatever types and layouts are tried."""
    return 0 < case.n <= _MOST and case.d > 0 and case.dtype == np.float64 and case.layout is np.ascontiguousarray


def _categories(case: Case, rng: np.random.Generator) -> tuple[Bytes, Whole]:
    """How 5 categories of the first column are coded, and where each column's begin."""
    starts = np.append(0, np.full(case.d, 5)).astype(np.int64)
    return rng.permutation(5).astype(np.uint8), starts


def _table(case: Case) -> Floats:
    """Rows with ties, missing cells, and categories in the first column."""
    rng = case.rng()
    X = rng.normal(size=(case.n, case.d)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    if case.d:
        X[:, 0] = rng.integers(-1, 6, case.n)
    return X


def code_rows(case: Case) -> Iterator[Arguments]:
    """Edges of numbers, and a column of categories."""
    rng = case.rng()
    if case.d:
        edges = np.full((case.d, CODES), np.inf)
        edges[:, :20] = np.sort(rng.normal(size=(case.d, 20)), axis=1)
        yield case.laid_out(_table(case)), edges, *_categories(case, rng)


def rank_rows(case: Case) -> Iterator[Arguments]:
    """Numbers with ties, and a column of categories."""
    if case.d:
        yield case.laid_out(_table(case)), *_categories(case, case.rng())


def _coded(case: Case, rng: np.random.Generator) -> Coded:
    codes = rng.integers(0, 9, (case.d, case.n)).astype(np.uint8)
    codes[rng.random(codes.shape) < 0.1] = MISSING
    codes[2:] = np.where(codes[2:] == MISSING, 9, codes[2:])  # no cell of these is missing
    values = np.tile(np.arange(CODES, dtype=np.float64), (case.d, 1))
    return Coded(codes, np.arange(case.d) == 0, values)


def _targets(case: Case, rng: np.random.Generator) -> Iterator[Targets]:
    weight = rng.integers(1, 4, case.n)
    y, code = rng.integers(-50, 50, case.n), rng.integers(0, 3, case.n)
    yield Targets(np.column_stack([y * weight, weight]), y, 2, "squared", first_unit=0.5)
    yield Targets(np.column_stack([abs(y) * weight, weight]), abs(y), 2, "deviance")
    for criterion in ("gini", "entropy", "error"):
        two = np.minimum(code, 1)
        yield Targets(np.column_stack([two * weight, weight]), two, 2, criterion, classes=True)
        yield Targets(np.column_stack([code, weight]), code, 3, criterion, classes=True, weight_unit=0.25)
    yield Targets(np.column_stack([y * weight, code * weight, weight]), y * 3 + code, 3, "squared")
    yield Targets(np.column_stack([abs(y) * weight, code * weight, weight]), abs(y) * 3 + code, 3, "deviance")


def _steps(case: Case, rng: np.random.Generator) -> Targets:
    weight, y = rng.integers(1, 4, case.n), rng.integers(-50, 50, case.n)
    sums = np.column_stack([y * weight, rng.integers(0, 9, case.n) * weight, weight])
    return Targets(sums, np.arange(case.n), 3, "newton", first_unit=0.5, l2=0.1, second_unit=0.25)


def _asked(case: Case) -> Iterator[tuple[Targets, Limits, Draws, object, bool]]:
    rng, d = case.rng(), max(1, case.d)
    for targets in _targets(case, rng):
        yield targets, Limits(d), Draws(np.array([3])), None, True
    one = next(_targets(case, case.rng()))
    monotone = np.zeros(case.d, dtype=np.int8)
    monotone[1:2] = 1
    yield one, Limits(d, most_leaves=5, best_first=True, least_leaf=2), Draws(np.array([4])), monotone, True
    yield one, Limits(max(1, d // 2), of_tree=max(1, d - 1), random_cuts=True), Draws(np.array([5, 6])), None, False
    for targets in _targets(case, case.rng()):
        yield targets, Limits(d, random_cuts=True, least_leaf=2), Draws(np.array([10])), None, False
    mass = np.cumsum(rng.integers(0, 3, case.n))
    if mass[-1] > 0:
        yield one, Limits(d, most_depth=3), Draws(np.array([7, 8]), drawn=case.n, mass=mass), None, True
    yield one, Limits(d), Draws(np.array([9]), drawn=max(1, case.n // 2), replace=False), None, True


def grow_coded(case: Case) -> Iterator[Arguments]:
    """All criteria and limits, on codes with categories and missing cells."""
    if _is_small(case):
        for asked in _asked(case):
            yield _coded(case, case.rng()), *asked


def grow_forest(case: Case) -> Iterator[Arguments]:
    """The same as models hold them: means around a centre, or shares; edges, or all values known."""
    if not _is_small(case):
        return
    rng = case.rng()
    table, exact = _coded(case, rng), np.arange(case.d) % 2 == 1
    recode, starts = _categories(case, rng)
    many = rng.permutation(np.resize(np.arange(9), 70)).astype(np.uint8)
    for own, at in ((recode, starts), (many, np.where(starts > 0, 70, 0))):
        for targets, limits, draws, monotone, _ in _asked(case):
            centre = None if targets.classes else rng.normal(size=targets.k - 1)
            decoding = Decoding(table.values + 0.5, table.values - 0.25, table.values, exact, own, at, centre)
            yield table, targets, limits, draws, monotone, decoding


def grow_sorted(case: Case) -> Iterator[Arguments]:
    """The same on sorted values."""
    if _is_small(case):
        ranks, order, values = ranked(_table(case), *_categories(case, case.rng()))
        table = Sorted(ranks, order, np.arange(case.d) == 0, values)
        for asked in _asked(case):
            yield table, *asked


def drawn_rows(case: Case) -> Iterator[Arguments]:
    """With and without replacement, by weight and evenly."""
    if case.n:
        mass = np.cumsum(case.rng().integers(0, 3, case.n) + (np.arange(case.n) == 0))
        for replace in (True, False):
            draws = Draws(np.array([1, 2]), drawn=case.n // 2 + 1, replace=replace)
            yield draws, 1, case.n
            yield Draws(draws.seeds, None, 1, replace, mass), 0, case.n


def _forest(case: Case) -> Forest:
    """Two trees of three nodes: one cuts a number, the other a set of categories."""
    nodes = np.zeros(6, dtype=NODE)
    nodes["left"] = [1, 1, 2, 1, 1, 2]
    nodes["threshold"] = np.inf
    nodes["column"] = MISSING_LEFT
    nodes["threshold"][[0, 3]] = 0.1, 0.0
    nodes["column"][0], nodes["column"][3] = 4 * (case.d - 1), CATEGORICAL + MISSING_LEFT
    words = (np.arange(case.d) == 0).astype(np.int64)
    return Forest(nodes, np.array([0, 3, 6]), np.array([0b10110], dtype=np.uint64), words)


def _numbers(case: Case) -> Forest:
    """Many trees of seven nodes that cut numbers, some of them at the same places."""
    trees, rng = 20 + 2 * case.d, case.rng()
    nodes = np.zeros((trees, 7), dtype=NODE)
    nodes["left"] = [1, 3, 5, 3, 4, 5, 6]
    nodes["threshold"], nodes["column"] = np.inf, MISSING_LEFT
    nodes["threshold"][:, :3] = rng.normal(size=(trees, 3)).round(1)
    nodes["column"][:, :3] = 4 * rng.integers(0, case.d, (trees, 3)) + rng.integers(0, 2, (trees, 3))
    sets, words = np.zeros(0, dtype=np.uint64), np.zeros(case.d, dtype=np.int64)
    return Forest(nodes.reshape(-1), 7 * np.arange(trees + 1), sets, words)


def leaves(case: Case) -> Iterator[Arguments]:
    """Rows with missing cells, and categories that the set does not know."""
    if case.d > 1:
        yield case.laid_out(_table(case)), _forest(case)
        yield case.laid_out(_table(case)), _numbers(case)


def leaf_sums(case: Case) -> Iterator[Arguments]:
    """The same, with values of two numbers."""
    if case.d > 1:
        yield case.laid_out(_table(case)), _forest(case), case.rng().normal(size=(6, 2))
        numbers = _numbers(case)
        for q in (1, 2, 3):
            yield case.laid_out(_table(case)), numbers, case.rng().normal(size=(len(numbers.nodes), q))


def leaf_paths(case: Case) -> Iterator[Arguments]:
    """Ways of several lengths, one of them to a root."""
    if case.n and case.dtype == np.float64 and case.layout is np.ascontiguousarray:
        leaf = case.rng().integers(0, 6, case.n)
        lengths = np.array([1, 2, 2, 3, 3, 1])[leaf]
        yield leaf, np.array([-1, 0, 0, 2, 2, -1], dtype=np.int32), np.cumsum(lengths)


def leaf_quantiles(case: Case) -> Iterator[Arguments]:
    """Leaves of several targets with ties, of one, and of none."""
    if not case.n or case.dtype != np.float64 or case.layout is not np.ascontiguousarray:
        return
    rng = case.rng()
    starts = np.cumsum([0, 3, 0, 1, 6])
    share = rng.random(10) + 0.1
    nodes = rng.integers(0, 4, (case.n, 3)).astype(np.int32)
    nodes[0] = 1
    rank, quantiles = rng.integers(0, 5, 10).astype(np.int32), np.array([0.0, 0.5, 0.1, 1.0])
    yield nodes, starts, rank, share, np.sort(rng.normal(size=5)), quantiles
    yield nodes, starts, rank, np.full(10, 0.25), np.arange(5.0), np.array([0.25, 0.5])


def unseen_rows(case: Case) -> Iterator[Arguments]:
    """Two trees, each way of drawing."""
    for draws, _, n in drawn_rows(case):
        yield draws, n


def out_of_bag(case: Case) -> Iterator[Arguments]:
    """Rows that one of two trees, both or none saw."""
    if case.d > 1 and case.n:
        unseen = np.packbits(case.rng().random((2, case.n)) < 0.5, axis=1, bitorder="little")
        total, count = case.rng().normal(size=(case.n, 2)), np.arange(case.n)
        yield case.laid_out(_table(case)), _forest(case), case.rng().normal(size=(6, 2)), unseen, total, count


def grow_isolating(case: Case) -> Iterator[Arguments]:
    """Rows drawn once or by weight, all columns or some, with missing cells and ties."""
    if 0 < case.n <= _MOST and case.d:
        X = case.laid_out(_table(case))
        mass = np.cumsum(case.rng().integers(1, 3, case.n))
        yield X, Draws(np.array([3, 4, 5]), drawn=case.n, replace=False), case.d, 7
        yield X, Draws(np.array([6]), drawn=case.n, mass=mass), max(1, case.d // 2), 3


def grow_boosted(case: Case) -> Iterator[Arguments]:
    """Packed and wide sums, one curvature for all, columns that rise or stand together, some rows left out."""
    if not _is_small(case):
        return
    rng = case.rng()
    table, weight = _coded(case, rng), rng.integers(1, 4, case.n)
    first = rng.integers(-9000, 9000, case.n) + 4000 * (table.codes[0].astype(np.int64) > 7)
    bends = rng.integers(1, 9000, case.n)
    own = Limits(tried=case.d, most_leaves=9, least_leaf=3.0, best_first=True)
    few = Limits(tried=max(1, case.d // 2), most_depth=3, least_leaf=1.0)
    all_rows = Draws(np.array([5]))
    some = Draws(np.array([7]), (rng.random((1, case.n)) < 0.7).astype(np.int32))
    some.times[0, 0] = 1  # type: ignore[index]
    way = np.where(np.arange(case.d) == 1, 1, 0).astype(np.int8)  # the first holds categories
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
    gradient, bends = rng.normal(size=case.n), rng.random(case.n)
    yield gradient, bends, None, None, 2.0**14, 2.0**12
    yield gradient, None, rng.random(case.n), rng.integers(0, 5, case.n), 2.0**20, 1.0
    yield gradient, bends, None, rng.integers(0, 5, case.n), 2.0**20, 2.0**9


def fall_to_children(case: Case) -> Iterator[Arguments]:
    """Rows at three nodes, one of which keeps its rows, and rows that do not count."""
    if _is_small(case):
        rng = case.rng()
        column, child = np.array([0, -1, case.d - 1], np.int32), np.array([3, 0, 5], np.int32)
        left, at = rng.integers(0, 2, (3, CODES)).astype(np.uint8), rng.integers(-1, 3, case.n).astype(np.int32)
        yield np.ascontiguousarray(_coded(case, rng).codes.T), column, left, child, at


def add_to_nodes(case: Case) -> Iterator[Arguments]:
    """All kinds of targets, on rows at three nodes, of which two are summed up."""
    if not _is_small(case):
        return
    rng = case.rng()
    codes, at = np.ascontiguousarray(_coded(case, rng).codes.T), rng.integers(-1, 3, case.n).astype(np.int32)
    times, slot = rng.integers(0, 3, case.n).astype(np.int32), np.array([1, -1, 0], np.int32)
    columns = np.array([[case.d - 1, 0]])
    for targets in (*_targets(case, rng), _steps(case, rng)):
        cells = np.zeros((1, 1, 2, CODES, targets.k), dtype=np.int64)
        yield codes, targets, times, at, slot, columns, cells, np.zeros((1, 2, 3), dtype=np.int64)
        yield codes, targets, None, at, slot, columns, cells.copy(), np.zeros((1, 2, 3), dtype=np.int64)


def split_from_sums(case: Case) -> Iterator[Arguments]:
    """The sums of all rows and of some, for all kinds of targets, limits and draws of columns."""
    if not _is_small(case):
        return
    rng, every = case.rng(), tuple(range(case.d))
    table, seeds = _coded(case, rng), np.array([3, -4])
    codes, at = np.ascontiguousarray(table.codes.T), (np.arange(case.n) % 3 > 0).astype(np.int32)
    for targets in (*_targets(case, rng), _steps(case, rng)):
        columns = np.array([every, every])
        cells, counts = (np.zeros((1, 2, *own), dtype=np.int64) for own in ((case.d, CODES, targets.k), (3,)))
        added(codes, targets, None, at, np.arange(2, dtype=np.int32), columns, cells, counts)
        sums = cells[0, :, 0].sum(axis=1)
        for limits in (Limits(case.d), Limits(max(1, case.d // 2), least_leaf=3), Limits(1, random_cuts=True)):
            yield table, targets, limits, cells[0], columns, sums, seeds, every, 40.0
        some = every[: max(1, case.d - 1)]
        yield table, targets, Limits(1, least_gain=0.05), cells[0], columns, sums, seeds, some, 40.0
        yield table, targets, Limits(1), cells[0, :, :1].copy(), columns[:, :1].copy(), sums, seeds, every, 40.0
