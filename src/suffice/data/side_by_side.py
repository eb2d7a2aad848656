"""Work on many items by several threads, whose results come in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from contextvars import copy_context
from typing import TypeVar

from .. import backend

T = TypeVar("T")
R = TypeVar("R")
_MANY_CELLS = 1 << 18  # whose work is worth the start of threads
_LOOK_EVERY = 0.1  # seconds between two looks


def _nothing() -> None: ...


def side_by_side(
    items: Iterable[T],
    job: Callable[[T], R],
    threads: int,
    ahead: int,
    look: Callable[[], None] = _nothing,
    stop: Callable[[], None] = _nothing,
) -> Generator[R, None, None]:
    """What `job` makes of each item, in order; at most `ahead` items are taken beyond the one whose result is awaited.

    The first error in order is raised, be it that of taking an item or of its job, and then no other item is begun.
    `look` is called now and then while a result is awaited, and after each; `stop` at the end, before those that still
    run are waited for. The generator must be closed or used up.

    >>> list(side_by_side(range(4), lambda i: i * i, threads=2, ahead=2))
    [0, 1, 4, 9]
    """
    with ThreadPoolExecutor(threads, thread_name_prefix="suffice-worker") as pool:
        waiting: deque[Future[R]] = deque()
        remaining, failure = iter(items), None
        try:
            while True:
                try:
                    item = next(remaining)
                except StopIteration:
                    break
                except Exception as error:  # which comes after the results of the items before
                    failure = error
                    break
                # A context of its own for each: threads(…), limits(…) and the like hold there too.
                waiting.append(pool.submit(copy_context().run, job, item))
                if len(waiting) > ahead:
                    yield _next(waiting, look)
            while waiting:
                yield _next(waiting, look)
            if failure is not None:
                raise failure
        finally:
            stop()
            for future in waiting:
                future.cancel()


def _next(waiting: deque[Future[R]], look: Callable[[], None]) -> R:
    while not waiting[0].done():
        wait([waiting[0]], timeout=_LOOK_EVERY)
        look()
    result = waiting.popleft().result()
    look()
    return result


def for_each(items: Sequence[T], job: Callable[[T], R], cells: int) -> list[R]:
    """What `job` makes of each item, in order: on all threads where the cells that they are about are many."""
    threads = min(backend.thread_count(), len(items)) if cells >= _MANY_CELLS else 1
    if threads <= 1:
        return [job(item) for item in items]
    with closing(side_by_side(items, job, threads, 2 * threads)) as done:
        return list(done)
