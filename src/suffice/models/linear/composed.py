"""Regressions that are any composition of a loss, a penalty and a solver."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidData
from ...estimator import Attributes, declares, estimator
from ...holds import floats, number
from ...losses import LOSSES, Loss, as_loss
from ...params import learned, param
from ...penalties import Penalty
from ...solvers import Coefficients, Problem
from ...statistics.gradient import forth
from ...typing import Floats, Numbers, Reals, TableLike, TargetLike, WeightLike
from .explained import explained_deviance
from .fitted_loss import KeepsLoss
from .iterative import IterativeLinearModel, finished
from .regressor import LinearRegressor
from .regularized import AnyPenalty
from .targets import TargetSums, target_sums

_CLASSES = "its targets are classes; take LinearModelClassifier"


@declares
class PredictorOfNumbers(LinearRegressor):
    """Base of regressors with one predictor X coef + intercept."""

    needs = Needs(target="numbers", one_target=True, scaled=True, one_hot=True, sparse=True)

    coef_: Floats = learned("The slopes, (d,).", holds=floats("d"))
    intercept_: float = learned("The intercept.", holds=number())


@declares
class ComposedRegressor(KeepsLoss, PredictorOfNumbers, IterativeLinearModel):
    """Base: a subclass gives `_loss`, of numbers, and `_prior`, the penalty."""

    def _prior(self) -> Penalty:
        raise TypeError(f"{type(self).__name__} does not define _prior")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        loss, p = self._loss(), len(source.schema)
        targets = self._targets(source, loss)
        constant = loss.constant(targets.mean) if self.fit_intercept else 0.0
        start = self._held((p,)) or Coefficients(np.zeros(p), np.asarray(constant))
        scaled = loss.in_scale(max(abs(targets.low), abs(targets.high)))
        _, outcome = self._minimised(source, scaled, self._prior(), start, None, attributes_of)
        return finished(outcome, lambda found: {**attributes_of(found), "_fitted_loss": loss})

    def _targets(self, source: Source, loss: Loss) -> TargetSums:
        """The sums of targets that the loss allows."""
        targets = source.reduce_targets(target_sums)
        refusal = loss.refusal(np.array([targets.low, targets.high]))
        if refusal:
            raise InvalidData(f"{type(self).__name__}: {refusal}. Leave such rows out, or take another loss.")
        return targets

    def predict(self, X: TableLike) -> Reals:
        """What is expected of each row at X coef + intercept."""
        check_is_fitted(self)
        loss = self._loss_of_fit()
        if type(loss).mean is Loss.mean:
            return super().predict(X)

        def score(chunk: Chunk) -> Floats:
            return forth(chunk.X, self.coef_, np.asarray(self.intercept_))

        return self._rows_by_scores(X, score, lambda eta, chunk: loss.mean(eta).astype(chunk.X.dtype, copy=False))

    def _judged(self, y: TargetLike, predicted: Numbers, sample_weight: WeightLike) -> float:
        loss = self._loss_of_fit()
        if not loss.is_family:
            return super()._judged(y, predicted, sample_weight)
        return explained_deviance(loss, y, predicted, sample_weight)


def attributes_of(found: Coefficients) -> Attributes:
    """Slopes and intercept as fitted attributes."""
    return {"coef_": found.slope, "intercept_": float(found.intercept)}


@estimator
class LinearModel(AnyPenalty, ComposedRegressor):
    """Any loss of numbers with any penalty, by any solver that can: minimises Σ s ℓ(x·w + b, y) / Σ s + penalty(w).

    The strength λ of the penalty stands beside the mean of the losses: `L2(λ)` is ½ λ ‖w‖², `L1(λ)` is λ ‖w‖₁, and the
    squared loss is ½ r². `alpha` gives λ beside the penalty, and `alpha="cv"` chooses it. A solver says what it needs,
    and where loss or penalty lack it, which others can. Standard errors and links are those of
    `GeneralizedLinearRegressor`.

    Examples
    --------
    >>> import suffice as sf
    >>> from suffice.penalties import L1
    >>> iris = sf.datasets.load("iris")
    >>> X, y = iris.matrix(["petal_length", "petal_width"]), iris["sepal_length"]
    >>> sf.LinearModel("huber", penalty=L1(0.1)).fit(X, y).coef_.round(4)
    array([0.3766, 0.    ])
    >>> sf.LinearModel("absolute").fit(X[:, :1], y).coef_.round(4)
    array([0.3889])
    """

    complexity = "-alpha"

    proposed = False
    units = "columns"

    loss: object = param(
        "squared",
        names=LOSSES.only(lambda loss: "" if loss.target == "numbers" else _CLASSES),
        positional=True,
        doc="The loss, by name or itself.",
    )

    def _loss(self) -> Loss:
        return as_loss(self.loss, type(self).__name__)

    def _of_strength_one(self, source: Source) -> tuple[Problem, None]:
        loss, penalty = self._loss(), self._prior()
        penalty.check_columns(len(source.schema), type(self).__name__)
        self._targets(source, loss)
        return Problem(type(self).__name__, source, loss, penalty, self.fit_intercept), None
