"""The nearest rows with all that are as near as the last of them, whatever the order of the rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..backend.neighbors import Floats, Nearest, Within
from ..backend.weights import given_or_ones
from ..typing import Numbers, Whole

Search = Callable[[Numbers, int], Nearest]  # queries and a number of rows


def nearest_with_ties(search: Search, Q: Numbers, k: float, n: int, weight: Floats | None) -> Within:
    """For each query the nearest of n rows whose weights sum to k, and those as near as the last of them.

    Lists that may go on are searched again, four times as long. Where all rows weigh less than k, all are listed.
    """
    width = min(int(k) + 1, n)
    found = search(Q, width)
    if weight is None and width == k + 1 and np.all(found.distances[:, -1] > found.distances[:, -2]):
        return _whole_lists(found.distances[:, :-1], found.rows[:, :-1])
    counts, asked = given_or_ones(weight, n), np.arange(Q.shape[0])
    parts: list[tuple[Whole, Floats, Whole]] = []
    while len(asked):
        if parts:
            found = search(Q[asked], width)
        running = np.cumsum(counts[found.rows], axis=1)
        enough = running >= k * (1 - 1e-12)
        reached = enough.any(axis=1)
        places = np.where(reached, np.argmax(enough, axis=1), width - 1)
        radius = found.distances[np.arange(len(asked)), places]
        done = (found.distances[:, -1] > radius) if width < n else np.ones(len(asked), dtype=bool)
        listed = done[:, None] & (found.distances <= radius[:, None])
        parts.append((np.repeat(asked, listed.sum(axis=1)), found.distances[listed], found.rows[listed]))
        asked, width = asked[~done], min(4 * width, n)
    query, distances, rows = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(query, kind="stable")
    return Within(np.cumsum(np.bincount(query, minlength=Q.shape[0])), distances[order], rows[order])


def _whole_lists(distances: Floats, rows: Whole) -> Within:
    """Lists of equal length."""
    return Within(np.arange(1, len(rows) + 1) * rows.shape[1], distances.ravel(), rows.ravel())
