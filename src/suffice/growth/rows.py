"""The rows of a fit as trees read them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..backend.arrays import Array
from ..backend.growth import CODES, Coded, Draws, Limits, Nodes, Sorted, Targets, grow_coded, grow_forest, grow_sorted
from ..backend.growth.decoding import decoded
from ..backend.growth.portable import Signs
from ..backend.growth.scores import weights_of
from ..backend.growth.values import Bytes
from ..backend.threads import thread_count
from ..data import Chunk, Source
from ..data.gathering import too_many
from ..data.memory_pool import give_back
from ..data.rows import is_sparse
from ..data.scratch import IN_MEMORY, Room, Scratch
from ..errors import InvalidData
from ..typing import Floats, Labels, Whole
from .cuts import BINS, Cuts, sorted_thresholds
from .filling import Filling
from .levels import Stored, grow_stored
from .targets import medians
from .trees import Numbers32, Thresholds, Trees

_MOST_WEIGHT = 1e150
_ROW_BYTES, _GROWER_BYTES = 48, 44  # of a row, of its targets, and of its place in a tree that grows
_BOOSTED_BYTES, _PREDICTOR_BYTES = 72, 48  # of a row in boosting, and of each of its predictors


@dataclass(frozen=True, eq=False)
class TreeRows:
    """Coded or sorted columns, with the targets (n,) or (n, q) and weights (n,) of the rows."""

    table: Coded | Sorted
    cuts: Cuts
    y: Array
    weight: Floats | None
    classes: Labels | None = None  # where y holds their places

    @classmethod
    def of(
        cls, source: Source, categories: dict[int, int], exact: bool, memory: int | None = None, bins: int = BINS,
        trees: int = 1, whole: str = "", predictors: int = 0,
    ) -> TreeRows:  # fmt: skip
        """From a source: a byte a cell, or, where every value shall count, all rows in memory.

        Weights are refused whose sum has no finite square, since sums of them are squared.

        Where codes, and what the growth of so many trees, or the boosting of so many predictors, needs beside, take
        more than `memory` bytes, they lie in temporary files; or that is an error, which `whole` ends: what to do if
        all must be in memory.
        """
        rows = cls._read(source, categories, exact, memory, bins, trees, whole, predictors)
        total = 0.0 if rows.weight is None else float(rows.weight.sum())
        if total > _MOST_WEIGHT:
            raise InvalidData(
                f"{source.needs.owner}: sample_weight sums up to {total:.3g}, so large that its square overflows; "
                "scale the weights down."
            )
        return rows

    @classmethod
    def _read(
        cls, source: Source, categories: dict[int, int], exact: bool, memory: int | None, bins: int, trees: int,
        whole: str, predictors: int,
    ) -> TreeRows:  # fmt: skip
        if exact:
            chunk = source.gather(memory, "use splitter='histogram', which takes a byte a cell")
            X, few = chunk.X, len(chunk) <= BINS
            cuts = Cuts.of_rows(X, chunk.weight, categories, bins) if few else _without_edges(X, categories)
            table: Coded | Sorted = cuts.coded(X) if few else cuts.sorted(X)
            return cls(table, cuts, chunk.y, chunk.weight)
        cuts = Cuts.of_source(source, categories, bins)
        if source.in_memory is not None:
            chunk = source.in_memory
            return cls(cuts.coded(chunk.X), cuts, chunk.y, chunk.weight)
        if memory is not None and (held := held_bytes(source, trees, predictors)) > memory:
            if whole:
                raise too_many(source, f"about {held:,}", memory, whole)
            return cls._stored(source, cuts, memory)
        if source.n_rows is None or source.elsewhere:
            chunk = source.mapped(lambda rows: _as_codes(rows, cuts)).gather()
            codes: Bytes = np.ascontiguousarray(np.asarray(chunk.X).T)
            return cls(Coded(codes, cuts.categorical, cuts.high), cuts, chunk.y, chunk.weight)
        codes = np.empty((len(source.schema), source.n_rows), dtype=np.uint8)
        found = Filling(codes.T, cuts, IN_MEMORY).fill(source)
        return cls(Coded(codes, cuts.categorical, cuts.high), cuts, found.y, found.weight, found.classes)

    @classmethod
    def _stored(cls, source: Source, cuts: Cuts, memory: int) -> TreeRows:
        scratch = Scratch(source.needs.owner)
        codes = scratch.empty((source.count(), len(source.schema)), np.uint8)
        give_back()
        found = Filling(codes, cuts, scratch).fill(source)
        give_back()
        table = Stored(codes.T, cuts.categorical, cuts.high, scratch, memory)
        return cls(table, cuts, found.y, found.weight, found.classes)

    @property
    def room(self) -> Room:
        """Where arrays of as many rows lie."""
        return self.table.room if isinstance(self.table, Stored) else IN_MEMORY

    def __len__(self) -> int:
        return int(self.table.places.shape[1])

    @property
    def thresholds(self) -> Thresholds:
        """Up to which numbers rows go left of cuts between two places."""
        return self.cuts.thresholds if isinstance(self.table, Coded) else sorted_thresholds(self.table)

    def grown(
        self, targets: Targets, limits: Limits, draws: Draws, monotone: Signs | None = None, leaves: bool = False
    ) -> tuple[Nodes, Numbers32 | None]:
        """Trees, and, if asked for, the leaf k of each row in each, (trees, n), −1 − k where it does not count."""
        draws = self._counted(draws)
        if isinstance(self.table, Stored):
            nodes = grow_stored(self.table, targets, limits, draws)
            return nodes, self._stored_leaves(nodes, draws) if leaves else None
        if isinstance(self.table, Coded):
            return grow_coded(self.table, targets, limits, draws, monotone, leaves)
        return grow_sorted(self.table, targets, limits, draws, monotone, leaves)

    def forest(
        self, targets: Targets, limits: Limits, draws: Draws, monotone: Signs | None, centre: Floats | None
    ) -> Trees:
        """Trees of coded columns; nodes say means, to which `centre` is added, or shares of classes."""
        if not isinstance(self.table, Coded):
            raise TypeError("the trees of a forest grow on codes")
        cuts, draws = self.cuts, self._counted(draws)
        if isinstance(self.table, Stored):
            found = decoded(grow_stored(self.table, targets, limits, draws), targets, cuts.decoding(centre))
        else:
            found = grow_forest(self.table, targets, limits, draws, monotone, cuts.decoding(centre))
        return Trees(
            found.starts, found.column, found.left, found.threshold, found.missing_left, found.gain, found.weight,
            found.value, found.sets, cuts.words,
        )  # fmt: skip

    def forest_of_medians(
        self, targets: Targets, limits: Limits, draws: Draws, monotone: Signs | None, levels: list[Floats]
    ) -> Trees:
        """The same of targets with their ranks; nodes say medians, of the numbers of the ranks."""
        nodes = self.grown(targets, limits, draws, monotone)[0]
        return self.trees(nodes, weights_of(targets, nodes.sums), medians(nodes.sums, levels))

    def _stored_leaves(self, nodes: Nodes, draws: Draws) -> Numbers32:
        none = np.zeros(len(nodes.column))
        trees, found = self.trees(nodes, none, none[:, None]), self.room.empty((len(draws.seeds), len(self)), np.int32)
        for block in self.room.blocks(len(self)):
            leaf = trees.leaves(self.represented(block)).T
            found[:, block] = leaf if draws.times is None else np.where(draws.times[:, block] > 0, leaf, -1 - leaf)
        return np.asarray(found)

    def _counted(self, draws: Draws) -> Draws:
        """Rows without weight do not count."""
        if self.weight is None or draws.times is not None or draws.drawn or (self.weight > 0).all():
            return draws
        times = np.broadcast_to((self.weight > 0).astype(np.int32), (len(draws.seeds), len(self.weight)))
        return replace(draws, times=np.ascontiguousarray(times))

    def trees(self, nodes: Nodes, weight: Floats, value: Floats) -> Trees:
        """Grown nodes as trees, with the weights and the values of their nodes."""
        return Trees.of(nodes, self.thresholds, weight, value, self.cuts.recode, self.cuts.starts)

    def represented(self, block: slice = slice(None)) -> Floats:
        """Numbers that fall through trees as rows do, (n, d): one for each place, NaN for missing cells."""
        found = np.empty((len(range(len(self))[block]), len(self.table.places)))
        for j, places in enumerate(self.table.places[:, block]):
            values, codes = self.table.values[j], self.cuts.recode[self.cuts.starts[j] : self.cuts.starts[j + 1]]
            if len(codes):
                values = np.zeros(BINS + 1)
                values[codes[::-1]] = np.arange(len(codes))[::-1]  # the first category of each code
            if isinstance(self.table, Coded):
                found[:, j] = np.where(np.arange(CODES) == self.table.missing, np.nan, values)[places]
                continue
            missing = places == self.table.missing
            found[:, j] = np.where(missing, np.nan, values[np.where(missing, 0, places)] if len(values) else np.nan)
        return found


def seeds_of(rng: np.random.Generator, trees: int) -> Whole:
    """A seed for each tree."""
    return rng.integers(0, 2**62, trees)


def held_bytes(source: Source, trees: int = 1, predictors: int = 0) -> int:
    """About what trees that grow in memory take: codes, targets, and the rows of each tree that grows at a time.

    Boosting holds codes by column and by row, and each predictor of a row with its gradient and curvature twice.
    """
    known, d = source.about_rows(), len(source.schema)
    each = d + _ROW_BYTES + _GROWER_BYTES * min(trees, thread_count())
    if predictors:
        each = 2 * d + _BOOSTED_BYTES + _PREDICTOR_BYTES * predictors
    return (source.count() if known is None else known) * each


def _as_codes(chunk: Chunk, cuts: Cuts) -> Chunk:
    return replace(chunk, X=cuts.coded(chunk.X).codes.T)


def _without_edges(X: Array, categories: dict[int, int]) -> Cuts:
    """Cuts of rows that will be sorted: only their categories are needed."""
    if not categories:
        return Cuts.of_rows(np.zeros((0, X.shape[1])), None, {})
    if is_sparse(X):
        return Cuts.of_rows(X, None, categories)
    return Cuts.of_rows(np.where(np.isin(np.arange(X.shape[1]), list(categories)), X, 0.0), None, categories)
