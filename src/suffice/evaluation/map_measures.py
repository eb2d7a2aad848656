"""How well a map shows what it is of: neighbours that stay neighbours, and distances that stay in proportion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..data.rows import as_rows
from ..distances import as_distance
from ..errors import InvalidData, InvalidParameter
from ..params import check_argument
from ..plots import Band, BandsDisplay
from ..typing import AxesLike, Floats, TableLike, Whole

_BLOCK_CELLS = 1 << 21  # of distances looked at at once


@dataclass(frozen=True)
class Preserved:
    """For each number of neighbours: trustworthiness, continuity, and the share of neighbours that stay such."""

    n_neighbors: Whole
    trustworthiness: Floats
    continuity: Floats
    shared: Floats

    def plot(self, ax: AxesLike = None) -> BandsDisplay:
        """All three over the number of neighbours, on a logarithmic axis."""
        x = self.n_neighbors.astype(np.float64)
        lines = {
            "trustworthiness": self.trustworthiness,
            "continuity": self.continuity,
            "share of neighbours kept": self.shared,
        }
        bands = [Band(name, x, values) for name, values in lines.items()]
        return BandsDisplay(bands, "neighbours", "preserved", log=True).drawn(ax)


def neighbor_preservation(
    X: TableLike, Z: TableLike, n_neighbors: object = None, *, metric: object = "euclidean"
) -> Preserved:
    """How far neighbours stay neighbours: trustworthiness, continuity and the share kept, for some numbers of them.

    >>> import suffice as sf
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> sf.neighbor_preservation(X, 3 * X[:, ::-1], [5, 10]).shared
    array([1., 1.])
    """
    return _preserved(X, Z, n_neighbors, metric, "neighbor_preservation")


def _preserved(X: TableLike, Z: TableLike, n_neighbors: object, metric: object, who: str) -> Preserved:
    given, places = _checked(X, Z, metric, who)
    n = len(places)
    ks = _counts(n_neighbors, n, who)
    sums = np.zeros((3, len(ks)))
    for rank_in_rows, rank_in_map in _ranks(given, places, n):
        for at, k in enumerate(ks):
            near, shown = rank_in_rows <= k, rank_in_map <= k
            sums[0, at] += np.sum((rank_in_rows - k)[shown & ~near])
            sums[1, at] += np.sum((rank_in_map - k)[near & ~shown])
            sums[2, at] += np.count_nonzero(near & shown)
    scale = 2.0 / (n * ks * (2.0 * n - 3.0 * ks - 1.0))
    return Preserved(ks, 1 - scale * sums[0], 1 - scale * sums[1], sums[2] / (n * ks))


def trustworthiness(X: TableLike, Z: TableLike, *, n_neighbors: int = 5, metric: object = "euclidean") -> float:
    """How far neighbours in the map Z are neighbours among the rows X, 1 for all (Venna and Kaski, 2001).

    1 − 2 / (n k (2n − 3k − 1)) Σᵢ Σⱼ (r(i, j) − k) over the j among the k nearest of i in the map and not among those
    of the rows, where r(i, j) is j's rank there. `metric` is a distance, or "precomputed".

    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs").matrix()
    >>> round(sf.trustworthiness(crabs, sf.PCA(2).fit_transform(crabs)), 3)
    0.989
    """
    return float(_preserved(X, Z, _one(n_neighbors, "trustworthiness"), metric, "trustworthiness").trustworthiness[0])


def continuity(X: TableLike, Z: TableLike, *, n_neighbors: int = 5, metric: object = "euclidean") -> float:
    """How far neighbours among the rows X are neighbours in the map Z, 1 for all: trustworthiness the other way.

    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs").matrix()
    >>> round(sf.continuity(crabs, sf.PCA(2).fit_transform(crabs)), 3)
    0.995
    """
    return float(_preserved(X, Z, _one(n_neighbors, "continuity"), metric, "continuity").continuity[0])


def stress_1(X: TableLike, Z: TableLike, *, metric: object = "euclidean") -> float:
    """Kruskal's stress-1 of a map as it is, √(Σ (δ − d)² / Σ d²) over all pairs, with dissimilarities δ of the rows.

    >>> import suffice as sf
    >>> cities = sf.datasets.load("us_city_distances").matrix()
    >>> model = sf.MDS(2, metric="precomputed").fit(cities)
    >>> abs(sf.stress_1(cities, model.embedding_, metric="precomputed") - model.stress_1_) < 1e-9
    True
    """
    sums = _pair_sums(X, Z, metric, "stress_1")
    return float(np.sqrt(max(sums.apart, 0.0) / sums.dd)) if sums.dd > 0 else float(sums.apart > 0)


def residual_variance(X: TableLike, Z: TableLike, *, metric: object = "euclidean") -> float:
    """How far distances in a map are no linear function of the dissimilarities of rows: 1 − R² over all pairs.

    Of `Isomap` the dissimilarities are the lengths of shortest ways (Tenenbaum, de Silva and Langford, 2000), which
    metric="precomputed" takes.

    >>> import suffice as sf
    >>> cities = sf.datasets.load("us_city_distances").matrix()
    >>> places = sf.ClassicalMDS(1, metric="precomputed").fit_transform(cities)
    >>> round(sf.residual_variance(cities, places, metric="precomputed"), 3)
    0.085
    """
    s = _pair_sums(X, Z, metric, "residual_variance")
    own, other = s.gg - s.g**2 / s.pairs, s.dd - s.d**2 / s.pairs
    both = s.gd - s.g * s.d / s.pairs
    return float(1 - both**2 / (own * other)) if own > 0 and other > 0 else float(own > 0 or other > 0)


# ---- how it is done ----

Between = Callable[[slice], Floats]  # the distances of some rows from all


def _checked(X: TableLike, Z: TableLike, metric: object, who: str) -> tuple[Between, Floats]:
    places = np.asarray(as_rows(Z, who), dtype=np.float64)
    if not np.isfinite(places).all():
        raise InvalidData(f"{who}: a place of Z is missing or infinite; leave such rows out.")
    if isinstance(metric, str) and metric == "precomputed":
        D = np.asarray(as_rows(X, who), dtype=np.float64)
        if D.shape != (len(places), len(places)):
            raise InvalidData(f"{who}: dissimilarities of {len(places)} rows must be square; got shape {D.shape}.")
        return lambda at: D[at], places
    measure = as_distance(metric, who).fitted(X)
    rows = measure.matrix(X)
    if rows.shape[0] != len(places):
        raise InvalidData(
            f"{who}: X has {rows.shape[0]} rows and Z {len(places)}; give the same rows in the same order."
        )
    return lambda at: np.asarray(measure.pairwise(rows[at], rows), dtype=np.float64), places


def _one(n_neighbors: int, who: str) -> int:
    check_argument(who, "n_neighbors", n_neighbors, integer=True, at_least=1, at_most=10**12)
    return n_neighbors


def _counts(n_neighbors: object, n: int, who: str) -> Whole:
    if n_neighbors is None:
        most = max(1, (n - 1) // 2)
        return np.unique(np.geomspace(1, most, 20).astype(np.int64))
    ks = np.atleast_1d(np.asarray(n_neighbors))
    if ks.dtype.kind not in "iu" or ks.ndim != 1 or not ks.size or ks.min() < 1 or ks.max() >= n / 2:
        raise InvalidParameter(
            f"{who}: n_neighbors must be integers, at least 1 and less than half of the {n} rows; got {n_neighbors!r}."
        )
    return ks.astype(np.int64)


def _blocks(n: int) -> Iterator[slice]:
    height = max(1, _BLOCK_CELLS // max(1, n))
    return (slice(first, min(n, first + height)) for first in range(0, n, height))


def _distances(places: Floats, at: slice) -> Floats:
    found = as_distance("euclidean").pairwise(places[at], places)
    return np.asarray(found, dtype=np.float64)


def _ranks(given: Between, places: Floats, n: int) -> Iterator[tuple[Whole, Whole]]:
    """The ranks of all rows as neighbours of some, 1 for the nearest; the row itself comes last."""
    for at in _blocks(n):
        yield tuple(_ranked(D, at) for D in (given(at), _distances(places, at)))  # type: ignore[misc]


def _ranked(D: Floats, at: slice) -> Whole:
    D = np.where(np.isnan(D), np.inf, D)
    D[np.arange(len(D)), np.arange(at.start, at.stop)] = np.inf
    order = np.argsort(D, axis=1, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(1, D.shape[1] + 1)[None, :], axis=1)
    own = np.arange(at.start, at.stop)
    mine = rank[np.arange(len(D)), own]
    rank -= rank > mine[:, None]  # infinite ones may come behind
    rank[np.arange(len(D)), own] = D.shape[1]
    return rank


class _Sums(NamedTuple):
    """Over all pairs with a dissimilarity g: their number, and sums of g, d, products, and (g − d)²."""

    pairs: float
    g: float
    d: float
    gg: float
    dd: float
    gd: float
    apart: float


def _pair_sums(X: TableLike, Z: TableLike, metric: object, who: str) -> _Sums:
    given, places = _checked(X, Z, metric, who)
    total = np.zeros(7)
    for at in _blocks(len(places)):
        g, d = given(at), _distances(places, at)
        later = np.arange(len(places)) > np.arange(at.start, at.stop)[:, None]
        later &= np.isfinite(g)
        g, d = g[later], d[later]
        total += np.array([len(g), g.sum(), d.sum(), g @ g, d @ d, g @ d, np.sum((g - d) ** 2)])
    if not total[0]:
        raise InvalidData(f"{who}: there is no pair of rows with a dissimilarity; give at least two rows.")
    return _Sums(*total.tolist())
