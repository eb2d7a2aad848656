"""Boosting of numbers: weak regressors after one another, of which the weighted median is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, cast

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from ...backend.posteriors import rounded
from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...estimator import Attributes, Regressor, estimator
from ...holds import require
from ...params import param
from ...randomness import generator
from ...scikit_learn import Counterpart
from ...typing import EstimatorLike, Floats, Reals, TableLike, TargetLike, WeightLike
from ..inner import columns_of, is_predictor, predictor_param
from ..tree import DecisionTreeRegressor
from .adaboost import ANY_SHARE, AdaBoost
from .boosting import NumberBoosting
from .members import Members, predicted_numbers


@estimator
class AdaBoostRegressor(AdaBoost, Regressor):
    """Boosting of any regressor (AdaBoost.R2; Drucker, 1997): ŷ(x) is the median of f_t(x), weighted by votes α_t.

    Round t fits the weak learner to rows of weights w, or to a sample drawn by them (`by="sampling"`, as Drucker does).
    The errors |f_t(x_i) − y_i|, as shares s_i of the largest one, give losses L_i: s_i, s_i² (`loss="square"`) or
    1 − exp(−s_i) (`loss="exponential"`). Their mean ε_t = Σ w_i L_i gives the vote

        α_t = log((1 − ε_t) / ε_t),

    times `learning_rate`, and weights are multiplied by e^{−α_t (1 − L_i)}: rows with large errors weigh more in
    the next round. That makes the weights sum to at most 2 ε_t before they are divided by their sum; the product of
    these sums is the objective. Boosting ends where a learner makes no error, which then decides alone, or where ε_t
    is ½ or more; `stop_reason_` says so.

    `history_` has the figures of each round: `weighted_error` (ε_t), `alpha` and `largest_error`.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.datasets.load("faithful")
    >>> X, y = faithful.matrix(["eruptions"]), faithful["waiting"]
    >>> model = sf.AdaBoostRegressor(n_estimators=10).fit(X, y)
    >>> round(model.score(X, y), 2), model.history_.metric("weighted_error")[:2].round(2)
    (0.84, array([0.32, 0.33]))
    """

    complexity = "n_estimators"

    counterpart: ClassVar = Counterpart("sklearn.ensemble")
    needs: ClassVar = Needs(target="numbers", one_target=True)

    estimator: object = predictor_param(
        is_regressor,
        "The weak learner, of either library; None: a tree of depth 3, cut between at most 255 bins of a column.",
    )
    loss: str = param(
        "linear", choices=("linear", "square", "exponential"), doc="What errors count, as shares of the largest one."
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        require(all(map(is_regressor, self.estimators_)), "the models inside must be regressors")

    def _inner(self) -> EstimatorLike:
        known = is_predictor(self.estimator, is_regressor)  # what is no regressor, `fit` refuses
        given = cast(EstimatorLike, self.estimator)
        if known:
            return given
        return DecisionTreeRegressor(max_depth=3, splitter="histogram", min_samples_split=ANY_SHARE, min_samples_leaf=0)

    def _needs(self) -> Needs:
        return super()._needs().but(one_target=True)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        rng = generator(self.random_state)
        members = Members(self._inner(), source, type(self).__name__, self.memory)
        y = np.asarray(members.y, dtype=np.float64).reshape(-1)
        given = given_or_ones(members.weight, len(y)).astype(np.float64)
        return self._boosted(
            NumberBoosting(members, given, float(self.learning_rate), self.by == "sampling", rng, y, self.loss), 0
        )

    # -- answers ----------------------------------------------------------------------------------------------------
    def _every(self, chunk: Chunk) -> Floats:
        """What each learner says, (n, t)."""
        schema = columns_of(self)
        return np.column_stack([predicted_numbers(model, chunk, schema) for model in self.estimators_])

    def predict(self, X: TableLike) -> Reals:
        """The weighted median of what the learners say, (n,): the least number that half of the votes do not exceed."""
        check_is_fitted(self)

        def median(chunk: Chunk) -> Reals:
            said = self._every(chunk)
            return rounded(_medians(said, np.argsort(said, axis=1), self.estimator_weights_), chunk.X.dtype)

        found: Reals = self._rows(X, median)
        return found

    def _node_values(self, model: EstimatorLike) -> Floats:
        assert isinstance(model, DecisionTreeRegressor)
        return model.trees_.value

    def staged_predict(self, X: TableLike) -> Iterator[Floats]:
        """The predictions after each round."""
        check_is_fitted(self)
        said: Floats = self._rows(X, self._every)
        order, alphas, t = np.argsort(said, axis=1), self.estimator_weights_, np.arange(said.shape[1])
        return (_medians(said, order, np.where(t <= last, alphas, 0.0)) for last in t)

    def staged_score(self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None) -> Iterator[float]:
        """R² after each round."""
        return (self._score_of(y, found, sample_weight) for found in self.staged_predict(X))


def _medians(said: Floats, order: np.typing.NDArray[np.int64], alphas: Floats) -> Floats:
    """The weighted median of each row of numbers (n, t), given their order."""
    votes = np.cumsum(alphas[order], axis=1)
    place = np.argmax(votes >= 0.5 * votes[:, -1:], axis=1)
    rows = np.arange(len(said))
    return np.asarray(said[rows, order[rows, place]])
