"""What the models of neighbours share: the rows of a fit in an index, rows added and removed, lists of neighbours."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ... import params
from ...backend.neighbors import Nearest, Within
from ...data import Needs, Source
from ...distances import Chebyshev, Distance, Euclidean, Gower, Hamming, Manhattan, Minkowski, as_distance, is_distance, names
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Estimator, declares
from ...indices import Index, KDTree, Scanned, as_index, choose
from ...indices.choice import NAMES
from ...params import learned, param
from .training import Training, places_of

Whole = NDArray[np.int64]


@declares
class NeighborsModel(Estimator):
    """Base: the rows of the fit are kept in an index, which answers for new rows."""

    metric: Any = param(
        "minkowski",
        choices=names(),
        accept=is_distance,
        allowed="a distance or a function of two rows",
        doc="The distance of two rows: a name, a distance, or a function.",
    )
    p: float = param(2, number=True, at_least=0, doc="The order for metric='minkowski'; 0 counts the columns that differ.")
    metric_params: Any = param(None, choices=(None,), types=(dict,), doc="Arguments of a distance given by name.")
    algorithm: Any = param(
        "auto", choices=NAMES, types=(Index,), doc="The index: auto chooses by the shape of the rows; index_.reason says why."
    )
    memory: int = param(
        1 << 30, integer=True, at_least=1, doc="The most bytes of rows read from elsewhere; beyond, they are read for each question."
    )

    index_: Index = learned("The rows of the fit, to be asked for neighbours.")
    n_samples_fit_: int = learned("The number of rows of the fit that have a weight; others are left out.")

    # ---- what a subclass gives ----

    def _targets(self, rows: Training) -> Attributes:
        """What it makes of the targets."""
        return {}

    def _check_enough(self, rows: Training) -> None:
        """Refuse too few rows."""

    # ---- the fit ----

    def _distance(self) -> Distance:
        owner, arguments = type(self).__name__, self.metric_params or {}
        if self.metric == "minkowski" and isinstance(self.metric, str) and not arguments:
            simple = {0: Hamming(), 1: Manhattan(), 2: Euclidean(), math.inf: Chebyshev()}
            return simple.get(self.p, None) or Minkowski(float(self.p))
        try:
            return as_distance(self.metric, owner, **arguments)
        except TypeError as error:
            raise InvalidParameter(f"{owner}: metric_params={arguments!r} do not suit metric={self.metric!r}: {error}.") from None

    def _needs(self) -> Needs:
        needs = super()._needs()
        try:
            measure = self._distance()
        except (InvalidParameter, AttributeError, TypeError):
            return needs  # the check of the parameters will say it
        whole = isinstance(self.algorithm, KDTree) or self.algorithm == "kd_tree"
        return dataclasses.replace(
            needs, missing=measure.missing and not whole, sparse=measure.sparse, categories=measure.categories
        )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(Training.of(source, self.memory), source))

    def _solved(self, rows: Training, source: Source) -> Step[Attributes]:
        self._check_enough(rows)
        return self._begun(rows, source)

    def _begun(self, rows: Training, source: Source) -> Step[Attributes]:
        measure = _with_categories(self._distance(), source)
        index = self._left_there(rows, source, measure) if rows.X is None else self._built(rows, measure)
        return self._step(index, rows, measure)

    def _built(self, rows: Training, measure: Distance) -> Index:
        chosen = as_index(self.algorithm, type(self).__name__) or choose(rows.X, measure)
        return chosen.built(rows.X, measure)

    def _left_there(self, rows: Training, source: Source, measure: Distance) -> Scanned:
        owner = type(self).__name__
        if learns(measure, len(source.schema)):
            raise InvalidParameter(
                f"{owner}: {measure!r} depends on all rows, which take more than memory={self.memory:,} bytes. Give it what "
                "it needs (such as Mahalanobis(M)), or raise memory."
            )
        if self.algorithm not in ("auto", "brute"):
            raise InvalidParameter(
                f"{owner}: the rows take more than memory={self.memory:,} bytes, so algorithm must be 'auto' or 'brute'; got "
                f"{self.algorithm!r}. Raise memory."
            )
        why = f"rows are read for each question: they take more than memory={self.memory:,} bytes"
        assert rows.counts is not None
        counts = None if rows.counts.all() else rows.counts
        return Scanned.over(source, measure, counts, rows.n_rows, why)

    def _step(self, index: Index, rows: Training, measure: Distance) -> Step[Attributes]:
        attributes = {"index_": index, "n_samples_fit_": rows.n_rows, "_rows_fit": rows, "_measure_fit": measure}
        return Step({**attributes, **self._targets(rows)}, 0.0)

    # ---- rows come and go ----

    def partial_fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Add rows: afterwards the model is what one fit of all rows so far would give."""
        params.check(self)
        first = not hasattr(self, "index_")

        def learn() -> Outcome[Attributes]:
            source = self._open(X, y, sample_weight, reset=first)
            rows = Training.of(source, self.memory)
            return closed_form(lambda: self._begun(rows, source) if first else self._more(rows))

        return self._adopt(learn)

    def _more(self, new: Training) -> Step[Attributes]:
        if isinstance(self.index_, Scanned):
            self.index_.insert(None)
        rows, measure = self._rows_fit + new, self._measure_fit
        keeps = self.algorithm != "auto" or type(choose(rows.X, measure)) is type(self.index_)
        keeps = keeps and not learns(measure, self.n_features_in_)
        return self._step(self.index_.insert(new.X) if keeps else self._built(rows, measure), rows, measure)

    def remove(self, X: Any = None, y: Any = None, *, rows: Any = None) -> Self:
        """Take rows away: those equal to the rows of X (and targets y), or those with the numbers `rows`.

        Afterwards the model is what a fit without them would give; the rows behind them move up.
        """
        check_is_fitted(self, "index_")
        if isinstance(self.index_, Scanned):
            self.index_.remove(rows)
        return self._adopt(lambda: closed_form(lambda: self._fewer(self._places(X, y, rows))))

    def _places(self, X: Any, y: Any, rows: Any) -> Whole:
        if rows is not None:
            return np.unique(np.asarray(rows, dtype=np.int64))
        own = np.zeros(len(X)) if y is None and self.needs.target != "none" else y  # only what is given is compared
        chunk = Training.of(self._open(X, own, None, reset=False), self.memory)
        return places_of(chunk.X, None if y is None else chunk.y, self._rows_fit, type(self).__name__)

    def _fewer(self, places: Whole) -> Step[Attributes]:
        index, measure = self.index_.remove(places), self._measure_fit
        kept = np.delete(np.arange(self.n_samples_fit_), places)
        if not len(kept):
            raise InvalidData(f"{type(self).__name__}: no rows are left; at least one must stay.")
        rows = self._rows_fit.at(kept)
        if learns(measure, self.n_features_in_):
            index = self._built(rows, measure)
        return self._step(index, rows, measure)

    # ---- lists of neighbours ----

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Distances (m, k), ascending, and rows (m, k) of the nearest rows of the fit; of equals the first.

        Without X, the neighbours of the rows of the fit, themselves left out.
        """
        check_is_fitted(self)
        k = vars(self).get("n_neighbors", 5) if n_neighbors is None else n_neighbors
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InvalidParameter(f"{type(self).__name__}: n_neighbors must be an integer, at least 1; got {k!r}.")
        k = int(k)
        own = X is None
        self._check_count(k + own)
        if own:
            found = without_self(self.index_.kneighbors(self._own_rows(), k + 1))
            pair: Any = np.concatenate([found.distances, found.rows], axis=1)
            dtype = self._rows_fit.X.dtype
        else:
            pair = self._rows(X, lambda chunk: np.concatenate(self.index_.kneighbors(chunk.X, k), axis=1))
            dtype = getattr(X, "dtype", np.float64)
        rows = pair[:, k:].astype(np.int64)
        single = np.float32 if dtype == np.float32 else np.float64
        return (pair[:, :k].astype(single), rows) if return_distance else rows

    def radius_neighbors(
        self, X: Any = None, radius: float | None = None, return_distance: bool = True, sort_results: bool = True
    ) -> Any:
        """For each row of X the distances and numbers of the rows at most `radius` away, as arrays of arrays, nearest first.

        Without X, the neighbours of the rows of the fit, themselves left out.
        """
        lists = self._within(X, radius)
        distances = lists[:, 0].copy()
        rows = lists[:, 1].copy()
        return (distances, rows) if return_distance else rows

    def _within(self, X: Any, radius: float | None) -> Any:
        """(m, 2) of arrays."""
        check_is_fitted(self)
        r = vars(self).get("radius", 1.0) if radius is None else radius
        if isinstance(r, bool) or not isinstance(r, int | float | np.number) or not r >= 0:
            raise InvalidParameter(f"{type(self).__name__}: radius must be a number, at least 0; got {r!r}.")
        if X is not None:
            return self._rows(X, lambda chunk: as_lists(self.index_.radius_neighbors(chunk.X, float(r)), chunk.X.dtype))
        found = self.index_.radius_neighbors(self._own_rows(), float(r))
        query = np.repeat(np.arange(len(found.ends)), np.diff(found.ends, prepend=0))
        others = query != found.rows
        ends = np.cumsum(np.bincount(query[others], minlength=len(found.ends)))
        return as_lists(Within(ends, found.distances[others], found.rows[others]), self._rows_fit.X.dtype)

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """The nearest rows as a CSR matrix (m, n): 1 for each, or its distance with mode="distance"."""
        self._check_mode(mode)
        distances, rows = (np.asarray(part) for part in self.kneighbors(X, n_neighbors))
        values = distances.ravel() if mode == "distance" else np.ones(rows.size)
        starts = np.arange(0, rows.size + 1, rows.shape[1])
        return sparse.csr_matrix((values, rows.ravel(), starts), shape=(len(rows), self.n_samples_fit_))

    def radius_neighbors_graph(
        self, X: Any = None, radius: float | None = None, mode: str = "connectivity", sort_results: bool = True
    ) -> Any:
        """The rows within the radius as a CSR matrix (m, n): 1 for each, or its distance with mode="distance"."""
        self._check_mode(mode)
        lists = np.asarray(self._within(X, radius))
        rows = np.concatenate(list(lists[:, 1]))
        values = np.concatenate(list(lists[:, 0])) if mode == "distance" else np.ones(len(rows))
        starts = np.concatenate([[0], np.cumsum([len(one) for one in lists[:, 1]])])
        return sparse.csr_matrix((values, rows, starts), shape=(len(lists), self.n_samples_fit_))

    def _check_mode(self, mode: str) -> None:
        if mode not in ("connectivity", "distance"):
            raise InvalidParameter(f"{type(self).__name__}: mode must be 'connectivity' or 'distance'; got {mode!r}.")

    def _own_rows(self) -> Any:
        if self._rows_fit.X is None:
            raise InvalidParameter(f"{type(self).__name__}: the rows of the fit are not in memory; give X.")
        return self._rows_fit.X

    def _check_count(self, k: int) -> None:
        if k > self.n_samples_fit_:
            raise InvalidData(
                f"{type(self).__name__}: {k} neighbours are asked for, expected n_neighbors <= n_samples_fit, but there are "
                f"n_samples_fit={self.n_samples_fit_} rows; lower n_neighbors, or give more rows."
            )


def check_enough(owner: str, k: int, rows: Training) -> None:
    """Refuse rows that weigh less than the neighbours that are asked for."""
    there = rows.n_rows if rows.weight is None else float(rows.weight.sum())
    if k > there * (1 + 1e-12):
        what = "rows" if rows.weight is None else "weight of all rows (a row of weight 2 is two neighbours)"
        raise InvalidData(
            f"{owner}: n_neighbors={k} is more than the {what}, {there:g} (n_samples={rows.n_rows}); lower n_neighbors, or "
            "give more rows."
        )


def without_self(found: Nearest) -> Nearest:
    """Lists of k + 1 rows without the row itself, or, where equal rows have crowded it out, without the last."""
    m, width = found.rows.shape
    own = found.rows == np.arange(m)[:, None]
    own[~own.any(axis=1), -1] = True
    return Nearest(found.distances[~own].reshape(m, width - 1), found.rows[~own].reshape(m, width - 1))


def as_lists(found: Within, dtype: Any) -> NDArray[Any]:
    """(m, 2) of arrays: distances and rows."""
    out = np.empty((len(found.ends), 2), dtype=object)
    starts = np.concatenate([[0], found.ends[:-1]])
    for i, (start, end) in enumerate(zip(starts, found.ends, strict=True)):
        out[i, 0] = found.distances[start:end].astype(np.float32 if dtype == np.float32 else np.float64)
        out[i, 1] = found.rows[start:end]
    return out


def learns(measure: Distance, d: int) -> bool:
    """Whether the distance takes something from all rows, so that it changes when rows come or go."""
    return measure.fitted(np.zeros((1, d))) is not measure


def _with_categories(measure: Distance, source: Source) -> Distance:
    """For Gower's distance the text columns of a table, which a fit sees as codes, are categorical."""
    if not isinstance(measure, Gower):
        return measure
    own = [source.schema.names.index(c) if isinstance(c, str) else c for c in measure.categorical]
    text = [j for j, column in enumerate(source.schema.columns) if column.kind == "categorical"]
    return dataclasses.replace(measure, categorical=tuple(sorted({*own, *text})))

