"""Distances of all pairs of rows: what the columns add, summed, then finished."""

from __future__ import annotations

from ..dispatch import Native, Operation, Portable
from . import native, portable
from .values import Kind, Term

__all__ = ["Kind", "Term", "condensed", "pairwise"]

pairwise = Operation(Native(native.pairwise), Portable(portable.pairwise, any_array=True))
condensed = Operation(Native(native.condensed), Portable(portable.condensed, any_array=True))
