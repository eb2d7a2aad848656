"""Intervals for numbers that hold the truth as often as they say."""

from __future__ import annotations

import inspect
from typing import cast

import numpy as np
from sklearn.base import clone, is_regressor

from ...backend.posteriors import rounded
from ...data import Chunk, Needs, Schema, Source
from ...data.rows import as_numbers
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Estimator, Regressor, estimator
from ...holds import choice, instance, require
from ...params import learned, param
from ...typing import EstimatorLike, Floats, Labels, Reals, TableLike, TargetLike, WeightLike
from ..decision.decide_number import one_column
from ..inner import columns_of, number_of, predictor_param, rows_for, speaking
from ..linear import Ridge
from .base import Conformal
from .coverage import Coverage

_LEAST = 1e-12  # of the mean standard deviation: smaller ones count as this


@estimator
class ConformalRegressor(Regressor, Conformal):
    """Intervals around any regressor that hold the truth of a new row with a stated probability.

    Rows that were left out of a fit say how far from its predictions targets are: S = |y − ŷ(x)|, in units of the
    standard deviation that the model itself says with `errors="scaled"`, or max(q_l(x) − y, y − q_h(x)) with
    `errors="quantile"`, of models for two quantiles. The interval of a new row holds all y that are no farther than a
    share `level` of those rows, one more counted. With `method="split"` the truth is inside with a probability of at
    least 1 − α = `level`, whatever the distribution and the model; with "jackknife+" of at least 1 − 2α, and with
    "cross" a little less (Barber et al., 2021), though mostly it is about 1 − α as well. Rows must be exchangeable:
    not of a time series. `guarantee_` has the figure.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.datasets.load("faithful")
    >>> X, y = faithful.matrix(["eruptions"]), faithful["waiting"]
    >>> model = sf.ConformalRegressor(sf.LinearRegression(), level=0.9, method="cross").fit(X, y)
    >>> model.predict_interval([[2.0], [4.0]]).round(1)
    array([[45.3, 64.7],
           [66.8, 86. ]])
    >>> round(model.guarantee_, 2)
    0.74
    """

    needs = Needs(target="numbers")
    instead = Ridge

    model: object = predictor_param(is_regressor, "What predicts, any regressor; None: `Ridge`.")
    errors: str = param(
        "absolute",
        choices=("absolute", "scaled", "quantile"),
        doc="What an error is: the distance from ŷ; that in standard deviations, of models with `return_std`; or that "
        "from two quantiles, of models that have a parameter for one.",
    )

    model_: Estimator = learned(
        "The model that predicts: fitted to the rows that split learns from, else to all.",
        holds=instance(Estimator, d="d"),
    )

    errors_: str = learned("What an error is, as it was asked for.", holds=choice("absolute", "scaled", "quantile"))

    def check_loaded(self) -> None:
        super().check_loaded()
        fits = 2 if self.errors_ == "quantile" else 1
        require(len(self.models_) == fits * self.scores_.groups, "scores_ must be those of models_")

    # -- learning -----------------------------------------------------------------------------------------------------
    def _coded(self, y: Labels) -> tuple[Floats, Labels | None]:
        return one_column(y, type(self).__name__).astype(np.float64), None

    def _fitted(self, rows: Chunk, source: Source, beside: Attributes) -> tuple[Estimator, ...]:
        if self.errors != "quantile":
            return super()._fitted(rows, source, beside)
        ends = ((1 - self.level) / 2, (1 + self.level) / 2)
        return tuple(self._fit(_at_quantile(self._inner(), q, type(self).__name__), rows, source) for q in ends)

    def _whole(self, rows: Chunk, source: Source) -> Attributes:
        model = self._inner()
        model = _at_quantile(model, 0.5, type(self).__name__) if self.errors == "quantile" else model
        return {"model_": self._fit(model, rows, source), "errors_": self.errors}

    def _scores(
        self, models: tuple[Estimator, ...], rows: Chunk, targets: Floats, classes: Labels | None, schema: Schema
    ) -> Floats:
        if self.errors == "quantile":
            low, high = (number_of(model, rows, schema) for model in models)
            return np.maximum(low - targets, targets - high)
        centre, scale = _said(models[0], rows, schema, self.errors == "scaled", type(self).__name__)
        return np.asarray(np.abs(targets - centre) / scale)

    # -- answers ------------------------------------------------------------------------------------------------------
    def predict(self, X: TableLike) -> Reals:
        """The prediction for each row, (n,)."""
        self._check_fitted("scores_")
        schema = columns_of(self)

        def said(chunk: Chunk) -> Reals:
            return rounded(number_of(self.model_, chunk, schema), chunk.X.dtype)

        return self._rows(X, said)

    def predict_interval(self, X: TableLike, level: float | None = None) -> Reals:
        """The interval of each row, (n, 2), at the level of the fit or another; infinite where rows are too few."""
        self._check_fitted("scores_")
        wanted = self._asked_level(level)

        def intervals(chunk: Chunk) -> Floats:
            low, high, scale = self._ends(chunk)
            below = -self.scores_.upper(-low, scale, wanted)
            above = self.scores_.upper(high, scale, wanted)
            crossed = np.flatnonzero(below > above)  # quantiles that cross, or errors below 0: one point is left
            below[crossed] = above[crossed] = (below[crossed] + above[crossed]) / 2
            return np.column_stack([below, above])

        return cast(Reals, self._in_blocks(X, intervals))

    def _ends(self, chunk: Chunk) -> tuple[Floats, Floats, Floats]:
        """Where the fits have the lower and the upper end before errors are added, and the unit of these, (n, fits)."""
        if self.errors_ == "quantile":
            schema = columns_of(self)
            said = [number_of(model, chunk, schema) for model in self.models_]
            low, high = np.column_stack(said[::2]), np.column_stack(said[1::2])
            return low, high, np.ones_like(low)
        owner, scaled = type(self).__name__, self.errors_ == "scaled"
        pairs = [_said(model, chunk, columns_of(self), scaled, owner) for model in self.models_]
        centre, scale = (np.column_stack(parts) for parts in zip(*pairs, strict=True))
        return centre, centre, scale

    def coverage(
        self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None, level: float | None = None
    ) -> Coverage:
        """How many of these rows have their truth inside, and how wide intervals are."""
        ends = np.asarray(self.predict_interval(X, level), dtype=np.float64)
        truth = np.asarray(as_numbers(y, type(self).__name__), dtype=np.float64)
        if truth.shape != (len(ends),):
            raise InvalidData(f"{type(self).__name__}: y must have one number a row; got shape {truth.shape}.")
        inside = (truth >= ends[:, 0]) & (truth <= ends[:, 1])
        return Coverage.of(inside, ends[:, 1] - ends[:, 0], sample_weight, self._asked_level(level), "width")


def _said(model: Estimator, rows: Chunk, schema: Schema, scaled: bool, owner: str) -> tuple[Floats, Floats]:
    """The predictions of rows and their standard deviations; 1 where these are not asked for."""
    if not scaled:
        return number_of(model, rows, schema), np.ones(len(rows))
    if "return_std" not in inspect.signature(model.predict).parameters:
        raise InvalidParameter(
            f"{owner}: errors='scaled' needs predict with return_std=True, which {type(model).__name__} does not have; "
            "take a Gaussian process, or errors='absolute'."
        )
    with speaking(model):
        found = model.predict(rows_for(model, rows, schema), return_std=True)
    centre, scale = (np.asarray(part, dtype=np.float64).reshape(len(rows)) for part in found)
    typical = float(np.mean(scale))
    return centre, np.maximum(scale, _LEAST * typical if typical > 0 else 1.0)


def _at_quantile(model: EstimatorLike, quantile: float, owner: str) -> EstimatorLike:
    """A copy of a model that predicts a quantile, by the parameter that says which."""
    copy = clone(model)
    params = copy.get_params(deep=False)
    steps = [name for name in copy.get_params() if name.endswith("__quantile")]
    if "quantile" in params:
        loss = {"loss": "quantile"} if "loss" in params else {}
        found: EstimatorLike = copy.set_params(**loss, quantile=quantile)
    elif params.get("loss") == "quantile" and "alpha" in params:  # scikit-learn's GradientBoostingRegressor
        found = copy.set_params(alpha=quantile)
    elif len(steps) == 1:
        found = copy.set_params(**{steps[0]: quantile})
    else:
        raise InvalidParameter(
            f"{owner}: errors='quantile' needs a model with a parameter for the quantile, which {type(model).__name__} "
            "has not; take QuantileRegressor, or HistGradientBoostingRegressor(loss='quantile')."
        )
    return found
