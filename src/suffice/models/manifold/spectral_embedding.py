"""Laplacian eigenmaps."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Chunk, Source
from ...engine import Outcome, Step, closed_form
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import learned, param
from ...scikit_learn import JOBS, Counterpart
from ...typing import Floats
from .embedding import Embedding
from .graph_embedding import pieces_param
from .neighbourhood import Pieces
from .objects import Objects
from .walk import walked
from .walk_map import ByAffinity, WalkMap, affinity_param, is_graph, objects_alike, similar

_SOLVED = "few eigenvectors are found to rounding by whichever way costs least"


@estimator
class SpectralEmbedding(ByAffinity, Embedding):
    """Laplacian eigenmaps: places that are near each other where rows are alike, min Σᵢⱼ wᵢⱼ ‖zᵢ − zⱼ‖².

    With the degrees dᵢ = Σⱼ wᵢⱼ the scale is fixed by Σ dᵢ zᵢ zᵢᵀ = I, and the constant is left out: the coordinates
    are the eigenvectors of (D − W) z = λ D z for the smallest λ after 0 (Belkin and Niyogi, 2003). The similarities w
    are those of a graph of neighbours, a kernel, or given. The objective is Σ λ. A new row x goes to
    Σⱼ w(x, xⱼ) zⱼ / (d(x) (1 − λ)), Nyström's extension; one that equals a row of the fit goes where that is.

    Examples
    --------
    >>> import suffice as sf
    >>> t = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> knot = np.column_stack([np.cos(t), np.sin(t), np.sin(2 * t)])
    >>> z = sf.SpectralEmbedding(2, n_neighbors=5).fit_transform(knot)
    >>> bool(np.ptp(np.hypot(*z.T)) < 1e-2 * np.hypot(*z.T).max())                    # a circle
    True
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.manifold",
        ignored={
            "n_jobs": JOBS,
            "eigen_solver": _SOLVED,
            "eigen_tol": _SOLVED,
            "random_state": "nothing is drawn",
        },
    )

    affinity: object = affinity_param("nearest_neighbors")
    gamma: float | None = param(
        None, number=True, above=0, below=np.inf, choices=(None,), doc="The scale of a kernel by name; None takes 1/d."
    )
    n_neighbors: int | None = param(
        None,
        integer=True,
        at_least=1,
        choices=(None,),
        doc="How many neighbours a row has in the graph, itself counted; None: a tenth of the rows.",
    )
    heat: float | None = param(
        None,
        number=True,
        above=0,
        below=np.inf,
        choices=(None,),
        doc="γ of the weights exp(−γ d²) of edges; None: all weigh 1, and half where one row lists the other alone.",
    )
    pieces: Pieces = pieces_param("keep")

    eigenvalues_: Floats = learned("The eigenvalues λ of the coordinates, rising, (k,).", holds=floats("k"))
    n_pieces_: int = learned("In how many pieces the graph, or what is alike at all, was.")

    def _objects(self, rows: Chunk) -> Objects:
        return objects_alike(rows, "SpectralEmbedding", self.affinity)

    def _mapped(self, objects: Objects, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(objects, source))

    def _solved(self, objects: Objects, source: Source) -> Step[Attributes]:
        tenth = max(1, len(objects) // 10)
        found = similar(
            "SpectralEmbedding",
            objects,
            source,
            self.affinity,
            n_neighbors=tenth if self.n_neighbors is None else self.n_neighbors,
            gamma=self.heat if is_graph(self.affinity) else self.gamma,
            pieces=self.pieces,
            memory=self.memory,
        )
        mass = objects.weight[found.some]
        walk = walked(found.matrix, mass, self.n_components + 1)
        points, values = walk.vectors[:, 1:], walk.values[1:]
        made = WalkMap(np.ascontiguousarray(points), found.alike, mass, values)
        places = made.points
        if len(found.some) < len(objects):
            places = made.places(objects.rows)
        attributes = {
            "eigenvalues_": 1 - values,
            "n_pieces_": max(found.n_pieces, walk.n_pieces),
            "_map": made,
            "_places": places,
        }
        return Step(attributes, float(np.sum(1 - values)))
