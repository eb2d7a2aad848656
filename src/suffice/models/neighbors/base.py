"""What the models of neighbours share: the rows of a fit in an index, rows added and removed, lists of neighbours."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, Needs, Source
from ...data.recode import recoder
from ...distances import (
    DISTANCES,
    Chebyshev,
    Distance,
    Euclidean,
    Hamming,
    Manhattan,
    Minkowski,
    as_distance,
    is_function,
)
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, declares
from ...holds import instance, require
from ...indices import Index, KDTree, Scanned, as_index
from ...indices.base import row_numbers
from ...indices.choice import NAMES, suited
from ...params import param
from ...typing import Numbers, TableLike, TargetLike, WeightLike, Whole
from .lists import NeighborLists
from .training import Training, places_of


@declares
class NeighborsModel(NeighborLists):
    """Base: the rows of the fit are kept in an index, which answers for new rows."""

    metric: object = param(
        "minkowski",
        names=DISTANCES,
        accept=is_function,
        allowed="a function of two rows",
        doc="The distance of two rows: a name, a distance, or a function.",
    )
    p: float = param(
        2, number=True, at_least=0, doc="The order for metric='minkowski'; 0 counts the columns that differ."
    )
    metric_params: dict[str, object] | None = param(
        None, choices=(None,), types=(dict,), doc="Arguments of a distance given by name."
    )
    algorithm: Any = param(
        "auto",
        choices=NAMES,
        types=(Index,),
        doc="The index: auto chooses by the shape of the rows; `index_.reason` says why.",
    )
    memory: int = param(
        1 << 30,
        integer=True,
        at_least=1,
        doc="The most bytes of rows read from elsewhere; beyond, they are read for each question.",
    )

    holds: ClassVar = {"_rows_fit": instance(Training, n="n", d="d"), "_measure_fit": instance(Distance, d="d")}

    def check_loaded(self) -> None:
        super().check_loaded()
        self._distance()  # refuses what does not suit
        there = self.index_.rows is not None and self.index_.n_rows == self.n_samples_fit_
        require(there and self._rows_fit.X is not None, "the rows of the fit must be those of the index")
        require(sparse.issparse(self.index_.rows) == sparse.issparse(self._rows_fit.X), "rows must be of one form")

    # ---- what a subclass gives ----

    def _targets(self, rows: Training) -> Attributes:
        """What it makes of the targets."""
        return {}

    def _check_enough(self, rows: Training) -> None:
        """Refuse too few rows."""

    # ---- the fit ----

    def _distance(self) -> Distance:
        owner, arguments = type(self).__name__, self.metric_params or {}
        if not all(isinstance(name, str) for name in arguments):
            raise InvalidParameter(f"{owner}: metric_params must have names of arguments; got {arguments!r}.")
        if isinstance(self.metric, str) and self.metric in Minkowski.names and not arguments:
            simple = {0: Hamming(), 1: Manhattan(), 2: Euclidean(), math.inf: Chebyshev()}
            return simple.get(self.p) or Minkowski(float(self.p))
        return as_distance(self.metric, owner, **arguments)

    def _needs(self) -> Needs:
        needs = super()._needs()
        try:
            measure = self._distance()
        except (AttributeError, TypeError, ValueError, OverflowError):
            return needs  # the check of the parameters will say it
        whole = isinstance(self.algorithm, KDTree) or self.algorithm == "kd_tree"
        return needs.but(
            missing=measure.missing and not whole,
            sparse=measure.sparse,
            categories=measure.categories,
            scaled=measure.by_units,
            one_hot=measure.by_units,
            squares=True,
        )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(Training.of(source, self.memory), source))

    def _solved(self, rows: Training, source: Source) -> Step[Attributes]:
        self._check_enough(rows)
        return self._begun(rows, source)

    def _begun(self, rows: Training, source: Source) -> Step[Attributes]:
        measure = self._distance().for_columns(source.schema)
        index = self._left_there(rows, source, measure) if rows.X is None else self._built(rows, measure)
        return self._step(index, rows, measure)

    def _built(self, rows: Training, measure: Distance) -> Index:
        learned = measure.fitted(rows.X, weight=rows.weight)
        chosen = as_index(self.algorithm, type(self).__name__) or suited(rows.X, learned)
        return chosen.of_checked(rows.X, learned)

    def _left_there(self, rows: Training, source: Source, measure: Distance) -> Scanned:
        owner = type(self).__name__
        if measure.learns:
            raise InvalidParameter(
                f"{owner}: {measure!r} depends on all rows, which take more than memory={self.memory:,} bytes. Give it "
                "what it needs (such as Mahalanobis(M)), or raise memory."
            )
        if self.algorithm not in ("auto", "brute"):
            raise InvalidParameter(
                f"{owner}: the rows take more than memory={self.memory:,} bytes, so algorithm must be 'auto' or "
                f"'brute'; got {self.algorithm!r}. Raise memory."
            )
        why = f"rows are read for each question: they take more than memory={self.memory:,} bytes"
        assert rows.counts is not None
        counts = None if rows.counts.all() else rows.counts
        return Scanned.over(source, measure, counts, rows.n_rows, why)

    def _step(self, index: Index, rows: Training, measure: Distance) -> Step[Attributes]:
        attributes = {"index_": index, "n_samples_fit_": rows.n_rows, "_rows_fit": rows, "_measure_fit": measure}
        return Step({**attributes, **self._targets(rows)}, 0.0)

    # ---- rows come and go ----

    def partial_fit(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """Add rows: afterwards the model is what one fit of all rows so far would give."""
        first = not hasattr(self, "index_")

        def learn() -> Outcome[Attributes]:
            source = self._open(X, y, sample_weight, reset=first)
            rows = self._in_codes_of_fit(Training.of(source, self.memory), source)
            return closed_form(lambda: self._begun(rows, source) if first else self._more(rows))

        return self._adopt(learn)

    def _more(self, new: Training) -> Step[Attributes]:
        if isinstance(self.index_, Scanned):
            self.index_.insert(None)
        known, more = (np.shape(part.y)[1:] for part in (self._rows_fit, new))
        if known != more:
            raise InvalidData(
                f"{type(self).__name__}: y has {more[0] if more else 1} targets, but the rows so far have "
                f"{known[0] if known else 1}; give the same targets, as one array or as a table, each time."
            )
        rows, measure = self._rows_fit + new, self._measure_fit
        keeps = not measure.learns
        keeps = keeps and (self.algorithm != "auto" or type(suited(rows.X, measure)) is type(self.index_))
        return self._step(self.index_.insert(new.X) if keeps else self._built(rows, measure), rows, measure)

    def remove(self, X: TableLike | None = None, y: TargetLike = None, *, rows: object = None) -> Self:
        """Take rows away: those equal to the rows of X (and targets y), or those with the numbers `rows`.

        Afterwards the model is what a fit without them would give; the rows behind them move up.
        """
        check_is_fitted(self, "index_")
        if isinstance(self.index_, Scanned):
            self.index_.remove(rows)
        return self._adopt(lambda: closed_form(lambda: self._fewer(self._places(X, y, rows))))

    def _places(self, X: Any, y: object, rows: object) -> Whole:
        if rows is not None:
            return np.unique(row_numbers(type(self).__name__, rows, self.n_samples_fit_))
        own = np.zeros(_length(X)) if y is None and self.needs.target != "none" else y  # only what is given is compared
        source = self._open(X, own, None, reset=False)
        given = self._in_codes_of_fit(Training.of(source, self.memory), source)
        return places_of(given.X, None if y is None else given.y, self._rows_fit, type(self).__name__)

    def _in_codes_of_fit(self, rows: Training, source: Source) -> Training:
        """Rows whose categories have the codes that the fit gave them."""
        recode = recoder(self._schema, source.schema, type(self).__name__) if hasattr(self, "_schema") else None
        return rows if recode is None else dataclasses.replace(rows, X=recode(Chunk(rows.X)).X)

    def _fewer(self, places: Whole) -> Step[Attributes]:
        if len(places) == self.n_samples_fit_:
            raise InvalidData(f"{type(self).__name__}: no rows are left; at least one must stay.")
        index, measure = self.index_.remove(places), self._measure_fit
        rows = self._rows_fit.at(np.delete(np.arange(self.n_samples_fit_), places))
        if measure.learns:
            index = self._built(rows, measure)
        return self._step(index, rows, measure)


def _length(X: Numbers) -> int:
    """How many rows something has; 0 for what is no table, which the check of it will say."""
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X) if hasattr(X, "__len__") else 0


def check_enough(owner: str, k: int, rows: Training) -> None:
    """Refuse rows that weigh less than the neighbours that are asked for."""
    there = rows.n_rows if rows.weight is None else float(rows.weight.sum())
    if k > there * (1 + 1e-12):
        what = "rows" if rows.weight is None else "weight of all rows (a row of weight 2 is two neighbours)"
        raise InvalidData(
            f"{owner}: n_neighbors={k} is more than the {what}, {there:g} (n_samples={rows.n_rows}); lower "
            "n_neighbors, or give more rows."
        )
