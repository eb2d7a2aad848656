"""Gradient boosting of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import get_scorer

from ...backend.boosting import group_quantiles
from ...backend.weights import given_or_ones
from ...data import Needs, Source
from ...engine import Outcome
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Regressor, estimator
from ...growth import TreeRows
from ...losses import LOSSES, Loss
from ...params import param
from ...scikit_learn import VERBOSE, Counterpart
from ...typing import Flags, Floats, Reals, TableLike
from ..tree.numbers import checked_targets
from .gradient_boosting import HistGradientBoosting
from .rounds import leaf_share


@estimator
class HistGradientBoostingRegressor(HistGradientBoosting, Regressor):
    """A sum of small trees, each a step down the gradient of a loss: η(x) = η₀ + ν Σ_t v_t(leaf of x in tree t).

    A round grows a tree on the gradients g and curvatures h of Σ w ℓ(η, y) at the predictors so far: a node is split
    where Σ G² / (H + λ) over both halves rises most, and a leaf says −G / (H + λ), times the learning rate ν. Losses
    without a curvature take that of a parabola; for absolute_error and quantile a leaf says the median or quantile of
    its residuals. What is predicted is η, or exp η for counts and positive numbers (poisson, gamma, tweedie).

    Splits lie between at most 255 bins of a column; text is told apart by sets of categories, and missing values go to
    the side where they do better. The table is held as two bytes a cell, and lies in temporary files where it
    would take more than `memory`. Sums are whole numbers, so that the model is the same from an array, files and Dask,
    and for any number of threads; weights count as repeated rows.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> X = np.linspace(0, 6, 300)[:, None]
    >>> model = sf.HistGradientBoostingRegressor(max_iter=50).fit(X, np.sin(X[:, 0]))
    >>> model.score(X, np.sin(X[:, 0])) > 0.98
    True
    """

    complexity = "max_iter"

    counterpart: ClassVar = Counterpart("sklearn.ensemble", ignored={"verbose": VERBOSE})
    needs: ClassVar = Needs(target="numbers", one_target=True, missing=True, categories=True)

    loss: object = param(
        "squared_error",
        positional=True,
        names=LOSSES.only(lambda loss: "" if loss.target == "numbers" else "its targets are classes"),
        doc="The loss ℓ of a predictor and a target.",
    )
    quantile: float | None = param(
        None, number=True, above=0, below=1, choices=(None,), doc="Which quantile loss='quantile' predicts."
    )

    def _loss(self) -> Loss:
        owner = type(self).__name__
        if self.loss == "quantile":
            if self.quantile is None:
                raise InvalidParameter(f"{owner}: loss='quantile' needs quantile, a number between 0 and 1; got None.")
            return LOSSES.make("quantile", quantile=float(self.quantile))
        return LOSSES.member(self.loss, owner, "loss")

    def _loss_of_fit(self) -> Loss:
        found: Loss = getattr(self, "_fitted_loss", None) or self._loss()
        return found

    def _learn(self, source: Source) -> Outcome[Attributes]:
        loss, owner = self._loss(), type(self).__name__
        rows = self._tree_rows(source, loss)
        y = checked_targets(rows.y, rows.weight, owner)
        for own in rows.room.blocks(len(rows)):
            refusal = loss.refusal(y[own] if rows.weight is None else y[own][rows.weight[own] > 0])
            if refusal:
                raise InvalidData(f"{owner}: loss={self.loss!r} {refusal}.")
        return self._boosted(source, rows, loss, y, self._baseline_of(loss, y, rows), self._judge(loss, y, rows))

    def _baseline_of(self, loss: Loss, y: Floats, rows: TreeRows) -> Floats:
        share = leaf_share(loss)
        if share is not None:
            w = given_or_ones(rows.weight, len(rows))
            return group_quantiles(y[w > 0], np.zeros(int((w > 0).sum()), dtype=np.int64), 1, share, w[w > 0])
        total, weight = 0.0, 0.0
        for own in rows.room.blocks(len(rows)):
            w = given_or_ones(None if rows.weight is None else rows.weight[own], own.stop - own.start)
            total, weight = total + float(w @ y[own]), weight + float(w.sum())
        mean = total / weight
        if loss.least_target == 0 and not mean > 0:
            raise InvalidData(f"{type(self).__name__}: loss={self.loss!r} needs a target above 0; all are 0.")
        return np.array([loss.constant(mean)])

    def _judge(self, loss: Loss, y: Floats, rows: TreeRows) -> Callable[[Floats, Flags | None], float] | None:
        if isinstance(self.scoring, str) and self.scoring == "loss":
            return None
        w = given_or_ones(rows.weight, len(rows))
        scorer = get_scorer("r2" if self.scoring is None else self.scoring)

        def judged(raw: Floats, held_out: Flags | None) -> float:
            own = slice(None) if held_out is None else held_out
            return float(scorer(_Standing(loss), raw.T, y[own], sample_weight=w[own]))

        return judged

    def predict(self, X: TableLike) -> Reals:
        """The predicted target of each row, (n,)."""
        return np.asarray(self._loss_of_fit().mean(self._raw(X)[:, 0]))

    def staged_predict(self, X: TableLike) -> Iterator[Reals]:
        """The predictions after each round."""
        return (np.asarray(self._loss_of_fit().mean(raw[:, 0])) for raw in self._staged_raw(X))


class _Standing(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The model as a scorer sees it within a fit, whose rows are their predictors."""

    def __init__(self, loss: Loss) -> None:
        self.loss = loss

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Floats) -> Floats:
        return np.asarray(self.loss.mean(np.asarray(X)[:, 0]))
