"""Reading ahead: the next items are made in the background while the caller works on this one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextvars import copy_context
from threading import Condition, Thread, current_thread
from typing import Generic, TypeVar

T = TypeVar("T")


class ReadAhead(Iterator[T], Generic[T]):
    """The given items in order, of which up to `depth` are made ahead of time.

    The thread lives only while there is room for another item. An iterator that is simply dropped, after
    an error or Ctrl-C, therefore leaves no thread behind; `close` only frees what the items hold, such as a file.

    >>> list(ReadAhead(range(4), depth=2))
    [0, 1, 2, 3]
    """

    def __init__(self, items: Iterable[T], depth: int = 2) -> None:
        self._items = iter(items)
        self._depth = depth
        self._context = copy_context()  # so that threads(…) and the like hold in the background too
        self._ready: deque[T] = deque()
        self._error: BaseException | None = None
        self._ended = False
        self._worker: Thread | None = None
        self._changed = Condition()

    def __next__(self) -> T:
        with self._changed:
            self._keep_filling()
            while not self._ready and not self._ended:
                self._changed.wait()
            if self._ready:
                item = self._ready.popleft()
                self._keep_filling()
                return item
            error, self._error = self._error, None
        if error is None:
            raise StopIteration
        try:
            raise error
        finally:
            del error  # the traceback holds this frame: no cycle

    def close(self) -> None:
        """Stop reading, wait for the thread, and close the items where they can be closed."""
        with self._changed:
            self._ended = True
            self._ready.clear()
            worker = self._worker
        if worker is not None and worker is not current_thread():
            worker.join()
        close = getattr(self._items, "close", None)
        if close is not None:
            close()

    def _keep_filling(self) -> None:
        """Start the thread where there is room and none runs; the caller holds the lock."""
        if self._worker is None and self._has_room():
            try:
                run = self._context.copy().run  # the thread before may not have left its own yet
                self._worker = Thread(target=run, args=(self._fill,), name="suffice-read-ahead")
                self._worker.start()
            except BaseException:  # Ctrl-C: it may run or not, and finds that all has ended
                self._ended, self._worker = True, None
                raise

    def _has_room(self) -> bool:
        return not self._ended and len(self._ready) < self._depth

    def _fill(self) -> None:
        with self._changed:  # until the caller, who holds the lock, knows that this thread runs
            if self._ended:
                return
        while True:
            error: BaseException | None = None
            try:
                item = next(self._items)
            except BaseException as caught:
                error = caught
            with self._changed:
                if error is not None:
                    self._ended = True
                    self._error = None if isinstance(error, StopIteration) else error
                elif not self._ended:
                    self._ready.append(item)
                room = self._has_room()
                self._worker = self._worker if room else None
                self._changed.notify()
            if not room:
                return
