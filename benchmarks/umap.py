"""UMAP"""

from __future__ import annotations

import numpy as np

import suffice as sf

from .harness import Workload, no_worse, reduced

_NEAR = 15  # neighbours by which maps are judged


def _groups(n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return 2 * rng.normal(size=(20, d))[rng.integers(0, 20, n)] + rng.normal(size=(n, d))


def _fit() -> Workload:
    from umap import UMAP

    X = _groups(reduced(20_000), 50)

    def check(ours, peers):
        for measure in (sf.trustworthiness, sf.continuity):
            mine, other = (
                measure(X, np.asarray(model.embedding_, dtype=float), n_neighbors=_NEAR)
                for model in (ours, peers["umap-learn"])
            )
            no_worse(measure.__name__, [mine], [other], 0.005)

    return Workload(
        "UMAP(2).fit", "20,000 × 50, 200 epochs",
        lambda: sf.UMAP(2, n_epochs=200, random_state=0).fit(X),
        {"umap-learn": lambda: UMAP(n_epochs=200).fit(X)},  # without a seed, or it keeps to one thread
        check, floor={"umap-learn": 1.5}, repeat=1,
    )  # fmt: skip


def _place() -> Workload:
    from umap import UMAP

    X = _groups(reduced(10_000), 50)
    fitted, new = X[: len(X) // 2], X[len(X) // 2 :]
    ours, theirs = sf.UMAP(2, n_epochs=200, random_state=0).fit(fitted), UMAP(n_epochs=200).fit(fitted)

    def check(mine, peers):
        def kept(map_, places):
            near = sf.KNeighborsRegressor(1).fit(np.asarray(map_, dtype=float), fitted)
            return float(np.mean((near.predict(np.asarray(places, dtype=float)) - new) ** 2))

        one, other = kept(ours.embedding_, mine), kept(theirs.embedding_, peers["umap-learn"])
        assert one <= other * 1.05, f"the nearest in the map are {one:.3f} away, the peer's {other:.3f}"

    return Workload(
        "UMAP(2).transform", "5,000 new of 5,000 × 50",
        lambda: ours.transform(new), {"umap-learn": lambda: theirs.transform(new)}, check, repeat=1,
    )  # fmt: skip


WORKLOADS = [_fit, _place]
