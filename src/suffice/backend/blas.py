"""How many threads BLAS may use: one for small products, whose threads would wait for a busy machine, not work."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # a dependency of scikit-learn

_ALONE = 2.5e5  # multiplications for which a BLAS takes one thread by itself
_SMALL = 5e8  # those that one thread does in about a hundredth of a second


@cache
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401 (brings a BLAS of its own, which must be there before libraries are looked for)

    return ThreadpoolController()  # once: it takes milliseconds


def blas_threads_for(multiplications: float) -> AbstractContextManager[Any]:
    """Let BLAS use one thread within the block where it has few multiplications to do, else as many as it likes.

    The number belongs to the process; threadpoolctl leaves it to the thread that set it first.
    """
    if not _ALONE < multiplications <= _SMALL:
        return nullcontext()
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited
