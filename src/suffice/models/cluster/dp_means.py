"""DP-means: k-means that chooses how many clusters there are."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class _State:
    centres: Floats


@estimator
class DPMeans(NearestCentre):
    """Clustering by DP-means: centres, and their number K, that minimise Σ w ‖x − μ(x)‖² + λ K.

    It begins with the mean of all rows. While some row is farther than √λ from every centre, the farthest becomes a
    centre, which lowers the objective; then rows are assigned and centres moved to their means, as in k-means. Centres
    without rows go. λ = ∞ gives one cluster, λ → 0 one for every distinct row.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.StandardScaler().fit_transform(sf.datasets.load("faithful").matrix())
    >>> model = sf.DPMeans(lam=4.0).fit(faithful)
    >>> model.n_clusters_, np.sort(model.cluster_centers_[:, 0]).round(2)
    (3, array([-1.27,  0.49,  0.88]))
    """

    lam: float = param(1.0, positional=True, number=True, above=0, doc="λ: what one more cluster costs.")
    max_clusters: int = param(1000, integer=True, at_least=1, doc="No more clusters than this.")
    max_iter: int = max_iter_param(300)

    n_clusters_: int = learned("How many clusters were found.")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        X, y = super().example(rng, n)
        return X / 10, y  # a few clusters for the lam it has by default

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
        centres = self._covered(source, state.centres, shift)
        summary = source.reduce(partial(_sums, centres=centres, shift=shift))
        kept = summary.weight[:, 0] > 0
        new = summary.centres(centres)[kept]
        cost = summary.cost_at(summary.centres(centres), total)
        moved = float(np.sum((new - centres[kept]) ** 2)) if len(new) == len(state.centres) else np.inf
        metrics = {"moved": moved, "clusters": float(len(new))}
        return Step(_State(new), cost + self._price(len(new)), metrics, done=moved == 0)

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
