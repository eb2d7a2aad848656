"""Grown trees: what rows meet on their way, and what their leaves say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..backend.growth import CATEGORICAL, MISSING_LEFT, NODE, Forest, Nodes, leaf_sums, leaves
from ..backend.growth.decoding import category_sets
from ..backend.growth.values import Bytes
from ..errors import InvalidData
from ..holds import flags, floats, integers, require
from ..registry import registered
from ..typing import Flags, Floats, Reals, Whole

if TYPE_CHECKING:
    from .packing import PackedTrees

N = TypeVar("N", bound=np.generic)
Numbers32 = NDArray[np.int32]
_EACH = ("threshold", "missing_left", "gain", "weight", "value")  # what nodes have beside the numbers of others
Thresholds = Callable[[Whole, Whole, Whole], Floats]  # of columns, the last places on the left, and the next ones


@registered("growth/Trees")
@dataclass(frozen=True, eq=False)
class Trees:
    """One tree or many, their nodes one after the other; tree t has those from `starts[t]` up to `starts[t + 1]`.

    The first node of a tree is its root. The children of a node are numbered within its tree: `left` is the first, and
    the second follows it; a leaf has −1. A row goes left where its number in `column` is at most `threshold`, or where
    its category is in a set: the threshold is then the place in `sets` from which the words of the set are read, one
    bit a category, `words[column]` of them. Missing cells, and categories never seen, go left where `missing_left`
    says so. `value` (nodes, q) is what a node says: shares of classes or means of targets.
    """

    starts: Whole  # (trees + 1,)
    column: Numbers32  # (nodes,), −1 of leaves
    left: Numbers32  # (nodes,), −1 of leaves
    threshold: Floats  # (nodes,)
    missing_left: Flags  # (nodes,)
    gain: Floats  # (nodes,), by how much the score rises with the split
    weight: Floats  # (nodes,), of the rows of the fit
    value: Floats  # (nodes, q)
    sets: NDArray[np.uint64]
    words: Whole  # (d,), 0 for numbers

    holds: ClassVar = {
        "starts": integers("trees+1", at_least=0),
        "column": integers("nodes", dtypes=(np.int32,), at_least=-1),
        "left": integers("nodes", dtypes=(np.int32,), at_least=-1),
        "threshold": floats("nodes", finite=False),
        "missing_left": flags("nodes"),
        "gain": floats("nodes"),
        "weight": floats("nodes", at_least=0),
        "value": floats("nodes", "q"),
        "sets": integers(None, dtypes=(np.uint64,)),
        "words": integers("d", at_least=0),
    }

    def check_loaded(self) -> None:
        """Raise an error unless every split leads to nodes, columns and sets that are there."""
        sizes, nodes = np.diff(self.starts), len(self.column)
        sound = len(self.starts) > 1 and self.starts[0] == 0 and self.starts[-1] == nodes and bool(np.all(sizes > 0))
        require(sound, "starts must cut the nodes into trees")
        place = np.arange(nodes) - np.repeat(self.starts[:-1], sizes)
        inner, size = self.is_inner, np.repeat(sizes, sizes)
        require(np.array_equal(inner, self.left >= 0), "column and left must agree on the leaves")
        require(np.all(self.left[inner] > place[inner]), "children must come after their parents")
        require(np.all(self.left[inner] < size[inner] - 1), "children must be nodes of their tree")
        child = (self.left + np.repeat(self.starts[:-1], sizes))[inner]
        parents = np.bincount(np.concatenate([child, child + 1]), minlength=nodes)
        require(np.all(parents == (place > 0)), "every node but the roots must have one parent")
        require(np.all(self.column < len(self.words)), "column must be one of the columns")
        sets = inner & (self.words[self.column] > 0)
        first = self.threshold[sets]
        require(np.all(first == np.rint(first)) and np.all(first >= 0), "threshold must be a place of a set")
        require(np.all(first + self.words[self.column[sets]] <= len(self.sets)), "threshold must be a place of a set")
        require(not np.isnan(self.threshold[inner & ~sets]).any(), "threshold must be numbers")

    @classmethod
    def of(
        cls, nodes: Nodes, thresholds: Thresholds, weight: Floats, value: Floats, recode: Bytes, starts: Whole
    ) -> Self:
        """From nodes of codes or ranks; categories have the codes `recode[starts[j]:starts[j + 1]]`."""
        inner = nodes.column >= 0
        numbers = inner & (nodes.set < 0) if len(nodes.sets) else inner
        threshold, sets = np.zeros(len(inner)), np.zeros(0, dtype=np.uint64)
        split = (own[numbers].astype(np.int64) for own in (nodes.column, nodes.last, nodes.next))
        threshold[numbers] = thresholds(*split)
        if len(nodes.sets):
            threshold[inner & ~numbers], sets = category_sets(nodes, recode, starts)
        words = -(-np.diff(starts) // 64)
        return cls(
            nodes.starts, nodes.column, nodes.left, threshold, nodes.missing_left.astype(bool), nodes.gain, weight,
            value, sets, words.astype(np.int64),
        )  # fmt: skip

    # ---- its shape ----

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, t: int | slice) -> Self:
        """One of the trees, or some that stand side by side."""
        some = range(len(self))[t if isinstance(t, slice) else slice(range(len(self))[t], range(len(self))[t] + 1)]
        if len(some) == len(self):
            return self
        starts = self.starts[some.start : some.stop + 1]
        own = slice(int(starts[0]), int(starts[-1]))
        parts = {name: getattr(self, name)[own] for name in ("column", "left", *_EACH)}
        return replace(self, starts=starts - own.start, **parts)

    @classmethod
    def joined(cls, given: Iterable[Self]) -> Self:
        """The trees of several, one after the other, all of the same columns and categories.

        Arrays of parts that nobody else holds are given back one by one: there are never two of all.
        """
        parts = list(given)
        if len(parts) == 1:
            return parts[0]
        if any(not np.array_equal(part.words, parts[0].words) for part in parts[1:]):
            raise InvalidData("trees of different columns or categories cannot be joined.")
        starts = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.starts) for part in parts]))])
        before = np.cumsum([0, *(len(part.sets) for part in parts[:-1])])
        each = {name: [getattr(part, name) for part in parts] for name in ("column", "left", *_EACH, "sets")}
        if before[-1]:
            each["threshold"] = [p.threshold + k * p.has_set for p, k in zip(parts, before, strict=True)]
        words = parts[0].words
        parts.clear()
        joined = {name: _one_after_another(each.pop(name)) for name in tuple(each)}
        return cls(starts=starts.astype(np.int64), words=words, **joined)

    @property
    def is_inner(self) -> Flags:
        """Which nodes are split, (nodes,)."""
        return np.asarray(self.column >= 0)

    @property
    def has_set(self) -> Flags:
        """Which nodes are split by a set of categories, (nodes,)."""
        return np.asarray(self.is_inner & (self.words[self.column] > 0))

    @cached_property
    def leaf_counts(self) -> Whole:
        """The number of leaves of each tree, (trees,)."""
        return np.add.reduceat((~self.is_inner).astype(np.int64), self.starts[:-1])

    @cached_property
    def depths(self) -> Whole:
        """The depth of each node, (nodes,): that of a root is 0."""
        sizes = np.diff(self.starts)
        first = np.repeat(self.starts[:-1], sizes)
        depth = np.zeros(len(self.column), dtype=np.int64)
        at = self.starts[:-1]
        while len(at):
            at = at[self.left[at] >= 0]
            child = first[at] + self.left[at]
            depth[child] = depth[child + 1] = depth[at] + 1
            at = np.concatenate([child, child + 1])
        return depth

    @cached_property
    def parents(self) -> Numbers32 | Whole:
        """The node above each among all nodes, (nodes,), −1 for roots; small numbers where they suffice."""
        nodes = len(self.column)
        inner = np.flatnonzero(self.is_inner)
        left = np.repeat(self.starts[:-1], np.diff(self.starts))[inner] + self.left[inner]
        found = np.full(nodes, -1, dtype=np.int64)
        found[left] = found[left + 1] = inner
        return found.astype(np.int32) if nodes < 2**31 else found

    @cached_property
    def shares(self) -> Floats:
        """The share of each column in all gains of each tree, (trees, d)."""
        d, trees = len(self.words), len(self)
        tree = np.repeat(np.arange(trees), np.diff(self.starts))
        inner = self.is_inner
        place = tree[inner] * d + self.column[inner]
        gained = np.maximum(self.gain[inner], 0.0)
        gains = np.bincount(place, gained, minlength=trees * d).reshape(trees, d).astype(np.float64)
        total = gains.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(gains, total, out=np.zeros_like(gains), where=total > 0))

    @cached_property
    def importances(self) -> Floats:
        """The share of each column in all gains, the mean over the trees, (d,)."""
        shares = self.shares.mean(axis=0)
        return np.asarray(shares / shares.sum() if shares.sum() > 0 else shares)

    # ---- rows ----

    @cached_property
    def forest(self) -> Forest:
        """The nodes as rows fall through them."""
        nodes, leaf = np.empty(len(self.column), dtype=NODE), ~self.is_inner
        nodes["threshold"], nodes["left"] = self.threshold, self.left
        nodes["threshold"][leaf] = np.inf
        places = np.flatnonzero(leaf)
        places -= np.repeat(self.starts[:-1], self.leaf_counts)
        nodes["left"][leaf] = places
        flags = MISSING_LEFT * (self.missing_left | leaf).view(np.uint8)
        if len(self.sets):
            flags += CATEGORICAL * self.has_set.view(np.uint8)
        nodes["column"] = 4 * np.maximum(self.column, 0)
        nodes["column"] |= flags
        return Forest(nodes, self.starts.copy(), self.sets.copy(), self.words.copy())

    def leaves(self, X: Reals) -> Whole:
        """The leaf of each row in each tree, (n, trees), by its number within the tree."""
        return leaves(X, self.forest)

    def means(self, X: Reals) -> Floats:
        """What the leaves of each row say, the mean over the trees, (n, q)."""
        found = leaf_sums(X, self.forest, self.value)
        return found if len(self) == 1 else found / len(self)

    def packed(self) -> PackedTrees:
        """What a model file holds in place of them."""
        from .packing import pack

        return pack(self)

    def valued(self, value: Floats) -> Self:
        """The same trees with other values."""
        return replace(self, value=value)


def _one_after_another(pieces: list[NDArray[N]]) -> NDArray[N]:
    """Pieces of an array as one; each is given back as soon as it is copied."""
    found, at = np.empty((sum(map(len, pieces)), *pieces[0].shape[1:]), dtype=pieces[0].dtype), 0
    pieces.reverse()
    while pieces:
        own = pieces.pop()
        found[at : at + len(own)] = own
        at += len(own)
    return found
