"""Rows as dask collections, and a summary that tells them apart; workers import it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from suffice.data import Chunk

RNG = np.random.default_rng(7)
ROWS = 60
A = RNG.normal(size=(ROWS, 3)) * [1, 10, 100] + [5, 0, -3]
TARGET = RNG.normal(size=ROWS)
WEIGHT = RNG.integers(0, 4, ROWS).astype(float)
CHUNKINGS = [(60, 3), (7, 3), (1, 1), (13, 2), ((0, 20, 0, 40, 0), (3,)), ((1, 58, 1), (1, 2))]
QUICK: dict[str, Any] = {"dashboard_address": ":0", "memory_limit": "512MiB", "threads_per_worker": 1}


@dataclass(frozen=True)
class Sums:
    """Rows, weight, weighted sums of X and of X·y, and the rows' first cells in the order of the merges."""

    rows: int
    weight: float
    X: np.ndarray
    Xy: np.ndarray
    order: tuple[float, ...]

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.rows + other.rows,
            self.weight + other.weight,
            self.X + other.X,
            self.Xy + other.Xy,
            self.order + other.order,
        )


def sums(chunk: Chunk) -> Sums:
    assert len(chunk) > 0
    w = np.ones(len(chunk)) if chunk.weight is None else chunk.weight
    y = np.zeros(len(chunk)) if chunk.y is None else chunk.y
    order = tuple(chunk.X[:, 0].tolist())
    return Sums(len(chunk), float(w.sum()), w @ chunk.X, (w * y) @ chunk.X, order)


def assert_same(got: Sums, want: Sums) -> None:
    assert (got.rows, got.weight, got.order) == (want.rows, want.weight, want.order)
    np.testing.assert_allclose(got.X, want.X, rtol=1e-12)
    np.testing.assert_allclose(got.Xy, want.Xy, rtol=1e-12)


def array(chunks: Any = (13, 3)) -> Any:
    return da.from_array(A, chunks=chunks)


def frame() -> Any:
    return pd.DataFrame(
        {
            "size": A[:, 0],
            "old": A[:, 1] > 0,
            "count": pd.array([None if i == 41 else i for i in range(ROWS)], dtype="Int64"),
            "colour": np.array(["blue", "orange", "green"], dtype=object)[np.arange(ROWS) // 25],
            "sex": pd.Categorical(["f" if i % 3 else "m" for i in range(ROWS)]),
        }
    )


def bad_array(value: float = np.nan) -> Any:
    cells = A.copy()
    cells[31, 1] = value
    return da.from_array(cells, chunks=(10, 3))
