"""How many principal components: criteria that do not always choose all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sklearn.decomposition as sk

from ..distributions.few_factors import FewFactors
from ..models.projection import PCA
from ..typing import EstimatorLike, Floats, Numbers, TableLike, WeightLike
from .choose_k import Question
from .criteria import Scores, Trial, criterion, losses_of_new

_ALONE = 1e-9  # a cell whose column makes up so much of the components but this has no others to follow from


@dataclass(frozen=True)
class Projections(Question):
    """The question for the number of principal components."""

    owner: str = "select_components"
    parameter: str = "n_components"
    of: str = "projections"
    measure: str = "explained_variance_ratio"
    tried: int = 9

    def usual(self, model: EstimatorLike, n_rows: int | None, n_columns: int) -> tuple[int, ...]:
        return fewer_than_columns(super().usual(model, n_rows, n_columns), n_columns)

    def settle(self, trial: Trial, X: TableLike, weight: WeightLike, done: Callable[[int, float], None]) -> Trial:
        """The trial with the share of the variance that each k leaves unexplained."""
        costs = []
        for k in trial.ks:
            costs.append(1.0 - float(np.sum(trial.fit(k, X, weight).explained_variance_ratio_)))
            done(k, costs[-1])
        return replace(trial, costs=np.array(costs))

    def measured(self, trial: Trial) -> Floats:
        return 1.0 - trial.costs


def fewer_than_columns(ks: tuple[int, ...], d: int) -> tuple[int, ...]:
    """Those of the numbers of components that are below the number of columns; 1 of one column."""
    return tuple(k for k in ks if k < max(d, 2))


def is_projection(model: object) -> bool:
    """Whether a model is a principal component analysis, ours or scikit-learn's."""
    return isinstance(model, PCA | sk.PCA)


def unlikeliness(model: Any, rows: Numbers | None, weight: Numbers | None) -> float:
    """−Σ w log N(x; mean, Vᵀ diag(λ − σ²) V + σ² I), the density of probabilistic PCA.

    Where σ² is 0, −∞ for rows that all lie in the plane of the components, as those of the fit do, and NaN for others;
    also for as many components as there are columns that vary.
    """
    rounding = len(model.mean_) * np.finfo(np.float64).eps
    if not model.noise_variance_ > rounding * np.max(model.explained_variance_, initial=0.0):
        centred, left = _left(model, rows)
        few = len(model.components_) < np.count_nonzero(np.any(centred != centred[0], axis=0))
        return -np.inf if few and np.sum(left**2) <= rounding * np.sum(centred**2) else np.nan
    scale = np.sqrt(model.noise_variance_) * _scale(model)
    gaussian = FewFactors(scale, model.components_, model.explained_variance_ / model.noise_variance_)
    each = gaussian.log_density(rows - model.mean_)
    return -float(each.sum() if weight is None else weight @ each)


def squared_residuals(model: object, rows: Numbers | None, weight: Numbers | None) -> float:
    """Σ w ‖x − x̂‖² / d, where x̂ is the projection of all of x."""
    left = _left(model, rows)[1]
    return _squares(left, weight)


def squared_cell_errors(model: Any, rows: Numbers | None, weight: Numbers | None) -> float:
    """Σ w Σⱼ (xⱼ − x̂ⱼ)² / d, where x̂ⱼ is what the other cells of the row say about cell j.

    They say it by least squares on the components, so that its error is the residual over 1 − hⱼ, hⱼ = Σ v²ⱼ; where the
    components leave a column to itself, hⱼ = 1, the prediction is its mean.
    """
    centred, left = _left(model, rows)
    free = 1 - np.sum(model.components_**2, axis=0)
    alone = free < _ALONE
    return _squares(np.where(alone, centred, left / np.where(alone, 1.0, free)), weight)


def _scale(model: Any) -> Floats:
    scale = getattr(model, "scale_", None)
    return np.ones(len(model.mean_)) if scale is None else scale


def _left(model: Any, rows: Any) -> tuple[Floats, Floats]:
    """The rows less their mean, in the units of the fit, and what the components leave of them."""
    centred = np.asarray((rows - model.mean_) / _scale(model), dtype=np.float64)
    return centred, centred - centred @ model.components_.T @ model.components_


def _squares(errors: Floats, weight: Numbers | None) -> float:
    each = np.mean(errors**2, axis=1)
    return float(each.sum() if weight is None else weight @ each)


@criterion("cells", needs_rows=True, of=("projections", "decompositions"))
def cells(trial: Trial) -> Scores:
    """The mean squared error of a cell, given the others of its row, after a fit to other rows; to be least.

    All components say nothing of a cell that the others do not, so that its mean is the prediction: no k is chosen for
    that.
    """
    centred = is_projection(trial.model)  # a decomposition about the origin brings its own loss
    values, spread = losses_of_new(trial, squared_cell_errors if centred else None)
    some = np.asarray(trial.ks) < trial.n_features
    return Scores(values, trial.least(np.where(some, values, np.nan)), spread)


@criterion("reconstruction", needs_rows=True, of="projections")
def reconstruction(trial: Trial) -> Scores:
    """The mean squared error of a new row's own projection, which falls to 0 for all columns, and chooses no k."""
    values, spread = losses_of_new(trial, squared_residuals)
    return Scores(values, None, spread)
