"""Stochastic gradient descent of linear predictors, dense or CSR rows."""

from __future__ import annotations

from ..dispatch import Native, NativeCSR, Operation, Portable
from . import native, portable
from .values import Descent, RateLaw, RowLoss, Rule

__all__ = ["Descent", "RateLaw", "RowLoss", "Rule", "epoch"]

epoch = Operation(Native(native.epoch), NativeCSR(native.epoch_csr), Portable(portable.epoch, in_memory=True))
