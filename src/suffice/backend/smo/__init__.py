"""The quadratic programmes of support vector machines, by sequential minimal optimisation."""

from __future__ import annotations

from ..dispatch import Native, Operation, Portable
from . import native, portable
from .values import Programme, Solved, reach, standing

__all__ = ["Programme", "Solved", "pairs", "reach", "standing"]

pairs = Operation(Native(native.pairs), Portable(portable.pairs, in_memory=True))
