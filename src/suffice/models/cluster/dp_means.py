"""DP-means: k-means that chooses how many clusters there are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...data import Chunk, Source
from ...engine import Kept, Outcome, Step, iterate
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import learned, param
from ...statistics import ClusterSums, DiagonalMoments
from ...typing import Floats
from .alternation import max_iter_param
from .lloyd import far_rows
from .nearest import Labelled, NearestCentre
from .split_merge import WORTH, attempts, halved, moved

TRIAL = 20  # iterations of k-means at the most, after which other clusters must be better
SETTLED = 1e-4  # of the variance: centres that move less are where other clusters may be tried


@dataclass(frozen=True)
class _State:
    centres: Floats
    tried: bool = False  # no other clusters were better since they last changed


@estimator
class DPMeans(NearestCentre):
    """Clustering by DP-means: centres, and their number K, that minimise Σ w ‖x − μ(x)‖² + λ K.

    It begins with the mean of all rows, assigns rows and moves centres to their means as k-means does, and where that
    has settled changes the clusters where this lowers the objective, at once or after some more iterations: parts a
    cluster into two, joins two, or both at once; and makes a row a centre that is farther than √λ from every centre.
    λ = ∞ gives one cluster, λ → 0 one for every distinct row.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.StandardScaler().fit_transform(sf.datasets.load("faithful").matrix())
    >>> model = sf.DPMeans(lam=40.0).fit(faithful)
    >>> model.n_clusters_, np.sort(model.cluster_centers_[:, 0]).round(2)
    (2, array([-1.26,  0.71]))
    """

    complexity = "-lam"

    lam: float = param(1.0, positional=True, number=True, above=0, doc="λ: what one more cluster costs.")
    max_clusters: int = param(1000, integer=True, at_least=1, doc="No more clusters than this.")
    max_iter: int = max_iter_param(300)

    n_clusters_: int = learned("How many clusters were found.")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        X, y = super().example(rng, n)
        return X / 10 * np.sqrt(min(1, 200 / n)), y  # a few clusters for the lam it has by default

    def _learn(self, source: Source) -> Outcome[Attributes]:
        moments = source.reduce(_moments)
        total, shift = float(moments.scatter.sum()), moments.mean
        outcome = iterate(
            lambda run: _State(shift[None].copy()),
            lambda state: self._iteration(source, state, shift, total),
            max_iter=self.max_iter,
            snapshot=lambda state: {"cluster_centers_": state.centres},
            kept=Kept.fields(_State, centres=floats(None, len(shift))),
        )
        return outcome.then(lambda state: self._attributes(source, state, shift, len(outcome.history)))

    def _iteration(self, source: Source, state: _State, shift: Floats, total: float) -> Step[_State]:
        summary = source.reduce(partial(_sums, centres=state.centres, shift=shift))
        kept = summary.weight[:, 0] > 0
        centres, weight = summary.centres(state.centres)[kept], summary.weight[kept, 0]
        cost = summary.cost_at(summary.centres(state.centres), total)
        drift = float(np.sum((centres - state.centres[kept]) ** 2)) if kept.all() else np.inf
        metrics = {"moved": drift, "clusters": float(len(centres))}
        step = Step(_State(centres, state.tried), cost + self._price(len(centres)), metrics)
        if drift > (0.0 if state.tried else SETTLED * total / weight.sum()):
            return step
        changed = self._changed(source, centres, weight, shift, total)
        if changed is None:
            return replace(step, state=_State(centres, tried=True), done=drift == 0)
        return replace(step, state=_State(changed))

    def _changed(self, source: Source, centres: Floats, weight: Floats, shift: Floats, total: float) -> Floats | None:
        """The centres of other clusters with a lower objective, None where no move lowers it."""
        if not np.isfinite(self.lam):
            return None
        halves = halved(source, centres, shift)
        found = moved(centres, weight, halves, self.lam, self.max_clusters)
        if found is not None:
            return found
        covered = self._covered(source, centres, shift)
        if len(covered) > len(centres):
            return covered
        objective = self._after(source, centres, shift, total, passes=1)[1]
        for start in attempts(centres, weight, halves, self.max_clusters):
            other, reached = self._after(source, start, shift, total, TRIAL)
            if reached * WORTH < objective:
                return other
        return None

    def _after(self, source: Source, centres: Floats, shift: Floats, total: float, passes: int) -> tuple[Floats, float]:
        """The centres after some iterations of k-means, and the objective there."""
        objective = np.inf
        for _ in range(passes):
            summary = source.reduce(partial(_sums, centres=centres, shift=shift))
            new = summary.centres(centres)
            objective = summary.cost_at(new, total)
            before, centres = centres, new[summary.weight[:, 0] > 0]
            if len(before) == len(centres) and np.array_equal(before, centres):
                break
        return centres, objective + self._price(len(centres))

    def _price(self, k: int) -> float:
        return self.lam * k if np.isfinite(self.lam) else 0.0  # one cluster whatever it costs

    def _covered(self, source: Source, centres: Floats, shift: Floats) -> Floats:
        """The centres, and more of them until every row is within √λ of one."""
        while len(centres) < self.max_clusters:
            far = source.reduce(partial(far_rows, centres=centres, shift=shift, count=1))
            if not len(far.cost) or far.cost[0] <= self.lam:
                break
            centres = np.vstack([centres, far.rows])
        return centres

    def _attributes(self, source: Source, state: _State, shift: Floats, iterations: int) -> Attributes:
        centres = state.centres
        attributes: Attributes = {"cluster_centers_": centres, "n_clusters_": len(centres), "n_iter_": iterations}
        return {**attributes, **Labelled.of(source, centres, shift).attributes}


def _moments(chunk: Chunk) -> DiagonalMoments:
    return DiagonalMoments.of(chunk.X, chunk.weight)


def _sums(chunk: Chunk, centres: Floats, shift: Floats) -> ClusterSums:
    return ClusterSums.of(chunk.X, chunk.weight, centres, shift)
