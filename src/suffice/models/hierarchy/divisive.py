"""Divisive clustering: a hierarchy from the top."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...distances import Distance
from ...estimator import estimator
from ...typing import Floats, Reals
from ..dissimilarity import NO_COMMON_COLUMN, metric_param
from .base import HierarchicalClusterer, memory_param
from .build import pairs_of
from .tree import Hierarchy

Array = Reals
Rows = NDArray[np.intp]


@estimator
class Divisive(HierarchicalClusterer):
    """Split the widest cluster until every row stands alone (DIANA): its height is its diameter, max d(a, b).

    The row with the greatest mean distance from the others leaves first; then, one by one, the row that is nearer on
    average to those that left than to those that stay, by most (Macnaughton-Smith et al., 1964; Kaufman and Rousseeuw,
    1990). All pairs are kept in memory. A row of some weight counts so often in the means and moves as a whole. Missing
    values are left out of the distances that allow it.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> X = np.array([[0.0], [1.0], [5.0], [6.5], [20.0]])
    >>> model = sf.Divisive(3).fit(X)
    >>> model.labels_, model.distances_
    (array([0, 0, 1, 1, 2]), array([ 1. ,  1.5,  6.5, 20. ]))
    """

    units = "common"

    exemptions: ClassVar = {**HierarchicalClusterer.exemptions, "check_estimators_pickle": NO_COMMON_COLUMN}

    metric: object = metric_param()
    memory: int | None = memory_param()

    def _merged(self, X: Array, measure: Distance | None, weight: Floats) -> Hierarchy:
        D = X if measure is None else pairs_of(type(self).__name__, X, measure, self._memory)
        return split_all(np.asarray(D), weight)


def split_all(D: Array, weight: Floats) -> Hierarchy:
    """The tree of all splits."""
    rows: list[Rows] = [np.arange(len(D))]
    children: list[tuple[int, int]] = [(-1, -1)]
    widths = [_diameter(D, rows[0])]
    waiting = [0] if len(D) > 1 else []
    while waiting:
        node = waiting.pop()
        parts = _split(D, rows[node], weight)
        children[node] = len(rows), len(rows) + 1
        for part in parts:
            if len(part) > 1:
                waiting.append(len(rows))
            rows.append(part)
            children.append((-1, -1))
            widths.append(_diameter(D, part))
    leaves = [part[0] for part, pair in zip(rows, children, strict=True) if pair[0] < 0]
    weights = [weight[part].sum() for part in rows]
    tree = Hierarchy.from_splits(children, widths, weights)
    return _renumbered(tree, np.array(leaves), weight)


def _diameter(D: Array, rows: Rows) -> float:
    return float(D[np.ix_(rows, rows)].max()) if len(rows) > 1 else 0.0


def _split(D: Array, rows: Rows, weight: Floats) -> tuple[Rows, Rows]:
    """Those that stay, and those that leave."""
    d, w = np.asarray(D[np.ix_(rows, rows)], dtype=np.float64), weight[rows]
    leaves = np.zeros(len(rows), dtype=bool)
    to_stay, to_left = d @ w, np.zeros(len(rows))  # weighted sums of distances
    weight_left, total = 0.0, w.sum()
    while leaves.sum() < len(rows) - 1:
        others = np.maximum(total - weight_left - np.minimum(w, 1.0), np.finfo(float).tiny)
        gain = to_stay / others - (to_left / weight_left if weight_left else 0.0)
        gain[leaves] = -np.inf
        best = int(np.argmax(gain))
        if weight_left and gain[best] <= 0:
            break
        leaves[best] = True
        to_stay, to_left = to_stay - w[best] * d[best], to_left + w[best] * d[best]
        weight_left += w[best]
    return rows[~leaves], rows[leaves]


def _renumbered(tree: Hierarchy, leaves: Rows, weight: Floats) -> Hierarchy:
    """The leaves numbered as the rows are."""
    place = np.concatenate([leaves, np.arange(len(leaves), 2 * len(leaves) - 1)])
    return Hierarchy(np.sort(place[tree.children].reshape(-1, 2), axis=1), tree.heights, weight)
