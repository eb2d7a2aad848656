"""A CSV file in blocks of whole records, which threads read side by side. Imported only where a file is read."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO

import numpy as np

from ..backend.files import records_end

_HEAD_BYTES = 1 << 16


class OpenQuote(ValueError):
    """No record ends within a block."""


def blocks(file: IO[bytes], delimiter: str, block_bytes: int, lines: int = 1) -> Iterator[bytes]:
    """Texts of some size, whole records each, after some lines of the header and above it.

    A record may be twice as long as a block; a longer one is an error, as a quote is that is not closed before.
    """
    for _ in range(lines):
        file.readline()
    text = file.read(block_bytes)
    while text:
        more = file.read(block_bytes)
        end = _end(text, delimiter) if more else len(text)
        if end:
            yield text[:end]
        elif len(text) > block_bytes:
            raise OpenQuote
        text = text[end:] + more


def can_cut(file: IO[bytes], encoding: str) -> bool:
    """Whether lines end with a newline byte, as they do not in UTF-16 and in files of old Macs."""
    known = codecs.lookup(encoding).name.startswith(("utf-8", "ascii", "iso8859", "cp125"))
    head = file.read(_HEAD_BYTES)
    return known and b"\n" in head and re.search(rb"\r(?!\n|$)", head) is None


def _end(text: bytes, delimiter: str) -> int:
    return records_end(np.frombuffer(text, np.uint8), ord(delimiter))
