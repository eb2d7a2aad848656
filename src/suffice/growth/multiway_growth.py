"""How ID3 and C4.5 grow trees with many branches: by information gain or gain ratio."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..errors import InvalidData
from ..typing import Flags, Floats, Whole
from .multiway import MISSING, NUMBER, MultiwayTree, branch_of
from .significance import independence

TIE = 1e-12  # gains closer than this are equal


@dataclass(frozen=True)
class Split:
    """A split of a node: the categories of its branches, the weights of classes in each, gains and what is missing."""

    column: int
    category: Floats  # (branches,)
    counts: Floats  # (branches, k), of cells that are known, or have a branch
    threshold: float
    gain: float
    ratio: float
    other: int


@dataclass(frozen=True)
class Growth:
    """How a tree is grown: what decides between splits, where missing cells go, and when it stops."""

    criterion: str = "gain_ratio"  # or "gain"
    missing: str = "fractions"  # or "branch" or "learned"
    most_depth: float = np.inf
    least_split: float = 2.0
    least_leaf: float = 1.0
    least_gain: float = 0.0
    most_p: float = 1.0

    def grown(self, X: Floats, code: Whole, weight: Floats, k: int, categorical: Flags) -> MultiwayTree:
        """The tree of rows (n, d) with these classes, of k, and weights."""
        nodes = _Nodes(k)
        rows = np.flatnonzero(weight > 0)
        if not len(rows):
            raise InvalidData("all weights are 0.")
        at = [(nodes.add(_counts(code[rows], weight[rows], k), NUMBER), rows, weight[rows], 0)]
        while at:
            node, rows, w, depth = at.pop()
            split = self._best(X, rows, code[rows], w, nodes.counts[node], categorical, depth)
            if split is None:
                continue
            p = float(independence(split.counts))
            if p > self.most_p:
                continue
            branch = branch_of(X[rows, split.column], split.category, split.threshold, split.other)
            share = split.counts.sum(axis=1) / split.counts.sum()
            children = []
            for b, category in enumerate(split.category.tolist()):
                own = np.flatnonzero((branch == b) | (branch < 0))
                part = np.where(branch[own] < 0, w[own] * share[b], w[own])
                child = nodes.add(_counts(code[rows[own]], part, k), category)
                children.append((child, rows[own], part, depth + 1))
            nodes.split(node, split, p, children[0][0])
            at += reversed(children)
        return nodes.tree()

    def gains(self, X: Floats, code: Whole, weight: Floats, k: int, categorical: Flags) -> Floats:
        """The information gain of each column for all rows, in bits, (d,); 0 where it cannot be split."""
        found = np.zeros(X.shape[1])
        for j in range(X.shape[1]):
            split = self._of_column(X[:, j], j, code, weight, k, bool(categorical[j]))
            found[j] = 0.0 if split is None else max(0.0, split.gain)
        return found

    def _best(
        self, X: Floats, rows: Whole, code: Whole, w: Floats, counts: Floats, categorical: Flags, depth: int
    ) -> Split | None:
        if depth >= self.most_depth or counts.sum() < self.least_split or (counts > 0).sum() < 2:
            return None
        found = []
        for j in range(X.shape[1]):
            split = self._of_column(X[rows, j], j, code, w, len(counts), bool(categorical[j]))
            if split is not None and split.gain >= self.least_gain - TIE:
                found.append(split)
        if not found:
            return None
        if self.criterion == "gain":
            return max(found, key=lambda own: round(own.gain / TIE))
        mean = float(np.mean([own.gain for own in found]))
        enough = [own for own in found if own.gain >= mean - TIE]
        return max(enough, key=lambda own: round(own.ratio / TIE))

    def _of_column(self, x: Floats, j: int, code: Whole, w: Floats, k: int, categorical: bool) -> Split | None:
        missing = np.isnan(x)
        known = ~missing
        if not known.any():
            return None
        absent = _counts(code[missing], w[missing], k)
        if categorical:
            category, at = np.unique(x[known], return_inverse=True)
            counts = _counts(at * k + code[known], w[known], len(category) * k).reshape(-1, k)
            candidates: list[tuple[Floats, Floats, float]] = [(category, counts, 0.0)]
        else:
            candidates = list(self._cut(x[known], code[known], w[known], k, absent))
        splits = [split for own in candidates for split in self._placed(j, *own, absent)]
        allowed = [split for split in splits if (split.counts.sum(axis=1) >= self.least_leaf).sum() >= 2]
        return max(allowed, key=lambda own: round(own.gain / TIE)) if allowed else None

    def _cut(self, x: Floats, code: Whole, w: Floats, k: int, absent: Floats) -> Iterator[tuple[Floats, Floats, float]]:
        """The cut of a column of numbers that gains most."""
        value, at = np.unique(x, return_inverse=True)
        if len(value) < 2:
            if self.missing == "branch" and absent.sum() > 0:
                yield np.array([NUMBER]), _counts(code, w, k)[None], float(value[0])
            return
        left = np.cumsum(_counts(at * k + code, w, len(value) * k).reshape(-1, k), axis=0)[:-1]
        right = _counts(code, w, k) - left
        allowed = np.minimum(left.sum(axis=1), right.sum(axis=1)) >= self.least_leaf
        if not allowed.any():
            return
        both = entropy_mass(left) + entropy_mass(right)
        best = int(np.argmin(np.where(allowed, np.round(both / TIE), np.inf)))
        middle = value[best] / 2 + value[best + 1] / 2
        threshold = middle if value[best] <= middle < value[best + 1] else value[best]
        yield np.full(2, NUMBER), np.array([left[best], right[best]]), float(threshold)

    def _placed(self, j: int, category: Floats, counts: Floats, threshold: float, absent: Floats) -> Iterator[Split]:
        """The split with missing cells where they may go: in parts everywhere, in a branch of their own, or in one."""
        lost = float(absent.sum())
        heaviest = int(np.argmax(counts.sum(axis=1)))
        if self.missing == "fractions" or lost == 0:
            other = -1 if self.missing == "fractions" else heaviest
            yield _split(j, category, counts, threshold, other, lost)
        elif self.missing == "branch":
            yield _split(j, np.append(category, MISSING), np.vstack([counts, absent]), threshold, heaviest, 0.0)
        else:
            for b in range(len(category)):
                with_them = counts.copy()
                with_them[b] += absent
                yield _split(j, category, with_them, threshold, b, 0.0)


def _split(j: int, category: Floats, counts: Floats, threshold: float, other: int, lost: float) -> Split:
    """Gain and gain ratio; cells that have no branch, of weight `lost`, gain nothing and are a part of their own."""
    mass = counts.sum(axis=1)
    whole = float(mass.sum()) + lost
    gain = float(entropy_mass(counts.sum(axis=0)[None])[0] - entropy_mass(counts).sum()) / whole
    parts = np.append(mass, lost)
    information = float(entropy_mass(parts[None])[0]) / whole
    return Split(j, category, counts, threshold, gain, gain / information if information > TIE else 0.0, other)


def entropy_mass(counts: Floats) -> Floats:
    """Weight times entropy in bits of rows of weights (m, k), (m,).

    >>> entropy_mass(np.array([[9.0, 5.0], [4.0, 0.0]])).round(3)
    array([13.164,  0.   ])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(counts > 0, counts * np.log2(counts), 0.0)
        whole = counts.sum(axis=1)
        return np.asarray(np.where(whole > 0, whole * np.log2(whole), 0.0) - own.sum(axis=1))


def _counts(code: Whole, weight: Floats, k: int) -> Floats:
    return np.bincount(code, weight, k).astype(np.float64)


@dataclass
class _Nodes:
    """The nodes of a tree while it grows."""

    k: int
    counts: list[Floats] = field(default_factory=list)
    category: list[float] = field(default_factory=list)
    splits: dict[int, tuple[Split, float, int]] = field(default_factory=dict)

    def add(self, counts: Floats, category: float) -> int:
        self.counts.append(counts)
        self.category.append(category)
        return len(self.counts) - 1

    def split(self, node: int, split: Split, p: float, first: int) -> None:
        self.splits[node] = split, p, first

    def tree(self) -> MultiwayTree:
        n = len(self.counts)
        column, other = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
        first, branches = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        threshold, gain, ratio, p = np.zeros(n), np.zeros(n), np.zeros(n), np.ones(n)
        for i, (own, chance, at) in self.splits.items():
            column[i], first[i], branches[i], other[i] = own.column, at, len(own.category), own.other
            threshold[i], gain[i], ratio[i], p[i] = own.threshold, own.gain, own.ratio, chance
        return MultiwayTree(
            column, first, branches, threshold, other, np.array(self.category), np.array(self.counts), gain, ratio, p
        )
