"""Iterations of affinity propagation on a matrix of similarities."""

from __future__ import annotations

from ..dispatch import Native, Operation, Portable
from . import native, portable
from .values import Messages

__all__ = ["Messages", "sweep"]

sweep = Operation(Native(native.sweep), Portable(portable.sweep), by="old.similarity")
