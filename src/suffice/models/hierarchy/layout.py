"""Where the lines of a dendrogram stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...plots.dendrogram import End, Link
from ...typing import TargetLike

if TYPE_CHECKING:
    from .tree import Hierarchy


def layout(tree: Hierarchy, names: list[str], labels: TargetLike, most: int) -> tuple[list[Link], list[End]]:
    """Links and ends of a tree of which at most `most` ends are shown; `labels` (n,) are clusters to colour."""
    n = tree.n_leaves
    hidden = n + max(0, n - max(most, 2))  # merges before this one are drawn as one end
    colour = _colours(tree, labels)
    ends: list[End] = []
    place: dict[int, tuple[float, float]] = {}  # position and height of what was drawn
    for node in _ends_in_order(tree, hidden):
        count = 1 if node < n else int(tree.counts[node - n])
        place[node] = float(len(ends)), 0.0
        ends.append(End(names[node] if node < n else f"({count:,})", count, colour[node]))
    links = []
    for k in range(hidden - n, len(tree.children)):
        a, b = (place[c] for c in tree.children[k].tolist())
        top = float(tree.heights[k])
        links.append(Link((a[0], b[0]), (a[1], b[1]), top, colour[n + k]))
        place[n + k] = (a[0] + b[0]) / 2, top
    return links, ends


def _ends_in_order(tree: Hierarchy, hidden: int) -> list[int]:
    ends, stack = [], [2 * tree.n_leaves - 2]
    while stack:
        node = stack.pop()
        if node < max(hidden, tree.n_leaves):
            ends.append(node)
        else:
            stack += tree.children[node - tree.n_leaves].tolist()[::-1]
    return ends


def _colours(tree: Hierarchy, labels: Any) -> NDArray[np.int64]:
    """The cluster of each node, (2n − 1,), -1 where it holds several or none were asked for."""
    n = tree.n_leaves
    found = np.full(2 * n - 1, -1, dtype=np.int64)
    if labels is None:
        return found
    found[:n] = labels
    for k, (a, b) in enumerate(tree.children.tolist()):
        found[n + k] = found[a] if found[a] == found[b] else -1
    return found
