"""Where arrays of many rows lie: in memory, or in temporary files."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO

import numpy as np
from numpy.typing import DTypeLike

from ..backend.arrays import Array
from ..errors import MemoryNeeded

_ZEROS = bytes(1 << 20)
_BLOCK = 1 << 18  # rows that are looked at together


class Room:
    """Makes arrays in memory."""

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """An array that is not filled."""
        return np.empty(shape, dtype)

    def leave(self) -> None:
        """Keep nothing in memory that can be read again."""

    def blocks(self, n: int, step: int = _BLOCK) -> Iterator[slice]:
        """All of n rows, some at a time, which are left afterwards."""
        for begin in range(0, n, step):
            yield slice(begin, min(begin + step, n))
            self.leave()


class Scratch(Room):
    """Makes arrays in temporary files, which are read and written like any other and last as long as they are used.

    The files have no name, so that nothing is left of them however a fit ends.

    >>> scratch = Scratch("a tree")
    >>> found = scratch.empty((2, 3), np.int32)
    >>> found[:] = 7
    >>> scratch.leave()  # what is in the files stays there
    >>> int(found.sum())
    42
    """

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self._maps: list[mmap.mmap] = []

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if size == 0:
            return np.empty(shape, dtype)
        with TemporaryFile(prefix="suffice-") as file:  # the map keeps it open
            self._reserve(file, size)
            found = mmap.mmap(file.fileno(), size)
        self._maps.append(found)
        return np.frombuffer(found, dtype).reshape(shape)

    def leave(self) -> None:
        if hasattr(mmap, "MADV_DONTNEED"):
            for found in self._maps:
                found.madvise(mmap.MADV_DONTNEED)

    def _reserve(self, file: IO[bytes], size: int) -> None:
        """Take the space now: a full disk would end the process when it is written to."""
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
                return
            for begin in range(0, size, len(_ZEROS)):
                file.write(_ZEROS[: size - begin])
            file.flush()
        except OSError as error:
            raise MemoryNeeded(
                f"{self.owner}: {size:,} bytes of rows do not fit into memory, nor into a temporary file "
                f"({error.strerror}). Raise memory, or set TMPDIR to a folder with more space."
            ) from error


IN_MEMORY = Room()
