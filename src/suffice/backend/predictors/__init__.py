"""Linear predictors of dense rows: sums of a loss and its gradient, and the curvature of each row."""

from __future__ import annotations

from ..dispatch import Native, Operation, Portable
from . import native, portable
from .values import KINDS, LossTotals, Parts, SoftmaxTotals

__all__ = ["KINDS", "LossTotals", "Parts", "SoftmaxTotals", "loss_sums", "softmax_sums"]

loss_sums = Operation(Native(native.loss_sums), Portable(portable.loss_sums))
softmax_sums = Operation(Native(native.softmax_sums), Portable(portable.softmax_sums))
