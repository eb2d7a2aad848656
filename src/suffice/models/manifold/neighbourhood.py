"""The objects of a map as neighbours: a graph of them, and who is near a new row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from scipy import sparse

from ...backend.neighbors import Nearest, Within, nearest_of, within_of
from ...data.rows import in_double
from ...errors import Disconnected, InvalidData, MemoryNeeded, RefusedRow, warn
from ...holds import instance, number, optional, require, whole
from ...indices import Brute, Index, KDTree, NeighborGraph
from ...indices.choice import suited
from ...indices.graph import nearest_others, nearest_others_of
from ...indices.listed import listed
from ...registry import registered
from ...typing import CSR, Numbers, Reals, Whole
from .compared import Compared

Pieces = Literal["join", "largest", "keep"]
_BYTES = 100  # that one neighbour of one row takes, at the most, while a fit is made ready
_MANY, _LOOKED_AT = 2000, 64  # rows for which a choice pays, and at which it looks
_SHEET = 5.0  # dimensions, up to which a tree is faster whatever the number of columns


@registered("part/Neighbourhood")
@dataclass(frozen=True)
class Neighbourhood:
    """Objects, and how many of them, or within what radius, are the neighbours of a row."""

    compared: Compared
    k: int | None
    radius: float | None = None

    holds: ClassVar = {
        "compared": instance(Compared, m="m", d="d"),
        "k": optional(whole(at_least=1)),
        "radius": optional(number(at_least=0)),
    }

    def check_loaded(self) -> None:
        """Raise an error where nothing says who is a neighbour."""
        require((self.k is None) != (self.radius is None), "either k or radius must be there")

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "index"}

    @cached_property
    def index(self) -> Index:
        """The index of the objects, where they are rows."""
        distance, rows = self.compared.measure.distance, self.compared.rows
        assert distance is not None
        assert rows is not None
        chosen = suited(rows, distance)
        if isinstance(chosen, Brute) and _on_a_sheet(chosen.of_checked(rows, distance), rows):
            chosen = KDTree(reason="k-d tree: the rows lie on a sheet of few dimensions")
        return chosen.of_checked(rows, distance)

    def graph(self) -> NeighborGraph:
        """The graph of the objects."""
        if self.compared.graph is not None:
            return NeighborGraph.of_listed(self.compared.graph, self.k, self.radius)
        if self.compared.given is not None:
            return NeighborGraph.of_distances(np.asarray(self.compared.given), self.k, self.radius)
        assert self.compared.rows is not None
        if self.k is not None:
            return NeighborGraph.nearest(self.index, self.compared.rows, self.k)
        return NeighborGraph.within(self.index, self.compared.rows, self.radius or 0.0)

    def each(self) -> Within:
        """The k nearest others of each object, nearest first, where the neighbours are so many."""
        assert self.k is not None
        if self.compared.graph is not None:
            return listed(self.compared.graph, self.k)
        if self.compared.given is not None:
            return nearest_others_of(np.asarray(self.compared.given), self.k)
        assert self.compared.rows is not None
        return nearest_others(self.index, self.compared.rows, self.k)

    def lists(self, X: Numbers) -> Within:
        """The neighbours of new rows among the objects, nearest first; at least the nearest object."""
        rows, m = in_double(X), len(self.compared)
        k = min(m, self.k or 1)
        if self.compared.at is not None:
            D = rows[:, self.compared.at]
            lists = self._listed(D, k) if sparse.issparse(D) else self._of_all(D, k)
            return _led(lists, self.compared.at_zero(D))
        found = self.index.kneighbors(rows, k)
        wide = None if self.radius is None else self.index.radius_neighbors(rows, self.radius)
        return _joined(found, wide)

    def _of_all(self, D: Reals, k: int) -> Within:
        return _joined(nearest_of(D, k), None if self.radius is None else within_of(D, self.radius))

    def _listed(self, D: CSR, k: int) -> Within:
        """Of what new rows list; one that lists no object of the fit is refused."""
        nearest = listed(D, k, own=True)
        empty = np.diff(nearest.ends, prepend=0) == 0
        if empty.any():
            why = "lists no row of the fit with its distance"
            raise RefusedRow(self.compared.measure.owner, int(np.argmax(empty)), why, "Give at least one.")
        return nearest if self.radius is None else _at_least(listed(D, None, self.radius, own=True), nearest)


def check_lists(owner: str, near: Neighbourhood, memory: int, instead: str) -> None:
    """Refuse lists of neighbours that take more than `memory` bytes, before they are made."""
    assert near.k is not None
    m = len(near.compared)
    needed = _BYTES * near.k * m
    if needed > memory:
        raise MemoryNeeded(
            f"{owner}: {near.k:,} neighbours of each of {m:,} different rows take {needed:,} bytes, more than "
            f"memory={memory:,}. {instead}"
        )


def _on_a_sheet(index: Brute, rows: Numbers) -> bool:
    """Whether so few dimensions are filled that a tree passes over most rows, by how fast neighbours get more."""
    is_sparse = bool(sparse.issparse(rows))
    if index.n_rows < _MANY or KDTree.refusal(index.measure, is_sparse) is not None or np.isnan(rows).any():
        return False
    some = rows[:: len(rows) // _LOOKED_AT]
    far = np.median(index.kneighbors(some, 33).distances[:, [16, 32]], axis=0)
    return bool(far[1] > far[0] * 2 ** (1 / _SHEET))


def _joined(found: Nearest, wide: Within | None) -> Within:
    """The nearest of each row; or those within a radius, and of rows that have none the nearest."""
    q, k = found.rows.shape
    nearest = Within(np.arange(1, q + 1) * k, found.distances.ravel(), found.rows.ravel())
    return nearest if wide is None else _at_least(wide, nearest)


def _led(lists: Within, own: Whole) -> Within:
    """The lists with the object first that a row is, one of those at no distance; −1: none is."""
    starts = lists.starts()
    for i in np.flatnonzero((own >= 0) & (lists.rows[starts] != own)):
        cells = lists.rows[starts[i] : lists.ends[i]]
        cells[cells == own[i]] = cells[0]
        cells[0] = own[i]
    return lists


def _at_least(lists: Within, nearest: Within) -> Within:
    """The lists, those that are empty with the nearest row instead."""
    sizes = np.diff(lists.ends, prepend=0)
    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return lists
    at = lists.ends[empty]
    sizes[empty] = 1
    return Within(
        np.cumsum(sizes),
        np.insert(lists.distances, at, nearest.distances[empty]),
        np.insert(lists.rows, at, nearest.rows[empty]),
    )


def in_pieces(owner: str, graph: NeighborGraph, pieces: Pieces, near: Neighbourhood) -> tuple[NeighborGraph, Whole]:
    """The graph as a map can use it, and the objects that it is of; a warning where it falls into pieces."""
    every = np.arange(graph.n)
    if graph.n_components == 1:
        return graph, every
    if pieces == "join" and near.compared.graph is not None:
        raise InvalidData(
            f"{owner}: the graph that the sparse matrix lists falls into {graph.n_components:,} pieces, and no "
            "distance between them is known. List longer ones as well, or set pieces='largest'."
        )
    sizes = np.sort(np.bincount(graph.component))[::-1]
    done = {
        "join": "They were joined by the shortest edges between them (pieces='join').",
        "largest": f"The largest is mapped, and the other {graph.n - sizes[0]:,} rows are placed as new ones.",
        "keep": "They are kept apart (pieces='keep').",
    }[pieces]
    warn(
        f"{owner}: the graph of neighbours falls into {graph.n_components:,} pieces, the largest of {sizes[0]:,} of "
        f"{graph.n:,} different rows. {done} Raise n_neighbors for one piece.",
        Disconnected,
    )
    if pieces == "largest":
        rows = graph.largest()
        return graph.part(rows), rows
    return (graph.joined(near.compared.from_others) if pieces == "join" else graph), every
