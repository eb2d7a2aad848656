"""Maximum variance unfolding: neighbours stay as far apart as they are, and all else goes as far as it can."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy import sparse

from ...backend.graphs import shortest_ways
from ...data import Source
from ...engine import Kept, Outcome, iterate
from ...errors import InvalidData, InvalidParameter, MemoryNeeded, NotConverged, warn
from ...estimator import Attributes, estimator
from ...holds import floats, number, record
from ...indices import NeighborGraph
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...typing import CSR, Floats, Numbers, RandomState, Whole
from ..dissimilarity import is_precomputed
from .classical import by_squares, of_pairs
from .graph_embedding import GraphEmbedding
from .length_map import LengthMap
from .local_fits import barycentre_matrix
from .neighbourhood import Neighbourhood
from .objects import Objects
from .turned import turned
from .unfolding import Unfolded, Unfolding

_PIVOTS = 300  # objects from which shortest ways lead to where a map begins
_MORE = 8  # coordinates beside those of the map, in which points may pass each other
_REG = 1e-3  # of the trace, where rows are made of their neighbours


@estimator
class MaximumVarianceUnfolding(GraphEmbedding):
    """Maximum variance unfolding: the map of largest variance whose edges are as long as in the data.

    It maximises Σᵢ ‖yᵢ − ȳ‖² over points with ‖yᵢ − yⱼ‖² = d(xᵢ, xⱼ)² for all neighbours i, j, and any two neighbours
    of one row, so that angles are kept as well (Weinberger and Saul, 2006). In the products K = Y Yᵀ that is a
    semidefinite programme; it is solved in the factor Y, with a few coordinates more than the map has (Burer and
    Monteiro, 2003), by an augmented Lagrangian. The map has the first principal coordinates. A new row goes where its
    distances from its neighbours are kept best.

    Examples
    --------
    >>> import suffice as sf
    >>> t = np.linspace(1.5 * np.pi, 4.5 * np.pi, 60)
    >>> spiral = np.column_stack([t * np.cos(t), t * np.sin(t)])
    >>> z = sf.MaximumVarianceUnfolding(1, n_neighbors=2, random_state=0).fit_transform(spiral)[:, 0]
    >>> bool(np.all(np.diff(z) > 0) or np.all(np.diff(z) < 0))
    True
    """

    maximises = True
    descends = False  # edges that give way at first have a larger variance
    traced = ("points",)
    small: ClassVar = {"max_iter": 6, "tol": 0.05}

    edges: str = param(
        "equal",
        choices=("equal", "at_most"),
        doc="Whether edges are as long as in the data, or at most as long; the latter with landmarks.",
    )
    angles: bool = param(
        True, choices=(True, False), doc="Whether any two neighbours of one row have an edge between them as well."
    )
    landmarks: int | None = param(
        None,
        integer=True,
        at_least=2,
        choices=(None,),
        doc="So many different rows, drawn at random, are unknown, and all others are made of them by weights of "
        "their neighbours; None: all.",
    )
    max_iter: int = param(50, integer=True, at_least=1, doc="At most so many iterations, of up to 200 steps each.")
    tol: float = param(
        2e-3, number=True, above=0, doc="Stop when squares of lengths are wrong by that part of their size."
    )
    random_state: RandomState = random_state_param()

    eigenvalues_: Floats = learned(
        "The variances of all coordinates that were unfolded, falling; those of the map first.", holds=floats("r")
    )
    explained_share_: float = learned("What the coordinates of the map have of the variance.")
    constraint_violation_: float = learned("By what part of their size squares of lengths are wrong.")
    n_iter_: int = learned("The number of iterations.")

    # ---- the fit ----

    def _mapped(self, objects: Objects, source: Source) -> Outcome[Attributes]:
        whole, graph, near, some = self._pieced(objects, source)
        mass = objects.weight[some] / objects.weight[some].mean()
        rng = generator(self.random_state)
        problem, first, unit = self._problem(graph, near, mass, rng)
        outcome = self._unfolded(problem, first, rng)
        count = len(outcome.history)
        return outcome.then(
            lambda best: self._finished(
                self._attributes(best, problem, near, unit) | {"n_iter_": count}, objects, some, whole
            )
        )

    def _problem(
        self, graph: NeighborGraph, near: Neighbourhood, mass: Floats, rng: np.random.Generator
    ) -> tuple[Unfolding, Floats, float]:
        """What is to be unfolded, where it begins, and the typical length."""
        m = graph.n
        pairs = _with_angles(graph) if self.angles else graph.edges
        lengths = _lengths(pairs, near)
        pairs, lengths = pairs[np.isfinite(lengths)], lengths[np.isfinite(lengths)]  # as far as they were given
        longest = float(lengths.max(initial=0.0)) or 1.0
        unit = longest * (float(np.sqrt(np.mean((lengths / longest) ** 2))) if len(pairs) and lengths.any() else 1.0)
        pivots = np.sort(rng.permutation(m)[: self.landmarks or _PIVOTS])
        is_part = self.landmarks is not None and self.landmarks < m
        spread = self._spread(graph, near, pivots) if is_part else None
        problem = Unfolding(pairs, (lengths / unit) ** 2, mass, spread, is_part or self.edges == "at_most")
        start = _along_ways(graph, pivots, min(m, self.n_components + _MORE), unit)
        return problem, start[pivots] if is_part else start, unit

    def _spread(self, graph: NeighborGraph, near: Neighbourhood, at: Whole) -> Floats:
        """Q (m, l), by which all rows are made of the landmarks as they are of their neighbours."""
        m, X = graph.n, near.compared.rows
        distance = near.compared.measure.distance
        if is_precomputed(self.metric) or X is None or distance is None or distance.categories or _has_gaps(X):
            raise InvalidParameter(
                "MaximumVarianceUnfolding: landmarks must be None where rows are no complete dense numbers, since all "
                f"others are made of these; got {self.landmarks}."
            )
        needed = 8 * 4 * m * len(at)
        if needed > self.memory:
            raise MemoryNeeded(
                f"MaximumVarianceUnfolding: {m:,} rows made of {len(at):,} landmarks take {needed:,} bytes, more than "
                f"memory={self.memory:,}. Raise memory, or lower landmarks."
            )
        off = sparse.eye_array(m, format="csr") - barycentre_matrix(X - X.mean(axis=0), graph.lists, _REG)
        form = sparse.csr_array(off.T @ off)
        others = np.setdiff1d(np.arange(m), at)
        Q = np.zeros((m, len(at)))
        Q[at, np.arange(len(at))] = 1.0
        Q[others] = _solved(form[others][:, others], -form[others][:, at].toarray())
        return Q

    def _unfolded(self, problem: Unfolding, first: Floats, rng: np.random.Generator) -> Outcome[Unfolded]:
        places, edges = floats(*first.shape), floats(len(problem.pairs))
        outcome = iterate(
            lambda run: problem.start(first, rng),
            lambda now: problem.step(now, self.tol),
            max_iter=self.max_iter,
            minimise=False,
            snapshot=lambda now: {"points": self._turned(problem, now)[:, : self.n_components]},
            kept=Kept(
                record(places, edges, number(above=0)),
                lambda now: now[:3],
                lambda kept: problem.at(*kept),
            ),
            rng=rng,
        )
        if outcome.history.status == "max_iter":
            warn(
                f"MaximumVarianceUnfolding: after max_iter={self.max_iter} iterations squares of lengths are still "
                f"wrong by {outcome.state.violation:.1%} of their size; raise max_iter or tol, or set edges='at_most'.",
                NotConverged,
            )
        return outcome

    def _turned(self, problem: Unfolding, now: Unfolded) -> Floats:
        return turned(problem.points(now.factors), problem.mass)

    def _attributes(self, best: Unfolded, problem: Unfolding, near: Neighbourhood, unit: float) -> Attributes:
        every = self._turned(problem, best) * unit
        m, k = len(every), self.n_components
        points = np.zeros((m, k))
        points[:, : every.shape[1]] = every[:, :k]
        with np.errstate(over="ignore"):
            variances = problem.mass @ every**2 / problem.mass.sum()
        if not np.isfinite(variances).all():
            raise InvalidData("MaximumVarianceUnfolding: lengths are too large to be squared; scale the columns down.")
        total = float(variances.sum())
        return {
            "eigenvalues_": variances,
            "explained_share_": float(variances[:k].sum()) / total if total > 0 else 1.0,
            "constraint_violation_": best.violation,
            "_map": LengthMap(points, near),
            "_places": points,
        }


def _has_gaps(X: Numbers) -> bool:
    """Whether not every cell of some rows stands in an array."""
    return not isinstance(X, np.ndarray) or bool(np.isnan(X).any())


def _with_angles(graph: NeighborGraph) -> Whole:
    """The pairs i < j that are neighbours, or neighbours of one row, (e, 2)."""
    rows = graph.lists.queries()
    listed = sparse.csr_array((np.ones(len(rows)), (rows, graph.lists.rows)), shape=(graph.n, graph.n))
    both = sparse.triu(graph.matrix("binary") + listed.T @ listed, 1).tocsr()
    both.sort_indices()
    i = np.repeat(np.arange(graph.n), np.diff(both.indptr))
    return np.column_stack([i, both.indices]).astype(np.int64)


def _lengths(pairs: Whole, near: Neighbourhood) -> Floats:
    """How far apart pairs of objects are, (e,), by blocks of rows."""
    out = np.empty(len(pairs))
    m = len(near.compared)
    for at in near.compared.measure.blocks(m, m):
        own = slice(*np.searchsorted(pairs[:, 0], [at.start, at.stop]))
        if own.stop > own.start:
            i, j = pairs[own].T
            out[own] = np.asarray(near.compared.from_all(np.arange(at.start, at.stop)))[i - at.start, j]
    return out


def _along_ways(graph: NeighborGraph, pivots: Whole, r: int, unit: float) -> Floats:
    """A start: the classical map of shortest ways from some objects, by which all are placed."""
    ways = shortest_ways(graph.matrix(), pivots) / unit
    found = of_pairs(np.ascontiguousarray(ways[:, pivots]), np.ones(len(pivots)), r)
    return by_squares(ways.T.copy(), found.points, found.projection, found.offset)


def _solved(form: CSR, right: Floats) -> Floats:
    """The solution of equations of a form that rounding may leave singular."""
    from scipy.sparse.linalg import splu

    n = form.shape[0]
    shift = 1e-9 * float(form.diagonal().max(initial=0.0)) or 1.0
    return np.asarray(splu(sparse.csc_array(form + shift * sparse.eye_array(n))).solve(right))
