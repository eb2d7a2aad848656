"""Shapley values of columns: how much each adds to what trees say of a row."""

from ..dispatch import Native, Operation, Portable
from . import native, portable

__all__ = ["contributions"]

contributions = Operation(Native(native.contributions), Portable(portable.contributions))
