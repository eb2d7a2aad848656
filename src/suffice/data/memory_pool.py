"""Memory of chunks, used again: new memory comes from the system page by page, each cleared first."""

from __future__ import annotations

from collections import deque
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import DTypeLike, NDArray

_free: deque[NDArray[np.uint8]] = deque(maxlen=8)
_LARGER = 16  # times as large may the memory be that is used again
_LINE = 64  # bytes of a line of the cache, at which the memory begins: no vector of a kernel lies across two


def empty(shape: tuple[int, int], dtype: DTypeLike) -> NDArray[Any]:
    """An array that is not filled, in memory that an earlier one no longer uses where there is some.

    >>> empty((2, 3), np.float32).shape
    (2, 3)
    """
    dtype = np.dtype(dtype)
    size = shape[0] * shape[1] * dtype.itemsize
    memory = _taken(size)
    # Whatever is made of these cells keeps them alive: they own no array's memory, so that NumPy looks no further.
    cells = np.frombuffer(memory.data, dtype, shape[0] * shape[1])
    finalize(cells, _free.append, memory).atexit = False
    return cells.reshape(shape)


def _taken(size: int) -> NDArray[np.uint8]:
    try:
        memory = _free.pop()
    except IndexError:  # none is free, or another thread was faster
        return _new(size)
    # The last chunk of a part is smaller than the others, whose memory is wanted again right after it.
    return memory if size <= memory.nbytes <= _LARGER * size else _new(size)


def _new(size: int) -> NDArray[np.uint8]:
    memory = np.empty(size + _LINE, np.uint8)
    start = -memory.ctypes.data % _LINE
    return memory[start : start + size]
