"""Operations of preparation: categories as flags and back, curves, splines and monomials of columns, their bounds."""

from __future__ import annotations

from ..dispatch import LONG, Native, Operation, Portable
from . import native, portable

__all__ = [
    "category_places", "column_ranges", "flagged_places", "flags", "interpolate", "look_up", "monomials", "splines",
]  # fmt: skip

category_places = Operation(Native(native.category_places), Portable(portable.category_places))
column_ranges = Operation(Native(native.column_ranges), Portable(portable.column_ranges))
flagged_places = Operation(Native(native.flagged_places), Portable(portable.flagged_places))
flags = Operation(Native(native.flags, dtypes=(LONG,)), Portable(portable.flags))
interpolate = Operation(Native(native.interpolate), Portable(portable.interpolate))
look_up = Operation(Native(native.look_up), Portable(portable.look_up))
monomials = Operation(Native(native.monomials), Portable(portable.monomials))
splines = Operation(Native(native.splines), Portable(portable.splines))
