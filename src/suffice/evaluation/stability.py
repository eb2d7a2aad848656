"""Whether a clustering comes out again when some rows are left out."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidParameter
from ..params import as_float
from ..randomness import generator
from ..resampling.contingency import NOISE
from ..resampling.folds import fitted, seeded
from ..resampling.problem import problem
from ..text import aligned, figure
from ..typing import EstimatorLike, Floats, RandomState, TableLike, WeightLike
from .alignment import align


@dataclass(frozen=True, eq=False)
class Stability:
    """How like each other the clusters of all rows and of part of them are."""

    scores: Floats  # (resamples,): the adjusted Rand index on the rows that were drawn
    clusters: tuple[object, ...]
    sizes: NDArray[np.int64]  # (k,): rows of each cluster
    jaccard: Floats  # (k,): the mean over resamples of the best |A ∩ B| / |A ∪ B| that a cluster finds
    labels: NDArray[np.generic]  # (n,): the clusters of all rows

    @property
    def value(self) -> float:
        """The mean adjusted Rand index: 1 where the same clusters come out every time, 0 where chance does."""
        return float(self.scores.mean())

    def table(self) -> list[dict[str, Any]]:
        """One row a cluster: its size and how well it is found again."""
        rows = zip(self.clusters, self.sizes.tolist(), self.jaccard.tolist(), strict=True)
        return [{"cluster": name, "rows": size, "jaccard": found} for name, size, found in rows]

    def __str__(self) -> str:
        rows = [(str(row["cluster"]), f"{row['rows']:,}", figure(row["jaccard"], 3)) for row in self.table()]
        low, high = np.quantile(self.scores, [0.05, 0.95])
        head = (
            f"adjusted Rand index {figure(self.value, 3)}, nine in ten between {figure(low, 3)} and {figure(high, 3)}"
        )
        return f"{head}\n\n{aligned([('cluster', 'rows', 'found again'), *rows])}"


def stability(
    model: EstimatorLike,
    X: TableLike,
    *,
    resamples: int = 20,
    share: float = 0.8,
    sample_weight: WeightLike = None,
    random_state: RandomState = 0,
) -> Stability:
    """Fit a clustering to all rows and to parts of them, and compare: mean ARI(all, part) over the rows of each part.

    Each part is a share of the rows drawn without replacement (Ben-Hur, Elisseeff and Guyon, 2002). Each cluster is
    also followed by itself, by its Jaccard similarity with the most similar cluster of the part (Hennig, 2007): below
    about 0.6 it should not be trusted, above about 0.85 it is very stable.

    >>> import suffice as sf
    >>> X = sf.datasets.load("xclara").matrix()
    >>> found = stability(sf.KMeans(3), X, resamples=5)
    >>> found.value > 0.97, bool(found.jaccard.min() > 0.97)
    (True, True)
    """
    _check(resamples, share)
    whole = problem([model], X, None, sample_weight, owner="stability")
    if whole.n < 2:
        raise InvalidData("stability: X has 1 row; parts of the rows can be drawn from 2 on.")
    seed = int(generator(random_state).integers(2**31))
    labels = labels_of(model, whole, seed)
    clusters = np.unique(labels[labels != NOISE]) if labels.dtype.kind in "if" else np.unique(labels)
    size = max(2, round(share * whole.n))
    scores, found = [], []
    for number in range(int(resamples)):
        rng = np.random.default_rng([seed, number])
        rows = np.sort(rng.choice(whole.n, size, replace=False))
        part = whole.part(rows)
        again = labels_of(model, part, int(rng.integers(2**31)))
        scores.append(align(again, labels[rows], part.weight).adjusted_rand)
        found.append(_jaccard(labels[rows], again, clusters))
    sizes = np.array([np.sum(labels == name) for name in clusters], dtype=np.int64)
    return Stability(np.array(scores), tuple(clusters.tolist()), sizes, _means(np.array(found)), labels)


def _check(resamples: object, share: object) -> None:
    if not isinstance(resamples, Integral) or isinstance(resamples, bool) or resamples < 1:
        raise InvalidParameter(f"stability: resamples must be an integer, at least 1; got {resamples!r}.")
    if not isinstance(share, Real) or not 0 < as_float(share) < 1:
        raise InvalidParameter(f"stability: share must be a number between 0 and 1; got {share!r}.")


def labels_of(model: Any, of: Any, seed: int) -> NDArray[np.generic]:
    """The clusters of the rows that a model is fitted to."""
    model = fitted(seeded(model, seed), of)
    if not hasattr(model, "labels_") and not hasattr(model, "predict"):
        raise InvalidParameter(f"stability: {type(model).__name__} gives no clusters; use one such as KMeans.")
    return np.asarray(model.labels_ if hasattr(model, "labels_") else model.predict(of.X))


def _jaccard(before: NDArray[np.generic], after: NDArray[np.generic], clusters: NDArray[np.generic]) -> list[float]:
    """For each cluster the best |A ∩ B| / |A ∪ B| over the new clusters; NaN where no row of it was drawn."""
    inside = after != NOISE if after.dtype.kind in "if" else np.ones(len(after), dtype=bool)
    names, codes = np.unique(after[inside], return_inverse=True)
    sizes = np.bincount(codes, minlength=len(names))
    best = []
    for name in clusters:
        mine = before == name
        common = np.bincount(codes[mine[inside]], minlength=len(names))
        together = common / (sizes + mine.sum() - common) if len(names) else np.zeros(1)
        best.append(float(together.max()) if mine.any() else float("nan"))
    return best


def _means(values: Floats) -> Floats:
    """The mean of each column without its NaN."""
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1))
