"""Maps of graphs of neighbours: what all of them share."""

from __future__ import annotations

import numpy as np

from ...backend.neighbors import Within
from ...data import Source
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidParameter
from ...estimator import Attributes, declares
from ...indices import NeighborGraph
from ...params import learned, param
from ...typing import Floats, Whole
from .compared import Compared
from .measured import Measured
from .neighbourhood import Neighbourhood, Pieces, in_pieces
from .objects import Objects


def pieces_param(default: Pieces = "join") -> Pieces:
    """The declaration of what is done with a graph that falls into pieces."""
    declared: Pieces = param(
        default,
        choices=("join", "largest") if default == "join" else ("keep", "join", "largest"),
        doc="What to do with a graph that falls into pieces, beside the warning: join them by their shortest edges, "
        "or map the largest and place all other rows as new ones.",
    )
    return declared


@declares
class GraphEmbedding(Measured):
    """Base: a subclass gives `_of_graph`, the attributes of the map of a graph, `_map` and `_places` among them."""

    n_neighbors: int | None = param(
        5,
        integer=True,
        at_least=1,
        choices=(None,),
        doc="How many other rows are a row's neighbours; at most all. None: those within `radius`.",
    )
    radius: float | None = param(
        None, number=True, at_least=0, choices=(None,), doc="Rows no farther are neighbours; n_neighbors must be None."
    )
    pieces: Pieces = pieces_param()

    n_pieces_: int = learned("In how many pieces the graph of neighbours was.")

    def _allows_lists(self) -> bool:
        return True

    def _of_graph(self, graph: NeighborGraph, near: Neighbourhood, weight: Floats) -> Step[Attributes]:
        raise TypeError(f"{type(self).__name__} does not define _of_graph")

    # ---- the fit ----

    def _mapped(self, objects: Objects, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(objects, source))

    def _solved(self, objects: Objects, source: Source) -> Step[Attributes]:
        whole, graph, near, some = self._pieced(objects, source)
        step = self._of_graph(graph, near, objects.weight[some])
        return Step(self._finished(step.state, objects, some, whole), step.objective)

    def _pieced(self, objects: Objects, source: Source) -> tuple[NeighborGraph, NeighborGraph, Neighbourhood, Whole]:
        """The graph of all objects, that which is mapped, who is near in it, and the objects that it is of."""
        near = self._neighbourhood(self._comparison(objects, source))
        whole = near.graph()
        graph, some = in_pieces(type(self).__name__, whole, self.pieces, near)
        if len(some) < len(objects):
            near = Neighbourhood(near.compared.part(some), near.k, near.radius)
        return whole, graph, near, some

    def _finished(self, found: Attributes, objects: Objects, some: Whole, whole: NeighborGraph) -> Attributes:
        """The attributes with the places of all objects."""
        return {**found, "_places": self._all_places(found, objects, some), "n_pieces_": whole.n_components}

    def _neighbourhood(self, compared: Compared) -> Neighbourhood:
        if self.n_neighbors is not None and self.radius is not None:
            raise InvalidParameter(
                f"{type(self).__name__}: n_neighbors={self.n_neighbors} and radius={self.radius} say both who is a "
                "neighbour; set one of them to None."
            )
        if self.n_neighbors is None and self.radius is None:
            raise InvalidParameter(f"{type(self).__name__}: n_neighbors and radius are both None; give one of them.")
        return Neighbourhood(compared, self.n_neighbors, None if self.radius is None else float(self.radius))

    def _all_places(self, found: Attributes, objects: Objects, some: Whole) -> Floats:
        """The places of all objects; those outside of the graph are new to the map."""
        own: Floats = found["_places"]
        if len(some) == len(objects):
            return own
        places = np.empty((len(objects), own.shape[1]))
        others = np.setdiff1d(np.arange(len(objects)), some)
        places[some], places[others] = own, found["_map"].places(objects.rows[others])
        return places


def landed(lists: Within, places: Floats, own: Floats) -> Floats:
    """Places of new rows, of which those that equal an object, at distance 0, are where that is."""
    first = lists.starts()
    same = lists.distances[first] == 0
    places[same] = own[lists.rows[first[same]]]
    return places
