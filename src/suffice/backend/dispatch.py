"""Which back-end runs: the native kernels take NumPy arrays of float32 and float64, portable code everything else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_portable: ContextVar[bool] = ContextVar("suffice_portable", default=False)


def is_native(X: Any) -> bool:
    """Whether the native kernels take this array, and nobody asked for the portable code."""
    return isinstance(X, np.ndarray) and X.dtype in _FLOATS and X.flags.aligned and not _portable.get()


@contextmanager
def using(name: str) -> Iterator[None]:
    """Run every kernel within the block on the back-end "native" or "portable"."""
    token = _portable.set({"native": False, "portable": True}[name])
    try:
        yield
    finally:
        _portable.reset(token)
