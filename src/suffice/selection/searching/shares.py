"""Splits that learn from a share of their rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...resampling import Problem
from ...typing import Floats, Whole

_LEAST = 2  # rows of a class, where there are so many


def learning_from(of: Problem, share: float, seed: int | None) -> Problem:
    """The problem with so large a share of the rows that each split learns from, of every class as large a one.

    Rows of a smaller share are among those of a larger one.
    """
    if share >= 1:
        return of
    order = np.random.default_rng(seed).random(of.n)
    splits = [(_some(train, of, order, share), test) for train, test in of.splits]
    return replace(of, splits=splits)


def _some(rows: Whole, of: Problem, order: Floats, share: float) -> Whole:
    """The rows that come first in a random order, so large a share of each class."""
    codes = np.zeros(len(rows), dtype=np.int64) if of.codes is None else of.codes[rows]
    parts = [rows[codes == code] for code in np.unique(codes)]
    kept = [part[np.argsort(order[part])][: max(_LEAST, round(share * len(part)))] for part in parts]
    return np.sort(np.concatenate(kept))
