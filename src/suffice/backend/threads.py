"""How many threads the kernels may use."""

from __future__ import annotations

import os
from contextvars import ContextVar, Token
from numbers import Integral
from types import TracebackType

from ..errors import InvalidParameter

_threads: ContextVar[int | None] = ContextVar("suffice_threads", default=None)


def _available() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _from_environment() -> int:
    text = os.environ.get("SUFFICE_NUM_THREADS", "")
    if text and not (text.isdigit() and int(text) > 0):
        raise InvalidParameter(f"SUFFICE_NUM_THREADS must be an integer, at least 1; got {text!r}.")
    return int(text) if text else _available()


_default = _from_environment()


def thread_count() -> int:
    """The number of threads in force here."""
    return _threads.get() or _default


class threads:  # noqa: N801 (a context manager used like a function)
    """Use `n` threads from here on, or within a `with` block; results do not depend on it.

    >>> with threads(1):
    ...     thread_count()
    1
    """

    def __init__(self, n: int) -> None:
        if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
            raise InvalidParameter(f"threads: n must be an integer, at least 1; got {n!r}.")
        self._token: Token[int | None] = _threads.set(int(n))

    def __enter__(self) -> threads:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _threads.reset(self._token)
