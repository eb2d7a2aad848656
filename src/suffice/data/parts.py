"""Parts of a source, each read and worked on by a thread of its own; their results come in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from contextvars import copy_context
from typing import Generic, TypeVar

from .. import backend
from ..observing import observers
from .source import Chunk

R = TypeVar("R")
_LOOK_EVERY = 0.1  # seconds between two reports to the observers

Open = Callable[[bool], Generator[Chunk, None, None]]  # begins to read a part, ahead of its use or not


class Parts(Generic[R]):
    """The results of `job` for all parts, in order; a part is read only when a thread is free for it.

    What is kept does not grow with the number of parts, and what comes out does not depend on the number of threads.
    The first error in the order of the rows is raised, and then nothing more is read. At most `most` parts are read
    at a time.
    """

    def __init__(
        self, parts: Sequence[Open], job: Callable[[Iterator[Chunk]], R], n_rows: int | None = None, most: int = 1
    ) -> None:
        self._parts, self._job, self._n_rows = parts, job, n_rows
        self._threads = max(1, min(backend.thread_count(), len(parts), most))
        self._inner = max(1, backend.thread_count() // self._threads)  # threads of a kernel, where parts are few
        self._read: deque[int] = deque()  # rows of each chunk that was used; appending needs no lock
        self._stopped = False

    def results(self) -> Generator[R, None, None]:
        """The results; the generator must be closed or used up."""
        with ThreadPoolExecutor(self._threads, thread_name_prefix="suffice-part") as pool:
            waiting: deque[Future[R]] = deque()
            try:
                for part in self._parts:
                    waiting.append(pool.submit(copy_context().run, self._run, part))
                    if len(waiting) > 2 * self._threads:
                        yield self._next(waiting)
                while waiting:
                    yield self._next(waiting)
            finally:
                self._stopped = True
                for future in waiting:
                    future.cancel()

    def _run(self, part: Open) -> R:
        ahead = self._threads == 1 and self._inner > 1
        with backend.threads(self._inner), closing(part(ahead)) as chunks:
            return self._job(self._counted(chunks))

    def _counted(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        for chunk in chunks:
            if self._stopped:
                return
            yield chunk
            self._read.append(len(chunk))

    def _next(self, waiting: deque[Future[R]]) -> R:
        """The oldest result; meanwhile the observers are told how far the reading has come."""
        while not waiting[0].done():
            wait([waiting[0]], timeout=_LOOK_EVERY)
            self._report()
        result = waiting.popleft().result()
        self._report()
        return result

    def _report(self) -> None:
        rows = sum(self._read)
        for observer in observers():
            observer.rows_read(rows, self._n_rows)
