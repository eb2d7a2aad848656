"""How many components a density or a projection has: BIC, AIC and the likelihood of rows that the fit did not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..backend.weights import given_or_ones
from ..data import Source
from ..models.factors.factor_model import FactorModel
from ..typing import EstimatorLike, Floats, Numbers, RandomState, TableLike, WeightLike
from .choose_k import Question, Selection, ask, check_at_least
from .criteria import Loss, Scores, Trial, criterion, losses_of_new
from .factorisations import Factorisations, asked_of, squared_errors_of_cells
from .projections import Projections, fewer_than_columns, is_projection, unlikeliness


def select_components(
    model: EstimatorLike,
    X: TableLike,
    k: Iterable[int] | None = None,
    criteria: Sequence[str] | None = None,
    *,
    sample_weight: WeightLike = None,
    folds: int = 5,
    random_state: RandomState = None,
) -> Selection:
    """Fit a density with each number of components k and ask several criteria, such as min −2 log L + p log n.

    The model is any density with `n_components`, `score_samples` and `aic`: a mixture, `PPCA`, `FactorAnalysis`. With
    p free parameters, **bic** is −2 log L + p log Σw and **aic** −2 log L + 2 p, both to be smallest. **cv** is the
    mean log density of rows that the fit did not see, over `folds` parts, with its standard error; the smallest k
    within one of the best is chosen. Rows that are not in memory can be asked for bic and aic.

    For `PCA`, ours or scikit-learn's, **cv** takes the density of probabilistic PCA with these components, and
    **cells** is the mean squared error of a cell that is predicted from the others of its row, after a fit to other
    rows; the k with the least is chosen. The error of a new row's own projection, **reconstruction**, falls to 0 with
    k = d whatever the rows are: it is shown where it is asked for, but has no vote.

    Of a factorisation with missing cells, `MatrixFactorization` or `NMF`, **hidden** is the mean loss of known cells
    that were hidden from the fit; of `TruncatedSVD` **cells** is as for `PCA`, about the origin; of topic models
    **perplexity** is that of words set aside in rows that the fit did not see.

    Without `k`, 1 to 9 are tried, no more than there are rows, and of factors and principal components fewer than there
    are columns; without `criteria`, bic, aic and cv, for `PCA` cv and cells.

    >>> import suffice as sf
    >>> faithful = sf.datasets.load("faithful").matrix()
    >>> found = select_components(sf.GaussianMixture(), faithful, range(1, 5), random_state=0)
    >>> found.best
    {'bic': 2, 'aic': 4, 'cv': 2}
    >>> crabs = sf.datasets.load("crabs").matrix()
    >>> select_components(sf.PCA(), crabs).best
    {'cv': 3, 'cells': 3}
    """
    check_at_least("select_components", "folds", folds, 2)
    question, usual, loss = _question(model)
    names = criteria if criteria is not None else usual
    return ask(question, model, X, k, names, sample_weight, random_state, {"folds": folds, "loss": loss})


def _question(model: object) -> tuple[Question, tuple[str, ...], Loss]:
    """What is asked of a model, the usual criteria, and the loss of rows that a fit did not see."""
    factorises = asked_of(model)
    if factorises is not None:
        kind, name = factorises
        return Factorisations(of=kind), (name,), squared_errors_of_cells
    if is_projection(model):
        return Projections(), ("cv", "cells"), unlikeliness
    return Densities(), ("bic", "aic", "cv"), _unlikeliness


@dataclass(frozen=True)
class Densities(Question):
    """The question for the number of components."""

    owner: str = "select_components"
    parameter: str = "n_components"
    of: str = "densities"
    measure: str = "log_likelihood"
    answers: tuple[str, ...] = ("score_samples", "aic")
    tried: int = 9

    def usual(self, model: EstimatorLike, n_rows: int | None, n_columns: int) -> tuple[int, ...]:
        found = super().usual(model, n_rows, n_columns)
        return fewer_than_columns(found, n_columns) if isinstance(model, FactorModel) else found

    def settle(self, trial: Trial, X: TableLike, weight: WeightLike, done: Callable[[int, float], None]) -> Trial:
        """The trial with −log L and the number of free parameters of each k, and the weight of all rows."""
        costs, free, total = [], [], 0.0
        for k in trial.ks:
            model = trial.fit(k, X, weight)
            each = np.asarray(model.score_samples(X), dtype=np.float64)
            weights = _weights(X, weight, len(each))
            costs.append(-float(weights @ each))
            free.append(_free_parameters(model, X))
            total = float(weights.sum())
            done(k, costs[-1])
        return replace(trial, costs=np.array(costs), free=np.array(free), total=total)

    def measured(self, trial: Trial) -> Floats:
        return -trial.costs


def _weights(X: TableLike, weight: WeightLike, n: int) -> Floats:
    """The weight of every row: what was given, or what the source brings."""
    if weight is not None:
        return np.asarray(weight, dtype=np.float64)
    if not isinstance(X, Source):
        return np.ones(n)
    return np.asarray(X.map(lambda chunk: given_or_ones(chunk.weight, len(chunk))))


def _free_parameters(model: Any, X: Any) -> float:
    """How many free parameters a fitted density has: what it adds to −2 log L for AIC, halved, of a few rows."""
    found = getattr(model, "mixture_", getattr(model, "distribution_", None))
    if found is not None:
        return float(found.n_parameters)
    few = X[:2]
    return float(model.aic(few) + 2 * np.sum(model.score_samples(few))) / 2


def _unlikeliness(model: Any, rows: Floats | None, weight: Numbers | None) -> float:
    """−Σ w log p of some rows."""
    each = np.asarray(model.score_samples(rows), dtype=np.float64)
    return -float(each.sum() if weight is None else weight @ each)


@criterion("bic", needs_rows=False, of="densities")
def bic(trial: Trial) -> Scores:
    """−2 log L + p log Σw, to be smallest."""
    assert trial.free is not None
    return _least(trial, 2 * trial.costs + trial.free * np.log(trial.total))


@criterion("aic", needs_rows=False, of="densities")
def aic(trial: Trial) -> Scores:
    """−2 log L + 2 p, to be smallest."""
    assert trial.free is not None
    return _least(trial, 2 * trial.costs + 2 * trial.free)


@criterion("cv", needs_rows=True, of=("densities", "projections"))
def cv(trial: Trial) -> Scores:
    """The mean log density of rows that the fit did not see; the smallest k within one standard error of the best."""
    losses, spread = losses_of_new(trial)
    if np.isnan(losses).all():
        return Scores(-losses, None, spread)  # no k has a density
    least = int(np.nanargmin(losses))
    return Scores(-losses, trial.first(losses <= losses[least] + np.nan_to_num(spread[least])), spread)


def _least(trial: Trial, values: Floats) -> Scores:
    return Scores(values, trial.least(values))
