"""Operations on the texts of files."""

from __future__ import annotations

from ..dispatch import BYTE, Native, Operation, Portable
from . import native, portable

__all__ = ["records_end"]

records_end = Operation(Native(native.records_end, dtypes=(BYTE,)), Portable(portable.records_end, in_memory=True))
