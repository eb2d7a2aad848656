"""Criteria for the number of clusters: each is one function from a `Trial` to `Scores`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..errors import InvalidParameter
from ..resampling.silhouettes import MOST_ROWS, silhouettes
from ..typing import EstimatorLike, Floats, WeightLike

Loss = Callable[[Any, Any, Any], float]  # of a fitted model, rows and their weights: their sum

REFERENCE_ROWS = 10_000  # of each uniform table that the gap is measured against


@dataclass(frozen=True)
class Scores:
    """What a criterion says: a value for each k (NaN where it has none), their spread, and the k it chooses.

    A criterion whose curve is to be seen but does not choose has None for the best k.
    """

    values: Floats
    best: int | None
    spread: Floats | None = None


@dataclass(frozen=True)
class Trial:
    """What criteria may look at; rows, weights and labels are None where the rows are not in memory."""

    model: object  # not fitted; `fit` sets its number of clusters, or what else `parameter` names
    ks: tuple[int, ...]
    costs: Floats
    n_features: int
    rows: NDArray[Any] | None = None
    weight: Floats | None = None
    labels: Sequence[NDArray[np.generic]] = ()
    penalty: float | None = None
    references: int = 10
    folds: int = 5
    seed: int = 0
    parameter: str = "n_clusters"
    loss: Loss = lambda model, rows, weight: cost_of_new(model, rows, weight)
    free: Floats | None = None  # the number of free parameters, of densities
    total: float = 0.0  # the weight of all rows

    def rng(self, name: str) -> np.random.Generator:
        """Random numbers of one criterion, the same whatever other criteria are asked."""
        return np.random.default_rng([self.seed, *name.encode()])

    def fit(self, k: int, rows: object, weight: object = None) -> Any:
        """The model with k clusters, fitted to some rows."""
        model = clone(self.model).set_params(**{self.parameter: k})
        return model.fit(rows) if weight is None else model.fit(rows, sample_weight=weight)

    def least(self, values: Floats) -> int:
        """The k with the least value, of those that have one; the smallest of all where none has."""
        return self.ks[0] if np.isnan(values).all() else self.ks[int(np.nanargmin(values))]

    def first(self, wanted: NDArray[np.bool_]) -> int:
        """The smallest k for which something holds, or the largest of all."""
        return self.ks[int(np.argmax(wanted))] if wanted.any() else self.ks[-1]


@dataclass(frozen=True)
class Criterion:
    """A criterion, whether it needs the rows in memory or only the costs, and what it is of."""

    score: Callable[[Trial], Scores]
    needs_rows: bool
    of: tuple[str, ...] = ("clusters",)


CRITERIA: dict[str, Criterion] = {}


def criterion(
    name: str, *, needs_rows: bool, of: str | tuple[str, ...] = "clusters"
) -> Callable[[Callable[[Trial], Scores]], Callable[[Trial], Scores]]:
    """Register a function as a criterion that `select_k`, or `select_components`, knows by this name.

    The latter is for densities, and for projections, that is principal components.
    """

    def register(score: Callable[[Trial], Scores]) -> Callable[[Trial], Scores]:
        CRITERIA[name] = Criterion(score, needs_rows, (of,) if isinstance(of, str) else of)
        return score

    return register


@criterion("elbow", needs_rows=False)
def elbow(trial: Trial) -> Scores:
    """How far the curve of costs is below its chord, both axes scaled to [0, 1]; the farthest k is chosen."""
    if len(trial.ks) < 3:
        raise InvalidParameter(f"select_k: the elbow needs at least 3 values of k; got {list(trial.ks)}.")
    values = _below_chord(trial)
    return Scores(values, trial.ks[int(np.argmax(values))])


def _below_chord(trial: Trial) -> Floats:
    k, cost = np.asarray(trial.ks, dtype=float), trial.costs
    x = (k - k[0]) / (k[-1] - k[0])
    drop = cost[0] - cost[-1]
    y = (cost - cost[-1]) / drop if drop > 0 else 1 - x
    return np.asarray((1 - x - y) / np.sqrt(2.0))


@criterion("penalty", needs_rows=False)
def penalty(trial: Trial) -> Scores:
    """cost + λ k, to be smallest.

    Without λ, a cluster has to save twice the spread of one column within an average cluster,
    λ = 2 cost(e) / (d e), where e is the elbow: cutting a shapeless cluster in two saves (2/π) of that spread.
    """
    λ = trial.penalty
    if λ is None:
        at = int(np.argmax(_below_chord(trial))) if len(trial.ks) > 2 else len(trial.ks) - 1
        λ = 2 * trial.costs[at] / (trial.n_features * trial.ks[at])
    values = trial.costs + λ * np.asarray(trial.ks)
    return Scores(values, trial.least(values))


@criterion("silhouette", needs_rows=True)
def silhouette(trial: Trial) -> Scores:
    """The mean of (b − a) / max(a, b), to be largest: a is the mean distance of a row to the others of its cluster,
    b that to the nearest other cluster.

    A weight is a number of equal rows. Above 2,000 rows, that many are drawn, as likely as they weigh.
    """
    from sklearn.metrics import pairwise_distances

    assert trial.rows is not None
    chosen, weight = _drawn(trial)
    distances = pairwise_distances(trial.rows[chosen])
    found = [silhouettes(distances, labels[chosen], weight) for labels in trial.labels]
    values = np.array([np.average(s, weights=weight) for s in found])
    variances = np.array(
        [np.average((s - s_mean) ** 2, weights=weight) for s, s_mean in zip(found, values, strict=True)]
    )
    spread = np.sqrt(variances / weight.sum())
    best = trial.ks[int(np.nanargmax(values))] if not np.isnan(values).all() else trial.ks[0]
    return Scores(values, best, spread)


def _drawn(trial: Trial) -> tuple[NDArray[np.int64], Floats]:
    """The rows to use and their weights; weights that are not whole are scaled to a mean of 1."""
    assert trial.rows is not None
    n, weight = len(trial.rows), trial.weight
    if n > MOST_ROWS:
        share = None if weight is None else weight / weight.sum()
        chosen = trial.rng("silhouette").choice(n, MOST_ROWS, replace=weight is not None, p=share)
        return np.sort(chosen), np.ones(MOST_ROWS)
    if weight is None:
        weight = np.ones(n)
    elif (weight != np.floor(weight)).any():
        weight = weight * (n / weight.sum())
    return np.arange(n), weight


@criterion("gap", needs_rows=True)
def gap(trial: Trial) -> Scores:
    """E log cost of shapeless rows − log cost; the first k with gap(k) ≥ gap(next k) − s is chosen.

    The shapeless rows are uniform in the box along the principal axes; s is their standard deviation times
    √(1 + 1/references) (Tibshirani, Walther and Hastie, 2001). They are at most 10,000, weighing as much as the rows.
    """
    assert trial.rows is not None
    rng, n = trial.rng("gap"), len(trial.rows)
    total = n if trial.weight is None else float(trial.weight.sum())
    size = min(n, REFERENCE_ROWS)
    logs = np.full((trial.references, len(trial.ks)), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        for i in range(trial.references):
            rows = _shapeless(trial.rows, trial.weight, size, rng)
            costs = [cost_of(trial.fit(k, rows), rows) if k <= size else np.nan for k in trial.ks]
            logs[i] = np.log(np.asarray(costs) * (total / size))
        values = logs.mean(axis=0) - np.log(trial.costs)
        spread = logs.std(axis=0) * np.sqrt(1 + 1 / trial.references)
        reached = values[:-1] >= values[1:] - spread[1:]
    return Scores(values, trial.first(reached), spread)


def _shapeless(rows: NDArray[Any], weight: Floats | None, size: int, rng: np.random.Generator) -> NDArray[np.generic]:
    """Rows drawn uniformly from the box along the principal axes that holds all rows."""
    mean = np.average(rows, axis=0, weights=weight)
    centred = rows - mean
    scatter = centred.T @ (centred if weight is None else centred * weight[:, None])
    axes = np.linalg.eigh(scatter)[1]
    turned = centred @ axes
    drawn = rng.uniform(turned.min(axis=0), turned.max(axis=0), (size, rows.shape[1]))
    return np.asarray(drawn @ axes.T + mean, dtype=rows.dtype)


@criterion("held_out", needs_rows=True)
def held_out(trial: Trial) -> Scores:
    """The cost of a row that the fit did not see, which chooses no k.

    More centres are nearer to new rows too, so that this cost falls with k whatever the number of clusters.
    """
    values, spread = losses_of_new(trial)
    return Scores(values, None, spread)


def losses_of_new(trial: Trial, loss: Loss | None = None) -> tuple[Floats, Floats]:
    """For each k the mean loss of rows that the fit did not see, over folds, and its standard error.

    Row i of a fixed shuffle belongs to fold i mod folds, so the folds are the same in every run.
    """
    assert trial.rows is not None
    n = trial.rows.shape[0]
    folds = min(trial.folds, n)
    fold = np.random.default_rng(0).permutation(n) % folds
    costs = np.array([_losses_of(trial, fold == f, loss or trial.loss) for f in range(folds)])  # (folds, k)
    values = costs.mean(axis=0)
    with np.errstate(invalid="ignore"):  # an infinite loss has no spread
        return values, np.sqrt(np.sum((costs - values) ** 2, axis=0) / max(folds - 1, 1) / folds)


def _losses_of(trial: Trial, out: NDArray[np.bool_], loss: Loss) -> list[float]:
    """For each k the loss of a row of `out`, by its weight, after a fit to the rest; NaN where rows are too few."""
    assert trial.rows is not None
    kept = ~out
    inside, outside = (None, None) if trial.weight is None else (trial.weight[kept], trial.weight[out])
    total = float(out.sum() if outside is None else outside.sum())
    costs = []
    for k in trial.ks:
        model = trial.fit(k, trial.rows[kept], inside) if k <= kept.sum() else None
        costs.append(np.nan if model is None else loss(model, trial.rows[out], outside) / total)
    return costs


def cost_of_new(model: EstimatorLike, rows: object, weight: WeightLike = None) -> float:
    """The cost of rows that the model was not fitted to."""
    if not hasattr(model, "score"):
        name = type(model).__name__
        raise InvalidParameter(f"select_k: {name} has no score for new rows; leave out held_out, or use KMeans.")
    return -float(model.score(rows) if weight is None else model.score(rows, sample_weight=weight))


def cost_of(model: EstimatorLike, rows: object) -> float:
    """What a fitted clusterer minimised: its `inertia_`, or minus its score of the rows it was fitted to."""
    if not hasattr(model, "inertia_") and not hasattr(model, "score"):
        name = type(model).__name__
        raise InvalidParameter(f"select_k: {name} has neither inertia_ nor score, so no cost; use one such as KMeans.")
    return float(model.inertia_) if hasattr(model, "inertia_") else cost_of_new(model, rows)
