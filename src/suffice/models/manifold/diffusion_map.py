"""Diffusion maps."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ...data import Needs, Source
from ...engine import Outcome, Step, closed_form
from ...errors import squares_overflow, squares_underflow
from ...estimator import Attributes, estimator
from ...holds import floats
from ...kernels import GaussianKernel
from ...kernels.base import check_memory
from ...params import learned, param
from ...typing import Floats, Whole
from ..dissimilarity import Dissimilarity
from .alike import Alike, AlikeByKernel, AlikeByNeighbours
from .compared import Compared
from .embedding import Embedding
from .graph_embedding import pieces_param
from .neighbourhood import Neighbourhood, Pieces
from .objects import Objects
from .walk import Matrix, scaled, walked
from .walk_map import WalkMap

_LARGEST = 1e307
_SOME = 500  # objects whose distances say how wide the kernel is


@estimator
class DiffusionMap(Embedding):
    """Diffusion map: places whose distances are those of random walks that began at both rows, after t steps.

    A step goes from x to y with a probability proportional to k(x, y) / (q(x) q(y))^α, where k = exp(−γ ‖x − y‖²) and
    q = Σ k says how crowded it is. With its eigenvalues 1 > μ₁ ≥ μ₂ … and right eigenvectors ψ, Σ π ψ² = 1 for the
    stationary π, the coordinates are μᵗ ψ (Coifman and Lafon, 2006). With α = 1 the map shows the shape of what the
    rows lie on and not how densely, with 0 both. The objective is Σ (1 − μ). A new row goes where Nyström's extension
    puts it; one that equals a row of the fit goes where that is.

    Examples
    --------
    >>> import suffice as sf
    >>> t = np.linspace(0, 1, 50) ** 2                               # crowded at one end
    >>> curve = np.column_stack([np.cos(2 * t), np.sin(2 * t)])
    >>> z = sf.DiffusionMap(1, gamma=50).fit_transform(curve)[:, 0]
    >>> bool(np.all(np.diff(z) > 0) or np.all(np.diff(z) < 0))
    True
    """

    gamma: float | None = param(
        None,
        number=True,
        above=0,
        below=np.inf,
        choices=(None,),
        doc="γ; None takes 1 over the median of squared distances, or of those of neighbours with n_neighbors.",
    )
    alpha: float = param(1.0, number=True, at_least=0, at_most=1, doc="α: how far crowds are taken out, from 0 to 1.")
    t: float = param(1.0, number=True, at_least=0, below=np.inf, doc="The steps of the walks.")
    n_neighbors: int | None = param(
        None,
        integer=True,
        at_least=1,
        choices=(None,),
        doc="Rows are alike only where one is among so many nearest others of the other; None: all pairs.",
    )
    pieces: Pieces = pieces_param()

    eigenvalues_: Floats = learned("The eigenvalues μ of the coordinates, falling, (k,).", holds=floats("k"))
    gamma_: float = learned("γ of the fit.")
    n_pieces_: int = learned("In how many pieces the graph of neighbours, or what is alike at all, was.")

    def _needs(self) -> Needs:
        return super()._needs().but(scaled=True, one_hot=True, sparse=True)

    def _mapped(self, objects: Objects, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(objects, source))

    def _solved(self, objects: Objects, source: Source) -> Step[Attributes]:
        measure = Dissimilarity.of("DiffusionMap", "euclidean", objects.rows, objects.weight, source.schema)
        alike, K, some, gamma, count = self._alike(Compared.of(measure, objects))
        mass = objects.weight[some]
        crowd = np.asarray(K @ mass).ravel() ** self.alpha
        walk = walked(scaled(K, 1 / crowd), mass, self.n_components + 1)
        total = float(mass @ walk.degree)
        values = walk.values[1:]
        with np.errstate(invalid="ignore"):
            sizes = np.where(values > 0, values, 0.0) ** self.t
        points = np.ascontiguousarray(walk.vectors[:, 1:] * np.sqrt(total) * sizes)
        made = WalkMap(points, alike, mass, values, crowd)
        attributes = {
            "eigenvalues_": values,
            "gamma_": gamma,
            "n_pieces_": max(count, walk.n_pieces),
            "_map": made,
            "_places": points if len(some) == len(objects) else made.places(objects.rows),
        }
        return Step(attributes, float(np.sum(1 - values)))

    def _alike(self, compared: Compared) -> tuple[Alike, Matrix, Whole, float, int]:
        """How alike objects are, the matrix with a row's likeness to itself, which objects they are, γ and pieces."""
        every = np.arange(len(compared))
        if self.n_neighbors is None:
            check_memory(len(every), len(every), 8 * 3, self.memory, "DiffusionMap")
            gamma = self._gamma(compared.among(every[:: max(1, len(every) // _SOME)]))
            found = AlikeByKernel(compared, GaussianKernel(gamma=gamma))
            return found, found.matrix("DiffusionMap", self.memory), every, gamma, 0
        near = Neighbourhood(compared, self.n_neighbors)
        gamma = self._gamma(near.graph().lengths)
        alike = AlikeByNeighbours(near, gamma)
        W, some, count = alike.matrix("DiffusionMap", self.pieces)
        if len(some) < len(every):
            alike = AlikeByNeighbours(Neighbourhood(compared.part(some), self.n_neighbors), gamma)
        return alike, sparse.csr_array(W + sparse.eye_array(len(some))), some, gamma, count

    def _gamma(self, distances: Floats) -> float:
        if self.gamma is not None:
            return float(self.gamma)
        apart = distances[distances > 0]
        squared = float(np.median(apart)) ** 2 if len(apart) else 1.0
        if not 1 / _LARGEST < squared < _LARGEST:
            raise squares_underflow("DiffusionMap") if squared < 1 else squares_overflow("DiffusionMap")
        return 1.0 / squared
