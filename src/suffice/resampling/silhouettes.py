"""Silhouettes: how much nearer each row is to its own cluster than to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..data.labels import encode
from ..data.rows import as_rows
from ..data.validate import check_weight
from ..errors import InvalidData
from ..typing import Floats, Labels, TableLike

MOST_ROWS = 2_000  # more are sampled, as the distances of all pairs are computed


def silhouettes(distances: Floats, labels: Labels, weight: Floats | None = None) -> Floats:
    """(b − a) / max(a, b) of each row, (n,): a is its mean distance to its own cluster, b to the nearest other.

    `distances` are those of all pairs, (n, n). A weight is a number of equal rows. A row alone in its cluster has 0;
    with one cluster only, all are NaN.

    >>> points = np.array([[0.0], [1.0], [10.0]])
    >>> silhouettes(np.abs(points - points.T), np.array([0, 0, 1]))
    array([0.9       , 0.88888889, 0.        ])
    """
    rows, labels = as_rows(distances, "silhouettes"), np.asarray(labels)
    if labels.shape != (len(rows),) or rows.shape[1] != len(rows):
        raise InvalidData(
            f"silhouettes: distances must be those of all pairs, (n, n), and labels (n,); got {rows.shape} and "
            f"{labels.shape}."
        )
    codes, weights = _members(labels, None if weight is None else check_weight(weight, len(rows), "silhouettes"))
    return _values(rows @ weights, codes, weights)


def silhouettes_of_rows(
    X: TableLike, labels: Labels, metric: str = "euclidean", weight: Floats | None = None
) -> Floats:
    """The silhouettes of rows, whose distances are computed and forgotten block by block.

    >>> silhouettes_of_rows([[0.0], [1.0], [10.0]], np.array([0, 0, 1]))
    array([0.9       , 0.88888889, 0.        ])
    """
    from sklearn.metrics import pairwise_distances_chunked

    codes, weights = _members(labels, weight)
    blocks = pairwise_distances_chunked(np.asarray(X), metric=metric, reduce_func=lambda block, _: block @ weights)
    return _values(np.concatenate(list(blocks)), codes, weights)


def _members(labels: Labels, weight: Floats | None) -> tuple[NDArray[np.int64], Floats]:
    """The cluster of each row, (n,), and what each row weighs in each cluster, (n, k)."""
    names, codes = encode(np.asarray(labels))
    members = codes[:, None] == np.arange(len(names))
    return codes, members.astype(np.float64) if weight is None else members * weight[:, None]


def _values(sums: Floats, codes: NDArray[np.int64], weights: Floats) -> Floats:
    """From the weighted sums of the distances of each row to each cluster, (n, k)."""
    sizes = weights.sum(axis=0)
    if len(sizes) < 2:
        return np.full(len(codes), np.nan)
    own = np.arange(len(codes)), codes
    alone = sizes[codes] <= 1
    a = sums[own] / np.where(alone, 1, sizes[codes] - 1)
    others = sums / sizes
    others[own] = np.inf
    b = others.min(axis=1)
    larger = np.maximum(a, b)
    return np.where(alone | (larger == 0), 0.0, (b - a) / np.where(larger == 0, 1, larger))
