"""Trees as model files hold them: nothing that follows from the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..holds import either, floats, integers, optional, require
from ..registry import registered
from ..typing import Floats, Whole
from .trees import Trees

_SMALL = (np.uint8, np.uint16, np.uint32)
_MOST = 1 << 31
Bits = NDArray[np.uint8]
Small = NDArray[np.generic]  # numbers, whole ones in the smallest type that holds them
N = TypeVar("N", bound=np.generic)


@registered("growth/PackedTrees")
@dataclass(frozen=True, eq=False)
class PackedTrees:
    """Trees without the splits of leaves.

    Whole numbers have the smallest type that holds them. Where nodes say shares of whole weights, `counts` (nodes, q)
    holds the weights of the classes, from which weights and values follow; else there are `weight` and `value`.
    """

    starts: Whole  # (trees + 1,)
    inner: Bits  # a bit a node
    column: Small  # (splits,)
    left: Small  # (splits,)
    threshold: Floats  # (splits,)
    missing_left: Bits  # a bit a split
    gain: Floats  # (splits,)
    counts: Small | None
    weight: Small | None
    value: Floats | None
    sets: NDArray[np.uint64]
    words: Whole

    holds: ClassVar = {
        "starts": integers("trees+1", at_least=0),
        "inner": integers(None, dtypes=(np.uint8,)),
        "column": integers("splits", dtypes=_SMALL),
        "left": integers("splits", dtypes=_SMALL, at_least=1),
        "threshold": floats("splits", finite=False),
        "missing_left": integers(None, dtypes=(np.uint8,)),
        "gain": floats("splits"),
        "counts": optional(integers("nodes", "q", dtypes=_SMALL)),
        "weight": optional(either(floats("nodes", at_least=0), integers("nodes", dtypes=_SMALL))),
        "value": optional(floats("nodes", "q")),
        "sets": integers(None, dtypes=(np.uint64,)),
        "words": integers("d", at_least=0),
    }

    def unpacked(self) -> Trees:
        """The trees."""
        weight, value = self._said()
        nodes, splits = len(weight), len(self.column)
        require(len(self.inner) == -(-nodes // 8), "inner must have a bit for each node")
        require(len(self.missing_left) == -(-splits // 8), "missing_left must have a bit for each split")
        at = np.flatnonzero(np.unpackbits(self.inner, count=nodes))
        require(len(at) == splits, "inner must have as many bits as there are splits")
        small = all(own.max(initial=0) < _MOST for own in (self.column, self.left))
        require(small, "column and left must be numbers of columns and nodes")

        def spread(own: Small, other: float, kind: type[N]) -> NDArray[N]:
            found: NDArray[N] = np.full(nodes, other, dtype=kind)
            found[at] = own
            return found

        missing_left = np.unpackbits(self.missing_left, count=splits)
        return Trees(
            self.starts, spread(self.column, -1, np.int32), spread(self.left, -1, np.int32),
            spread(self.threshold, 0, np.float64), spread(missing_left, 0, np.bool_), spread(self.gain, 0, np.float64),
            weight, value, self.sets, self.words,
        )  # fmt: skip

    def _said(self) -> tuple[Floats, Floats]:
        """The weights of nodes and what they say."""
        if self.counts is not None and self.weight is None and self.value is None:
            return _shares(self.counts)
        if self.weight is None or self.value is None or self.counts is not None:
            raise InvalidData("either counts, or weight and value, must be there")
        return self.weight.astype(np.float64), self.value


def pack(trees: Trees) -> PackedTrees:
    """Trees as files hold them."""
    inner, counts = trees.is_inner, _counts(trees)
    return PackedTrees(
        trees.starts, np.packbits(inner), _small(trees.column[inner]), _small(trees.left[inner]),
        trees.threshold[inner], np.packbits(trees.missing_left[inner]), trees.gain[inner], counts,
        _small(trees.weight) if counts is None else None, trees.value if counts is None else None, trees.sets,
        trees.words,
    )  # fmt: skip


def _counts(trees: Trees) -> Small | None:
    """The weights of the classes in the nodes, where weights and values follow from them to the last bit."""
    found = np.rint(trees.value * trees.weight[:, None])
    if not np.all((found >= 0) & (found < _MOST)):
        return None
    weight, value = _shares(found)
    same = np.array_equal(weight, trees.weight) and np.array_equal(value, trees.value)
    return _small(found) if same else None


def _shares(counts: Small) -> tuple[Floats, Floats]:
    """The weights of nodes, and the shares of classes in them."""
    own = counts.astype(np.float64)
    weight = own.sum(axis=1)
    return weight, np.asarray(own / np.maximum(1, weight)[:, None])


def _small(numbers: Floats | Whole | NDArray[np.int32]) -> NDArray[np.generic]:
    """Whole numbers in the smallest type that holds them; others as they are."""
    if not np.all((numbers == np.rint(numbers)) & (numbers >= 0) & (numbers < _MOST)):
        return numbers
    most = int(numbers.max(initial=0))
    return numbers.astype(next(kind for kind in _SMALL if most <= np.iinfo(kind).max))
