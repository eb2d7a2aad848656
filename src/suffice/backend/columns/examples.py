"""Arguments to try the operations on columns with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats
from ..examples import Arguments, Case
from . import column_order, portable


def _mixed(case: Case, rng: np.random.Generator, n: int) -> tuple[Floats, int]:
    """Rows with numbers first, then codes of categories, some cells missing; and how many columns hold numbers."""
    numbers = case.d // 2
    values = rng.normal(size=(n, case.d))
    values[:, numbers:] = rng.integers(0, 3, (n, case.d - numbers))
    values[rng.random(values.shape) < 0.1] = np.nan
    return values, numbers


def column_distances(case: Case) -> Iterator[Arguments]:
    """Absolute and squared differences."""
    rng = case.rng()
    values, numbers = _mixed(case, rng, case.n)
    centres = _mixed(case, rng, 4)[0]
    yield case.laid_out(values), centres, numbers
    yield case.laid_out(values), centres, numbers, True, 0.5


column_nearest = column_distances


def _codes(case: Case, rng: np.random.Generator) -> NDArray[np.float64]:
    values = rng.integers(-1, 4, (case.n, case.d)).astype(np.float64)
    values[rng.random(values.shape) < 0.1] = np.nan
    return values


def category_counts(case: Case) -> Iterator[Arguments]:
    """With and without weights; some codes are missing."""
    rng = case.rng()
    offsets = 4 * np.arange(case.d + 1, dtype=np.int64)
    for weight in (None, case.weight(rng)):
        yield case.laid_out(_codes(case, rng)), case.groups(rng, 3), 4, offsets, weight


def category_terms(case: Case) -> Iterator[Arguments]:
    """Few columns of the table and more than a vector of them; some cells hold no code, some are missing."""
    rng = case.rng()
    sizes = rng.integers(0, 6, case.d)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    for k in (1, 11):
        table, others = rng.normal(size=(int(offsets[-1]), k)), rng.normal(size=(case.d, k))
        yield case.laid_out(_codes(case, rng)), offsets, table, others


def largest_codes(case: Case) -> Iterator[Arguments]:
    """Codes, codes of which some are negative, and numbers that are none."""
    rng = case.rng()
    codes = _codes(case, rng)
    yield (case.laid_out(np.where(codes < 0, np.nan, codes)),)
    yield (case.laid_out(codes),)
    codes[rng.random(codes.shape) < 0.1] = np.inf
    yield (case.laid_out(codes + rng.integers(0, 2, case.d) / 2),)


def count_logs(case: Case) -> Iterator[Arguments]:
    """Small counts, counts beyond any table, parts of counts; some are missing."""
    rng = case.rng()
    for scale in (1.0, 1e3, 0.3):
        counts = scale * rng.poisson(3.0, (case.n, case.d)).astype(np.float64)
        counts[rng.random(counts.shape) < 0.1] = np.nan
        yield (case.laid_out(counts),)


def count_terms(case: Case) -> Iterator[Arguments]:
    """One output and several, with and without the arrangements; one count below 0."""
    rng = case.rng()
    for outputs in (1, 11):
        counts = rng.poisson(3.0, (case.n, case.d)).astype(np.float64)
        counts[case.n // 2 :, case.d // 2] = 40.0 if outputs == 1 else -0.5
        for arranged in (False, True):
            yield case.laid_out(counts), rng.normal(size=(case.d, outputs)), rng.normal(size=outputs), arranged


def group_medians(case: Case) -> Iterator[Arguments]:
    """With and without weights, a group without rows."""
    rng = case.rng()
    for weight in (None, case.weight(rng)):
        X = case.rows(rng, missing=0.2)
        yield X, column_order(X), case.groups(rng, 3), 4, weight


def mode_moves(case: Case) -> Iterator[Arguments]:
    """With weights of 1 and others; some codes are missing."""
    rng = case.rng()
    if not case.n:
        return
    offsets, k = 3 * np.arange(case.d + 1, dtype=np.int64), 4
    for weight in (np.ones(case.n), case.weight(rng) + 0.5):
        codes, labels = rng.integers(-1, 3, (case.n, case.d)), case.groups(rng, k)
        values = np.where(codes < 0, np.nan, codes).astype(np.float64)
        yield codes, weight, offsets, labels, portable.category_counts(values, labels, k, offsets, weight)
