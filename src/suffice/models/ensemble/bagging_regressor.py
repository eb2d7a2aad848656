"""Bagging of regressors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, cast

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from ...backend.posteriors import rounded
from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Schema
from ...estimator import Attributes, Estimator, Regressor, estimator
from ...holds import either, floats, require, sometimes
from ...params import learned
from ...resampling import MEASURES, Answers, Interval, Units, jackknife
from ...scikit_learn import Counterpart
from ...typing import EstimatorLike, Flags, Floats, Reals, TableLike
from ..inner import ask, is_predictor, predictor_param
from ..tree import DecisionTreeRegressor
from .bagging import IGNORED, Bagging


@estimator
class BaggingRegressor(Bagging, Regressor):
    """Bagging of any regressor: ŷ(x) = Σ f_b(x) / m, each of the m models learned from other draws of the rows.

    Each model draws as many rows as there are, with replacement; a row that is drawn twice has a weight of 2, and one
    that is not drawn has none (a model without weights gets such rows). It may draw columns too. The mean varies less
    than each model, so it helps models that vary much from sample to sample, such as deep trees.

    With `oob_score`, `oob_prediction_` is the mean over models that have not learned from a row, `oob_score_` their R²,
    and `oob_interval_` the jackknife interval of it.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.datasets.load("faithful")
    >>> model = sf.BaggingRegressor(sf.DecisionTreeRegressor(max_depth=3), 50, oob_score=True, random_state=0)
    >>> round(model.fit(faithful.matrix(["eruptions"]), faithful["waiting"]).oob_score_, 3)
    0.813
    """

    counterpart: ClassVar = Counterpart("sklearn.ensemble", ignored=IGNORED)
    needs: ClassVar = Needs(target="numbers")

    estimator: object = predictor_param(
        is_regressor,
        "The model, of either library; None: `DecisionTreeRegressor`.",
    )

    oob_prediction_: Floats = learned(
        "The predictions by models that have not learned from the row, (n,) or (n, q); NaN where there is none.",
        holds=sometimes(either(floats(None, finite=False), floats(None, None, finite=False))),
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        require(all(map(is_regressor, self.estimators_)), "the models inside must be regressors")

    def _inner(self) -> EstimatorLike:
        known = is_predictor(self.estimator, is_regressor)  # what is no regressor, `fit` refuses
        return cast(EstimatorLike, self.estimator) if known else DecisionTreeRegressor()

    def _answered(self, model: EstimatorLike, chunk: Chunk, schema: Schema) -> Floats:
        return np.asarray(ask(model, "predict", chunk, schema), dtype=np.float64)

    def _judged_out_of_bag(self, said: Floats, here: Flags, rows: Chunk) -> tuple[Attributes, float, Interval]:
        weight = given_or_ones(rows.weight, len(rows)) * here
        y = np.asarray(rows.y, dtype=np.float64)
        told = said.reshape(y.shape)
        answers = Answers(np.flatnonzero(here), weight[here], y[here], told[here])
        units = Units.checked(int(here.sum()), weight[here], None, type(self).__name__)
        found = jackknife(lambda own: MEASURES["r2"](answers.weighted(own)), units).interval(0.95)
        return {"oob_prediction_": told}, found.value, found

    def predict(self, X: TableLike) -> Reals:
        """The mean of the predictions of the models, (n,) or (n, q)."""
        check_is_fitted(self)

        found: Reals = self._rows(X, lambda chunk: rounded(self._mean_answer(chunk), chunk.X.dtype))
        return found

    def staged_predict(self, X: TableLike) -> Iterator[Floats]:
        """The predictions by the first model, the first two, and so on, (n,) or (n, q) each."""
        return self._staged_answers(X)

    def _node_values(self, model: EstimatorLike) -> Floats:
        assert isinstance(model, DecisionTreeRegressor)
        return model.trees_.value

    def _is_flat(self) -> bool:
        return all(isinstance(model, DecisionTreeRegressor) and model._flat for model in self.estimators_)

    def __sklearn_tags__(self) -> Tags:
        tags, model = super().__sklearn_tags__(), self._inner()
        several = not model._needs().one_target if isinstance(model, Estimator) else None
        tags.target_tags.multi_output = get_tags(model).target_tags.multi_output if several is None else several
        return tags
