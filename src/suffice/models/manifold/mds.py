"""Multidimensional scaling of four kinds."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Chunk, Source
from ...engine import Kept, Outcome, Step, closed_form, iterate
from ...errors import InvalidData, InvalidParameter, NotConverged, warn
from ...estimator import Attributes, estimator
from ...holds import floats, sometimes
from ...params import are_numbers, learned, numbers, param
from ...randomness import generator
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from ...typing import Floats
from .classical import scaled, spread_out
from .compared import Compared
from .corrections import Correction
from .measured import measured_both_ways
from .objects import Objects
from .pairs import Pairs
from .placed_map import PlacedMap
from .scaling import Scaling
from .stress import RankStress, Standing, Stress, stresses
from .turned import turned

_KINDS = ("metric", "nonmetric", "sammon", "classical")
_STARTS = ("classical_mds", "random")


def _is_table(value: object) -> bool:
    return are_numbers(value, 2)


@estimator
class MDS(Scaling):
    """Multidimensional scaling: places whose distances d are as near as can be to the dissimilarities δ of the objects.

    `kind="metric"` minimises the raw stress Σᵢ<ⱼ wᵢⱼ (δᵢⱼ − dᵢⱼ)² (Shepard and Kruskal), `"sammon"` Σ (δ − d)²/δ / Σ δ,
    which counts small dissimilarities more, and `"nonmetric"` stress-1, √(Σ (g(δ) − d)² / Σ d²) over all rising
    functions g, so that the order of the dissimilarities alone counts; the mean square of the distances is then 1. All
    three by majorisation, which lowers them at every iteration. `"classical"` is `ClassicalMDS`. Dissimilarities that
    are given may be missing (NaN). A new row goes where its own stress is least; one that equals a row of the fit, or
    is at distance 0, goes where that is.

    Examples
    --------
    >>> import suffice as sf
    >>> cities = sf.datasets.load("us_city_distances").matrix()
    >>> model = sf.MDS(2, metric="precomputed").fit(cities)
    >>> round(model.stress_1_, 4)
    0.0017
    >>> round(sf.MDS(2, kind="nonmetric", metric="precomputed").fit(cities).stress_, 4)
    0.0001
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.manifold",
        ignored={"n_jobs": JOBS, "verbose": VERBOSE},
        absent={
            "metric_params": "give the distance itself, such as suffice.distances.Minkowski(p=3)",
            "dissimilarity": "metric='precomputed' says it",
        },
    )

    kind: str = param("metric", choices=_KINDS, doc="Which stress is minimised.")
    metric_mds: bool = param(True, choices=(True, False), doc="False is scikit-learn's name for kind='nonmetric'.")
    init: object = param(
        "classical_mds",
        choices=(*_STARTS, "warn"),
        accept=_is_table,
        allowed="an array of places, one row an object",
        doc="Where the first run begins: classical scaling, at random, or there; later runs begin at random. What "
        "scikit-learn calls warn is classical_mds.",
    )
    n_init: int = param(1, integer=True, at_least=1, doc="How many runs; the one of least stress is kept.")
    max_iter: int = param(1000, integer=True, at_least=1, doc="At most so many iterations for each run.")
    eps: float = param(
        1e-8, number=True, at_least=0, doc="Stop when the stress falls by less than this part of the squared distances."
    )
    ties: str = param(
        "primary",
        choices=("primary", "secondary"),
        doc="Whether equal dissimilarities may have different distances (primary) or had better not, if nonmetric.",
    )
    pair_weights: object = param(
        None,
        choices=(None,),
        accept=_is_table,
        allowed="an array (n, n)",
        doc="What each pair of rows counts, symmetric; 0 leaves a pair out. Not for kind='classical'.",
    )
    correction: Correction = param(
        "none", choices=("none", "additive", "squared"), doc="As in `ClassicalMDS`, for kind='classical'."
    )
    normalized_stress: bool | str = param(
        "auto",
        choices=("auto", True, False),
        doc="Whether `stress_` is stress-1, or the raw stress; auto: stress-1 if nonmetric. Sammon's is as above.",
    )

    stress_: float = learned("The stress of the map.")
    stress_1_: float = learned("Kruskal's stress-1 of the map, √(Σ w (δ̂ − d)² / Σ w d²).")
    n_iter_: int = learned("The number of iterations of the best run.")
    eigenvalues_: Floats = learned("Of kind='classical': the eigenvalues, (k,).", holds=sometimes(floats("k")))

    def _kind(self) -> str:
        if self.metric_mds:
            return self.kind
        if self.kind not in ("metric", "nonmetric"):
            raise InvalidParameter(f"MDS: metric_mds=False is kind='nonmetric'; got kind={self.kind!r} as well.")
        return "nonmetric"

    def _allows_gaps(self) -> bool:
        return self.kind != "classical"

    def _objects(self, rows: Chunk) -> Objects:
        if self.pair_weights is None:
            return super()._objects(rows)
        checked = measured_both_ways(rows, type(self).__name__) if self._is_precomputed() else rows
        n = len(rows) if rows.weight is None else int(np.count_nonzero(rows.weight))
        return Objects.of(checked, type(self).__name__, (np.arange(n), np.arange(n)))

    # ---- the fit ----

    def _mapped(self, objects: Objects, source: Source) -> Outcome[Attributes]:
        compared, kind = self._comparison(objects, source), self._kind()
        if kind == "classical":
            return closed_form(lambda: self._classical(compared, objects))
        D = self._pairs(compared, 4)
        pairs = Pairs.of(D, objects.weight, self._weights_of(objects), "MDS")
        stress = self._stress(pairs, objects, kind)
        outcome = self._lowered(stress, self._first(compared, objects, D, pairs))
        iterations = len(outcome.history)
        return outcome.then(
            lambda best: self._attributes(best, stress, pairs, compared, objects) | {"n_iter_": iterations}
        )

    def _stress(self, pairs: Pairs, objects: Objects, kind: str) -> Stress:
        if kind == "nonmetric":
            return RankStress(pairs, keep_ties=self.ties == "secondary")
        if kind == "sammon":
            return Stress(pairs.by_dissimilarity(objects.at, "MDS"), relative=True)
        return Stress(pairs)

    def _lowered(self, stress: Stress, first: Floats | None) -> Outcome[Standing]:
        m, k = len(stress.pairs), self.n_components
        rng = generator(self.random_state)

        def start(run: int) -> Standing:
            return stress.at(first if run == 0 and first is not None else rng.normal(size=(m, k)))

        given = not isinstance(self.init, str)
        outcome = iterate(
            start,
            lambda now: stress.step(now, self.eps),
            max_iter=self.max_iter,
            restarts=self.n_init,
            snapshot=lambda now: {"points": turned(now.points, stress.pairs.mass, given)},
            kept=Kept(floats(m, k), lambda now: now.points, stress.at),
            rng=rng,
        )
        if outcome.history.status == "max_iter":
            warn(f"MDS: the stress still fell after max_iter={self.max_iter} iterations; raise max_iter.", NotConverged)
        return outcome

    traced = ("points",)

    def _first(self, compared: Compared, objects: Objects, D: Floats, pairs: Pairs) -> Floats | None:
        """Where the first run begins, in units of the largest dissimilarity; None: at random."""
        k = self.n_components
        if not isinstance(self.init, str):
            shape = (len(objects.which), k)
            given = numbers("MDS", "init", self.init, shape, "one row an object, one column a coordinate")
            return given[objects.at] / pairs.unit
        if self.init == "random":
            return None
        found = scaled(compared, objects.weight, k, "none", lambda: _filled(D))
        return spread_out(found.map.points / pairs.unit)

    def _weights_of(self, objects: Objects) -> Floats | None:
        if self.pair_weights is None:
            return None
        n = len(objects.which)
        if self.landmarks is not None:
            raise InvalidParameter("MDS: pair_weights must be None with landmarks, which are drawn; got an array.")
        W = numbers("MDS", "pair_weights", self.pair_weights, (n, n), "one row and one column for each row of X")
        if (W < 0).any() or not np.allclose(W, W.T):
            raise InvalidParameter("MDS: pair_weights must be symmetric, none below 0; got other weights.")
        some = W[np.ix_(objects.at, objects.at)]
        np.fill_diagonal(some, 0.0)
        if len(some) > 1 and not some.any():
            raise InvalidData("MDS: all pair_weights are 0, so that no pair counts; raise some.")
        return some

    # ---- what is learned ----

    def _attributes(
        self, best: Standing, stress: Stress, base: Pairs, compared: Compared, objects: Objects
    ) -> Attributes:
        unit, kind, rise = base.unit, self._kind(), None
        raw = best.raw * base.scale
        if isinstance(stress, RankStress):
            (x, y), unit, raw = stress.rise(best.disparity), stress.size_of(best.points), best.raw * stress.total
            rise = (x * base.unit, y * unit)
        points = turned(best.points, base.mass, not isinstance(self.init, str)) * unit
        one = stresses(base, best.points)[0] if kind == "sammon" else best.stress_1
        normalized = kind == "nonmetric" if self.normalized_stress == "auto" else bool(self.normalized_stress)
        return {
            "stress_": best.stress if kind == "sammon" else one if normalized else raw,
            "stress_1_": one,
            "_map": PlacedMap(points, compared, objects.weight, kind, rise),
            "_places": points,
        }

    def _classical(self, compared: Compared, objects: Objects) -> Step[Attributes]:
        D = self._pairs(compared, 4)
        pairs = Pairs.of(D, objects.weight, None, "MDS")
        found = scaled(compared, objects.weight, self.n_components, self.correction, lambda: D)
        one, raw = stresses(pairs, found.map.points / pairs.unit)
        attributes = {
            "stress_": one if self.normalized_stress is True else raw * pairs.scale,
            "stress_1_": one,
            "n_iter_": 1,
            "eigenvalues_": found.eigenvalues,
            "_map": found.map,
            "_places": found.map.points,
        }
        return Step(attributes, found.strain)

    def _aimed_at(self, dissimilarity: Floats, distance: Floats) -> Floats:
        found: object = self._map
        return np.asarray(found.aimed_at(dissimilarity)) if isinstance(found, PlacedMap) else dissimilarity


def _filled(D: Floats) -> Floats:
    """A copy in which missing dissimilarities are the shortest ways over known ones."""
    if not np.isnan(D).any():
        return D.copy()
    from scipy.sparse.csgraph import shortest_path

    ways = shortest_path(np.where(np.isnan(D), np.inf, D), directed=False)
    return np.where(np.isfinite(ways), ways, np.nanmax(D))
