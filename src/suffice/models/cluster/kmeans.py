"""k-means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ...data import Needs, Source
from ...engine import History, Outcome, iterate
from ...estimator import Attributes, estimator
from ...params import param
from ...scikit_learn import COPY, VERBOSE, Counterpart
from .centre_based import CentreBased, Prepared
from .lloyd import BoundedRounds, Centres, SourceRounds
from .nearest import Labelled

_IN_ORDER = "the check shuffles the rows, and a start draws them in order"


@estimator
class KMeans(CentreBased):
    """The k-means clustering: centres μ that minimise Σ w ‖x − μ(x)‖², where μ(x) is the centre nearest to x.

    Assign every row to its nearest centre, move every centre to the mean of its rows, and repeat: the objective
    falls at every half step (`history_`: after the update, and `metric("assigned")` before it) and the end comes
    after finitely many. In memory, rows whose bounds settle their centre are not read again, with the same answer. A
    centre without rows moves to the row farthest from its own centre.

    Sparse matrices (CSR) are taken with `metric="euclidean"`, and are never filled in.

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

    complexity = "n_clusters"

    units = "common"
    needs = Needs(scaled=True, one_hot=True, sparse=True)

    counterpart: ClassVar = Counterpart(
        "sklearn.cluster",
        ignored={
            "copy_x": COPY,
            "verbose": VERBOSE,
        },
    )

    exemptions: ClassVar = {
        "check_sample_weight_equivalence_on_dense_data": _IN_ORDER,
        "check_sample_weight_equivalence_on_sparse_data": _IN_ORDER,
    }

    algorithm: str = param(
        "auto",
        choices=("auto", "bounds", "lloyd", "elkan"),
        doc="With bounds, or plain; elkan is taken as bounds. The answer is the same.",
    )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        prepared = self._start(source)
        iterations = self._iterations(prepared)
        outcome = iterate(
            lambda run: Centres.starting(prepared.initialise(), iterations()),
            Centres.step,
            max_iter=self.max_iter,
            restarts=self._runs(),
            snapshot=lambda state: {"cluster_centers_": prepared.metric.original(state.at)},
            kept=Centres.kept(self.n_clusters, prepared.rows.X.shape[1], iterations),
            rng=prepared.rng,
        )
        return outcome.then(lambda state: self._attributes(prepared, source, state, outcome.history))

    def _iterations(self, prepared: Prepared) -> Callable[[], Any]:
        """What makes the iterations of a run: with bounds for complete rows in memory, else by passes."""
        source, project, scale = prepared.source, prepared.metric.project, prepared.scale
        rows = source.in_memory
        if rows is not None and prepared.complete:
            bounded = self.algorithm != "lloyd"
            return lambda: BoundedRounds(rows, scale, self.n_clusters, project, bounded)
        return lambda: SourceRounds(source, scale, project)

    def _attributes(self, prepared: Prepared, source: Source, state: Centres, history: History) -> Attributes:
        if isinstance(state.iterations, BoundedRounds):
            labels, inertia = state.iterations.finish(state)
            end = Labelled({"labels_": labels, "inertia_": inertia}, state.iterations.rows.mass)
        else:
            end = Labelled.of(prepared.source, state.at, prepared.scale.shift)
        self._warn(int(np.count_nonzero(end.weight)))
        return {
            "cluster_centers_": prepared.metric.completed(state.at, source),
            "n_iter_": len(history),
            "_metric": prepared.metric,
            "_centres": state.at,
            **end.attributes,
        }
