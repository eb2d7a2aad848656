"""k-means from a few rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import ClassVar, Self

import numpy as np

from ... import params
from ...backend import kmeans as kernels
from ...data import Chunk, Needs, Source
from ...distances import as_distance
from ...engine import History, Kept, Outcome, Step, closed_form, iterate
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, number, whole
from ...params import learned, param
from ...randomness import generator
from ...scikit_learn import VERBOSE, Counterpart
from ...typing import Floats, TableLike, TargetLike, WeightLike
from .alternation import Counted
from .centre_based import CentreBased, Prepared
from .initial_rows import Rows
from .initialisation import as_initialiser
from .metrics import Unchanged, as_metric
from .nearest import Labelled

ENOUGH = 10_240  # rows that judge whether the cost still falls, or one pass over fewer


def _most_drawn(weight: float) -> int:
    return int(min(weight, 1 << 22))  # large weights do not ask for large batches


@dataclass(frozen=True)
class _State:
    """The centres, the weight that each has taken in, how many updates there were, and a running mean cost.

    Also the lowest such cost so far, and how many updates ago it was reached.
    """

    centres: Floats
    counts: Floats
    updates: int
    cost: float = np.nan
    lowest: float = np.inf
    since: int = 0

    @classmethod
    def kept(cls, k: int, d: int) -> Kept[_State]:
        """How it is written to a checkpoint; a file is read from its beginning again."""
        figures = {"cost": number(finite=False), "lowest": number(finite=False), "since": whole()}
        return Kept.fields(cls, centres=floats(k, d), counts=floats(k), updates=whole(), **figures)


@dataclass(frozen=True)
class Judged:
    """Whether the cost still falls: a running mean, in which a batch has this share once there were enough of them.

    A batch of few rows says little: the first half of a `window` is not judged, and no shorter one ends the fit.
    """

    share: float
    window: int  # batches
    patience: int  # batches

    def after(self, state: _State, cost: float) -> tuple[_State, bool]:
        """The state with the cost of one more batch, and whether it has stopped falling."""
        updates = state.updates + 1
        share = 1.0 if np.isnan(state.cost) else max(self.share, 1 / updates)
        smooth = cost if share == 1.0 else state.cost * (1 - share) + cost * share
        if 2 * updates < self.window:
            return replace(state, updates=updates, cost=smooth), False
        since = 0 if smooth < state.lowest else state.since + 1
        lowest = min(state.lowest, smooth)
        return replace(state, updates=updates, cost=smooth, lowest=lowest, since=since), since >= max(
            self.patience, self.window
        )


@estimator
class MiniBatchKMeans(CentreBased):
    """Stochastic k-means: each batch moves every centre towards the mean of its rows, μ ← μ + α (x̄ − μ).

    With `step="count"` α is the share of the batch in all rows the centre has taken in, so μ is their running mean.
    A number p in (½, 1] gives Robbins–Monro steps α_t = t^(−p), with Σα = ∞ and Σα² < ∞; a function gives α_t itself. A
    batch of one row is the one-point update. `partial_fit` takes one batch.

    In memory, batches are drawn at random by weight; a file or dask collection is read in its order, so its rows should
    be mixed. The objective in `history_` is a running mean over batches, an estimate that need not fall.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.datasets.load("faithful").matrix()
    >>> model = sf.MiniBatchKMeans(2, batch_size=50, random_state=0).fit(faithful)
    >>> np.sort(model.cluster_centers_[:, 0]).round(1)
    array([2.1, 4.3])
    """

    complexity = "n_clusters"

    units = "common"
    needs = Needs(scaled=True, one_hot=True, sparse=True)

    counterpart: ClassVar = Counterpart(
        "sklearn.cluster",
        ignored={
            "compute_labels": "`labels_` are always there",
            "init_size": "a start looks at all rows in memory",
            "verbose": VERBOSE,
        },
        absent={"reassignment_ratio": "centres without rows stay where they are; use `KMeans`, which moves them"},
    )

    _in_order = "batches are drawn at random in memory, and read in order from elsewhere"
    exemptions: ClassVar = {
        "check_sample_weight_equivalence_on_dense_data": "the check shuffles the rows, and batches are drawn in order",
        "check_sample_weight_equivalence_on_sparse_data": "the check shuffles the rows, and batches are drawn in order",
        "history": "the objective is an estimate from batches, which need not fall",
        "order_of_rows_does_not_matter": "batches are drawn from the rows in their order",
        "parquet_files": _in_order,
        "csv_file": _in_order,
        "dask_arrays": _in_order,
        "dask_frames": _in_order,
    }

    batch_size: int = param(1024, integer=True, at_least=1, doc="How many rows a batch has.")
    step: str | float | Callable[[int], float] = param(
        "count",
        choices=("count",),
        number=True,
        above=0.5,
        at_most=1,
        accept=callable,
        allowed="a function of the number of the update",
        doc="How far a batch moves the centres.",
    )
    max_iter: int = param(100, integer=True, at_least=1, doc="How often all rows are gone through at the most.")
    max_no_improvement: int = param(
        10,
        integer=True,
        at_least=1,
        doc="Stop after so many batches, and at least 10,240 rows or one pass, without a lower running mean cost.",
    )

    counts_: Floats = learned("The weight that each centre has taken in, (k,).", holds=floats("k", at_least=0))
    n_steps_: int = learned("How many batches were taken in.")

    def _needs(self) -> Needs:
        return super()._needs().but(missing=False)

    def _fit_needs(self) -> Needs:
        return replace(super()._fit_needs(), late=False)  # `partial_fit` takes no first look

    def _learn(self, source: Source) -> Outcome[Attributes]:
        prepared = self._start(source)
        rng = generator(self.random_state)
        n = prepared.weight
        size = min(self.batch_size, n)
        judged = Judged(min(1.0, 2.0 * size / (n + 1)), ceil(min(n, ENOUGH) / size), self.max_no_improvement)
        batches = prepared.source.batches(self._rows_a_batch(prepared), rng)
        outcome = iterate(
            lambda run: _State(prepared.initialise(), np.zeros(self.n_clusters), 0),
            lambda state: self._taken(state, next(batches), judged),
            max_iter=max(1, int(min(self.max_iter, 2**53) * n / size)),
            restarts=self._runs(),
            snapshot=lambda state: {"cluster_centers_": prepared.metric.original(state.centres)},
            kept=_State.kept(self.n_clusters, prepared.rows.X.shape[1]),
            rng=rng,
        )
        batches.close()
        shift = prepared.scale.shift
        return outcome.then(
            lambda state: {
                **self._found(state, prepared.metric, outcome.history),
                **Labelled.of(prepared.source, state.centres, shift).attributes,
            }
        )

    def _rows_a_batch(self, prepared: Prepared) -> int:
        """At most as many rows as there are; a weight stands for so many rows."""
        rows = prepared.source.in_memory
        return self.batch_size if rows is None else min(self.batch_size, max(len(rows), _most_drawn(prepared.weight)))

    def _taken(self, state: _State, batch: Chunk, judged: Judged) -> Step[_State]:
        """One batch taken in; the cost is measured before."""
        centres = state.centres
        shift = np.zeros(centres.shape[1]) if kernels.is_csr(batch.X) else centres.mean(axis=0)
        found = kernels.assign(batch.X, centres, shift, batch.weight)
        some = found.weight > 0
        counts = state.counts + found.weight
        rate = np.where(some, self._rate(state.updates + 1, found.weight, np.where(some, counts, 1.0)), 0.0)
        new = found.sums  # (k, d): in place from here to the centres
        new /= np.where(some, found.weight, 1.0)[:, None]
        new += shift
        new -= centres
        new *= rate[:, None]
        new += centres
        cost = found.cost / max(float(found.weight.sum()), np.finfo(float).tiny)
        after, done = judged.after(state, cost)
        return Step(replace(after, centres=new, counts=counts), after.cost, {"batch": cost}, done=done)

    def _rate(self, t: int, weight: Floats, counts: Floats) -> Floats | float:
        if isinstance(self.step, str):
            return np.asarray(weight / counts)
        if not callable(self.step):
            return float(float(t) ** -self.step)
        rate = self.step(t)
        if isinstance(rate, bool) or not isinstance(rate, int | float | np.number) or not 0 <= rate <= 1:
            raise InvalidParameter(
                f"{type(self).__name__}: step must give a number from 0 to 1 for the update {t}; got {rate!r}."
            )
        return float(rate)

    def partial_fit(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """Take one batch in; the first batch must have at least as many rows as there are clusters."""
        params.check(self)
        measure = as_distance(self.metric)
        if measure.learns:
            raise InvalidData(
                f"{type(self).__name__}: {measure!r} depends on all rows, which partial_fit cannot know; use fit, or "
                "give what it needs (such as Mahalanobis(M))."
            )
        first = not hasattr(self, "cluster_centers_")
        return self._adopt(lambda: self._one_batch(self._open(X, y, sample_weight, reset=first), first))

    def _one_batch(self, source: Source, first: bool) -> Outcome[Attributes]:
        metric = as_metric(self.metric, source, type(self).__name__)
        ready = metric.prepared(source)
        chunk = ready.gather()
        if first:
            self._check_clusters(Counted.of(chunk))
            rows, rng = Rows(chunk.X, chunk.weight), generator(self.random_state)
            centres = self._initialise(as_initialiser(self.init), metric, ready, rows, rng)
            state = _State(centres, np.zeros(self.n_clusters), 0)
        else:
            state = _State(self._centres, self.counts_, self.n_steps_)
        outcome = closed_form(lambda: self._taken(state, chunk, Judged(1.0, 1, self.max_no_improvement)))
        return outcome.then(
            lambda after: {
                **self._found(after, metric, outcome.history),
                **Labelled.of_rows(chunk, after.centres).attributes,
            }
        )

    def _found(self, state: _State, metric: Unchanged, history: History) -> Attributes:
        return {
            "cluster_centers_": metric.original(state.centres),
            "counts_": state.counts,
            "n_steps_": state.updates,
            "n_iter_": len(history),
            "_metric": metric,
            "_centres": state.centres,
        }
