"""The texts of files, in plain Python."""

from __future__ import annotations

import re
from functools import cache

from ...typing import Bytes


def records_end(text: Bytes, delimiter: int) -> int:
    """The number of bytes of a CSV text (n,) up to the end of its last whole record.

    The text begins with a record. A newline within quotes ends none; a quote opens only at the start of a cell.
    """
    end = 0
    for cell in _cell(bytes([delimiter])).finditer(text.tobytes()):
        if cell["end"] == b"\n":
            end = cell.end()
    return end


@cache
def _cell(delimiter: bytes) -> re.Pattern[bytes]:
    """A cell, quoted or plain, and what ends it; a cell whose quote is not closed takes the rest and has no end."""
    ends = re.escape(delimiter) + rb"\r\n"
    return re.compile(rb'(?:"(?:[^"]|"")*+(?:"|\Z))?+[^' + ends + rb"]*+(?P<end>[" + ends + rb"]|\Z)")
