"""Linear predictors of dense rows: sums of a loss and its gradient, the curvature of each row, and Newton's steps."""

from __future__ import annotations

from ..dispatch import DOUBLE, Native, Operation, Portable
from . import native, portable
from .values import (
    DONE,
    KINDS,
    MORE,
    NO_STEP,
    SINGULAR,
    LossTotals,
    NewtonLimits,
    NewtonSteps,
    Parts,
    RowLoss,
    SoftmaxTotals,
)

__all__ = [
    "DONE", "KINDS", "MORE", "NO_STEP", "SINGULAR", "LossTotals", "NewtonLimits", "NewtonSteps", "Parts", "RowLoss",
    "SoftmaxTotals", "class_parts", "loss_sums", "newton_steps", "row_parts", "softmax_steps",
    "softmax_sums",
]  # fmt: skip

loss_sums = Operation(Native(native.loss_sums), Portable(portable.loss_sums))
row_parts = Operation(Native(native.row_parts, (DOUBLE,)), Portable(portable.row_parts), by="eta")
class_parts = Operation(Native(native.class_parts, (DOUBLE,)), Portable(portable.class_parts), by="raw")
newton_steps = Operation(Native(native.newton_steps), Portable(portable.newton_steps))
softmax_sums = Operation(Native(native.softmax_sums), Portable(portable.softmax_sums))
softmax_steps = Operation(Native(native.softmax_steps), Portable(portable.softmax_steps))
