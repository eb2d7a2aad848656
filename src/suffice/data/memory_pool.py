"""Memory of chunks, used again: new memory comes from the system page by page, each cleared first."""

from __future__ import annotations

import ctypes
import sys
from collections import deque
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import DTypeLike, NDArray

_free: deque[NDArray[np.uint8]] = deque(maxlen=8)


def empty(shape: tuple[int, int], dtype: DTypeLike) -> NDArray[Any]:
    """An array that is not filled, in memory that an earlier one no longer uses where there is some.

    >>> empty((2, 3), np.float32).shape
    (2, 3)
    """
    dtype = np.dtype(dtype)
    size = shape[0] * shape[1] * dtype.itemsize
    memory = _taken(size)
    # Whatever is made of these cells keeps them alive: they own no array's memory, so that NumPy looks no further.
    cells = np.frombuffer(memory.data, dtype)
    finalize(cells, _free.append, memory).atexit = False
    return cells.reshape(shape)


def _taken(size: int) -> NDArray[np.uint8]:
    try:
        memory = _free.pop()
    except IndexError:  # none is free, or another thread was faster
        return np.empty(size, np.uint8)
    return memory if memory.nbytes == size else np.empty(size, np.uint8)


def give_back() -> None:
    """Give memory that was kept to be used again back to the system, also that of pyarrow: reading is over for long."""
    _free.clear()
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    if sys.platform == "linux":  # the heaps of threads that are over keep what was freed
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
