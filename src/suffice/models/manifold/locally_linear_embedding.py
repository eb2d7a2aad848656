"""Locally linear embedding, and its modified, Hessian and tangent-space forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...data import Needs
from ...distances import DISTANCES, Distance, asymmetry, is_function
from ...engine import Step
from ...errors import InvalidData
from ...estimator import Attributes, estimator
from ...holds import instance, number
from ...indices import NeighborGraph
from ...params import learned, param
from ...scikit_learn import JOBS, Counterpart
from ...typing import CSR, Floats, Numbers, Whole
from ..dissimilarity import Metric
from . import local_fits
from .graph_embedding import GraphEmbedding, landed
from .map import Map
from .neighbourhood import Neighbourhood
from .smallest import smallest_beside
from .turned import signs

_SOLVED = "few eigenvectors are found to rounding by whichever way costs least"
_TOLERANCE = "what counts as 0 is fixed"


def _why_not(distance: Distance) -> str:
    """Why neighbours by a distance cannot be weighed; nothing where they can."""
    if distance.categories:
        return f"{type(distance).__name__} compares categories, of which there are no barycentres"
    return asymmetry(distance)


@dataclass(frozen=True)
class BarycentricMap(Map):
    """A new row goes to the mean of the places of its neighbours whose weights make the row out of the neighbours."""

    near: Neighbourhood
    reg: float

    holds: ClassVar = {"near": instance(Neighbourhood, m="m", d="d"), "reg": number(at_least=0)}

    def places(self, X: Numbers) -> Floats:
        rows, objects = np.asarray(X, dtype=np.float64), self.near.compared.rows
        assert objects is not None
        lists = self.near.lists(rows)
        out = np.empty((len(rows), self.points.shape[1]))
        for group in local_fits.groups(lists, rows.shape[1]):
            weights = local_fits.barycentres(rows[group.rows], objects[group.near], self.reg)
            out[group.rows] = np.einsum("qk,qkc->qc", weights, self.points[group.near])
        return landed(lists, out, self.points)

    def dissimilarities(self, some: Whole) -> Floats:
        return self.near.compared.among(some)


@estimator
class LocallyLinearEmbedding(GraphEmbedding):
    """Locally linear embedding: places that are the same weighted means of their neighbours as the rows are of theirs.

    The weights W minimise Σᵢ ‖xᵢ − Σⱼ wᵢⱼ xⱼ‖² with Σⱼ wᵢⱼ = 1, the map Σᵢ ‖zᵢ − Σⱼ wᵢⱼ zⱼ‖² with Σ zᵢ zᵢᵀ = I: its
    coordinates are the eigenvectors of the smallest eigenvalues of (I − W)ᵀ(I − W) after the constant one (Roweis and
    Saul, 2000). `method="modified"` takes several weight vectors for each row (Zhang and Wang, 2006), `"hessian"`
    second derivatives in tangent coordinates (Donoho and Grimes, 2003), `"ltsa"` aligns tangent spaces (Zhang and Zha,
    2004). A new row goes to the mean of the places of its neighbours with its own weights; one that equals a row of
    the fit goes where that is.

    Examples
    --------
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> t = np.sort(rng.uniform(0, 3 * np.pi, 200))
    >>> curve = np.column_stack([np.cos(t), np.sin(t), t / 2])
    >>> model = sf.LocallyLinearEmbedding(1, n_neighbors=8, method="modified").fit(curve)
    >>> float(round(abs(np.corrcoef(model.embedding_[:, 0], t)[0, 1]), 3))
    1.0
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.manifold",
        ignored={
            "n_jobs": JOBS,
            "eigen_solver": _SOLVED,
            "tol": _SOLVED,
            "max_iter": _SOLVED,
            "random_state": "nothing is drawn",
            "neighbors_algorithm": "neighbours are the same by any index",
        },
        absent={"hessian_tol": _TOLERANCE, "modified_tol": _TOLERANCE},
    )

    exemptions: ClassVar = {}

    metric: Metric = param(
        "euclidean",
        names=DISTANCES.only(_why_not),
        accept=is_function,
        allowed="a function of two rows",
        doc="The distance by which rows are neighbours: a name, a distance, a function.",
    )
    method: str = param("standard", choices=("standard", "modified", "hessian", "ltsa"), doc="Which form; see above.")
    reg: float = param(
        1e-3,
        number=True,
        at_least=0,
        below=np.inf,
        doc="What is added to the products of neighbours, as a share of their trace, for `standard` and new rows.",
    )

    reconstruction_error_: float = learned("The objective: the sum of the eigenvalues of the coordinates.")

    def _needs(self) -> Needs:
        return super()._needs().but(missing=False, categories=False, sparse=False, scaled=True, one_hot=True)

    def _of_graph(self, graph: NeighborGraph, near: Neighbourhood, weight: Floats) -> Step[Attributes]:
        X, k = near.compared.rows, self.n_components
        assert isinstance(X, np.ndarray)
        mass = weight / weight.mean()
        root = np.sqrt(mass)
        form = self._form(X, graph, mass)
        values, vectors = smallest_beside(
            _scaled(form, 1 / root), root / np.linalg.norm(root), k, self.memory, type(self).__name__
        )
        points = vectors / np.sqrt(weight)[:, None]
        points *= signs(points)
        made = BarycentricMap(points, near, float(self.reg))
        error = float(values.sum())
        return Step({"reconstruction_error_": error, "_map": made, "_places": points}, error)

    def _form(self, X: Floats, graph: NeighborGraph, mass: Floats) -> CSR:
        """The matrix whose smallest eigenvectors are the coordinates."""
        X, lists, k = X - X.mean(axis=0), graph.lists, self.n_components
        if self.method == "standard":
            return local_fits.standard(X, lists, mass, self.reg)
        self._check_enough(np.diff(lists.ends, prepend=0), X.shape[1])
        if self.method == "modified":
            return local_fits.modified(X, lists, mass, k)
        block = local_fits.hessian if self.method == "hessian" else local_fits.tangent_space
        return local_fits.alignment(lists, X.shape[1], mass, lambda group: block(X, group, k))

    def _check_enough(self, neighbours: Whole, d: int) -> None:
        """Refuse fewer neighbours, or columns, than the form needs for so many coordinates."""
        k = self.n_components
        least = {"modified": k, "hessian": k * (k + 3) // 2 + 1, "ltsa": k + 1}[self.method]
        if len(neighbours) and neighbours.min() < least:
            raise InvalidData(
                f"LocallyLinearEmbedding: method={self.method!r} needs at least {least} neighbours a row for "
                f"n_components={k}; some row has {neighbours.min()}. Raise n_neighbors, or give more different rows."
            )
        if self.method in ("hessian", "ltsa") and k > d:
            raise InvalidData(
                f"LocallyLinearEmbedding: method={self.method!r} needs at least n_components={k} columns; X has {d}. "
                "Lower n_components."
            )


def _scaled(form: CSR, factor: Floats) -> CSR:
    """The form with its rows and columns multiplied."""
    if np.all(factor == 1):
        return form
    scaled = form.multiply(factor[:, None]).multiply(factor)
    return scaled.tocsr()
