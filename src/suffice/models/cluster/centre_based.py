"""What k-means and its relatives begin with: a metric, a scale, and centres to start from."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ... import backend
from ...data import Chunk, Needs, Source
from ...data.validate import check_size, check_sparse_gaps, is_sparse
from ...distances import DISTANCES, as_distance
from ...errors import InvalidData, NotConverged, squares_overflow, warn
from ...estimator import declares
from ...holds import floats, instance, require
from ...params import are_numbers, numbers, param
from ...randomness import generator, random_state_param
from ...statistics import DiagonalMoments
from ...statistics.rows import RowSample
from ...typing import Floats, RandomState, TableLike
from .alternation import CENTRES, Counted
from .initial_rows import Rows
from .initialisation import (
    INITIALISERS,
    Called,
    Given,
    GivenLabels,
    Initialiser,
    RandomAssignment,
    RandomRows,
    are_labels,
    as_initialiser,
)
from .lloyd import Scale
from .metrics import Unchanged, as_metric, metric_param
from .nearest import NearestCentre

_COPIED = 1 << 28  # bytes of a table by columns that is put by rows
_SAMPLE = 20_000  # rows that a start is found from where the source is not in memory, at least


@dataclass(frozen=True)
class Prepared:
    """What a fit knows before its first round: `initialise()` gives the centres of one more start."""

    metric: Unchanged
    source: Source  # the rows made ready for the metric
    scale: Scale
    weight: float  # of all rows
    rows: Rows
    complete: bool  # no cell is missing
    initialise: Callable[[], Floats]
    rng: np.random.Generator  # that `initialise` draws from


@declares
class CentreBased(NearestCentre):
    """Base of the clusterers that start from k centres and improve them iteration by iteration."""

    n_clusters: int = param(8, positional=True, integer=True, at_least=1, doc="How many clusters.")
    init: object = param(
        "k-means++",
        choices=tuple(INITIALISERS),
        accept=lambda value: callable(value) or are_numbers(value, 2) or are_labels(value),
        allowed="centres (k, d), or a label for each row, or a function or start that gives them",
        doc="Where to start: the name of an initialiser, centres (k, d), labels (n,), or a function of the rows.",
    )
    n_init: int | str = param(
        "auto", integer=True, at_least=1, choices=("auto",), doc="How many starts, the best is kept; auto: 10 for "
        "random starts, else 1.",
    )  # fmt: skip
    max_iter: int = param(300, integer=True, at_least=1, doc="How many iterations at the most.")
    tol: float = param(
        1e-4, number=True, at_least=0, doc="Stop when the centres move less than this share of the mean variance."
    )
    metric: object = metric_param()
    random_state: RandomState = random_state_param()

    holds: ClassVar = {"_metric": instance(Unchanged, d="d", r="r"), "_centres": floats("k", "r")}

    def check_loaded(self) -> None:
        super().check_loaded()
        ready = self._metric.width(self.n_features_in_)
        require(self._centres.shape[1] == ready, f"_centres must have {ready} columns")

    def _needs(self) -> Needs:
        plain = self.metric in DISTANCES and as_distance(self.metric).is_plain
        needs = super()._needs()
        return needs.but(missing=plain, scaled=plain, one_hot=plain, sparse=plain and needs.sparse)

    def _fit_needs(self) -> Needs:
        needs = super()._fit_needs()
        # Of rows as they are the first look shows what is bad, but for missing cells, which it leaves out.
        return needs.but(late=needs.scaled and needs.missing)

    def _start(self, source: Source) -> Prepared:
        """Everything that is known before the first round."""
        if source.in_memory is not None:
            check_sparse_gaps(source.in_memory.X, source.needs.owner, source.in_memory.number)
            self._check_clusters(Counted.of(source.in_memory))
        metric, rng = as_metric(self.metric, source, type(self).__name__), generator(self.random_state)
        start, ready = as_initialiser(self.init), row_by_row(metric.prepared(source))
        moments, rows = self._first_look(ready, start, rng)
        ready = ready.looked_through()
        if np.any(moments.weight == 0):
            column = source.schema.describe(int(np.argmin(moments.weight)))
            raise InvalidData(f"{type(self).__name__}: {column} has only missing values; leave it out.")
        rows = _filled(rows, moments, source)
        tol = self.tol * float(np.mean(moments.variance()))
        return Prepared(
            metric,
            ready,
            Scale(moments.mean, float(moments.scatter.sum()), tol),
            float(moments.weight.max()),
            rows,
            complete=rows.complete,
            initialise=lambda: self._initialise(start, metric, ready, rows, rng),
            rng=rng,
        )

    def _initialise(
        self, start: Initialiser, metric: Unchanged, ready: Source, rows: Rows, rng: np.random.Generator
    ) -> Floats:
        """The centres of one more start, as distances to them are measured; the only place where they come in."""
        owner, k = type(self).__name__, self.n_clusters
        found = start(ready, rows, k, rng)
        if isinstance(start, Given):  # as `cluster_centers_`: in the units of the data
            return metric.placed(numbers(owner, "init", found, (k, self.n_features_in_), CENTRES))
        return numbers(owner, "init", found, (k, rows.X.shape[1]), CENTRES) if isinstance(start, Called) else found

    def _runs(self) -> int:
        start = as_initialiser(self.init)
        if isinstance(start, Given | GivenLabels):
            return 1  # given centres would only give the same run again
        if self.n_init != "auto":
            return int(self.n_init)
        return 10 if isinstance(start, RandomRows | RandomAssignment | Called) else 1

    def _check_clusters(self, rows: Counted) -> None:
        rows.check_enough(type(self).__name__, self.n_clusters)

    def _first_look(self, ready: Source, start: Initialiser, rng: np.random.Generator) -> tuple[DiagonalMoments, Rows]:
        """The moments, and the rows that a start may use: all that are in memory, else a sample from the same pass."""
        owner = type(self).__name__
        clusters, seed = self.n_clusters, int(rng.integers(2**62))  # drawn for every kind of source
        size = max(_SAMPLE, 100 * clusters)
        if ready.in_memory is not None:
            moments = ready.reduce(partial(_moments, owner=owner))
            rows = Rows(ready.in_memory.X, ready.in_memory.weight)
            _check_squares(moments, rows, owner)
            return moments, rows
        if isinstance(start, Given) and (ready.n_rows or 0) > size:
            size = 0  # given centres need no rows to begin from
        seen = ready.reduce(partial(_FirstLook.at, size=size, seed=seed, owner=owner))
        rows = Rows(seen.sample.rows, seen.sample.weight if seen.sample.is_everything else None)
        _check_squares(seen.moments, rows, owner)
        self._check_clusters(Counted(seen.sample.seen, float(seen.moments.weight.max())))
        return seen.moments, rows

    def _warn(self, found: int) -> None:
        if found < self.n_clusters:
            warn(
                f"{type(self).__name__}: only {found} of {self.n_clusters} clusters have rows; there are fewer "
                "distinct rows than clusters.",
                NotConverged,
            )

    def _ready(self, X: TableLike) -> Any:
        return self._metric.rows(X)

    @property
    def _is_measured_as_is(self) -> bool:
        return type(self._metric) is Unchanged

    def _centres_ready(self) -> Floats:
        return np.asarray(self._centres)


def _check_squares(moments: DiagonalMoments, rows: Rows, owner: str) -> None:
    """Refuse numbers whose squares overflow, also after a difference has made them twice as large."""
    with np.errstate(over="ignore", invalid="ignore"):
        if math.isfinite(4 * (moments.scatter + moments.weight * moments.mean**2).sum()):
            return
    check_size(rows.X, rows.weight, owner)  # which knows the largest of them, where it is among these rows
    raise squares_overflow(owner)


def row_by_row(source: Source) -> Source:
    """The source with rows that lie in one piece each, as a fit reads them often, unless a copy takes much memory."""
    rows = source.in_memory
    X = None if rows is None else rows.X
    if not isinstance(X, np.ndarray) or X.strides[1] == X.itemsize or X.nbytes > _COPIED:
        return source
    return source.mapped(lambda chunk: dataclasses.replace(chunk, X=np.ascontiguousarray(chunk.X)))


def _filled(rows: Rows, moments: DiagonalMoments, source: Source) -> Rows:
    """The rows with column means in their missing values, for starts; a row without any value is refused."""
    if is_sparse(rows.X):  # of which none is missing
        return rows
    none_missing = rows.weight is None and moments.weight.min() == len(rows.X)  # rounding may hide light rows
    if none_missing or backend.first_bad(rows.X) is None:
        return rows
    missing = np.isnan(rows.X)
    nothing = np.flatnonzero(missing.all(axis=1))
    if nothing.size:
        which = "a row" if source.in_memory is None else f"row {source.in_memory.number(int(nothing[0]))}"
        raise InvalidData(f"{source.needs.owner}: {which} has only missing values, which say nothing; drop it.")
    return Rows(np.where(missing, np.nanmean(rows.X, axis=0), rows.X), rows.weight, complete=False)


def _moments(chunk: Chunk, owner: str) -> DiagonalMoments:
    if chunk.weight is not None:
        check_size(chunk.X, chunk.weight, owner)  # a small weight hides a large number from the sums
    return DiagonalMoments.of(chunk.X, chunk.weight)


@dataclass(frozen=True)
class _FirstLook:
    """What one pass over the rows tells before the first round."""

    moments: DiagonalMoments
    sample: RowSample

    @classmethod
    def at(cls, chunk: Chunk, size: int, seed: int, owner: str) -> _FirstLook:
        return cls(_moments(chunk, owner), RowSample.of(chunk.X, chunk.weight, size, seed))

    def __add__(self, other: _FirstLook) -> _FirstLook:
        return _FirstLook(self.moments + other.moments, self.sample + other.sample)
