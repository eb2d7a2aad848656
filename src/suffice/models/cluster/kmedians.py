"""k-medians."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ...backend import columns
from ...data import Chunk, Needs, Source
from ...engine import Kept, Outcome, Step
from ...estimator import Attributes, Clusterer, Transformer, estimator
from ...holds import floats, require
from ...params import are_numbers, learned, numbers, param
from ...randomness import generator, random_state_param
from ...typing import Codes, Floats, Numbers, RandomState, Reals, TableLike
from .alternation import (
    CENTRES,
    PIECEWISE,
    Counted,
    alternated,
    draw,
    max_iter_param,
    memory_param,
    moved,
    n_clusters_param,
    n_init_param,
    padded,
    stepped,
    weights,
    with_weight,
)


@dataclass(frozen=True)
class _State:
    """The centres (k, d), and the nearest of them with its distance for each row, (n,)."""

    centres: Floats
    labels: NDArray[np.int64]
    distance: Floats


@estimator
class KMedians(ClassNamePrefixFeaturesOutMixin, Transformer, Clusterer):  # type: ignore[misc]
    """Clusters around medians: minimise Σᵢ wᵢ ‖xᵢ − m_c(i)‖₁ over the centres m and the clusters c(i).

    An iteration takes the lower weighted median of each cluster and column, then the nearest centre of each row, the
    first among equals; both lower the objective. A cluster without rows gets the row farthest from its centre, one
    cluster an iteration. Missing cells are left out of the distances and the medians.

    Medians cannot be merged from pieces, so rows that come from files or Dask are gathered in memory first.

    Examples
    --------
    >>> import suffice as sf
    >>> xclara = sf.datasets.load("xclara").matrix()
    >>> model = sf.KMedians(3, random_state=0).fit(xclara)
    >>> model.cluster_centers_.round(1).tolist()
    [[40.9, 60.1], [9.6, 10.4], [69.7, -9.9]]
    """

    complexity = "n_clusters"

    units = "common"

    needs = Needs(missing=True, scaled=True, one_hot=True)
    exemptions: ClassVar[Mapping[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": "it shuffles the rows of one of the two tables, and rows are "
        "drawn in row order; `weights_equal_repetition` has them in order",
    }

    n_clusters: int = n_clusters_param()
    init: object = param(
        "k-medians++",
        choices=("k-medians++", "random"),
        accept=lambda value: are_numbers(value, 2),
        allowed="an array (n_clusters, d)",
        doc="The first centres: rows drawn with probability proportional to w times their distance from the centres "
        "so far, different rows drawn by weight alone, or these.",
    )
    n_init: int = n_init_param()
    max_iter: int = max_iter_param(300)
    random_state: RandomState = random_state_param()
    memory: int = memory_param("rows gathered from files or Dask")

    cluster_centers_: Floats = learned(
        "The medians, (k, d); NaN in a column without any value.", holds=floats("k", "d", finite=False)
    )
    inertia_: float = learned("The objective: the summed weighted distances.")
    n_iter_: int = learned("The iterations of the start that was kept.")

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.cluster_centers_), "cluster_centers_ must have a row")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        owner = type(self).__name__
        whole = source.gather(self.memory, PIECEWISE)
        rows = with_weight(whole)
        Counted.of(rows).check_enough(owner, self.n_clusters)
        rng, w, order = generator(self.random_state), weights(rows), columns.column_order(rows.X)
        middle = columns.group_medians(rows.X, order, np.zeros(len(rows), dtype=np.int64), 1, rows.weight)[0]

        def start(run: int) -> _State:
            return _assigned(rows.X, self._start(rows, middle, rng))

        def step(state: _State) -> Step[_State]:
            medians = columns.group_medians(rows.X, order, state.labels, self.n_clusters, rows.weight)
            centres = _refilled(rows.X, state, np.where(np.isnan(medians), state.centres, medians))
            after = _assigned(rows.X, centres)
            return stepped(after, float(np.sum(w * after.distance)), moved(state.centres, centres))

        restarts = self.n_init if isinstance(self.init, str) else 1
        outcome = alternated(
            owner,
            start,
            step,
            max_iter=self.max_iter,
            restarts=restarts,
            snapshot=lambda state: {"cluster_centers_": state.centres},
            kept=Kept(
                floats(self.n_clusters, rows.X.shape[1]), lambda state: state.centres, partial(_assigned, rows.X)
            ),
            rng=rng,
        )
        return outcome.then(lambda state: self._attributes(state, whole, w, len(outcome.history)))

    def _start(self, rows: Chunk, middle: Floats, rng: np.random.Generator) -> Floats:
        owner = type(self).__name__
        if not isinstance(self.init, str):
            return numbers(owner, "init", self.init, (self.n_clusters, rows.X.shape[1]), CENTRES)
        chosen: list[Floats] = []
        mass = w = weights(rows)
        while len(chosen) < self.n_clusters and mass.any():
            row = rows.X[draw(mass, rng)]
            chosen.append(np.where(np.isnan(row), middle, row))
            distance = columns.column_nearest(rows.X, np.array(chosen), rows.X.shape[1])[1]
            mass = w * (distance if self.init == "k-medians++" else distance > 0)
        return padded(owner, chosen, self.n_clusters)

    def _attributes(self, state: _State, whole: Chunk, w: Floats, iterations: int) -> Attributes:
        complete = len(state.labels) == len(whole)  # else rows of weight zero were left out
        return {
            "cluster_centers_": state.centres,
            "labels_": state.labels if complete else _assigned(whole.X, state.centres).labels,
            "inertia_": float(np.sum(w * state.distance)),
            "n_iter_": iterations,
        }

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def predict(self, X: TableLike) -> Codes:
        """The cluster with the nearest centre."""
        return self._rows(X, lambda chunk: _assigned(chunk.X, self.cluster_centers_).labels)

    def transform(self, X: TableLike) -> Reals:
        """The distances ‖x − m‖₁ from every centre, (n, k)."""
        return self._rows(X, self._distances)

    def _distances(self, chunk: Chunk) -> Any:
        return columns.column_distances(chunk.X, self.cluster_centers_, chunk.X.shape[1]).astype(chunk.X.dtype)


def _assigned(X: Reals, centres: Floats) -> _State:
    return _State(centres, *columns.column_nearest(X, centres, X.shape[1]))


def _refilled(X: Numbers, state: _State, centres: Floats) -> Floats:
    """The centres, the first empty cluster's put on the row that is farthest from its own."""
    empty = np.flatnonzero(np.bincount(state.labels, minlength=len(centres)) == 0)
    far = int(np.argmax(state.distance))
    if len(empty) and state.distance[far] > 0:
        own = state.centres[state.labels[far]]
        centres[empty[0]] = np.where(np.isnan(X[far]), own, X[far])
    return centres
