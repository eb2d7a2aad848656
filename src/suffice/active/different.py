"""Rows that differ: the first to be asked about, and those of a batch."""

from __future__ import annotations

import numpy as np

from ..data.rows import is_sparse
from ..models.cluster import KMeans
from ..models.linear import LogisticRegression
from ..pipeline import prepared
from ..statistics import row_uniforms
from ..typing import CSR, Floats, TableLike, Whole
from .uncertain import square_distances

SPREAD = 5  # of so many times as many good rows a batch takes those that differ most
_SAMPLE = 2000  # rows by which the first ones are chosen


def as_points(X: TableLike) -> Floats | CSR:
    """The rows as points in which no unit matters, (n, d), dense or sparse: standardised, categories as 0 and 1."""
    steps = prepared(LogisticRegression(), X)[:-1]  # which scales columns and fills missing cells
    found = steps.fit_transform(X) if len(steps) else X
    return found if is_sparse(found) else np.asarray(found, dtype=np.float64)


def best_of(scores: Floats, places: Floats | CSR, n: int, differ: bool, rng: np.random.Generator) -> Whole:
    """The n best candidates, ties in a random order; where they are to `differ`, a batch from the 5 n best.

    The best one comes first, and then again and again the one farthest from those that are in the batch.
    """
    order = np.lexsort((rng.random(len(scores)), -scores))
    if n == 1 or not differ:
        return order[:n]
    good = without_copies(places, order)[: SPREAD * n]
    return good[farthest_first(places[good], n)]


def without_copies(places: Floats | CSR, order: Whole) -> Whole:
    """The rows in their order, copies of those before after all others.

    >>> without_copies(np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([2, 0, 1, 3])).tolist()
    [2, 1, 3, 0]
    """
    own = places[order]
    cells = own if isinstance(own, np.ndarray) else np.column_stack([own.sum(axis=1), own.multiply(own).sum(axis=1)])
    first = np.zeros(len(order), dtype=bool)
    first[np.unique(row_uniforms(np.asarray(cells, dtype=np.float64), 0), return_index=True)[1]] = True
    return np.concatenate([order[first], order[~first]])


def farthest_first(points: Floats | CSR, n: int, taken: Floats | CSR | None = None) -> Whole:
    """Places of n points, each the farthest from the ones before and from those taken; the first comes first."""
    m = points.shape[0]
    n, chosen = min(n, m), np.empty(min(n, m), dtype=np.int64)
    near = np.full(m, np.inf) if taken is None else square_distances(points, taken).min(axis=1)
    free = np.ones(m, dtype=bool)
    for k in range(n):
        chosen[k] = int(np.argmax(np.where(free, near, -1.0)))
        free[chosen[k]] = False
        near = np.minimum(near, square_distances(points, points[chosen[[k]]])[:, 0])
    return chosen


def first_rows(places: Floats | CSR, others: Whole, labelled: Whole, n: int, rng: np.random.Generator) -> Whole:
    """n of the other rows where little or nothing has a label: far from those that have one, and typical of many.

    K-means of a sample, and the row nearest to each centre; beside rows with a label those farthest from them.
    """
    drawn = np.sort(rng.choice(others, min(_SAMPLE, len(others)), replace=False))
    n = min(n, len(drawn))
    if len(labelled):
        return drawn[farthest_first(places[drawn], n, places[labelled])]
    points = places[drawn]
    distinct = len(np.unique(points, axis=0)) if isinstance(points, np.ndarray) else n
    found = KMeans(min(n, distinct), n_init=1, random_state=int(rng.integers(2**31))).fit(points)
    nearest = np.unique(square_distances(points, found.cluster_centers_).argmin(axis=0))
    rest = np.setdiff1d(np.arange(len(drawn)), nearest)[: n - len(nearest)]
    sizes = np.bincount(found.predict(points), minlength=n)
    nearest = nearest[np.argsort(-sizes[found.predict(points[nearest])], kind="stable")]  # typical of most comes first
    chosen: Whole = drawn[np.concatenate([nearest, rest])[:n]]
    return chosen
