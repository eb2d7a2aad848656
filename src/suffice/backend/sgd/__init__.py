"""Stochastic gradient descent of linear predictors, dense or CSR rows."""

from __future__ import annotations

from ..dispatch import LONG, Native, NativeCSR, Operation, Portable
from . import native, portable
from .values import Descent, Descents, RateLaw, RowLoss, Rule

__all__ = ["Descent", "Descents", "RateLaw", "RowLoss", "Rule", "epoch", "epochs", "random_orders"]

epoch = Operation(Native(native.epoch), NativeCSR(native.epoch), Portable(portable.epoch, in_memory=True))
epochs = Operation(Native(native.epochs), NativeCSR(native.epochs), Portable(portable.epochs, in_memory=True))
random_orders = Operation(
    Native(native.random_orders, dtypes=(LONG,)), Portable(portable.random_orders, in_memory=True)
)
