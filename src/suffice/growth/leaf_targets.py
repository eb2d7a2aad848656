"""The targets that lie in the leaves of trees: more of their distribution than the mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..backend.growth import leaf_quantiles
from ..holds import floats, integers, require
from ..registry import registered
from ..typing import Floats, Reals, Whole
from .trees import Numbers32, Trees

Ends = tuple[Numbers32, Floats]  # the leaf of each row, −1 of one that the tree has not seen, and what each counts


@registered("growth/LeafTargets")
@dataclass(frozen=True, eq=False)
class LeafTargets:
    """Node k has the targets `levels[rank[starts[k]:starts[k + 1]]]`, each with its share of the weight there."""

    starts: Whole  # (nodes + 1,)
    rank: Numbers32  # (targets,)
    share: Floats  # (targets,)
    levels: Floats  # rising

    holds: ClassVar = {
        "starts": integers("nodes+1", at_least=0),
        "rank": integers("targets", dtypes=(np.int32,), at_least=0),
        "share": floats("targets", at_least=0),
        "levels": floats(None),
    }

    def check_loaded(self) -> None:
        """Raise an error unless nodes have targets that are there."""
        rising = len(self.starts) > 1 and self.starts[0] == 0 and bool(np.all(np.diff(self.starts) >= 0))
        require(rising and self.starts[-1] == len(self.rank), "starts must cut the targets into nodes")
        require(np.all(self.rank < len(self.levels)), "rank must be a place among the levels")

    @classmethod
    def of(cls, y: Floats, trees: Trees, ends: Iterator[Ends]) -> LeafTargets:
        """From the targets of rows, (n,), and where the rows of each tree end."""
        levels, rank = np.unique(y + 0.0, return_inverse=True)
        order = np.argsort(rank, kind="stable")
        ranks, shares, counts = [], [], []
        for size, (leaf, weight) in zip(np.diff(trees.starts), ends, strict=True):
            rows = order[leaf[order] >= 0]
            rows = rows[np.argsort(leaf[rows], kind="stable")]
            total = np.bincount(leaf[rows], weight[rows], size)
            ranks.append(rank[rows].astype(np.int32))
            shares.append(weight[rows] / total[leaf[rows]])
            counts.append(np.bincount(leaf[rows], minlength=size))
        starts = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
        return cls(starts, np.concatenate(ranks), np.concatenate(shares), levels)

    def quantiles(self, trees: Trees, X: Reals, wanted: Floats) -> Floats:
        """Quantiles of the targets in the leaves of rows, each tree with the same weight, (n, wanted)."""
        nodes: NDArray[np.int32] = (trees.leaves(X) + trees.starts[:-1]).astype(np.int32)
        return leaf_quantiles(nodes, self.starts, self.rank, self.share, self.levels, wanted)
