"""Limits of growth that all trees share."""

from __future__ import annotations

import math

import numpy as np

from ...errors import TooFewRows, warn
from ...estimator import Estimator, declares
from ...params import is_share, param
from ...typing import Floats


def weight_param(default: float, least: int, doc: str) -> float:
    """A weight of a node, or a share of all weight."""
    found: float = param(
        default, integer=True, at_least=least, accept=is_share, allowed="a share of the weight above 0 and at most 1",
        doc=f"{doc}, or a share of all weight.",
    )  # fmt: skip
    return found


def significance_param(test: str) -> float | None:
    """The largest p-value of a split."""
    found: float | None = param(
        None, number=True, above=0, at_most=1, choices=(None,),
        doc=f"The largest p-value of {test} with which a node is split; None splits without a test.",
    )  # fmt: skip
    return found


def warn_of_light_rows(owner: str, weight: Floats | None, **limits: float) -> None:
    """Say so where weights stand for far fewer rows than there are, and limits count weight."""
    counted = [f"{name}={value}" for name, value in limits.items() if value >= 1 and not is_share(value)]
    if weight is None or not counted:
        return
    total, rows = float(weight.sum()), int(np.count_nonzero(weight))
    if total < rows / 4:
        warn(
            f"{owner}: the weights of {rows} rows sum up to {total:.3g}, and {' and '.join(counted)} "
            f"{'count' if len(counted) > 1 else 'counts'} weight, as if rows were repeated, so that few nodes "
            "are split; scale the weights to a mean of 1.",
            TooFewRows,
        )


@declares
class GrowthLimits(Estimator):
    """Base of trees: how deep they grow, and the least weights of nodes."""

    max_depth: int | None = param(None, integer=True, at_least=0, choices=(None,), doc="The most splits above a leaf.")
    min_samples_split: float = weight_param(2, 1, "The least weight of a node that is split")
    min_samples_leaf: float = weight_param(1, 0, "The least weight of a leaf")

    @property
    def _most_depth(self) -> float:
        return np.inf if self.max_depth is None else self.max_depth

    def _warn_of_light_rows(self, weight: Floats | None) -> None:
        if weight is None or self._most_depth == 0:
            return
        limits = {"min_samples_split": self.min_samples_split, "min_samples_leaf": self.min_samples_leaf}
        warn_of_light_rows(type(self).__name__, weight, **limits)

    def _least_weights(self, weight: float) -> tuple[float, float]:
        """The least weight of a node that is split, and of a leaf, where all rows weigh so much."""
        split, leaf = self.min_samples_split, self.min_samples_leaf
        return split * weight if is_share(split) else split, math.ceil(leaf * weight) if is_share(leaf) else leaf
