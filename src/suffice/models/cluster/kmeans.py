"""k-means."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from ... import backend
from ...backend import kmeans as kernels
from ...data import ArraySource, Chunk, Needs, Source
from ...engine import Outcome, iterate
from ...errors import InvalidData, InvalidParameter, NotConverged, warn
from ...estimator import Attributes, Clusterer, Transformer, estimator
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...statistics import ClusterSums, DiagonalMoments
from ...statistics.cluster_sums import nearest_with_gaps
from ...statistics.rows import RowSample
from .lloyd import BoundedRounds, Centres, Scale, SourceRounds, stop_when_settled
from .metrics import Euclidean, as_metric
from .starts import STARTS, Rows, Start, as_start

Floats = NDArray[np.float64]
_SAMPLE = 20_000  # rows that a start is found from where the source is not in memory, at least


@estimator
class KMeans(ClassNamePrefixFeaturesOutMixin, Clusterer, Transformer):  # type: ignore[misc]
    """k-means: centres μ that minimise Σ w ‖x − μ(x)‖², where μ(x) is the centre nearest to x.

    Assign every row to its nearest centre, move every centre to the mean of its rows, and repeat: the objective
    falls at every half step (`history_`: after the update, and `metric("assigned")` before it) and the end comes
    after finitely many. In memory, rows whose bounds settle their centre are not read again, with the same answer. A
    centre without rows moves to the row farthest from its own centre.

    Missing values: with `metric="euclidean"` distances are taken over the cells that are there, Σ (xⱼ − μⱼ)², and
    means over the rows that have the cell; the objective, over all cells that are there, still falls.

    From files and Dask the start is found from a sample of rows (all rows, where there are few), or by k-means||.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.datasets.load("faithful").matrix()
    >>> model = sf.KMeans(2, random_state=0).fit(faithful)
    >>> np.sort(model.cluster_centers_[:, 0]).round(3), round(model.inertia_, 1)
    (array([2.094, 4.298]), 8901.8)
    """

    needs = Needs()
    exemptions: ClassVar = {
        "check_sample_weight_equivalence_on_dense_data": "the check shuffles the rows, and a start draws them in order",
    }

    n_clusters: int = param(8, positional=True, integer=True, at_least=1, doc="How many clusters.")
    init: Any = param(
        "k-means++",
        choices=tuple(STARTS),
        accept=lambda value: callable(value) or np.ndim(value) == 2,
        allowed="centres (k, d), or a function or start that gives them",
        doc="Where to begin.",
    )
    n_init: Any = param(
        "auto", integer=True, at_least=1, choices=("auto",), doc="How many starts, the best is kept; auto: 10 for "
        "random starts, else 1.",
    )  # fmt: skip
    max_iter: int = param(300, integer=True, at_least=1, doc="How many rounds at the most.")
    tol: float = param(
        1e-4, number=True, at_least=0, doc="Stop when the centres move less than this share of the mean variance."
    )
    metric: str = param("euclidean", choices=("euclidean", "mahalanobis", "cosine"), doc="How distance is measured.")
    algorithm: str = param(
        "auto",
        choices=("auto", "bounds", "lloyd", "elkan"),
        doc="With bounds, or plain; elkan is taken as bounds. The answer is the same.",
    )
    random_state: Any = random_state_param()

    cluster_centers_: Floats = learned("The centres, (k, d).")
    inertia_: float = learned("The objective at the end.")
    n_iter_: int = learned("How many rounds the kept run took.")

    def _needs(self) -> Needs:
        return dataclasses.replace(super()._needs(), missing=self.metric == "euclidean")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        self._check_clusters(source)
        metric = as_metric(self.metric, source, type(self).__name__)
        rng = generator(self.random_state)
        moments = source.reduce(partial(_moments, metric=metric))
        if np.any(moments.weight == 0):
            column = source.schema.describe(int(np.argmin(moments.weight)))
            raise InvalidData(f"{type(self).__name__}: {column} has only missing values; leave it out.")
        scale = Scale(moments.mean, float(moments.scatter.sum()))
        start, rows = as_start(self.init), self._rows_to_begin(source, metric, rng)
        tol = self.tol * float(np.mean(moments.variance()))
        rounds = self._rounds(source, rows, moments, metric, scale)
        ready = _PreparedSource(source, metric)
        outcome = iterate(
            lambda run: Centres.starting(self._begin(start, ready, rows, scale, rng), rounds()),
            Centres.step,
            stop=stop_when_settled(tol),
            max_iter=self.max_iter,
            restarts=self._runs(),
            snapshot=_snapshot,
        )
        return outcome.then(lambda state: self._attributes(source, metric, scale, state, outcome.history))

    def _rounds(self, source: Source, rows: Rows, moments: DiagonalMoments, metric: Euclidean, scale: Scale) -> Any:
        """What makes the rounds of a run: with bounds for complete rows in memory, else by passes."""
        if isinstance(source, ArraySource) and np.all(moments.weight == moments.weight[0]):
            chunk = dataclasses.replace(source.chunk, X=rows.X)
            bounded = self.algorithm != "lloyd"
            return lambda: BoundedRounds(chunk, scale, self.n_clusters, metric.project, bounded)
        return lambda: SourceRounds(source, scale, metric.prepare, metric.project)

    def _begin(self, start: Start, source: Any, rows: Rows, scale: Scale, rng: Any) -> Floats:
        centres = start(source, rows, self.n_clusters, rng)
        if centres.shape != (self.n_clusters, len(scale.shift)):
            raise InvalidParameter(
                f"{type(self).__name__}: init must be {self.n_clusters} centres of {len(scale.shift)} columns; "
                f"got shape {centres.shape}."
            )
        if not np.isfinite(centres).all():
            raise InvalidParameter(f"{type(self).__name__}: init must be finite numbers; got NaN or infinity.")
        return centres

    def _runs(self) -> int:
        if self.n_init != "auto":
            return int(self.n_init)
        return 10 if isinstance(self.init, str) and self.init in ("random", "random_assignment") else 1

    def _check_clusters(self, source: Source) -> None:
        n = source.n_rows
        if n is not None and n < self.n_clusters:
            raise InvalidData(
                f"{type(self).__name__}: n_samples={n} should be >= n_clusters={self.n_clusters}; "
                "ask for fewer clusters."
            )

    def _rows_to_begin(self, source: Source, metric: Euclidean, rng: Any) -> Rows:
        """The rows that a start may use: all that are in memory, else a sample."""
        size, seed = max(_SAMPLE, 100 * self.n_clusters), int(rng.integers(2**62))
        if isinstance(source, ArraySource):
            X = metric.rows(source.chunk.X)
            return Rows(_filled(X, type(self).__name__), source.chunk.weight)
        sample = source.reduce(partial(_sample, metric=metric, size=size, seed=seed))
        if sample.seen < self.n_clusters:
            raise InvalidData(
                f"{type(self).__name__}: n_samples={sample.seen} should be >= n_clusters={self.n_clusters}; "
                "ask for fewer clusters."
            )
        return Rows(_filled(sample.rows, type(self).__name__), sample.weight if sample.is_everything else None)

    def _attributes(self, source: Source, metric: Euclidean, scale: Scale, state: Centres, history: Any) -> Attributes:
        attributes: Attributes = {
            "cluster_centers_": metric.original(state.at),
            "n_iter_": len(history),
            "_metric": metric,
            "_centres": state.at,
            "_shift": scale.shift,
        }
        if isinstance(state.rounds, BoundedRounds):
            attributes["labels_"], attributes["inertia_"] = state.rounds.finish(state)
            self._warn(int(np.count_nonzero(np.bincount(attributes["labels_"], minlength=self.n_clusters))))
            return attributes
        found = source.reduce(partial(_cost, metric=metric, centres=state.at, shift=scale.shift))
        attributes["inertia_"] = found.cost
        if isinstance(source, ArraySource):
            attributes["labels_"] = _nearest(source.chunk.X, state.at, scale.shift)[0]
        self._warn(int(np.sum(found.weight.max(axis=1) > 0)))
        return attributes

    def _warn(self, found: int) -> None:
        if found < self.n_clusters:
            warn(
                f"{type(self).__name__}: only {found} of {self.n_clusters} clusters have rows; there are fewer "
                "distinct rows than clusters.",
                NotConverged,
            )

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def predict(self, X: Any) -> Any:
        """The number of the nearest centre."""
        return self._rows(X, lambda chunk: _nearest(self._metric.rows(chunk.X), self._centres, self._shift)[0])

    def transform(self, X: Any) -> Any:
        """The distance to every centre, (n, k)."""
        return self._rows(X, self._distances)

    def _distances(self, chunk: Chunk) -> Any:
        rows = self._metric.rows(chunk.X)
        if np.isnan(rows).any():
            squared = np.stack([np.nansum((rows - c) ** 2, axis=1) for c in self._centres], axis=1)
            return np.sqrt(squared).astype(chunk.X.dtype, copy=False)
        return np.sqrt(kernels.pair_squares(rows.astype(np.float64), self._centres)).astype(chunk.X.dtype, copy=False)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the objective of X at the centres found."""
        check_is_fitted(self)
        source = self._open(X, None, sample_weight, reset=False)
        summarise = partial(_cost, metric=self._metric, centres=self._centres, shift=self._shift)
        return -source.reduce(summarise).cost


def _nearest(X: Any, centres: Floats, shift: Floats) -> tuple[Any, Floats]:
    if backend.first_bad(X) is not None:
        labels, squared = nearest_with_gaps(X, centres, shift)
        return labels.astype(np.int32), squared
    return kernels.nearest(X, centres, shift)


def _filled(X: Any, owner: str) -> Any:
    """The rows with column means in their gaps, for starts; a row without any value is refused."""
    if backend.first_bad(X) is None:
        return X
    gaps = np.isnan(X)
    nothing = np.flatnonzero(gaps.all(axis=1))
    if nothing.size:
        raise InvalidData(f"{owner}: row {nothing[0]} has only missing values, which say nothing; drop it.")
    return np.where(gaps, np.nanmean(X, axis=0), X)


def _snapshot(state: Centres) -> dict[str, Any]:
    return {"centres": state.at}


def _moments(chunk: Chunk, metric: Euclidean) -> DiagonalMoments:
    return DiagonalMoments.of(metric.rows(chunk.X), chunk.weight)


def _sample(chunk: Chunk, metric: Euclidean, size: int, seed: int) -> RowSample:
    return RowSample.of(metric.rows(chunk.X), chunk.weight, size, seed)


def _cost(chunk: Chunk, metric: Euclidean, centres: Floats, shift: Floats) -> ClusterSums:
    return ClusterSums.of(metric.rows(chunk.X), chunk.weight, centres, shift)


class _PreparedSource:
    """A source whose chunks are made ready for the metric, as starts see it."""

    def __init__(self, source: Source, metric: Euclidean) -> None:
        self.source, self.metric = source, metric

    def reduce(self, summarise: Any) -> Any:
        return self.source.reduce(partial(_after, summarise=summarise, metric=self.metric))


def _after(chunk: Chunk, summarise: Any, metric: Euclidean) -> Any:
    return summarise(metric.prepare(chunk))
