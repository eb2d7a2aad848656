"""How many factors, parts or topics: errors of hidden cells, and of words that were set aside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from ..backend.factors import cell_products
from ..data.rows import is_sparse
from ..models.factorise import NMF, MatrixFactorization, TruncatedSVD
from ..models.factorise.cells import Cells
from ..models.factorise.divergence import smoothed
from ..models.factorise.topics import TopicModel
from ..typing import EstimatorLike, Flags, Floats, Numbers, TableLike, WeightLike
from .choose_k import Question
from .criteria import Scores, Trial, criterion, losses_of_new
from .projections import fewer_than_columns, squared_cell_errors


@dataclass(frozen=True)
class Factorisations(Question):
    """The question for the number of factors, parts or topics."""

    owner: str = "select_components"
    parameter: str = "n_components"
    of: str = "factorisations"
    measure: str = "objective"
    tried: int = 9
    takes_sparse: bool = True

    def usual(self, model: EstimatorLike, n_rows: int | None, n_columns: int) -> tuple[int, ...]:
        return fewer_than_columns(super().usual(model, n_rows, n_columns), n_columns)

    def settle(self, trial: Trial, X: TableLike, weight: WeightLike, done: Callable[[int, float], None]) -> Trial:
        """The trial with the objective of each k at its end."""
        costs = []
        for k in trial.ks:
            costs.append(float(trial.fit(k, X, weight).history_.objective[-1]))
            done(k, costs[-1])
        return replace(trial, costs=np.array(costs))


def asked_of(model: object) -> tuple[str, str] | None:
    """What kind of factorisation a model is, and the criterion for it; None of any other."""
    if isinstance(model, TruncatedSVD):
        return "decompositions", "cells"
    if isinstance(model, TopicModel):
        return "topics", "perplexity"
    return ("factorisations", "hidden") if isinstance(model, MatrixFactorization | NMF) else None


def squared_errors_of_cells(model: Any, rows: Any, weight: Numbers | None) -> float:
    """Σ w Σⱼ (xⱼ − x̂ⱼ)² / d of a decomposition that is not centred; x̂ⱼ is what the other cells of a row say."""
    cells = np.asarray(rows.toarray() if is_sparse(rows) else rows, dtype=np.float64)
    return squared_cell_errors(_AboutOrigin(model.components_, np.zeros(cells.shape[1])), cells, weight)


@dataclass(frozen=True)
class _AboutOrigin:
    components_: Floats
    mean_: Floats


def log_perplexity(model: Any, rows: Any, weight: Numbers | None) -> float:
    """Σ w times the mean of −log P of words that the shares of their row were not fitted to."""
    total = float(rows.shape[0]) if weight is None else float(np.sum(weight))
    return total * float(np.log(model.perplexity(rows, weight)))


@criterion("perplexity", needs_rows=True, of="topics")
def perplexity(trial: Trial) -> Scores:
    """The perplexity of words set aside in rows that the fit did not see; the smallest k within one standard error."""
    values, spread = losses_of_new(trial, log_perplexity)
    found = np.exp(values)
    return Scores(found, _smallest(trial, values, spread), found * spread)


@criterion("hidden", needs_rows=True, of="factorisations")
def hidden(trial: Trial) -> Scores:
    """The mean loss of known cells that were hidden from the fit; the smallest k within one standard error of the best.

    Each cell is hidden once. The loss is the square of the error, and of counts with `implicit=True` the share of the
    columns without a count that are predicted higher. With `beta_loss="kullback-leibler"` it is the divergence, from
    nine parts of what is predicted and one of what the means of row and column are: a cell predicted as 0 that is not
    would decide alone.
    """
    assert trial.rows is not None
    rows = _table(trial)
    cells = Cells.of(rows, zeros=not getattr(trial.model, "implicit", False))
    fold = np.random.default_rng(0).permutation(len(cells.values)) % trial.folds
    losses = np.array([[_loss_of(trial, k, rows, cells, fold == f) for k in trial.ks] for f in range(trial.folds)])
    values = losses.mean(axis=0)
    spread = losses.std(axis=0, ddof=1) / np.sqrt(trial.folds)
    return Scores(values, _smallest(trial, values, spread), spread)


def _smallest(trial: Trial, values: Floats, spread: Floats) -> int | None:
    if np.isnan(values).all():
        return None
    least = int(np.nanargmin(values))
    return trial.first(values <= values[least] + np.nan_to_num(spread[least]))


def _table(trial: Trial) -> object:
    """The rows, whose missing cells are NaN, or of ratings those that a sparse matrix does not store."""
    rows: Any = trial.rows
    return rows.toarray() if is_sparse(rows) and not isinstance(trial.model, MatrixFactorization) else rows


def _loss_of(trial: Trial, k: int, rows: Any, cells: Cells, out: Flags) -> float:
    kept, model = _without(rows, cells, out), trial.model
    fitted = trial.fit(k, kept, trial.weight)
    judged = cells.some(out)
    weight = np.ones(len(judged)) if trial.weight is None else trial.weight
    each = _ranks(fitted, kept, judged) if getattr(model, "implicit", False) else _errors(fitted, kept, judged, weight)
    return float(np.average(each, weights=weight[judged.rows]))


def _without(rows: Numbers, cells: Cells, out: Flags) -> object:
    """The table without some of its known cells."""
    if is_sparse(rows):
        some = cells.some(~out)
        return sparse.csr_array((some.values, some.columns, some.starts), shape=rows.shape)
    kept = np.array(rows, dtype=np.float64)
    kept[cells.rows[out], cells.columns[out]] = np.nan
    return kept


def _errors(fitted: Any, kept: Any, judged: Cells, weight: Floats) -> Floats:
    if isinstance(fitted, MatrixFactorization):
        expected = np.asarray(fitted.predict(kept), dtype=np.float64)[judged.rows, judged.columns]
    else:
        W = np.asarray(fitted.transform(kept), dtype=np.float64)
        H = np.ascontiguousarray(fitted.components_.T, dtype=np.float64)
        expected = cell_products(W, H, judged.starts, judged.columns)
    x = judged.values
    if getattr(fitted, "beta_loss", None) in ("kullback-leibler", 1):
        sure = np.maximum(smoothed(expected, _of_one_part(kept, judged, weight)), np.finfo(np.float32).tiny)
        return np.asarray(x * np.log(np.where(x > 0, x / sure, 1.0)) - x + sure)
    return np.asarray((x - expected) ** 2)


def _of_one_part(kept: Any, judged: Cells, weight: Floats) -> Floats:
    """What the means of its row and its column say of each cell, and where these are 0 a little of the mean of all."""
    known = Cells.of(kept)
    w = weight[known.rows]
    total, mass = float(known.values @ w), float(w.sum())
    if not total:
        return np.zeros(len(judged.values))
    by_row = known.row_sums(known.values) / np.maximum(known.row_sums(np.ones(len(w))), 1)
    by_column = known.column_sums(known.values * w) / np.maximum(known.column_sums(w), 1e-300)
    return smoothed(by_row[judged.rows] * by_column[judged.columns] * (mass / total), total / mass)


def _ranks(fitted: Any, kept: object, judged: Cells) -> Floats:
    """The share of the columns without a count of its row that are predicted higher than each cell."""
    scores = np.asarray(fitted.predict(kept))
    known = Cells.of(kept, zeros=False)
    open_ = np.ones(scores.shape, dtype=bool)
    open_[known.rows, known.columns] = False
    own = scores[judged.rows, judged.columns]
    higher = (scores[judged.rows] > own[:, None]) & open_[judged.rows]
    return np.asarray(higher.sum(axis=1) / np.maximum(open_[judged.rows].sum(axis=1), 1))
