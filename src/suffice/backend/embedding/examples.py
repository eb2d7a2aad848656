"""Arguments to try the operations of maps by neighbours with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case
from .values import Curve, Drawing, Edges, Sample, Sampling


def calibrated(case: Case) -> Iterator[Arguments]:
    """Lists of several lengths, one of none and one of equal distances, and a perplexity that no list reaches."""
    rng = case.rng()
    squared = np.asarray(case.laid_out(rng.random((case.n, 1)) * 3))[:, 0]
    ends = np.unique(np.append(rng.integers(0, case.n + 1, case.n // 8), case.n)).astype(np.int64)
    squared[: ends[0]] = 1.0
    for perplexity in (1.0, 2.5, 1e6):
        yield squared, ends, np.ones(case.n), float(np.log(perplexity))
        yield squared, ends, 0.5 + rng.random(case.n), float(np.log(perplexity))


def pull(case: Case) -> Iterator[Arguments]:
    """Lists of points, some of them empty."""
    rng = case.rng()
    for k in (1, 2, 3, case.d):
        rows, points = case.laid_out(rng.normal(size=(case.n, k))), rng.normal(size=(20, k))
        ends = np.cumsum(rng.integers(0, 30, case.n)).astype(np.int64)
        pairs = int(ends[-1]) if case.n else 0
        others = rng.integers(0, 20, pairs)
        yield rows, points, ends, others, rng.random(pairs)
        yield rows, points, ends, others, rng.random(pairs), True
        yield rows, points, ends, others, rng.random(pairs), True, Curve(1.6, 0.9)
        yield rows, points, ends, others, rng.random(pairs), False, Curve(0.1, 1.9).other()


def sampled(case: Case) -> Iterator[Arguments]:
    """Points in few and many coordinates, some without edges and some equal, drawn alike and by mass."""
    rng = case.rng()
    for k in (1, 2, 3, case.d):
        cells = rng.normal(size=(case.n, k)) * rng.choice([0.01, 1.0, 30.0], size=(case.n, 1))
        cells[: case.n // 4] = cells[:1]
        ends = np.cumsum(rng.integers(0, 12, case.n)).astype(np.int64)
        pairs = int(ends[-1]) if case.n else 0
        others = rng.integers(0, max(case.n, 1), pairs).astype(np.int32)
        rate, phase = (rng.integers(0, 1 << 32, pairs).astype(np.uint32) for _ in range(2))
        drawing = None if k == 2 else Drawing.of(rng.integers(1, 5, case.n).astype(np.float64))
        how = Sampling(Curve(1.6, 0.9), 1.5, {1: 0, 3: 600}.get(k, 5), int(rng.integers(1 << 62)), drawing)
        edges = Edges(ends, others, rate, phase // 2)
        size = 13 if case.n else 0
        sample = Sample(*(rng.integers(0, max(case.n, 1), size).astype(np.int32) for _ in range(3)))
        yield case.laid_out(cells), edges, how, sample, np.array([0.02, 0.01]), int(rng.integers(0, 500))


def push(case: Case) -> Iterator[Arguments]:
    """Rows that are points and rows that are none, with masses and without."""
    rng = case.rng()
    for k in (1, 2, 3, case.d):
        cells = case.laid_out(rng.normal(size=(case.n, k)))
        others = np.ascontiguousarray(cells, dtype=np.float64)
        yield cells, others
        yield cells, others, rng.random(case.n), True
        yield cells, rng.normal(size=(21, k)), None, True


def push_by_tree(case: Case) -> Iterator[Arguments]:
    """Points among which some are equal, more of them than a leaf holds."""
    rng = case.rng()
    for k in (1, 2, 3):
        cells = rng.normal(size=(case.n, k))
        cells[: case.n // 3] = cells[:1]
        rows, points = case.laid_out(cells), rng.normal(size=(60, k))
        points[:20] = points[0]
        for angle in (0.0, 0.5, 2.0):
            yield rows, points, None, angle
        yield rows, points, rng.random(60), 0.7


def spread(case: Case) -> Iterator[Arguments]:
    """Points within a grid, and some beyond it."""
    rng = case.rng()
    points = case.laid_out(3 * rng.normal(size=(case.n, 2)))
    yield points, None, np.array([-6.0, -7.0]), 0.5, (24, 31)
    yield points, rng.random(case.n), np.array([-1.0, -1.0]), 0.25, (40, 6)


def read_off(case: Case) -> Iterator[Arguments]:
    """Places within a grid, and some beyond it."""
    rng = case.rng()
    points = case.laid_out(3 * rng.normal(size=(case.n, 2)))
    yield points, rng.normal(size=(24, 31)), np.array([-6.0, -7.0]), 0.5
    yield points, rng.normal(size=(40, 6)), np.array([-1.0, -1.0]), 0.25, True
