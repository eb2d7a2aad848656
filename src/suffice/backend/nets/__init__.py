"""The steps of neural nets between two products of matrices: rows as inputs, activations, losses, optimisers."""

from __future__ import annotations

from ..dispatch import Native, Operation, Portable
from . import native, portable

__all__ = ["adam", "bend", "input_rows", "softmax", "unbend"]

adam = Operation(Native(native.adam), Portable(portable.adam))
bend = Operation(Native(native.bend), Portable(portable.bend, in_memory=True))
input_rows = Operation(Native(native.input_rows), Portable(portable.input_rows, in_memory=True))
softmax = Operation(Native(native.softmax), Portable(portable.softmax, any_array=True))
unbend = Operation(Native(native.unbend), Portable(portable.unbend, in_memory=True))
