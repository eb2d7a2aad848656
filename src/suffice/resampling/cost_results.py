"""What actions cost: realised beside expected, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..backend.weights import weighted_sum
from ..data.validate import check_weight
from ..errors import InvalidData
from ..text import figure
from ..typing import Codes, Floats, Labels, Numbers, WeightLike
from .costs import Costs
from .intervals import Interval, normal_quantile, wilson


@dataclass(frozen=True)
class ActionCost:
    """How much weight took an action, its share of all, and the mean cost of these rows as expected and in truth."""

    action: object
    weight: float
    share: float
    expected: float
    realised: float


@dataclass(frozen=True)
class CostResult:
    """The mean cost of actions: realised and as expected, with intervals, and of the best action that is always taken.

    Where the two intervals are far apart, the probabilities are not true. `doubted` is the share of the weight that was
    left to somebody else. `by_action` has each action that was taken, doubt as "doubt".
    """

    realised: Interval
    expected: Interval
    fixed: float
    fixed_action: object
    doubted: float
    by_action: tuple[ActionCost, ...] = ()

    def __str__(self) -> str:
        doubt = f"; doubt for {figure(100 * self.doubted)} % of the rows" if self.doubted else ""
        return (
            f"mean cost {self.realised}, expected {self.expected}; always {self.fixed_action!r}: "
            f"{figure(self.fixed)}{doubt}"
        )


def cost_result(
    expected: Numbers, codes: Labels, costs: Costs, table: Floats, sample_weight: WeightLike, level: float
) -> CostResult:
    """The result of taking the action of least expected cost, (n, a), where `codes` (n,) are the true classes.

    `table` (k, a), or (n, k, a) where rows have costs of their own, has what actions cost, also those beside `costs`.
    """
    expected, weight = np.asarray(expected, dtype=np.float64), weights_for(sample_weight, len(codes))
    check_lengths(expected, codes)
    action = np.argmin(expected, axis=1)
    rows, names = np.arange(len(codes)), costs.actions.tolist()
    own = table[rows, codes] if table.ndim == 3 else table[codes]  # (n, a)
    paid, promised = own[rows, action], expected[rows, action]
    ends = float(table.min()), float(table.max())
    always = weight @ own[:, : len(names)] / weight.sum()  # (a,)
    return CostResult(
        mean_interval(paid, weight, level, *ends),
        mean_interval(promised, weight, level, *ends),
        float(always.min()),
        names[int(np.argmin(always))],
        float(np.average(action == len(names), weights=weight)),
        _by_action(action, [*names, "doubt"], promised, paid, weight),
    )


def _by_action(
    action: Codes, names: Sequence[object], promised: Floats, paid: Floats, weight: Floats
) -> tuple[ActionCost, ...]:
    found = []
    for a, name in enumerate(names):
        own = np.where(action == a, weight, 0.0)
        total = float(own.sum())
        if total > 0:
            share = total / float(weight.sum())
            found.append(ActionCost(name, total, share, float(own @ promised / total), float(own @ paid / total)))
    return tuple(found)


def mean_interval(values: Floats, weight: Floats, level: float, least: float, most: float) -> Interval:
    """A weighted mean with an interval, where weights count rows and no value is beyond `least` and `most`.

    Where all values are at one of the two ends it is Wilson's for a rate, which has width even if all are at one; else
    mean ± z s / √n, cut at the ends.
    """
    total = float(weight.sum())
    mean = float(np.average(values, weights=weight))
    if most > least and np.all((values == least) | (values == most)):
        rate = wilson(total * (mean - least) / (most - least), total, level)
        low, high = (least + (most - least) * end for end in (rate.low, rate.high))
        return Interval(mean, low, high, level, "Wilson")
    if total <= 1:
        return Interval(mean, float("nan"), float("nan"), level, "normal")
    spread = weighted_sum(weight, (values - mean) ** 2) / (total - 1)
    half = normal_quantile(level) * (spread / total) ** 0.5
    return Interval(mean, mean - half, mean + half, level, "normal").within(least, most)


def weights_for(sample_weight: WeightLike, n: int) -> Floats:
    """One weight a row, (n,); at least one must be above 0."""
    weight = (
        np.ones(n) if sample_weight is None else np.asarray(check_weight(sample_weight, n, "cost"), dtype=np.float64)
    )
    if not weight.sum() > 0:
        raise InvalidData("cost: no row has a weight above 0.")
    return weight


def check_lengths(expected: Floats, codes: Labels) -> None:
    """Refuse a target of another length than the rows."""
    if len(expected) != len(codes):
        raise InvalidData(f"cost: X has {len(expected)} rows but y has {len(codes)} entries.")
