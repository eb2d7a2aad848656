"""What the growth of trees reads and makes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...params import as_float
from ...typing import Flags, Floats, Whole
from ..native import kernels

Bytes = NDArray[np.uint8]
Places = NDArray[np.uint32]

CODES, MISSING = 256, 255  # codes of a byte, the last of which is that of missing cells
NO_PLACE = 2**32 - 1  # the rank of a missing cell
# Each with its place in native/growth/scores.hpp.
CRITERIA = {"squared": 0, "deviance": 1, "gini": 2, "entropy": 3, "error": 4, "absolute": 5}
NODE = np.dtype([("threshold", np.float64), ("left", np.int32), ("column", np.uint32)])
_TURNED = 4096
MISSING_LEFT, CATEGORICAL = 1, 2  # flags beside four times the column of a node


@dataclass(frozen=True, eq=False)
class Coded:
    """Columns of codes: `codes` (d, n), which columns are categories, (d,), and a number for every code, (d, 256)."""

    codes: Bytes
    categorical: Flags
    values: Floats

    missing: ClassVar = MISSING

    @property
    def places(self) -> Bytes:
        """The codes, (d, n)."""
        return self.codes

    def value(self, column: int, place: int) -> float:
        """A number that stands for a place of a column."""
        return float(self.values[column, place])

    @cached_property
    def by_row(self) -> Bytes:
        """The codes, (n, d)."""
        found = np.empty(self.codes.shape[::-1], dtype=np.uint8)
        for begin in range(0, len(found), _TURNED):  # as much at once as the cache holds
            found[begin : begin + _TURNED] = self.codes[:, begin : begin + _TURNED].T
        return found


@dataclass(frozen=True, eq=False)
class Sorted:
    """Columns by rank: the rank of each cell among the values of its column, and the rows in their order, (d, n) each.

    `values` are the distinct values of each column, rising; of categories, the ranks are codes.
    """

    ranks: Places
    order: Places
    categorical: Flags
    values: tuple[Floats, ...]

    missing: ClassVar = NO_PLACE

    @property
    def places(self) -> Places:
        """The ranks, (d, n)."""
        return self.ranks

    def value(self, column: int, place: int) -> float:
        """The value of a rank."""
        return float(self.values[column][place])


@dataclass(frozen=True, eq=False)
class Targets:
    """What rows add to a node, in whole numbers, and what one of them stands for.

    Of one target or two classes `sums` (n, 2) holds target, or 1 for the second class, times weight, and weight; of
    k > 2 classes the class and the weight; of q targets, (n, q + 1), all of them times weight, and weight. A node has
    k sums: 2, one a class, or q + 1. `same` (n,) is equal where targets are.

    Absolute differences do not follow from sums: `sums` (n, 2 q + 1) holds the rank of each target and the target, and
    the weight, and a node has the ranks of the lower and the upper median of each, and its weight.

    Where a tree is a Newton step of boosting (`criterion="newton"`), `sums` (n, 3) holds −gradient, curvature and
    weight, and a node scores G² / (H + λ), twice by how much its best step lowers the loss.
    """

    sums: Whole
    same: Whole
    k: int
    criterion: str
    classes: bool = False
    first_unit: float = 1.0
    weight_unit: float = 1.0
    l2: float = 0.0
    second_unit: float = 1.0  # of curvatures

    @property
    def is_newton(self) -> bool:
        """Whether rows add gradients and curvatures."""
        return self.criterion == "newton"

    @property
    def of_several(self) -> bool:
        """Whether there are more than two classes."""
        return self.classes and self.k > 2

    @property
    def units(self) -> Floats:
        """The units and the ridge, as kernels read them."""
        return np.array([self.first_unit, self.weight_unit, self.l2])


@dataclass(frozen=True)
class Limits:
    """When a tree stops growing, and how it looks for cuts; weights count, not rows.

    A tree uses `of_tree` columns, drawn for it, and a node looks at `tried` of them, drawn anew.
    """

    tried: float
    of_tree: float = np.inf
    most_depth: float = np.inf
    most_leaves: float = np.inf
    least_split: float = 2.0
    least_leaf: float = 1.0
    least_gain: float = 0.0
    best_first: bool = False
    random_cuts: bool = False

    def __post_init__(self) -> None:
        for name in ("most_depth", "most_leaves", "least_split", "least_leaf"):  # integers of users, of any size
            object.__setattr__(self, name, as_float(getattr(self, name)))

    @property
    def numbers(self) -> Floats:
        """All of them, as kernels read them."""
        found = np.array([
            self.of_tree, self.tried, self.most_depth, self.most_leaves, self.least_split, self.least_leaf,
            self.least_gain, self.best_first, self.random_cuts,
        ], dtype=np.float64)  # fmt: skip
        return np.minimum(found, 1e15)


@dataclass(frozen=True, eq=False)
class Draws:
    """Which rows each tree sees, and where its random numbers begin, (trees,).

    `times` (trees, n) says how often each row counts; else so many rows are drawn by the seed, with replacement or not,
    by the weights of the rows up to each, `mass` (n,), or all with the same chance; 0 are all rows, once.
    """

    seeds: Whole
    times: NDArray[np.int32] | None = None
    drawn: int = 0
    replace: bool = True
    mass: Whole | None = None


@dataclass(frozen=True, eq=False)
class Nodes:
    """Grown trees, one after the other; a node's children are numbered within its tree, siblings side by side.

    A row goes left of a node up to the place `last` of its column (`next` is the lowest place on the right), or if its
    category is in the set number `set`; missing cells where `missing_left` says so.
    """

    starts: Whole  # (trees + 1,)
    column: NDArray[np.int32]  # (nodes,), −1 of leaves
    left: NDArray[np.int32]  # (nodes,), −1 of leaves
    last: Places
    next: Places
    missing_left: Bytes
    set: NDArray[np.int32]  # (nodes,), −1 where there is none
    sets: NDArray[np.uint64]  # (sets, 4)
    gain: Floats
    sums: Whole  # (nodes, k)

    def first(self, trees: int) -> Nodes:
        """So many of the trees; sets that only others have may stay."""
        if trees == len(self.starts) - 1:
            return self
        stop = int(self.starts[trees])
        names = ("column", "left", "last", "next", "missing_left", "set", "gain", "sums")
        return replace(self, starts=self.starts[: trees + 1], **{name: getattr(self, name)[:stop] for name in names})

    def comparable(self) -> dict[str, object]:
        """What does not depend on the code that grew them."""
        inner = self.column >= 0
        numbers = inner & (self.set < 0)
        return {
            "starts": self.starts, "column": self.column, "left": self.left, "sums": self.sums,
            "missing_left": self.missing_left[inner], "last": self.last[numbers], "next": self.next[numbers],
            "sets": self.sets, "gain": self.gain,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Decoding:
    """What codes (see `Cuts`) and sums stand for: means, to which `centre` (q,) is added, or shares of classes."""

    edges: Floats  # (d, 256)
    low: Floats
    high: Floats
    exact: Flags  # (d,)
    recode: Bytes
    starts: Whole  # (d + 1,)
    centre: Floats | None = None


@dataclass(frozen=True, eq=False)
class Decoded:
    """Trees as models hold them; see `Trees`."""

    starts: Whole  # (trees + 1,)
    column: NDArray[np.int32]
    left: NDArray[np.int32]
    threshold: Floats
    missing_left: Flags
    gain: Floats
    weight: Floats
    value: Floats  # (nodes, q)
    sets: NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Isolated:
    """Trees of random cuts, one after the other, with the depth of each node and the rows that reached it."""

    starts: Whole  # (trees + 1,)
    column: NDArray[np.int32]
    left: NDArray[np.int32]
    threshold: Floats
    missing_left: Flags
    depth: NDArray[np.int32]
    count: Whole


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees as rows fall through them: nodes (of dtype `NODE`), where trees start, and the sets of categories.

    A leaf has itself as the left child. `words` (d,) says of how many words the sets of a column are. Nobody else holds
    the arrays.
    """

    nodes: NDArray[np.void]
    starts: Whole
    sets: NDArray[np.uint64]
    words: Whole

    @property
    def trees(self) -> int:
        """How many there are."""
        return len(self.starts) - 1

    @property
    def places(self) -> tuple[NDArray[np.generic], ...]:
        """What the kernels follow."""
        return self.nodes, self.starts, self.sets, self.words

    def check_places(self) -> None:
        """Raise an error unless every row comes to a leaf."""
        kernels().expect_forest(*self.as_read())

    def as_read(self) -> tuple[Bytes, Whole, NDArray[np.uint64], Whole]:
        """Its arrays as the kernels read them; unpickled ones may have the byte order of another machine."""
        starts, words = (np.ascontiguousarray(own, dtype=np.int64) for own in (self.starts, self.words))
        nodes = np.ascontiguousarray(self.nodes, dtype=NODE)
        return nodes.view(np.uint8), starts, np.ascontiguousarray(self.sets, dtype=np.uint64), words
