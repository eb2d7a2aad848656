"""What forests of numbers share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Chunk, Needs
from ...engine import Step
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, declares
from ...growth import TreeRows, number_targets, ranked_targets
from ...growth.leaf_targets import LeafTargets
from ...holds import either, floats, instance, number, require, sometimes
from ...params import check, derived, learned, param
from ...resampling import Interval, Units, jackknife
from ...resampling.jackknife import MOST
from ...typing import Floats, Labels, Reals, TableLike, Whole
from ..tree.decision_tree_regressor import DecisionTreeRegressor
from ..tree.numbers import TreeRegressor, as_targets, check_counts, checked_targets
from .bags import ends_of_rows, said_out_of_bag
from .forest import Forest, all_weight, mean_rise

_ROWS = 1 << 14  # whose errors are summed at once


@declares
class ForestRegressor(Forest, TreeRegressor):
    """Base: leaves hold mean or median targets, and a forest their means."""

    needs: ClassVar = Needs(target="numbers", missing=True, sparse=True, categories=True)

    criterion: str = param(
        "squared_error", choices=("squared_error", "friedman_mse", "absolute_error", "poisson"),
        doc="What splits lower: squared errors, absolute errors, by which leaves say medians, or the deviance of "
        "counts; friedman_mse is squared_error here.",
    )  # fmt: skip
    oob_score_: float = learned(
        "R² on rows by trees that did not see them, if asked for.", holds=sometimes(number(finite=False))
    )
    oob_prediction_: Floats = learned(
        "The prediction of each row by trees that did not see it; NaN where all did.",
        holds=sometimes(either(floats("n", finite=False), floats("n", None, finite=False))),
    )

    keep_targets: bool = param(
        False, choices=(True, False), doc="Whether leaves keep the targets of their rows, for `predict_quantiles`."
    )
    leaf_targets_: LeafTargets = learned(
        "The targets in the leaves, if they were kept.", holds=sometimes(instance(LeafTargets))
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        kept: LeafTargets | None = self.__dict__.get("leaf_targets_")
        same = kept is None or (self._flat and len(kept.starts) == len(self.trees_.column) + 1)
        require(same, "leaf_targets_ must be of the nodes of trees_")

    @derived
    def estimators_(self) -> list[DecisionTreeRegressor]:
        """The trees, each as a model of its own."""
        return [self._as_tree(DecisionTreeRegressor, self.trees_[t]) for t in range(len(self.trees_))]

    def staged_predict(self, X: TableLike) -> Iterator[Floats]:
        """The predictions by the first tree, the first two, and so on, (n,) or (n, targets) each."""
        return (found[:, 0] if self._flat else found for found in self._staged(X))

    def _score_out_of_bag(self, total: Floats, seen: Whole, y: Labels, weight: Floats | None) -> float:
        return float(_out_of_bag_scores(total, seen, as_targets(y), weight)["oob_score_"])

    def _needs_all_rows(self) -> str:
        return "take criterion='squared_error'" if self.criterion == "absolute_error" else super()._needs_all_rows()

    def _grown_forest(self, rows: TreeRows) -> Step[Attributes]:
        draws, weight = self._drawing(rows)
        y, poisson = checked_targets(rows.y, rows.weight, type(self).__name__), self.criterion == "poisson"
        if poisson:
            check_counts(y, rows.weight, type(self).__name__)
        standing, weighs = self._standing(y[:1].size), all_weight(weight, len(rows), draws)
        if self.criterion == "absolute_error":
            ranked, levels = ranked_targets(y.reshape(len(y), -1), weight)
            state = self._trees(rows, ranked, draws, weighs, standing, None, levels)
        else:
            targets, centre = number_targets(y, weight, "deviance" if poisson else "squared", rows.room)
            state = self._trees(rows, targets, draws, weighs, standing, centre)
        state["_flat"] = y.ndim == 1
        if self.oob_score:
            said = said_out_of_bag(rows.represented, len(rows), state["trees_"], state["_bags"], draws.mass, rows.room)
            state |= _out_of_bag_scores(*said, y, rows.weight)
        if self.keep_targets:
            state["leaf_targets_"] = self._leaf_targets(rows, y, state, draws.mass)
        return Step(state, -mean_rise(state["trees_"]))

    def _leaf_targets(self, rows: TreeRows, y: Floats, state: Attributes, mass: Whole | None) -> LeafTargets:
        owner, bags = type(self).__name__, state["_bags"]
        if y.ndim > 1:
            raise InvalidData(f"{owner}: keep_targets=True keeps one target; got {y.shape[1]}. Fit a forest to each.")
        if (bags[:, 1] != len(rows)).any():
            raise InvalidData(
                f"{owner}: keep_targets=True needs trees that learned from the {len(rows)} rows at hand, and some of "
                "those that warm_start=True keeps did not; set warm_start=False to begin anew."
            )
        return LeafTargets.of(y, state["trees_"], ends_of_rows(rows, state["trees_"], bags, mass))

    def predict_quantiles(self, X: TableLike, quantiles: object = (0.05, 0.5, 0.95)) -> Reals:
        """Quantiles of the target given x, (n, quantiles): the quantile regression forest of Meinshausen (2006).

        Q_α(x) = min {y : F(y | x) ≥ α}, where F(y | x) = Σᵢ wᵢ(x) 1{yᵢ ≤ y} is the distribution of the training targets
        in the leaves of x: wᵢ(x) is the mean over the trees of the share that row i has in the leaf of x, by how often
        the tree drew it. The mean of that distribution is `predict`, unless leaves say medians. It needs
        `keep_targets=True`.

        >>> import numpy as np
        >>> import suffice as sf
        >>> X = np.linspace(0, 1, 400)[:, None]
        >>> y = X[:, 0] * np.random.default_rng(0).normal(size=400)
        >>> model = sf.RandomForestRegressor(100, min_samples_leaf=20, keep_targets=True, random_state=0).fit(X, y)
        >>> low, high = model.predict_quantiles([[0.1], [0.9]], [0.1, 0.9]).T
        >>> (high - low).round(1)
        array([0.3, 2.5])
        """
        self._check_fitted("trees_")
        check(self)
        owner, wanted = f"{type(self).__name__}.predict_quantiles", as_quantiles(quantiles)
        if wanted is None:
            raise InvalidParameter(f"{owner}: quantiles must be shares from 0 to 1; got {quantiles!r:.80}.")
        if "leaf_targets_" not in self.__dict__:
            raise InvalidParameter(f"{owner}: the leaves hold means alone; fit with keep_targets=True.")

        def found(chunk: Chunk) -> Reals:
            own = self.leaf_targets_.quantiles(self.trees_, np.asarray(chunk.X), wanted)
            return own.astype(chunk.X.dtype, copy=False)

        return self._rows(X, found, lean=True)


def as_quantiles(given: object) -> Floats | None:
    """One share or several from 0 to 1, (k,); None where they are none."""
    try:
        found = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        return None
    return found if found.ndim == 1 and len(found) and bool(np.all((found >= 0) & (found <= 1))) else None


def _out_of_bag_scores(total: Floats, seen: Whole, y: Floats, weight: Floats | None) -> Attributes:
    with np.errstate(invalid="ignore"):
        found = total / np.where(seen > 0, seen, np.nan)[:, None]
    score = _r2(y.reshape(len(y), -1), found, given_or_ones(weight, len(y)) * (seen > 0))
    ends = np.array([score.low, score.high])
    told = found[:, 0] if y.ndim == 1 else found
    return {"oob_prediction_": told, "oob_score_": score.value, "oob_interval_": ends}


def _r2(Y: Floats, said: Floats, weight: Floats) -> Interval:
    """R², the mean over the targets, with its jackknife interval over rows, or over blocks where there are many."""
    here = np.flatnonzero(weight > 0)
    if len(here) == 0:
        return Interval(np.nan, np.nan, np.nan, 0.95, "jackknife t")
    mean, q = (weight[here] @ Y[here]) / weight[here].sum(), Y.shape[1]
    begins = np.unique(np.arange(min(MOST, len(here))) * len(here) // min(MOST, len(here)))
    parts = np.array_split(begins, min(len(begins), 1 + len(here) // _ROWS))
    found = []
    for own, rows in zip(parts, np.split(here, [part[0] for part in parts[1:]]), strict=True):
        spread, rest = Y[rows] - mean, Y[rows] - said[rows]
        each = weight[rows, None] * np.column_stack([np.ones(len(rows)), spread, spread**2, rest**2])
        found.append(np.add.reduceat(each, own - own[0]))
    sums = np.concatenate(found)
    mass = sums[:, 0]

    def r2(weight: Floats) -> float:
        total, first, second, errors = np.split(weight / mass @ sums, [1, 1 + q, 1 + 2 * q])
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(np.mean(1 - errors / (second - first**2 / total)))

    return jackknife(r2, Units(np.ones(len(mass)), np.arange(len(mass)), mass)).interval(0.95)
