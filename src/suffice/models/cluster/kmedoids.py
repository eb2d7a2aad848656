"""k-medoids: clusters around rows that stand for the others, for any dissimilarity."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import partial
from typing import ClassVar, TypeVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags

from ...backend import medoids as backend
from ...backend.medoids import Indices, Search
from ...backend.weights import given_or_ones
from ...data import Needs, Source
from ...engine import Kept, Outcome, Step, iterate
from ...errors import InvalidData, InvalidParameter, MemoryNeeded, NotConverged, warn
from ...estimator import Attributes, Clusterer, Transformer, estimator
from ...holds import either, floats, instance, integers, number, optional, require, row_array, whole
from ...params import are_numbers, learned, param
from ...randomness import generator, random_state_param
from ...typing import Codes, Floats, RandomState, Reals, TableLike
from ..dissimilarity import (
    NO_COMMON_COLUMN,
    Array,
    Dissimilarity,
    Metric,
    check_precomputed,
    is_precomputed,
    measured,
    metric_param,
)
from .alternating_medoids import Medoids, alternate
from .clara import Clara

_EXAMPLE_ROWS = 2000
S = TypeVar("S", Search, Medoids)  # both hold the medoids so far


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


@estimator
class KMedoids(ClassNamePrefixFeaturesOutMixin, Transformer, Clusterer):  # type: ignore[misc]
    """Find the k rows that stand best for all: minimise Σᵢ wᵢ min_{m ∈ M} d(xᵢ, m) over sets M of k rows.

    `method="fasterpam"` computes all dissimilarities, starts with `init` and swaps a medoid for another row while
    that lowers the cost. `method="clara"` does so for samples of the rows, keeps the best medoids for all rows, and
    tries some more swaps on all of them. `method="auto"` takes the first where the matrix fits into `memory`.
    `method="alternate"` does as k-means: it assigns rows to the nearest medoid and takes the best medoid of each
    cluster until none changes, which often ends in worse places than swaps do.

    Missing values are left out of the distances that allow it.

    With `metric="precomputed"`, X is the matrix of dissimilarities, symmetric with a diagonal of 0; `predict` and
    `transform` then take the dissimilarities of new rows to all rows of the fit.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [40.0]])
    >>> model = sf.KMedoids(2, metric="cityblock").fit(X)
    >>> model.medoid_indices_, model.labels_, model.inertia_
    (array([2, 5]), array([0, 0, 0, 0, 0, 1]), 20.0)
    """

    complexity = "n_clusters"

    units = "common"

    exemptions: ClassVar = {"check_estimators_pickle": NO_COMMON_COLUMN}

    n_clusters: int = param(8, positional=True, integer=True, at_least=1, doc="How many medoids.")
    metric: Metric = metric_param()
    method: str = param(
        "auto",
        choices=("auto", "fasterpam", "clara", "alternate"),
        doc="Swaps on all pairs, or on samples, or assignments and updates in turn.",
    )
    init: object = param(
        "build",
        choices=("build", "lab", "random"),
        accept=_is_list,
        allowed="an array of row numbers",
        doc="The first medoids: greedy, greedy on samples, drawn by weight, or given. For all pairs only.",
    )
    max_iter: int = param(300, integer=True, at_least=1, doc="The most passes over all rows as candidates.")
    n_init: int = param(1, integer=True, at_least=1, doc="How often to start anew where the start is drawn.")
    sample_size: int | None = param(
        None,
        integer=True,
        at_least=1,
        choices=(None,),
        doc="Rows of a sample; None takes 1000 + 4 n_clusters, or what fits into memory.",
    )
    n_samples: int = param(5, integer=True, at_least=1, doc="How many samples to draw.")
    memory: int = param(1 << 30, integer=True, at_least=1, doc="The most bytes for dissimilarities and rows read.")
    random_state: RandomState = random_state_param()

    medoid_indices_: Indices = learned("The row numbers of the medoids, (k,).", holds=integers("k", at_least=0))
    cluster_centers_: Array | None = learned(
        "The medoids, (k, d); None where X is a matrix of dissimilarities.", holds=optional(row_array("k", "d"))
    )
    inertia_: float = learned("The cost: the weighted sum of the dissimilarities to the nearest medoid.")
    n_iter_: int = learned("The number of iterations: passes over the candidates, or samples and swaps on all rows.")
    dissimilarity_: Dissimilarity = learned(
        "The metric with what it learned from the rows.", holds=instance(Dissimilarity, d="d")
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        given = self.dissimilarity_.distance is None
        require(given == (self.cluster_centers_ is None), "cluster_centers_ must be there where a distance is")
        require(len(self.medoid_indices_), "medoid_indices_ must have a row")
        inside = not given or self.medoid_indices_.max() < self.n_features_in_
        require(inside, f"medoid_indices_ must be below d = {self.n_features_in_}")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        """Some rows, not more than can be compared in pairs."""
        return super().example(rng, min(n, _EXAMPLE_ROWS))

    def _needs(self) -> Needs:
        needs, measure = super()._needs(), measured(self.metric)
        if measure is None:
            return needs
        return dataclasses.replace(
            needs,
            missing=measure.missing,
            categories=measure.categories,
            scaled=measure.by_units,
            one_hot=measure.by_units,
        )

    def _fit_needs(self) -> Needs:
        return dataclasses.replace(super()._fit_needs(), late=is_precomputed(self.metric))  # all cells are looked at

    def _learn(self, source: Source) -> Outcome[Attributes]:
        rows = source.gather(self.memory, "fit a sample of the rows")
        X, weight = rows.X, rows.weight
        self._check_rows(X, weight)
        measure = Dissimilarity.of(type(self).__name__, self.metric, X, weight, source.schema)
        if measure.distance is None:
            check_precomputed(measure.owner, X)
        if self._samples(X):
            outcome = self._clara(measure, X, weight).run().then(lambda found: found.medoids)
        else:
            D = backend.by_rows(X) if measure.distance is None else measure.matrix(X)
            outcome = (self._alternate if self.method == "alternate" else self._fasterpam)(D, weight)
        return outcome.then(lambda medoids: self._attributes(measure, X, weight, medoids, len(outcome.history)))

    def _check_rows(self, X: Array, weight: Array | None) -> None:
        n = len(X) if weight is None else int(np.count_nonzero(weight))
        if self.n_clusters > n:
            counted = "" if weight is None else " with a weight above 0"
            raise InvalidData(
                f"KMedoids: n_clusters={self.n_clusters} is more than the rows of X{counted} (n_samples={n}); "
                "lower n_clusters, or give more rows."
            )

    def _samples(self, X: Array) -> bool:
        """Whether the medoids of samples are searched, because all pairs are too many."""
        needed = len(X) ** 2 * X.itemsize
        if self.method == "clara" or is_precomputed(self.metric) or needed <= self.memory:
            return self.method == "clara"
        if self.method == "auto":
            return True
        raise MemoryNeeded(
            f"KMedoids: method={self.method!r} needs {needed:,} bytes for the dissimilarities of {len(X):,} rows, more "
            f"than memory={self.memory:,}. Use method='clara', or raise memory."
        )

    def _clara(self, measure: Dissimilarity, X: Array, weight: Array | None) -> Clara:
        w = given_or_ones(weight, len(X))
        most = math.isqrt(self.memory // 8)
        size = max(self.sample_size or min(1000 + 4 * self.n_clusters, most), self.n_clusters)
        if size > most:
            raise MemoryNeeded(
                f"KMedoids: the dissimilarities of a sample of {size:,} rows need {8 * size**2:,} bytes, more than "
                f"memory={self.memory:,}. Lower n_clusters or sample_size, or raise memory."
            )
        rng = generator(self.random_state)
        return Clara(measure, X, w, self.n_clusters, size, self.n_samples, self.max_iter, self.memory, rng)

    def _fasterpam(self, D: Array, weight: Array | None) -> Outcome[Indices]:
        n = len(D)

        def step(search: Search) -> Step[Search]:
            search = backend.improve(D, weight, search)
            return Step(search, search.cost, done=search.is_done(n))

        kept = Kept.fields(
            Search,
            medoids=integers(self.n_clusters, at_least=0, below=n),
            cost=number(finite=False),
            quiet=whole(),
            bound=either(floats(n, finite=False), floats(0)),
            drift=number(finite=False),
        )
        return self._searched(D, weight, Search, step, kept, "swaps still lowered the cost")

    def _alternate(self, D: Array, weight: Array | None) -> Outcome[Indices]:
        step = partial(alternate, D, given_or_ones(weight, len(D)))
        at = integers(self.n_clusters, at_least=0, below=len(D))
        kept = Kept.fields(Medoids, medoids=at, cost=number(finite=False))
        return self._searched(D, weight, Medoids, step, kept, "medoids still changed")

    def _searched(
        self,
        D: Array,
        weight: Array | None,
        first: Callable[[Indices], S],
        step: Callable[[S], Step[S]],
        kept: Kept[S],
        unfinished: str,
    ) -> Outcome[Indices]:
        """Steps from the medoids of each start until none is better."""
        rng = generator(self.random_state)
        outcome = iterate(
            lambda run: first(self._start(D, weight, rng)),
            step,
            max_iter=self.max_iter,
            restarts=self.n_init if isinstance(self.init, str) and self.init != "build" else 1,
            snapshot=lambda state: {"medoid_indices_": state.medoids},
            kept=kept,
            rng=rng,
        )
        if outcome.history.status == "max_iter":
            warn(f"KMedoids: {unfinished} after max_iter={self.max_iter} passes; raise max_iter.", NotConverged)
        return outcome.then(lambda state: state.medoids)

    def _start(self, D: Array, weight: Array | None, rng: np.random.Generator) -> Indices:
        if isinstance(self.init, str):
            if self.init == "build":
                return backend.build(D, weight, self.n_clusters)
            return (backend.lab if self.init == "lab" else backend.random)(D, weight, self.n_clusters, rng)
        rows = np.asarray(self.init) if are_numbers(self.init, 1) else np.empty(0)
        counts = given_or_ones(weight, len(D))
        is_good = rows.dtype.kind in "iu" and rows.shape == (self.n_clusters,) and len(np.unique(rows)) == len(rows)
        if not is_good or rows.min() < 0 or rows.max() >= len(D) or not counts[rows].all():
            raise InvalidParameter(
                f"KMedoids: init must be {self.n_clusters} different row numbers from 0 to {len(D) - 1}, of rows that "
                f"count; got {self.init!r}."
            )
        return rows.astype(np.int64)

    def _attributes(
        self, measure: Dissimilarity, X: Array, weight: Array | None, medoids: Indices, iterations: int
    ) -> Attributes:
        centers = None if measure.distance is None else X[medoids]
        labels, cost = np.empty(len(X), dtype=np.int64), 0.0
        for rows in measure.blocks(len(X), len(medoids)):
            distances = measure.between(X[rows], medoids, centers)
            labels[rows] = np.argmin(distances, axis=1)
            least = distances.min(axis=1).astype(np.float64)
            cost += float(least.sum() if weight is None else least @ weight[rows])
        return {
            "medoid_indices_": medoids,
            "cluster_centers_": centers,
            "labels_": labels,
            "inertia_": cost,
            "n_iter_": iterations,
            "dissimilarity_": measure,
        }

    @property
    def _n_features_out(self) -> int:
        return len(self.medoid_indices_)

    def transform(self, X: TableLike) -> Reals:
        """The dissimilarities to the medoids, (n, k)."""
        self._check_fitted()
        measure, medoids, centers = self.dissimilarity_, self.medoid_indices_, self.cluster_centers_
        return self._rows(X, lambda chunk: measure.between(chunk.X, medoids, centers))

    def predict(self, X: TableLike) -> Codes:
        """The number of the nearest medoid of each row, the first of equals."""
        self._check_fitted()
        measure, medoids, centers = self.dissimilarity_, self.medoid_indices_, self.cluster_centers_
        return self._rows(X, lambda chunk: np.argmin(measure.between(chunk.X, medoids, centers), axis=1))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.metric)
        return tags
