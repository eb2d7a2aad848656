"""Rows and points whose distances are easy or hard to tell apart in eight bits."""

from __future__ import annotations

from typing import Any

import numpy as np

KINDS = [
    "normal",
    "whole numbers and ties",
    "rows are points",
    "one point far away",
    "some rows far away",
    "one column rules",
    "tight groups far apart",
    "spikes",
    "equal",
]


def made(kind: str, rng: np.random.Generator, n: int, k: int, d: int) -> tuple[Any, Any]:
    """n rows and k points of d columns."""
    rows, points = rng.normal(size=(n, d)), rng.normal(size=(k, d))
    if kind == "whole numbers and ties":
        rows, points = rng.integers(-2, 3, rows.shape) * 1.0, rng.integers(-1, 2, points.shape) * 1.0
        points[k // 2 :] = points[: k - k // 2]
    elif kind == "rows are points":
        rows[:100] = points[:100]
    elif kind == "one point far away":
        points[7] *= 1e6
    elif kind == "some rows far away":
        rows[::9] *= 1e4
    elif kind == "one column rules":
        rows[:, 3], points[:, 3] = 1e5 * rows[:, 3], 1e5 * points[:, 3]
    elif kind == "tight groups far apart":
        groups = 1e4 * rng.normal(size=(4, d))
        rows, points = rows + groups[rng.integers(0, 4, n)], points + groups[rng.integers(0, 4, k)]
    elif kind == "spikes":
        rows, points = rows**9, points**9
    elif kind == "equal":
        rows[:], points[:] = 3.0, 3.0
    return rows, points
