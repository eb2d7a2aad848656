"""Bisecting k-means: a tree of clusters from the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...backend import kmeans as kernels
from ...data import ArraySource, Chunk, Needs, Source
from ...engine import History, Kept, Outcome, Step, end_outer, iterate
from ...errors import NotConverged, warn
from ...estimator import Attributes, estimator
from ...holds import floats, instance, integers, mapping, require, whole
from ...observing import announced
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
from .centre_based import row_by_row
from .initial_rows import Rows
from .initialisation import as_initialiser
from .kmeans import KMeans
from .lloyd import BoundedRounds, Centres, Scale
from .nearest import NearestCentre

if TYPE_CHECKING:
    from ..hierarchy import Hierarchy


@registered("tree/SplitTree")
@dataclass(frozen=True)
class SplitTree:
    """A tree of clusters, the root first; children follow their parent, and -1 stands for none.

    For each of m nodes: its centre (m, d), its weight and sum of squares (m,), its children (m, c), two at least or
    none, and the number of its cluster (m,), -1 for nodes that were split.
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
        "children": integers("m", "c", at_least=-1, below="m"),
        "label": integers("m", at_least=-1, below="m"),
    }

    def check_loaded(self) -> None:
        """Raise an error unless it is a tree whose children follow their parent, its leaves numbered."""
        m, width = self.children.shape
        require(m and width >= 2, "children must have a row a node, and two columns at least")
        there, split = self.children >= 0, self.children[:, 0] >= 0
        require(np.array_equal(split, there[:, 1]), "children must be two or more, or none")
        require(np.all(there[:, :-1] >= there[:, 1:]), "children must stand before what stands for none")
        below = self.children[there]
        require(np.array_equal(np.sort(below), np.arange(1, m)), "children must be all nodes but the root")
        require(np.all(below > np.nonzero(there)[0]), "children must follow their parent")
        leaves = np.sort(self.label[~split])
        require(np.array_equal(leaves, np.arange(len(leaves))), "label must number the leaves")

    def descend(self, X: Numbers) -> NDArray[np.int32]:
        """The cluster that each row comes to by going to the nearest child at every split."""
        cells: Any = X if kernels.is_csr(X) else np.ascontiguousarray(X)  # rows are gathered again and again
        at = np.zeros(cells.shape[0], np.int64)
        for node in np.flatnonzero(self.children[:, 0] >= 0):
            below = self.children[node][self.children[node] >= 0]
            rows = np.flatnonzero(at == node)
            if rows.size:
                own = cells if len(rows) == len(at) else cells[rows]
                pick = kernels.labels_only(own, self.centre[below], self.centre[node])
                at[rows] = below[np.maximum(pick, 0)]  # the first where no distance is finite
        return self.label[at].astype(np.int32)

    def hierarchy(self) -> Hierarchy:
        """The same tree as agglomerative clustering has it, for cuts; leaves are clusters, heights inertias.

        A split into more than two is as many splits into two, all at its height.
        """
        from ..hierarchy import Hierarchy

        children, old = self._in_pairs()
        return Hierarchy.from_splits(children, self.inertia[old], self.weight[old])

    def _in_pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Children (n, 2), with nodes between a node and its later children, and the node that each belongs to (n,)."""
        between = np.maximum((self.children >= 0).sum(axis=1) - 2, 0)
        at = np.arange(len(between)) + np.cumsum(between) - between  # those between follow their node
        pairs = np.full((len(between) + between.sum(), 2), -1)
        for node, below in enumerate(self.children):
            given = at[below[below >= 0]]
            for i in range(len(given) - 1):
                pairs[at[node] + i] = given[i], (given[-1] if i == len(given) - 2 else at[node] + i + 1)
        return pairs, np.repeat(np.arange(len(between)), between + 1)


@dataclass(frozen=True)
class _Growing:
    """The tree so far, and the rows of each leaf."""

    tree: SplitTree
    rows: dict[int, NDArray[np.int64]]

    def split(self, leaf: int, centre: Floats, sides: NDArray[np.int32], weight: Floats, inertia: Floats) -> _Growing:
        """The same with k children of a leaf: their centres (k, d), weights and inertias (k,), and their rows."""
        tree, first, rows, k = self.tree, len(self.tree.centre), self.rows[leaf], len(centre)
        children = np.vstack([tree.children, np.full((k, tree.children.shape[1]), -1)])
        children[leaf, :k] = first + np.arange(k)
        grown = SplitTree(
            np.vstack([tree.centre, centre]),
            np.append(tree.weight, weight),
            np.append(tree.inertia, inertia),
            children,
            _numbered(children),
        )
        parts = {first + side: rows[sides == side] for side in range(k)}
        return _Growing(grown, {node: at for node, at in self.rows.items() if node != leaf} | parts)

    def labels(self, chunk: Chunk) -> NDArray[np.int32]:
        """The cluster of each row; rows without a weight, which took no part, descend the tree."""
        labels = np.full(len(chunk), -1, np.int32)
        for leaf, rows in self.rows.items():
            labels[rows] = self.tree.label[leaf]
        others = np.flatnonzero(labels < 0)
        if others.size:
            labels[others] = self.tree.descend(chunk.X[others])
        return labels


@dataclass(frozen=True)
class _Table:
    """All rows, their mean (d,) and ‖x − mean‖² (n,), from which the inertia of any of them follows."""

    chunk: Chunk
    mean: Floats
    squared: Floats

    def root(self, width: int) -> _Growing:
        """A tree of one node, in which a node may have so many children."""
        weight = self.chunk.weight
        rows = np.arange(len(self.chunk)) if weight is None else np.flatnonzero(weight > 0)
        total, mass = (self.squared.sum(), len(rows)) if weight is None else (self.squared @ weight, weight.sum())
        figures = np.array([mass], np.float64), np.array([total], np.float64)
        tree = SplitTree(self.mean[None], *figures, np.full((1, width), -1), np.zeros(1, np.int64))
        return _Growing(tree, {0: rows})

    def sides(
        self, parts: Centres, own: Chunk, rows: NDArray[np.int64]
    ) -> tuple[Floats, NDArray[np.int32], Floats, Floats]:
        """The centres (k, d) of some rows, the side of each row, and the weights and inertias (k,) of the sides.

        Inertias follow from sums over the sides, but where these would lose too many digits. A side without rows, of
        rows that are fewer when equal ones count once, is none.
        """
        rounds = parts.iterations
        assert isinstance(rounds, BoundedRounds)
        sides, mass, shift, k = rounds.finish(parts)[0], rounds.rows.mass, rounds.scale.shift, len(parts.at)
        cost = self.squared[rows] if own.weight is None else self.squared[rows] * own.weight
        whole = np.bincount(sides, cost, k)
        sums, centre = rounds.rows.sums + mass[:, None] * (shift - self.mean), parts.at - self.mean
        inertia = whole + np.einsum("kd,kd->k", centre, mass[:, None] * centre - 2 * sums)
        if np.any(inertia < 1e-6 * whole):
            squared = kernels.nearest(own.X, parts.at, shift)[1]
            inertia = np.bincount(sides, squared if own.weight is None else squared * own.weight, k)
        some = np.flatnonzero(np.bincount(sides, minlength=k))
        return parts.at[some], np.searchsorted(some, sides).astype(np.int32), mass[some], inertia[some]


@estimator
class BisectingKMeans(NearestCentre):
    """Bisecting k-means: the cluster with the largest Σ w ‖x − μ‖² (or most rows) is split in two until there are k.

    Each split is a `KMeans` with two clusters, or with `n_children`; the objective, the sum over all clusters, falls at
    every split. The tree is kept in `tree_`, and new rows descend it.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.BisectingKMeans(3, n_init=5, random_state=0).fit(sf.datasets.load("xclara").matrix())
    >>> np.bincount(model.labels_).tolist(), model.tree_.children.tolist()
    ([962, 1150, 888], [[1, 2], [3, 4], [-1, -1], [-1, -1], [-1, -1]])
    """

    complexity = "n_clusters"

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
    n_children: int = param(
        2,
        integer=True,
        at_least=2,
        at_most=1000,
        doc="Into how many parts a cluster is split; the last may be fewer.",
    )
    init: str = param("k-means++", choices=("k-means++", "random"), doc="As in KMeans, for each split.")
    n_init: int = n_init_param()
    max_iter: int = max_iter_param(300)
    tol: float = param(1e-4, number=True, at_least=0, doc="As in KMeans, for each split.")
    random_state: RandomState = random_state_param()
    memory: int = memory_param("rows brought into memory")

    tree_: SplitTree = learned("The tree of splits.", holds=instance(SplitTree, d="d"))

    def _learn(self, source: Source) -> Outcome[Attributes]:
        chunk = row_by_row(source).gather(self.memory, PIECEWISE)
        Counted.of(chunk).check_enough(type(self).__name__, self.n_clusters)
        rng = generator(self.random_state)
        mean = DiagonalMoments.of(chunk.X, chunk.weight).mean
        table = _Table(chunk, mean, kernels.nearest(chunk.X, mean[None], mean)[1])
        outcome = iterate(
            lambda run: table.root(min(self.n_children, max(self.n_clusters, 2))),
            lambda state: self._split(table, state, rng),
            max_iter=self.n_clusters,
            snapshot=lambda state: {"cluster_centers_": state.tree.centre[state.tree.children[:, 0] < 0]},
            kept=Kept.fields(
                _Growing,
                tree=instance(SplitTree, d=chunk.X.shape[1]),
                rows=mapping(whole(), integers(None, at_least=0, below=len(chunk))),
            ),
            rng=rng,
        )
        return outcome.then(lambda state: self._attributes(state, chunk, outcome.history))

    def _split(self, table: _Table, state: _Growing, rng: np.random.Generator) -> Step[_Growing]:
        """Split the leaf that most needs it, of those that can be split."""
        tree = state.tree
        leaves = np.flatnonzero(tree.children[:, 0] < 0)
        need = tree.inertia if self.bisecting_strategy == "biggest_inertia" else tree.weight
        if len(leaves) < self.n_clusters:
            for leaf in leaves[np.argsort(-need[leaves], kind="stable")]:
                if tree.inertia[leaf] > 0:
                    own = table.chunk if len(state.rows[leaf]) == len(table.chunk) else table.chunk.at(state.rows[leaf])
                    k = min(self.n_children, self.n_clusters - len(leaves) + 1, len(own))
                    parts = table.sides(self._parted(own, tree, leaf, k, rng), own, state.rows[leaf])
                    if len(parts[0]) > 1:
                        state = state.split(leaf, *parts)
                        break
        found = np.flatnonzero(state.tree.children[:, 0] < 0)
        done = len(found) >= self.n_clusters or len(found) == len(leaves)
        return Step(state, float(state.tree.inertia[found].sum()), {"clusters": float(len(found))}, done)

    def _parted(self, own: Chunk, tree: SplitTree, leaf: int, k: int, rng: np.random.Generator) -> Centres:
        """k-means with k centres; what its iterations begin with is known of the leaf: its mean and inertia."""
        total, draws = float(tree.inertia[leaf]), generator(int(rng.integers(2**31)))
        cells = float(tree.weight[leaf]) * own.X.shape[1]  # 0 where weights are too small for products
        scale = Scale(tree.centre[leaf], total, self.tol * total / cells if cells > 0 else 0.0)
        start, source, rows = (
            as_initialiser(self.init),
            ArraySource.of(own, type(self).__name__),
            Rows(own.X, own.weight),
        )
        with announced("KMeans", {"n_clusters": k}) as ended:
            outcome = iterate(
                lambda run: Centres.starting(start(source, rows, k, draws), BoundedRounds(own, scale, k, None)),
                Centres.step,
                max_iter=self.max_iter,
                restarts=self.n_init,
                snapshot=lambda state: {"cluster_centers_": state.at},
            )
            ended.append(outcome.history.status)
        end_outer(outcome.history.status)
        return outcome.state

    def _attributes(self, state: _Growing, chunk: Chunk, history: History) -> Attributes:
        leaves = np.flatnonzero(state.tree.children[:, 0] < 0)
        tree = state.tree
        if len(leaves) < self.n_clusters:
            why = "there are fewer distinct rows" if history.status == "converged" else "the fit was ended before"
            warn(f"{type(self).__name__}: only {len(leaves)} of {self.n_clusters} clusters: {why}.", NotConverged)
        return {
            "tree_": tree,
            "cluster_centers_": tree.centre[leaves],
            "labels_": state.labels(chunk),
            "inertia_": float(tree.inertia[leaves].sum()),
            "n_iter_": len(history),
        }

    def predict(self, X: TableLike) -> Codes:
        """The cluster that each row comes to in the tree."""
        self._check_fitted()
        return self._rows(X, lambda chunk: self.tree_.descend(chunk.X))


def _numbered(children: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cluster of each node, -1 for those that were split."""
    leaves = children[:, 0] < 0
    return np.where(leaves, np.cumsum(leaves) - 1, -1)
