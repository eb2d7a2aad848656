"""The texts of files, in C++."""

from __future__ import annotations

from ...typing import Bytes
from ..native import kernels


def records_end(text: Bytes, delimiter: int) -> int:
    """The end of the last whole record."""
    return int(kernels().records_end(text, delimiter))
