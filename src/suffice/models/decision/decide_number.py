"""Numbers to act by where too little and too much cost differently."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
from scipy import special
from sklearn.base import is_regressor
from sklearn.utils import column_or_1d

from ...backend.posteriors import rounded
from ...data import Chunk, Needs, Source
from ...engine import Step
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Estimator, Regressor, estimator
from ...holds import flag, instance, number
from ...params import learned, param
from ...resampling.cost_results import weights_for
from ...statistics.sorted_values import SortedValues
from ...typing import Floats, Labels, Numbers, Reals, TableLike, TargetLike, WeightLike
from ..around import Around
from ..cluster.alternation import memory_param
from ..inner import columns_of, number_of, predictor_param, rows_for
from ..linear import Ridge
from .held_out import fitted_to, folds_by_content, held_out, rows_that_count, splits_by_fold
from .predictive import has_distribution, predicted_quantile


@estimator
class DecideNumber(Regressor, Around):
    """The number of least expected cost where too little costs `under` a unit and too much `over` a unit.

    The least of E[under · (y − a)₊ + over · (a − y)₊] is at the quantile q = under / (under + over) of y given x. The
    model gives ŷ(x); how far y is from it is learned from rows that were left out, in `folds` parts by the contents of
    rows. With `errors="normal"` the number is ŷ + μ + σ Φ⁻¹(q), μ and σ the mean and standard deviation of y − ŷ there;
    with "empirical" it is ŷ plus the quantile q of y − ŷ, whatever their distribution.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.datasets.load("faithful")
    >>> X, y = faithful.matrix(["eruptions"]), faithful["waiting"]
    >>> model = sf.DecideNumber(sf.LinearRegression(), under=9.0, over=1.0).fit(X, y)
    >>> round(model.quantile_, 2), round(model.shift_, 1)
    (0.9, 7.6)
    """

    needs = Needs(target="numbers")
    instead = Ridge
    exemptions: ClassVar = {"check_regressors_train": "`score` is minus the mean cost, never above 0"}

    model: object = predictor_param(is_regressor, "What ŷ(x) comes from, any regressor; None: `Ridge`.")
    under: float = param(1.0, number=True, above=0, at_most=1e150, doc="What a unit too little costs.")
    over: float = param(1.0, number=True, above=0, at_most=1e150, doc="What a unit too much costs.")
    errors: str = param("normal", choices=("normal", "empirical", "predictive"), doc="What errors are taken to be.")
    folds: int = param(5, integer=True, at_least=2, at_most=1000, doc="How many folds of rows are left out in turn.")
    memory: int = memory_param("rows gathered from files or Dask")

    model_: Estimator = learned("The model fitted to all rows.", holds=instance(Estimator, d="d"))
    quantile_: float = learned("q, the quantile that is sought.", holds=number(at_least=0, at_most=1))
    shift_: float = learned("What is added to ŷ; 0 with `errors='predictive'`.", holds=number())
    by_model_: bool = learned("Whether the model itself says how targets are distributed.", holds=flag())
    deviation_: float = learned("σ of rows left out; 0 with `errors='predictive'`.", holds=number(at_least=0))

    # -- learning -----------------------------------------------------------------------------------------------------
    def _solved(self, source: Source) -> Step[Attributes]:
        if self.errors == "predictive":
            return self._by_the_model(source)
        rows = rows_that_count(source, self.memory)
        rows = replace(rows, y=one_column(np.asarray(rows.y), source.needs.owner))
        y = np.asarray(rows.y, dtype=np.float64)
        weight = np.ones(len(y)) if rows.weight is None else np.asarray(rows.weight, dtype=np.float64)
        error = self._errors(rows, source)
        q = self.under / (self.under + self.over)
        mean = float(np.average(error, weights=weight))
        deviation = float(np.sqrt(np.average((error - mean) ** 2, weights=weight)))
        shift = mean + deviation * float(special.ndtri(q))
        if self.errors == "empirical":
            shift = float(SortedValues.of(error, weight).quantile(np.array([q]))[0])
        cost = float(np.average(_cost(error - shift, self.under, self.over), weights=weight))
        found = {
            "model_": fitted_to(self._inner(), rows, source),
            "quantile_": q,
            "shift_": shift,
            "deviation_": deviation,
            "by_model_": False,
        }
        return Step(found, cost)

    def _by_the_model(self, source: Source) -> Step[Attributes]:
        """A model that says itself how targets are distributed."""
        inner, q = self._inner(), self.under / (self.under + self.over)
        if not has_distribution(inner):
            raise InvalidParameter(
                f"{type(self).__name__}: errors='predictive' needs quantiles, intervals of new targets or return_std, "
                f"and {type(inner).__name__} has none; take errors='normal' or 'empirical'."
            )
        rows = rows_that_count(source, self.memory)
        y = np.asarray(one_column(np.asarray(rows.y), source.needs.owner), dtype=np.float64)
        model = fitted_to(inner, replace(rows, y=y), source)
        said = predicted_quantile(model, rows_for(model, rows, source.schema), q)
        cost = float(np.average(_cost(y - said, self.under, self.over), weights=rows.weight))
        return Step({"model_": model, "quantile_": q, "shift_": 0.0, "deviation_": 0.0, "by_model_": True}, cost)

    def _errors(self, rows: Chunk, source: Source) -> Floats:
        """y − ŷ of each row by a model that has not seen its fold, (n,)."""
        fold = folds_by_content(rows.X, self.folds, source.needs.owner)
        asked = partial(number_of, schema=source.schema)
        return np.asarray(rows.y - held_out(self._inner(), rows, source, splits_by_fold(fold), asked))

    # -- answers ------------------------------------------------------------------------------------------------------
    def predict(self, X: TableLike) -> Reals:
        """The number of least expected cost for each row, (n,)."""
        self._check_fitted("model_")
        schema = columns_of(self)

        def numbers(chunk: Chunk) -> Reals:
            if self.by_model_:
                rows = rows_for(self.model_, chunk, schema)
                return predicted_quantile(self.model_, rows, self.quantile_).astype(chunk.X.dtype, copy=False)
            return rounded(number_of(self.model_, chunk, schema) + self.shift_, chunk.X.dtype)

        return self._rows(X, numbers)

    def _judged(self, y: TargetLike, predicted: Numbers, sample_weight: WeightLike) -> float:
        """Minus the mean cost of the numbers, so that larger is better."""
        off = np.asarray(y, dtype=np.float64) - np.asarray(predicted, dtype=np.float64)
        return -float(np.average(_cost(off, self.under, self.over), weights=weights_for(sample_weight, len(off))))


def _cost(off: Floats, under: float, over: float) -> Floats:
    """What numbers cost that are too small by `off`."""
    return np.asarray(np.where(off > 0, under * off, -over * off))


def one_column(y: Labels, owner: str) -> Labels:
    """The target of each row, (n,); a table of one column is taken for it, with scikit-learn's warning."""
    if y.ndim == 1:
        return y
    if y.shape[1] > 1:
        raise InvalidData(f"{owner}: y must be one target, and has {y.shape[1]} columns; give each its own model.")
    return np.asarray(column_or_1d(y, warn=True))
