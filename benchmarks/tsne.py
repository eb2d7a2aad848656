"""t-SNE"""

from __future__ import annotations

import numpy as np

import suffice as sf
from suffice.backend import embedding
from suffice.indices import Brute
from suffice.indices.graph import nearest_others
from suffice.models.manifold.affinities import Affinities

from .harness import Workload, reduced


def _groups(n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return 2 * rng.normal(size=(20, d))[rng.integers(0, 20, n)] + rng.normal(size=(n, d))


def _divergence(X: np.ndarray, places: np.ndarray) -> float:
    """KL(P ‖ Q) of a map, by exact neighbours and all pairs."""
    n, Z = len(X), np.ascontiguousarray(places, dtype=np.float64)
    own = Affinities.of(nearest_others(Brute().built(X), X, 90), np.ones(n), 30.0)
    return float(own.pull(Z).value.sum() + np.log(embedding.push(Z, Z).value.sum() - n) + own.entropy)


def _fit() -> Workload:
    from openTSNE import TSNE

    X = _groups(reduced(20_000), 50)

    def check(ours, peers):
        mine, other = (_divergence(X, np.asarray(places)) for places in (ours.embedding_, peers["openTSNE"]))
        assert mine <= other * 1.005, f"divergence {mine:.4f} against {other:.4f}"

    return Workload(
        "TSNE(2).fit", "20,000 × 50, 750 iterations",
        lambda: sf.TSNE(2, max_iter=750, random_state=0).fit(X),
        {"openTSNE": lambda: TSNE(random_state=0, n_jobs=-1).fit(X)},
        check, floor={"openTSNE": 1.2}, repeat=1,
    )  # fmt: skip


def _place() -> Workload:
    from openTSNE import TSNE

    X = _groups(reduced(10_000), 50)
    fitted, new = X[: len(X) // 2], X[len(X) // 2 :]
    ours, theirs = sf.TSNE(2, max_iter=500, random_state=0).fit(fitted), TSNE(random_state=0, n_jobs=-1).fit(fitted)

    def check(mine, peers):
        def kept(map_, places):
            near = sf.KNeighborsRegressor(1).fit(np.asarray(map_, dtype=float), fitted)
            return float(np.mean((near.predict(np.asarray(places, dtype=float)) - new) ** 2))

        one, other = kept(ours.embedding_, mine), kept(theirs, peers["openTSNE"])
        assert one <= other * 1.05, f"the nearest in the map are {one:.3f} away, the peer's {other:.3f}"

    return Workload(
        "TSNE(2).transform", "5,000 new of 5,000 × 50",
        lambda: ours.transform(new), {"openTSNE": lambda: theirs.transform(new, perplexity=30)}, check, repeat=1,
    )  # fmt: skip


WORKLOADS = [_fit, _place]
