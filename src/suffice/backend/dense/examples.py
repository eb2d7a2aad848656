"""Arguments to try the operations on dense rows with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case


def moments(case: Case) -> Iterator[Arguments]:
    """All rows, weights that may be zero, more columns, and chosen rows."""
    rng = case.rng()
    X, weight, Y = case.rows(rng), case.weight(rng), rng.normal(size=(case.n, 2))
    yield (X,)
    yield X, None, weight
    yield X, Y, weight, rng.permutation(case.n)[: case.n // 2]


def grouped_moments(case: Case) -> Iterator[Arguments]:
    """One group and several, of which one is empty, with missing cells."""
    rng = case.rng()
    yield (case.rows(rng, missing=0.2),)
    yield case.rows(rng, missing=0.2), case.groups(rng, 3), 4, case.weight(rng)


def affine(case: Case) -> Iterator[Arguments]:
    """With and without a shift, to many outputs, one or two more than fill vectors, several, one and none."""
    rng = case.rng()
    for shift in (None, rng.normal(size=case.d)):
        for outputs in (75, 18, 9, 3, 1, 0):
            yield case.rows(rng), shift, rng.normal(size=(case.d, outputs)), rng.normal(size=outputs)


def cosines(case: Case) -> Iterator[Arguments]:
    """Cells near 0, and some so large that they are worked on one at a time."""
    rng = case.rng()
    yield case.rows(rng), 0.5
    yield 300 * case.rows(rng), 1.0
    yield 1e6 * case.rows(rng), 1.0


def scale_columns(case: Case) -> Iterator[Arguments]:
    """With and without numbers to subtract and to add."""
    rng = case.rng()
    for before in (None, rng.normal(size=case.d)):
        for after in (None, rng.normal(size=case.d)):
            yield case.rows(rng, missing=0.1), before, rng.normal(size=case.d), after


def diagonal_log_density(case: Case) -> Iterator[Arguments]:
    """Missing cells, and a variance that is not known."""
    rng = case.rng()
    variance = rng.random((3, case.d)) + 0.1
    variance[0, 0] = np.inf
    yield case.rows(rng, missing=0.2), rng.normal(size=(3, case.d)), variance
    yield case.rows(rng), rng.normal(size=(3, case.d)), variance, rng.normal(size=3)


def first_bad(case: Case) -> Iterator[Arguments]:
    """Nothing, a missing cell, and an infinite one."""
    rng = case.rng()
    for bad in (0.0, np.nan, np.inf):
        values = rng.normal(size=(case.n, case.d))
        values[case.n // 2 :, case.d // 2] = bad
        for allow_nan in (False, True):
            yield case.laid_out(values), allow_nan


def largest(case: Case) -> Iterator[Arguments]:
    """With missing cells, and an infinite one."""
    rng = case.rng()
    for last in (0.0, -50.0, -np.inf):
        values = rng.normal(size=(case.n, case.d))
        values[rng.random(values.shape) < 0.1] = np.nan
        values[case.n // 2 :, case.d // 2] = last
        yield (case.laid_out(values),)


def row_uniforms(case: Case) -> Iterator[Arguments]:
    """With missing cells."""
    yield case.rows(case.rng(), missing=0.1), 12345678901234


def fill_rows(case: Case) -> Iterator[Arguments]:
    """Finite cells, and others. The rows to fill are always contiguous."""
    rng = case.rng()
    for missing in (0.0, 0.3):
        rows = Case(case.n, case.d, case.dtype).rows(rng, missing)
        yield [np.ascontiguousarray(column) for column in rows.T], np.empty_like(rows)


def fill_from_arrow(case: Case) -> Iterator[Arguments]:
    """Columns of numbers of every kind and of booleans, some missing, in the midst of their buffers; one is made."""
    import pyarrow as pa

    rng = case.rng()
    kinds = ["double", "float", "bool_", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))]
    for missing in (0.0, 0.3):
        columns = []
        for j in range(case.d):
            cells = rng.integers(0, 100, case.n + 3).astype(float)
            cells[rng.random(case.n + 3) < missing] = np.nan
            type_ = getattr(pa, {"double": "float64", "float": "float32"}.get(kinds[j % 11], kinds[j % 11]))()
            whole = pa.array(cells, from_pandas=True).cast(pa.uint8() if kinds[j % 11] == "bool_" else type_)
            columns.append(whole.cast(type_)[3:])
        made: list[object] = [None] * case.d
        if case.d > 1:
            columns[1], made[1] = pa.array(["a"] * case.n), rng.random(case.n).astype(case.dtype)
        batch = pa.record_batch([*columns, pa.array(["a"] * case.n)], names=[str(j) for j in range(case.d + 1)])
        yield batch, made, np.empty((case.n, case.d), case.dtype)
