"""A map by the slowest vectors of a random walk, and where new rows go on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, cast

import numpy as np
from scipy import sparse
from sklearn.utils import Tags

from ...data import Chunk, Needs, Source
from ...errors import RefusedRow
from ...estimator import Estimator
from ...holds import floats, instance, optional
from ...kernels import KERNELS, Kernel, as_kernel, is_function
from ...params import param
from ...typing import Floats, Numbers, Whole
from ..dissimilarity import Dissimilarity
from .affinity_function import Affinity
from .alike import Alike, AlikeAsGiven, AlikeByKernel, AlikeByNeighbours, check_given
from .compared import Compared
from .map import Map
from .measured import as_listed, as_measured
from .neighbourhood import Neighbourhood, Pieces
from .objects import Objects
from .walk import Matrix, steps

_LEAST = 1e-6  # eigenvalues nearer to 0 say nothing of new rows
_BLOCK_CELLS = 1 << 20
_DISTANCES = "precomputed_nearest_neighbors"
GIVEN = ("precomputed", _DISTANCES)  # affinities of which X holds the matrix


@dataclass(frozen=True)
class WalkMap(Map):
    """Nyström's extension: a new row goes to the mean of the objects that a step leads to, divided by the eigenvalues.

    A row that equals an object goes where that is. With `crowd` similarities are divided by a power of how crowded both
    ends are.
    """

    alike: Alike
    mass: Floats
    values: Floats
    crowd: Floats | None = None

    holds: ClassVar = {
        "alike": instance(Alike, m="m", d="d"),
        "mass": floats("m", above=0),
        "values": floats("k"),
        "crowd": optional(floats("m", above=0)),
    }

    def in_form(self, X: Numbers) -> Numbers:
        return self.alike.in_form(X)

    def places(self, X: Numbers) -> Floats:
        out, height = np.empty((X.shape[0], self.points.shape[1])), max(1, _BLOCK_CELLS // len(self.points))
        for first in range(0, len(out), height):
            try:
                out[first : first + height] = self._placed(X[first : first + height])
            except RefusedRow as error:
                raise error.after(first) from None
        return out

    def _placed(self, X: Numbers) -> Floats:
        mass = self.mass if self.crowd is None else self.mass / self.crowd
        P, sums = steps(self.alike.between(X), mass)
        safe = np.where(np.abs(self.values) > _LEAST, self.values, np.inf)
        places = np.asarray(P @ self.points) / safe
        lost = sums <= 0
        if lost.any():
            places[lost] = self.points[self.alike.nearest(X[lost])]
        same = self.alike.same(X)
        places[same >= 0] = self.points[same[same >= 0]]
        return places

    def pairs(self) -> tuple[Floats, Floats] | None:
        rows = self.alike.rows()
        return (self.points, rows) if isinstance(rows, np.ndarray) else None

    def dissimilarities(self, some: Whole) -> Floats:
        return self.alike.dissimilarities(some)


class Similar(NamedTuple):
    """How alike the objects are, the matrix of those in the graph, and the rest of what a fit has to know."""

    alike: Alike
    matrix: Matrix
    some: Whole  # the objects that are mapped
    n_pieces: int


def negative_somewhere(kernel: Kernel) -> str:
    """Why a kernel gives no similarities to walk by."""
    return f"{type(kernel).__name__} reads texts; give its matrix, affinity='precomputed'" if kernel.reads_text else ""


class ByAffinity(Estimator):
    """Mixin of models of an `affinity`: rows are brought to numbers on one scale, unless the affinities are given."""

    affinity: object

    def _is_precomputed(self) -> bool:
        return isinstance(self.affinity, str) and self.affinity in GIVEN

    def _needs(self) -> Needs:
        rows = not self._is_precomputed()
        return super()._needs().but(scaled=rows, one_hot=rows, sparse=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags


def is_graph(affinity: object) -> bool:
    """Whether neighbours alone are alike."""
    return isinstance(affinity, str) and affinity in ("nearest_neighbors", _DISTANCES)


def affinity_param(default: str) -> object:
    """The declaration of `affinity`."""
    return param(
        default,
        choices=("nearest_neighbors", *GIVEN),
        names=KERNELS.only(negative_somewhere),
        accept=is_function,
        allowed="a function of rows",
        doc="How alike rows are: a graph of neighbours, a kernel that is nowhere below 0, by name or as it is, or a "
        "function of one table, of two tables or of two rows; precomputed: X holds the similarities of all pairs; "
        "precomputed_nearest_neighbors: X holds distances, of which the nearest count. Both may be sparse.",
    )


def similar(
    owner: str,
    objects: Objects,
    source: Source,
    affinity: object,
    *,
    n_neighbors: int,
    gamma: float | None,
    pieces: Pieces,
    memory: int,
    **more: object,
) -> Similar:
    """How alike objects are by a parameter `affinity`; a row itself is one of its `n_neighbors`."""
    every = np.arange(len(objects))
    if isinstance(affinity, str) and affinity == "precomputed":
        S = objects.rows[:, objects.at]
        return Similar(AlikeAsGiven(S, *objects.columns()), without_own(S), every, 0)
    metric = "precomputed" if isinstance(affinity, str) and affinity in GIVEN else "euclidean"
    compared = Compared.of(Dissimilarity.of(owner, metric, objects.rows, objects.weight, source.schema), objects)
    if is_graph(affinity):
        near = AlikeByNeighbours(Neighbourhood(compared, max(1, n_neighbors - 1)), gamma)
        W, some, count = near.matrix(owner, pieces)
        if len(some) < len(every):
            near = AlikeByNeighbours(Neighbourhood(compared.part(some), near.near.k), gamma)
        return Similar(near, W, some, count)
    if is_function(affinity):
        own = AlikeByKernel(compared, Affinity(cast(Callable[..., object], affinity)))
        return Similar(own, without_own(own.matrix(owner, memory)), every, 0)
    d = objects.rows.shape[1]
    kernel = as_kernel(affinity, owner, gamma=1 / d if gamma is None else gamma, **more)
    assert isinstance(kernel, Kernel)
    known = kernel.get_params(deep=False)
    if known.get("gamma", 0) is None and known.get("bandwidth") is None:
        kernel = kernel.with_params(gamma=1 / d)
    found = AlikeByKernel(compared, kernel)
    return Similar(found, without_own(found.matrix(owner, memory)), every, 0)


def without_own(S: Numbers) -> Matrix:
    """A copy of similarities (n, n), dense or sparse, of a row to itself none."""
    if isinstance(S, np.ndarray):
        found = S.copy()
        np.fill_diagonal(found, 0.0)
        return found
    cells = sparse.coo_array(S)
    off = (cells.row != cells.col) & (cells.data > 0)
    return sparse.csr_array((cells.data[off], (cells.row[off], cells.col[off])), shape=S.shape)


def objects_alike(rows: Chunk, owner: str, affinity: object) -> Objects:
    """The different rows of a fit; given similarities are of as many objects as rows that weigh something."""
    if not isinstance(affinity, str) or affinity not in GIVEN:
        return Objects.of(rows, owner)
    if affinity == _DISTANCES:
        return (as_listed if sparse.issparse(rows.X) else as_measured)(rows, owner, f"affinity={affinity!r}")
    check_given(rows.X, owner)
    n = len(rows) if rows.weight is None else int(np.count_nonzero(rows.weight))
    return Objects.of(rows, owner, (np.arange(n), np.arange(n)))
