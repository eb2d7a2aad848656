"""How many threads BLAS may use: one for small work, whose threads would wait for a busy machine, not work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # a dependency of scikit-learn

_SMALL = 5e8  # multiplications that one thread does in about a hundredth of a second
_TINY = 1e4  # multiplications for which no BLAS wakes a thread: to set its number would take longer than the work
_OWNER = threading.RLock()  # held by the thread whose blocks set the numbers, which are those of the process
_FREE: list[int] = []  # the numbers before the outermost block; empty outside
_ONE: list[bool] = []  # of the blocks that the thread is in: whether they set one thread


def blas_threads_for(multiplications: float) -> AbstractContextManager[None]:
    """Let BLAS use one thread within the block where it has few multiplications to do, else as many as it likes.

    Of nested blocks the innermost decides, but for one with so little to do that BLAS wakes no thread. One thread at a
    time sets the numbers: a block of another runs with what that one has set.
    """
    return nullcontext() if multiplications <= _TINY else _set_within(multiplications <= _SMALL)


@contextmanager
def _set_within(few: bool) -> Iterator[None]:
    if not _OWNER.acquire(blocking=False):
        yield
        return
    if few and _ONE and _ONE[-1]:  # it is set already
        _OWNER.release()
        yield
        return
    before, outermost = [library.get_num_threads() for library in _libraries()], not _FREE
    within = [1] * len(before) if few else list(_FREE or before)
    try:
        _ONE.append(few)
        if outermost:
            _FREE.extend(before)
        if within != before:  # nested blocks mostly change nothing
            _set(within)
        yield
    finally:
        _ONE.pop()
        if within != before:
            _set(before)
        if outermost:
            _FREE.clear()
            _let_others()
        _OWNER.release()


@cache
def _libraries() -> list[Any]:
    import scipy.linalg  # noqa: F401 (brings a BLAS of its own, which must be there before libraries are looked for)

    found = ThreadpoolController().lib_controllers  # once: it takes milliseconds
    return [library for library in found if library.user_api == "blas"]


def _set(numbers: list[int]) -> None:
    for library, number in zip(_libraries(), numbers, strict=True):
        library.set_num_threads(number)


def _let_others() -> None:
    """With a newer threadpoolctl, the thread that set a number first keeps the right to, until it gives it up."""
    for library in _libraries():
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread()
