"""Clusters against classes, counted: the table of their common rows, and what follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ..data.labels import encode
from ..errors import InvalidData

NOISE = -1


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows by whether they are together: in both (a), in the clusters only (b), in the classes only (c),
    in neither (d)."""

    a: int
    b: int
    c: int
    d: int

    @property
    def rand(self) -> float:
        """(a + d) / (a + b + c + d): the share of pairs that clusters and classes agree on; 1 without pairs."""
        total = self.a + self.b + self.c + self.d
        return (self.a + self.d) / total if total else 1.0

    @property
    def accuracy(self) -> float:
        """The same as `rand`: a pair is called "together" or not by the clusters, and rightly or not."""
        return self.rand

    @property
    def precision(self) -> float:
        """a / (a + b): of the pairs in one cluster, the share in one class; NaN where no cluster has two rows."""
        return _share(self.a, self.a + self.b)

    @property
    def recall(self) -> float:
        """a / (a + c): of the pairs in one class, the share in one cluster; NaN where no class has two rows."""
        return _share(self.a, self.a + self.c)

    @property
    def f1(self) -> float:
        """2a / (2a + b + c), the harmonic mean of precision and recall."""
        return _share(2 * self.a, 2 * self.a + self.b + self.c)

    @property
    def adjusted_rand(self) -> float:
        """2 (ad − bc) / ((a + b)(b + d) + (a + c)(c + d)): 0 for chance, 1 for the same groups."""
        a, b, c, d = self.a, self.b, self.c, self.d
        if b == c == 0:
            return 1.0
        return 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


@dataclass(frozen=True, eq=False)
class Contingency:
    """The weight of the rows that each cluster and each class have in common; rows of noise are in no cluster."""

    clusters: tuple[object, ...]  # the rows of the table
    classes: tuple[object, ...]  # its columns
    table: NDArray[np.number]  # (clusters, classes); whole numbers where all weights are
    noise: NDArray[np.number]  # (classes,): the weight of rows in no cluster

    @classmethod
    def of(cls, labels: NDArray[np.generic], classes: NDArray[np.generic], weight: NDArray[np.float64]) -> Contingency:
        """Count rows, each (n,); a label of -1 is noise, and a row that weighs nothing is not there."""
        present = weight > 0
        labels, classes, weight = labels[present], classes[present], weight[present]
        clustered = labels != NOISE if labels.dtype.kind in "if" else np.ones(len(labels), dtype=bool)
        names, codes = _encoded(labels[clustered], "labels")
        class_names, class_codes = _encoded(classes, "classes")
        k, m = len(names), len(class_names)
        table = np.bincount(codes * m + class_codes[clustered], weight[clustered], k * m).reshape(k, m)
        noise = np.bincount(class_codes[~clustered], weight[~clustered], m)
        if (weight == np.floor(weight)).all():
            table, noise = table.astype(np.int64), noise.astype(np.int64)
        return cls(tuple(names), tuple(class_names), table, noise)

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.table.sum() + self.noise.sum())

    @cached_property
    def matched(self) -> dict[int, int]:
        """The row and column of each pair of the best one-to-one map, by the Hungarian method."""
        rows, columns = linear_sum_assignment(self.table, maximize=True)
        return dict(zip(rows.tolist(), columns.tolist(), strict=True))

    @property
    def accuracy(self) -> float:
        """The share of all rows in clusters that are matched with their class."""
        return float(sum(self.table[i, j] for i, j in self.matched.items())) / self.total

    @property
    def greedy_accuracy(self) -> float:
        """The share of all rows in the most frequent class of their cluster."""
        return self._most_frequent / self.total

    @property
    def purity(self) -> float:
        """The same among the rows that are in clusters; NaN without clusters."""
        inside = float(self.table.sum())
        return self._most_frequent / inside if inside > 0 else math.nan

    @property
    def _most_frequent(self) -> float:
        return float(self.table.max(axis=1, initial=0).sum())

    @cached_property
    def pairs(self) -> Pairs | None:
        """The pairs of rows; None where weights are not whole numbers, as pairs are counted."""
        return _pairs(self.table, self.noise) if self.table.dtype.kind == "i" else None

    @property
    def rand(self) -> float:
        """The Rand index; NaN where pairs cannot be counted."""
        return math.nan if self.pairs is None else self.pairs.rand

    @property
    def adjusted_rand(self) -> float:
        """The Rand index adjusted for chance; NaN where pairs cannot be counted."""
        return math.nan if self.pairs is None else self.pairs.adjusted_rand


def _encoded(values: NDArray[np.generic], place: str) -> tuple[list[object], NDArray[np.int64]]:
    try:
        names, codes = encode(values)
    except TypeError:
        raise InvalidData(f"align: {place} mix text with other values; turn all of them into text.") from None
    return names.tolist(), codes


def _pairs(table: NDArray[np.number], noise: NDArray[np.generic]) -> Pairs:
    """The pairs from a table of counts; a row of noise is together with none."""
    both = _twos(table.ravel())
    in_clusters, in_classes = _twos(table.sum(axis=1)), _twos(table.sum(axis=0) + noise)
    n = int(table.sum() + noise.sum())
    everything = n * (n - 1) // 2
    return Pairs(both, in_clusters - both, in_classes - both, everything - in_clusters - in_classes + both)


def _twos(counts: NDArray[np.number]) -> int:
    """Σ n (n − 1) / 2, in whole numbers of any size."""
    return sum(n * (n - 1) // 2 for n in counts.tolist())
