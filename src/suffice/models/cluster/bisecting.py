"""Bisecting k-means: a tree of clusters from the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ...backend import kmeans as kernels
from ...data import ArraySource, Chunk, Needs, Source
from ...engine import Kept, Outcome, Step, iterate
from ...errors import NotConverged, warn
from ...estimator import Attributes, estimator
from ...holds import floats, instance, integers, mapping, require, whole
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...registry import registered
from ...scikit_learn import COPY, VERBOSE, Counterpart
from ...statistics import DiagonalMoments
from ...typing import Codes, Floats, Numbers, RandomState, TableLike
from .alternation import (
    PIECEWISE,
    Counted,
    max_iter_param,
    memory_param,
    n_clusters_param,
    n_init_param,
)
from .kmeans import KMeans
from .nearest import NearestCentre

if TYPE_CHECKING:
    from ..hierarchy import Hierarchy


@registered("tree/SplitTree")
@dataclass(frozen=True)
class SplitTree:
    """A binary tree of clusters, the root first; children follow their parent, and -1 stands for none.

    For each of m nodes: its centre (m, d), its weight and sum of squares (m,), its children (m, 2), and the number of
    its cluster (m,), -1 for nodes that were split.
    """

    centre: Floats
    weight: Floats
    inertia: Floats
    children: NDArray[np.int64]
    label: NDArray[np.int64]

    holds: ClassVar = {
        "centre": floats("m", "d"),
        "weight": floats("m"),
        "inertia": floats("m"),
        "children": integers("m", 2, at_least=-1, below="m"),
        "label": integers("m", at_least=-1, below="m"),
    }

    def check_loaded(self) -> None:
        """Raise an error unless it is a tree whose children follow their parent, its leaves numbered."""
        split, m = self.children[:, 0] >= 0, len(self.children)
        require(m and np.array_equal(split, self.children[:, 1] >= 0), "children must be pairs")
        below = self.children[split]
        require(np.array_equal(np.sort(below, axis=None), np.arange(1, m)), "children must be all nodes but the root")
        require(np.all(below > np.flatnonzero(split)[:, None]), "children must follow their parent")
        leaves = np.sort(self.label[~split])
        require(np.array_equal(leaves, np.arange(len(leaves))), "label must number the leaves")

    def descend(self, X: Numbers) -> NDArray[np.int32]:
        """The cluster that each row comes to by going to the nearer child at every split."""
        X = X if kernels.is_csr(X) else np.ascontiguousarray(X)  # rows are gathered again and again
        at = np.zeros(X.shape[0], np.int64)
        for node, pair in enumerate(self.children):
            if pair[0] < 0:
                continue
            rows = np.flatnonzero(at == node)
            if rows.size:
                pick = kernels.nearest(X[rows], self.centre[pair], self.centre[node])[0]
                at[rows] = pair[pick]
        return self.label[at].astype(np.int32)

    def hierarchy(self) -> Hierarchy:
        """The same tree as agglomerative clustering has it, for cuts; leaves are clusters, heights inertias."""
        from ..hierarchy import Hierarchy

        return Hierarchy.from_splits(self.children, self.inertia, self.weight)


@dataclass(frozen=True)
class _Growing:
    """The tree so far, and the rows of each leaf."""

    tree: SplitTree
    rows: dict[int, NDArray[np.int64]]

    def labels(self, chunk: Chunk) -> NDArray[np.int32]:
        """The cluster of each row; rows without a weight, which took no part, descend the tree."""
        labels = np.full(len(chunk), -1, np.int32)
        for leaf, rows in self.rows.items():
            labels[rows] = self.tree.label[leaf]
        others = np.flatnonzero(labels < 0)
        if others.size:
            labels[others] = self.tree.descend(chunk.X[others])
        return labels


@estimator
class BisectingKMeans(NearestCentre):
    """Bisecting k-means: the cluster with the largest Σ w ‖x − μ‖² (or most rows) is split in two until there are k.

    Each split is a `KMeans` with two clusters; the objective, the sum over all clusters, falls at every split. The tree
    is kept in `tree_`, and new rows descend it.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.BisectingKMeans(3, random_state=0).fit(sf.datasets.load("xclara").matrix())
    >>> np.bincount(model.labels_).tolist(), model.tree_.children.tolist()
    ([962, 888, 1150], [[1, 2], [3, 4], [-1, -1], [-1, -1], [-1, -1]])
    """

    units = "common"
    needs = Needs(scaled=True, one_hot=True, sparse=True)

    counterpart: ClassVar = Counterpart(
        "sklearn.cluster",
        ignored={
            "algorithm": "the answer is the same",
            "copy_x": COPY,
            "verbose": VERBOSE,
        },
    )

    exemptions: ClassVar = {
        **KMeans.exemptions,
        "order_of_rows_does_not_matter": "the rows where each split begins are drawn in their order",
    }
    n_clusters: int = n_clusters_param()
    bisecting_strategy: str = param(
        "biggest_inertia", choices=("biggest_inertia", "largest_cluster"), doc="Which cluster is split next."
    )
    init: str = param("k-means++", choices=("k-means++", "random"), doc="As in KMeans, for each split.")
    n_init: int = n_init_param()
    max_iter: int = max_iter_param(300)
    tol: float = param(1e-4, number=True, at_least=0, doc="As in KMeans, for each split.")
    random_state: RandomState = random_state_param()
    memory: int = memory_param("rows brought into memory")

    tree_: SplitTree = learned("The tree of splits.", holds=instance(SplitTree, d="d"))

    def _learn(self, source: Source) -> Outcome[Attributes]:
        chunk = source.gather(self.memory, PIECEWISE)
        Counted.of(chunk).check_enough(type(self).__name__, self.n_clusters)
        rng = generator(self.random_state)
        outcome = iterate(
            lambda run: _root(chunk),
            lambda state: self._split(chunk, state, rng),
            max_iter=self.n_clusters,
            snapshot=lambda state: {"cluster_centers_": state.tree.centre[state.tree.children[:, 0] < 0]},
            kept=Kept.fields(
                _Growing,
                tree=instance(SplitTree, d=chunk.X.shape[1]),
                rows=mapping(whole(), integers(None, at_least=0, below=len(chunk))),
            ),
            rng=rng,
        )
        return outcome.then(lambda state: self._attributes(state, chunk, len(outcome.history)))

    def _split(self, chunk: Chunk, state: _Growing, rng: np.random.Generator) -> Step[_Growing]:
        """Split the leaf that most needs it, of those that can be split."""
        tree = state.tree
        leaves = np.flatnonzero(tree.children[:, 0] < 0)
        need = tree.inertia if self.bisecting_strategy == "biggest_inertia" else tree.weight
        if len(leaves) < self.n_clusters:
            for leaf in leaves[np.argsort(-need[leaves], kind="stable")]:
                if tree.inertia[leaf] > 0:
                    state = self._with_children(chunk, state, int(leaf), rng)
                    break
        found = np.flatnonzero(state.tree.children[:, 0] < 0)
        done = len(found) >= self.n_clusters or len(found) == len(leaves)
        return Step(state, float(state.tree.inertia[found].sum()), {"clusters": float(len(found))}, done)

    def _with_children(self, chunk: Chunk, state: _Growing, leaf: int, rng: np.random.Generator) -> _Growing:
        rows = state.rows[leaf]
        own = chunk if len(rows) == len(chunk) else chunk.at(rows)
        settings = {name: getattr(self, name) for name in ("init", "n_init", "max_iter", "tol")}
        two = KMeans(2, random_state=int(rng.integers(2**31)), **settings)
        two.fit_source(ArraySource.of(own, type(self).__name__))
        tree, first = state.tree, len(state.tree.centre)
        children = np.vstack([tree.children, np.full((2, 2), -1)])
        children[leaf] = first, first + 1
        squared = kernels.nearest(own.X, two.cluster_centers_, tree.centre[leaf])[1]
        cost = squared if own.weight is None else squared * own.weight
        grown = SplitTree(
            np.vstack([tree.centre, two.cluster_centers_]),
            np.append(tree.weight, np.bincount(two.labels_, own.weight, 2)),
            np.append(tree.inertia, np.bincount(two.labels_, cost, 2)),
            children,
            _numbered(children),
        )
        parts = {first + side: rows[two.labels_ == side] for side in (0, 1)}
        others = {node: at for node, at in state.rows.items() if node != leaf}
        return _Growing(grown, {**others, **parts})

    def _attributes(self, state: _Growing, chunk: Chunk, iterations: int) -> Attributes:
        leaves = np.flatnonzero(state.tree.children[:, 0] < 0)
        tree = state.tree
        if len(leaves) < self.n_clusters:
            message = f"only {len(leaves)} of {self.n_clusters} clusters: there are fewer distinct rows."
            warn(f"{type(self).__name__}: {message}", NotConverged)
        return {
            "tree_": tree,
            "cluster_centers_": tree.centre[leaves],
            "labels_": state.labels(chunk),
            "inertia_": float(tree.inertia[leaves].sum()),
            "n_iter_": iterations,
        }

    def predict(self, X: TableLike) -> Codes:
        """The cluster that each row comes to in the tree."""
        check_is_fitted(self)
        return self._rows(X, lambda chunk: self.tree_.descend(chunk.X))


def _root(chunk: Chunk) -> _Growing:
    moments = DiagonalMoments.of(chunk.X, chunk.weight)
    rows = np.arange(len(chunk)) if chunk.weight is None else np.flatnonzero(chunk.weight > 0)
    tree = SplitTree(
        moments.mean[None],
        moments.weight[:1],
        np.array([moments.scatter.sum()]),
        np.full((1, 2), -1),
        np.zeros(1, np.int64),
    )
    return _Growing(tree, {0: rows})


def _numbered(children: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cluster of each node, -1 for those that were split."""
    leaves = children[:, 0] < 0
    return np.where(leaves, np.cumsum(leaves) - 1, -1)
