"""Isomap: classical scaling of the shortest ways in a graph of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...backend.graphs import shortest_ways
from ...backend.neighbors import Within
from ...engine import Step
from ...errors import MemoryNeeded
from ...estimator import Attributes, estimator
from ...holds import floats, instance, integers
from ...indices import NeighborGraph
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...scikit_learn import JOBS, Counterpart
from ...typing import Floats, Numbers, RandomState, Whole
from .classical import OfPairs, by_squares, of_pairs
from .graph_embedding import GraphEmbedding
from .map import Map
from .neighbourhood import Neighbourhood

_CACHED = 1 << 14  # ways found at once
_SOLVED = "few eigenvectors are found to rounding by whichever way costs least"


@dataclass(frozen=True)
class IsomapMap(Map):
    """Places by the shortest ways to landmarks: a new row goes over its neighbours."""

    near: Neighbourhood
    ways: Floats  # (l, m), from the landmarks to all objects
    at: Whole  # (l,), which objects the landmarks are
    projection: Floats  # (l, k)
    offset: Floats  # (k,)

    holds: ClassVar = {
        "points": floats("l", "k"),
        "near": instance(Neighbourhood, m="m", d="d"),
        "ways": floats("l", "m", at_least=0),
        "at": integers("l", at_least=0, below="m"),
        "projection": floats("l", "k"),
        "offset": floats("k"),
    }

    def places(self, X: Numbers) -> Floats:
        return self.near.compared.by_blocks(X, self.points.shape[1], self._over_neighbours)

    def _over_neighbours(self, X: Numbers) -> Floats:
        from_objects = self.ways if len(self.at) == self.ways.shape[1] else self.ways.T
        return self.placed(_shortest(from_objects, self.near.lists(X)))

    def placed(self, ways: Floats) -> Floats:
        """Where rows go by their ways (q, l) to the landmarks, which are overwritten."""
        return by_squares(ways, self.points, self.projection, self.offset)

    def pairs(self) -> tuple[Floats, Floats] | None:
        found = super().pairs()
        return None if found is None else (self.placed(self.ways.T.copy()), found[1])

    def dissimilarities(self, some: Whole) -> Floats:
        return self.ways[np.ix_(some, self.at[some])]


def _shortest(ways: Floats, lists: Within) -> Floats:
    """The shortest ways (q, l) over neighbours that have ways (m, l), a few rows at once that stay in the cache."""
    starts, sizes = lists.starts(), np.diff(lists.ends, prepend=0)
    out, height = np.full((len(starts), ways.shape[1]), np.inf), max(1, _CACHED // max(1, ways.shape[1]))
    over = np.empty((height, ways.shape[1]))
    for first in range(0, len(out), height):
        at = slice(first, first + height)
        for j in range(int(sizes[at].max())):
            some = np.flatnonzero(sizes[at] > j)
            cells = starts[at][some] + j
            longer = np.take(ways, lists.rows[cells], axis=0, out=over[: len(some)], mode="clip")
            longer += lists.distances[cells, None]
            if len(some) == len(out[at]):
                np.minimum(out[at], longer, out=out[at])
            else:
                out[first + some] = np.minimum(out[first + some], longer)
    return out


@estimator
class Isomap(GraphEmbedding):
    """Isometric mapping: the classical map of the lengths d_G of the shortest ways in a graph of neighbours.

    An edge joins a row with its nearest others, as long as they are apart; along a curved surface the shortest ways
    are about its geodesics. The map minimises the strain Σᵢⱼ (bᵢⱼ − zᵢ·zⱼ)² with B = −½ J D_G² J (Tenenbaum, de Silva
    and Langford, 2000). With `landmarks` only the ways to some rows are found and mapped, and all rows are placed by
    these (de Silva and Tenenbaum, 2003). A new row goes over its neighbours; one that equals a row of the fit goes
    where that is.

    Examples
    --------
    >>> import suffice as sf
    >>> t = np.linspace(1.5 * np.pi, 4.5 * np.pi, 60)
    >>> spiral = np.column_stack([t * np.cos(t), t * np.sin(t)])
    >>> z = sf.Isomap(1, n_neighbors=2).fit_transform(spiral)[:, 0]
    >>> bool(np.all(np.diff(z) > 0) or np.all(np.diff(z) < 0))
    True
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.manifold",
        ignored={
            "n_jobs": JOBS,
            "eigen_solver": _SOLVED,
            "tol": _SOLVED,
            "max_iter": _SOLVED,
            "path_method": "shortest ways are the same by any method",
            "neighbors_algorithm": "neighbours are the same by any index",
        },
        absent={
            "p": "give the distance itself, such as suffice.distances.Minkowski(p=3)",
            "metric_params": "give the distance itself, such as suffice.distances.Minkowski(p=3)",
        },
    )

    landmarks: int | None = param(
        None,
        integer=True,
        at_least=2,
        choices=(None,),
        doc="So many different rows, drawn at random, from which shortest ways are found; None: from all.",
    )
    random_state: RandomState = random_state_param()

    eigenvalues_: Floats = learned("The eigenvalues of the coordinates, falling, (k,).", holds=floats("k"))
    explained_share_: float = learned("What the eigenvalues of the coordinates are of the sum of all.")

    def _of_graph(self, graph: NeighborGraph, near: Neighbourhood, weight: Floats) -> Step[Attributes]:
        some = np.arange(graph.n)
        if self.landmarks is not None and self.landmarks < graph.n:
            some = np.sort(generator(self.random_state).permutation(graph.n)[: self.landmarks])
        self._check_memory(len(some), graph.n)
        ways = shortest_ways(graph.matrix(), some)
        among = ways.copy() if len(some) == graph.n else np.ascontiguousarray(ways[:, some])
        found = of_pairs(among, weight if len(some) == graph.n else np.ones(len(some)), self.n_components)
        made = IsomapMap(found.points, near, ways, some, found.projection, found.offset)
        return Step(self._attributes(found, made, graph.n), found.strain)

    def _attributes(self, found: OfPairs, made: IsomapMap, m: int) -> Attributes:
        places = found.points
        if len(places) < m:
            places = np.empty((m, places.shape[1]))
            for at in made.near.compared.measure.blocks(m, m):
                places[at] = made.placed(made.ways[:, at].T.copy())
            places[made.at] = found.points
        shown = float(np.maximum(found.values, 0.0).sum())
        return {
            "eigenvalues_": found.values,
            "explained_share_": shown / found.total if found.total > 0 else 1.0,
            "_map": made,
            "_places": places,
        }

    def _check_memory(self, some: int, m: int) -> None:
        """Refuse ways and products that take more than `memory` bytes, before they are found."""
        needed = 8 * (some * m + 3 * some**2)
        if needed > self.memory:
            raise MemoryNeeded(
                f"Isomap: the shortest ways from {some:,} to {m:,} different rows, and their products, take {needed:,} "
                f"bytes, more than memory={self.memory:,}. Raise memory, or give landmarks, such as landmarks=500."
            )

    def _instead(self) -> str:
        return "fit a sample of the rows, and transform the others"

    def reconstruction_error(self) -> float:
        """√(Σ b² − Σ λ²) / n, what the products of the map leave of those of the shortest ways."""
        self._check_fitted("embedding_")
        return float(np.sqrt(self.history_.objective[-1]) / len(self.embedding_))
