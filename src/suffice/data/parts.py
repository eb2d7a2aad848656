"""Parts of a source, each read and worked on by a thread of its own; their results come in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import Generic, TypeVar

from .. import backend
from ..observing import observers
from .side_by_side import side_by_side
from .source import Chunk

R = TypeVar("R")

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
        return side_by_side(self._parts, self._run, self._threads, 2 * self._threads, self._report, self._stop)

    def _stop(self) -> None:
        self._stopped = True

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

    def _report(self) -> None:
        rows = sum(self._read)
        for observer in observers():
            observer.rows_read(rows, self._n_rows)
