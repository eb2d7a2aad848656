"""Rounds of gradient boosting: gradients of a loss, trees of Newton steps, and predictors moved by what leaves say."""

from ..dispatch import DOUBLE, Native, Operation, Portable
from . import native, portable
from .steps import StepWeights, group_quantiles, in_units, joined_nodes, step_values, weight_unit, whole_weights
from .values import SOFTMAX, Boosting, Grove, Standing, loss_parts

__all__ = [
    "SOFTMAX", "Boosting", "Grove", "Standing", "StepWeights", "boost_rounds", "group_quantiles", "in_units",
    "joined_nodes", "loss_parts", "step_values", "weight_unit", "whole_weights",
]  # fmt: skip

boost_rounds = Operation(
    Native(native.boost_rounds, (DOUBLE,)), Portable(portable.boost_rounds, in_memory=True), by="standing.raw"
)
