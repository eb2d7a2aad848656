"""Every way to the distances of some rows gives the same numbers, also where a distance learns from the table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..backend import distances as kernels
from ..distances import Distance
from ..indices import LSH, Brute, Index, KDTree
from ..models.cluster.kmeans import KMeans
from ..models.cluster.kmedoids import KMedoids
from ..models.hierarchy.agglomerative import AgglomerativeClustering
from ..models.hierarchy.divisive import Divisive
from ..models.neighbors.nearest_neighbors import NearestNeighbors
from ..typing import Numbers, Reals

Floats = NDArray[np.float64]
Path = tuple[str, Any, Any]  # its name, what it gives, and what it must give


def check_paths(distance: Distance, X: Reals, Y: Reals) -> None:
    """All pairs, half of them, pieces, what the kernels compare, indices, neighbours and clusterers agree."""
    if distance.learns:  # what was learned must make up for the units on every path
        units = 10.0 ** np.arange(X.shape[1])
        in_units = (distance.fitted(X * units, Y * units).pairwise(X * units, Y * units), distance.pairwise(X, Y))
        _same(distance, "in other units", *in_units)
        X, Y = X * units, Y * units
    measure = distance.fitted(X)
    D = np.asarray(measure.pairwise(X))
    for path in (_of_pairs, _of_indices, _of_models):
        for name, found, expected in path(distance, measure, X, Y, D):
            _same(distance, name, found, expected)
    _weights_are_repetition(distance, X, Y)


def _same(distance: Distance, name: str, found: Numbers, expected: Any) -> None:
    scale = float(np.max(np.abs(expected), initial=0.0))
    atol = 1e-7 * scale  # a square root doubles the digits that are lost near 0
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=atol, err_msg=f"{distance!r}: {name}")


def _of_pairs(distance: Distance, measure: Distance, X: Reals, Y: Reals, D: Floats) -> Iterator[Path]:
    yield "what it learns by itself", distance.pairwise(X), D
    yield "in pieces", np.concatenate([block for _, block in distance.chunked(X, memory=5 * D.shape[1] * 8)]), D
    yield "pair by pair", [measure(x, y) for x, y in pairwise(X)], D[np.arange(len(D) - 1), np.arange(1, len(D))]
    yield "from a matrix made before", measure.pairwise(measure.matrix(X)), D
    if measure.is_symmetric:
        yield "half of the pairs", distance.condensed(X), D[np.triu_indices(len(X), 1)]
    if measure.has_kernel:
        for ranking in (False, True):
            own = np.ascontiguousarray(measure.rows(measure.matrix(X)), dtype=np.float64)
            values = kernels.pairwise(own, own, measure.term_for(own, own, ranking), np.dtype(np.float64))
            yield f"kernel, ranking={ranking}", measure.to_true(values) if ranking else values, D


def _of_indices(distance: Distance, measure: Distance, X: Reals, Y: Reals, D: Floats) -> Iterator[Path]:
    between = np.asarray(measure.pairwise(Y, X))
    for index in (Brute(), KDTree(), LSH()):
        if type(index).refusal(measure, False) is None:
            yield from _of_index(index.built(X, distance), Y, between)
            yield from _of_index(index.built(X[:-5], measure).insert(X[-5:]), Y, between)
            yield from _of_index(index.built(X[:-5], measure), Y, between[:, :-5])
    model = NearestNeighbors(n_neighbors=4, metric=distance).fit(X)
    yield "neighbours of a model", model.kneighbors(Y)[0], np.sort(between, axis=1)[:, :4]


def _of_index(index: Index, Y: Reals, between: Floats) -> Iterator[Path]:
    found = index.kneighbors(Y, 4)
    name = type(index).__name__
    yield f"distances from {name}", found.distances, np.take_along_axis(between, found.rows, axis=1)
    if index.is_exact:
        yield f"the nearest by {name}", found.distances, np.sort(between, axis=1)[:, :4]


def _of_models(distance: Distance, measure: Distance, X: Reals, Y: Reals, D: Floats) -> Iterator[Path]:
    if not measure.is_symmetric:
        return
    for linkage in ("single", "complete", "average", "weighted"):
        given = AgglomerativeClustering(3, linkage=linkage, metric="precomputed").fit(D)
        of_rows = AgglomerativeClustering(3, linkage=linkage, metric=distance).fit(X)
        yield f"heights of linkage={linkage!r}", of_rows.distances_, given.distances_
    heights = [Divisive(3, metric=m).fit(Z).distances_ for m, Z in ((distance, X), ("precomputed", D))]
    yield "heights of splits", heights[0], heights[1]
    costs = [KMedoids(3, metric=m, init=[0, 1, 2]).fit(Z).inertia_ for m, Z in ((distance, X), ("precomputed", D))]
    yield "cost of medoids", costs[0], costs[1]
    model = KMedoids(3, metric=distance).fit(X)
    yield "from medoids", model.transform(Y), measure.pairwise(Y, model.cluster_centers_)


def _weights_are_repetition(distance: Distance, X: Reals, Y: Reals) -> None:
    """Integer weights give what repeated rows give, in the distance itself, in neighbours and in clusterers."""
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    again = np.repeat(X, weight, axis=0)
    there = X[weight > 0]
    repeated = distance.fitted(again).pairwise(Y, there)
    _same(distance, "learned with weights", distance.fitted(X, weight=weight).pairwise(Y, there), repeated)
    _of_models_are_repetition(distance, X, weight, again)
    model = NearestNeighbors(n_neighbors=4, metric=distance).fit(X, sample_weight=weight)
    _same(distance, "neighbours with weights", model.kneighbors(Y)[0], np.sort(repeated, axis=1)[:, :4])


def _of_models_are_repetition(distance: Distance, X: Reals, weight: Numbers, again: object) -> None:
    if distance.is_symmetric:
        tree = AgglomerativeClustering(2, linkage="single", metric=distance)  # whose heights ties do not change
        merges = clone(tree).fit(again).distances_[-(np.count_nonzero(weight) - 1) :]  # the first put equals together
        _same(distance, "heights with weights", clone(tree).fit(X, sample_weight=weight).distances_, merges)
        medoids = KMedoids(3, metric=distance)
        costs = clone(medoids).fit(X, sample_weight=weight).inertia_, clone(medoids).fit(again).inertia_
        _same(distance, "medoids with weights", *costs)
    if distance.centre:
        means = KMeans(3, metric=distance, random_state=0)
        costs = clone(means).fit(X, sample_weight=weight).inertia_, clone(means).fit(again).inertia_
        _same(distance, "centres with weights", *costs)
