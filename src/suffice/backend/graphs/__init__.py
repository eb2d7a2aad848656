"""Graphs as sparse matrices: the lengths of shortest ways."""

from __future__ import annotations

from ..dispatch import NativeCSR, Operation, Portable
from . import native, portable

__all__ = ["shortest_ways"]

shortest_ways = Operation(NativeCSR(native.shortest_ways), Portable(portable.shortest_ways, in_memory=True))
