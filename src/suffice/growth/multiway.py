"""Trees whose splits have as many branches as a column has categories, as ID3 and C4.5 grow them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

import numpy as np

from ..errors import InvalidData
from ..holds import floats, integers, require
from ..registry import registered
from ..typing import Flags, Floats, Whole

TIE = 1e-12  # gains closer than this are equal
NUMBER = -1.0  # the category of branches that are told by a threshold
MISSING = -2.0  # the category of a branch of missing cells


@registered("growth/MultiwayTree")
@dataclass(frozen=True, eq=False)
class MultiwayTree:
    """A tree whose nodes have any number of branches; the root is the first node, and children follow one another.

    Node i is split by `column[i]` (−1: a leaf) into the nodes from `first[i]` on, `branches[i]` of them. A branch is
    told by its own `category`, or, of a number, by being the first (x ≤ `threshold` of its parent) or the second. Where
    a cell is missing or its category has no branch, a row goes to branch `other`; −1: to all, with parts of its weight.
    `counts` (nodes, k) are the weights of the classes, `gain` (bits) and `p` are those of the split.
    """

    column: Whole
    first: Whole
    branches: Whole
    threshold: Floats
    other: Whole
    category: Floats
    counts: Floats
    gain: Floats
    ratio: Floats
    p: Floats

    holds: ClassVar = {
        "column": integers("nodes", at_least=-1),
        "first": integers("nodes", at_least=0),
        "branches": integers("nodes", at_least=0),
        "threshold": floats("nodes"),
        "other": integers("nodes", at_least=-1),
        "category": floats("nodes", at_least=MISSING),
        "counts": floats("nodes", "k", at_least=0),
        "gain": floats("nodes"),
        "ratio": floats("nodes"),
        "p": floats("nodes", at_least=0, at_most=1),
    }

    def check_loaded(self) -> None:
        """Raise an error unless every branch leads to a node that comes later."""
        place, inner = np.arange(len(self.column)), self.column >= 0
        require(len(self.column) > 0, "a tree needs a root")
        require(np.array_equal(inner, self.branches > 0), "column and branches must agree on the leaves")
        require(np.all(self.first[inner] > place[inner]), "children must come after their parents")
        require(np.all(self.first + self.branches <= len(self.column)), "children must be nodes")
        require(np.all(self.other < np.maximum(self.branches, 1)), "other must be a branch")

    def __len__(self) -> int:
        return len(self.column)

    @property
    def is_leaf(self) -> Flags:
        """Which nodes have no branches, (nodes,)."""
        return np.asarray(self.column < 0)

    @property
    def shares(self) -> Floats:
        """The share of each class in each node, (nodes, k)."""
        return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))

    @property
    def depths(self) -> Whole:
        """The depth of each node, (nodes,)."""
        found = np.zeros(len(self), dtype=np.int64)
        for i in np.flatnonzero(~self.is_leaf):
            found[self.first[i] : self.first[i] + self.branches[i]] = found[i] + 1
        return found

    def parts(self, X: Floats) -> Iterator[tuple[int, Whole, Floats]]:
        """The leaves with the rows that come to them, and the parts of them that do."""
        at = [(0, np.arange(len(X)), np.ones(len(X)))]
        while at:
            node, rows, part = at.pop()
            if self.column[node] < 0:
                yield node, rows, part
                continue
            for child, own, share in self._sent(node, X[rows, self.column[node]]):
                if len(own):
                    at.append((child, rows[own], part[own] * share))

    def _sent(self, node: int, x: Floats) -> Iterator[tuple[int, Whole, float]]:
        """The branches of a node, which of its cells go there, and with which part of their weight."""
        children = np.arange(self.first[node], self.first[node] + self.branches[node])
        branch = branch_of(x, self.category[children], self.threshold[node], int(self.other[node]))
        mass = self.counts[children].sum(axis=1)
        for k, child in enumerate(children.tolist()):
            yield child, np.flatnonzero(branch == k), 1.0
            yield child, np.flatnonzero(branch < 0), float(mass[k] / mass.sum())

    def probabilities(self, X: Floats) -> Floats:
        """The shares of the classes in the leaves of rows, (n, k)."""
        found, shares = np.zeros((len(X), self.counts.shape[1])), self.shares
        for node, rows, part in self.parts(X):
            found[rows] += part[:, None] * shares[node]
        return found


def branch_of(x: Floats, category: Floats, threshold: float, other: int) -> Whole:
    """The branch of each cell, where branches have these categories; `other` where there is none."""
    found = np.full(len(x), other, dtype=np.int64)
    missing, own = np.isnan(x), np.flatnonzero(category == MISSING)
    if (category == NUMBER).any():
        found[~missing] = (x[~missing] > threshold).astype(np.int64)
    else:
        order = np.argsort(category, kind="stable")
        place = np.minimum(np.searchsorted(category[order], x), len(category) - 1)
        same = category[order[place]] == x
        found[same] = order[place[same]]
    if len(own):
        found[missing] = own[0]
    return found


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
            p = independence(split.counts)
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


def independence(counts: Floats) -> float:
    """The p-value of the χ² test that classes do not depend on branches, with weights (branches, k)."""
    from scipy.special import chdtrc

    own = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    freedom = (own.shape[0] - 1) * (own.shape[1] - 1)
    if freedom < 1:
        return 1.0
    expected = own.sum(axis=1, keepdims=True) * own.sum(axis=0) / own.sum()
    return float(chdtrc(freedom, float(((own - expected) ** 2 / expected).sum())))


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


def pruned(tree: MultiwayTree, error: Floats) -> tuple[MultiwayTree, Whole]:
    """The tree without branches whose parent errs no more by itself, and the former numbers of its nodes.

    `error` (nodes,) is that of each node if it were a leaf.
    """
    lost, cut = error.astype(np.float64), np.zeros(len(tree), dtype=bool)
    slack = 1e-12 * float(np.abs(error).max(initial=0.0))
    for i in np.flatnonzero(~tree.is_leaf)[::-1]:
        below = float(lost[tree.first[i] : tree.first[i] + tree.branches[i]].sum())
        cut[i] = below >= error[i] - slack
        lost[i] = error[i] if cut[i] else below
    kept = np.zeros(len(tree), dtype=bool)
    kept[0] = True
    for i in np.flatnonzero(~tree.is_leaf):
        kept[tree.first[i] : tree.first[i] + tree.branches[i]] = kept[i] and not cut[i]
    former, number = np.flatnonzero(kept), np.cumsum(kept) - 1
    parts = {name: getattr(tree, name)[former] for name in (own.name for own in fields(tree))}
    leaf = cut[former] | tree.is_leaf[former]
    blank = {
        "column": -1,
        "first": 0,
        "branches": 0,
        "threshold": 0.0,
        "other": -1,
        "gain": 0.0,
        "ratio": 0.0,
        "p": 1.0,
    }
    found = {name: np.where(leaf, blank[name], own) if name in blank else own for name, own in parts.items()}
    found["first"] = np.where(leaf, 0, number[np.minimum(parts["first"], len(tree) - 1)])
    return replace(tree, **found), former
