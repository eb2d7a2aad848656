"""Dual coordinate descent for linear support vector machines, dense or CSR rows."""

from __future__ import annotations

from ..dispatch import Native, NativeCSR, Operation, Portable
from . import native, portable
from .values import Box, DualState

__all__ = ["Box", "DualState", "crammer_singer", "sweeps"]

sweeps = Operation(Native(native.sweeps), NativeCSR(native.sweeps), Portable(portable.sweeps, in_memory=True))
crammer_singer = Operation(
    Native(native.crammer_singer),
    NativeCSR(native.crammer_singer),
    Portable(portable.crammer_singer, in_memory=True),
)
