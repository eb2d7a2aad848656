"""A CSV file in blocks of whole records, which threads read side by side. Imported only where a file is read."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import IO

import numpy as np

from ..backend.files import records_end

_HEAD_BYTES = 1 << 16


class OpenQuote(ValueError):
    """No record ends within a block."""


def blocks(file: IO[bytes], delimiter: str, block_bytes: int) -> Iterator[bytes]:
    """Texts of some size, the header and then whole records each.

    A record may be twice as long as a block; a longer one is an error, as a quote is that is not closed before.
    """
    text = file.read(block_bytes).lstrip(b"\r\n")
    header = text[: _first_record(text, delimiter)]
    text = text[len(header) :]
    while text:
        more = file.read(block_bytes)
        end = _end(text, delimiter) if more else len(text)
        if end:
            yield header + text[:end]
        elif len(text) > block_bytes:
            raise OpenQuote
        text = text[end:] + more


def can_cut(file: IO[bytes], encoding: str) -> bool:
    """Whether records end with a newline byte, as they do not in UTF-16 and in files of old Macs."""
    known = codecs.lookup(encoding).name.startswith(("utf-8", "ascii", "iso8859", "cp125"))
    return known and b"\n" in file.read(_HEAD_BYTES)


def _end(text: bytes, delimiter: str) -> int:
    return records_end(np.frombuffer(text, np.uint8), ord(delimiter))


def _first_record(text: bytes, delimiter: str) -> int:
    """Where the first record ends; everything where it has no end."""
    end = text.find(b"\n") + 1
    while end and not _end(text[:end], delimiter):
        end = text.find(b"\n", end) + 1
    return end or len(text)
