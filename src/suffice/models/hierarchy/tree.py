"""The tree of a hierarchy: what was merged with what, and at which height."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from ...backend.linkage import Merges, numbered, tree_cut, tree_sums
from ...errors import InvalidData, InvalidParameter
from ...holds import floats, integers, require
from ...params import as_float, check_argument
from ...plots.dendrogram import DendrogramDisplay
from ...registry import registered
from ...typing import Axes, Floats, Numbers, WeightLike, Whole
from .layout import layout
from .newick import newick


def _as_height(value: object) -> float:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not is_number or np.isnan(as_float(value)):
        raise InvalidParameter(f"cut: height must be a number; got {value!r}.")
    return as_float(value)


@registered("tree/Hierarchy")
@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A binary tree over n leaves: merge k joins two clusters into cluster n + k, at a height; leaves are 0 to n − 1.

    >>> tree = Hierarchy(np.array([[0, 1], [2, 3]]), np.array([1.0, 4.0]), np.ones(3))
    >>> tree.cut(k=2), tree.cut(height=0.5), tree.newick(["a", "b", "c"])
    (array([0, 0, 1]), array([0, 1, 2]), '(c:4,(a:1,b:1):3);')
    """

    children: Whole  # (n - 1, 2)
    heights: Floats  # (n - 1,)
    weight: Floats  # (n,), of the leaves

    holds: ClassVar = {
        "children": integers("n-1", 2, at_least=0),
        "heights": floats("n-1", finite=False, at_least=0),
        "weight": floats("n", finite=False),
    }

    def check_loaded(self) -> None:
        """Raise an error unless every merge joins two clusters that were there, each once."""
        made = self.n_leaves + np.arange(len(self.children))
        require(np.all(self.children < made[:, None]), "children must be leaves or earlier merges")
        once = np.array_equal(np.sort(self.children, axis=None), np.arange(2 * self.n_leaves - 2))
        require(once, "children must be every cluster but the last, once")

    @classmethod
    def of(cls, merges: Merges, weight: Floats) -> Self:
        """From merges in their order."""
        return cls(numbered(merges.pairs), merges.heights, weight)

    @classmethod
    def from_splits(cls, children: object, height: object, weight: WeightLike) -> Self:
        """From a tree grown top down: children (m, 2) of each node, -1 for leaves, with a height and a weight each.

        Node 0 is the root, and a node stands before its children, as in `BisectingKMeans.tree_`. Leaves are numbered in
        the order of the nodes.
        """
        below, height, weight = (np.asarray(values) for values in (children, height, weight))
        inner, leaves = np.flatnonzero(below[:, 0] >= 0), np.flatnonzero(below[:, 0] < 0)
        order = inner[::-1][np.argsort(height[inner[::-1]], kind="stable")]  # low ones first, children before parents
        number = np.empty(len(below), dtype=np.int64)
        number[leaves] = np.arange(len(leaves))
        number[order] = len(leaves) + np.arange(len(order))
        merged = np.sort(number[below[order]].reshape(-1, 2), axis=1)
        return cls(merged, height[order].astype(np.float64), weight[leaves].astype(np.float64))

    # ---- what it says ----

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return len(self.weight)

    @cached_property
    def counts(self) -> Whole:
        """How many leaves each merge has below it, (n − 1,)."""
        return tree_sums(self.children, np.ones(self.n_leaves)).astype(np.int64)

    @cached_property
    def weights(self) -> Floats:
        """The weight of the leaves below each merge, (n − 1,)."""
        return tree_sums(self.children, self.weight)

    @property
    def linkage_matrix(self) -> Floats:
        """The tree in SciPy's format, (n − 1, 4): two clusters, their height, the number of leaves."""
        return np.column_stack([self.children, self.heights, self.counts]).astype(np.float64)

    @property
    def inversions(self) -> Whole:
        """The merges that are lower than a merge right below them, as centroid and median linkage make some."""
        return np.flatnonzero(self.heights < self._highest_child())

    def _highest_child(self) -> Floats:
        own = np.concatenate([np.full(self.n_leaves, -np.inf), self.heights])
        return np.asarray(own[self.children].max(axis=1, initial=-np.inf))

    # ---- cuts ----

    def cut(self, k: int | None = None, height: float | None = None) -> Whole:
        """The cluster of each leaf, (n,): k clusters, or those that are merged at most at `height`.

        Clusters are numbered in the order of their first leaf. Where heights fall, a merge counts as high as the
        highest below it.
        """
        if k is not None and height is None:
            return tree_cut(self.children, np.arange(len(self.children)) < self.n_leaves - self._checked(k))
        if height is not None and k is None:
            return tree_cut(self.children, self._reached() <= _as_height(height))
        raise InvalidParameter("cut: give either k or height, and not both.")

    def _checked(self, k: int) -> int:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= self.n_leaves:
            most = self.n_leaves
            raise InvalidParameter(f"cut: k must be an integer from 1 to the number of leaves, {most}; got {k!r}.")
        return int(k)

    def _reached(self) -> Floats:
        """The greatest height at or below each merge, (n − 1,)."""
        if not len(self.inversions):
            return self.heights
        reached = self.heights.copy()
        for k, pair in enumerate(self.children.tolist()):
            reached[k] = max([reached[k], *(reached[c - self.n_leaves] for c in pair if c >= self.n_leaves)])
        return reached

    # ---- distances within the tree ----

    def cophenetic(self) -> Floats:
        """The height at which two leaves first come together, for the pairs i < j, (n (n − 1) / 2,)."""
        from scipy.cluster.hierarchy import cophenet

        return np.asarray(cophenet(self.linkage_matrix)) if self.n_leaves > 1 else np.empty(0)

    def cophenetic_correlation(self, distances: Numbers) -> float:
        """How well the tree keeps the distances: their correlation with the cophenetic ones; `distances` condensed."""
        given = np.asarray(distances, dtype=np.float64)
        pairs = self.n_leaves * (self.n_leaves - 1) // 2
        if given.shape != (pairs,):
            raise InvalidData(
                f"cophenetic_correlation: distances must be condensed, shape ({pairs},) for {self.n_leaves} leaves; "
                f"got shape {given.shape}. Use Distance.condensed(X)."
            )
        found = self.cophenetic()
        if not np.ptp(given) > 0 or not np.ptp(found) > 0:
            return float("nan")
        return float(np.corrcoef(found, given)[0, 1])

    # ---- the order of the leaves ----

    def leaf_order(self) -> Whole:
        """The leaves from left to right."""
        order, stack = [], [2 * self.n_leaves - 2]
        while stack:
            node = stack.pop()
            if node < self.n_leaves:
                order.append(node)
            else:
                stack += self.children[node - self.n_leaves].tolist()[::-1]
        return np.array(order, dtype=np.int64)

    def ordered(self, distances: Numbers) -> Hierarchy:
        """The same tree, turned so that leaves next to each other are as near as can be; `distances` condensed.

        Minimises Σ d(leaf, next leaf) over all orders that the tree allows (Bar-Joseph et al., 2001).
        """
        from scipy.cluster.hierarchy import optimal_leaf_ordering

        if self.n_leaves < 3:
            return self
        turned = optimal_leaf_ordering(self.linkage_matrix, np.asarray(distances, dtype=np.float64))
        return replace(self, children=turned[:, :2].astype(np.int64))

    # ---- to look at ----

    def newick(self, names: Sequence[str] | None = None) -> str:
        """The tree in Newick's format, with branch lengths, for programs that draw trees."""
        return newick(self.children, self.heights, self._names(names))

    def dendrogram(
        self,
        names: object = None,
        *,
        k: int | None = None,
        height: float | None = None,
        most: int = 60,
        orientation: str = "top",
        ax: Axes | None = None,
    ) -> DendrogramDisplay:
        """Draw the tree, coloured by the clusters of a cut; at most `most` ends are shown, larger parts as (count)."""
        if orientation not in ("top", "left"):
            raise InvalidParameter(f"dendrogram: orientation must be 'top' or 'left'; got {orientation!r}.")
        check_argument("dendrogram", "most", most, integer=True, at_least=1)
        labels = None if k is None and height is None else self.cut(k, height)
        at = height if k is None else self._between(k)
        links, ends = layout(self, self._names(names), labels, most)
        return DendrogramDisplay(links, ends, at, orientation).drawn(ax)

    def _between(self, k: int) -> float | None:
        """A height that cuts the tree into k clusters, where there is one."""
        edges = np.concatenate([[0.0], np.sort(self._reached()), [np.nan]])
        low, high = edges[self.n_leaves - k], edges[self.n_leaves - k + 1]
        return float((low + high) / 2) if high > low else None

    def _names(self, names: object) -> list[str]:
        if names is None:
            return [str(i) for i in range(self.n_leaves)]
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InvalidData(f"names must be a list of {self.n_leaves} names; got {names!r:.80}.")
        found = [str(name) for name in names]
        if len(found) != self.n_leaves:
            raise InvalidData(f"names must have one name for each of the {self.n_leaves} leaves; got {len(found)}.")
        return found
