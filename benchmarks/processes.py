"""Work in a process of its own, which is ended when nothing is heard from it for too long."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

Send = Callable[[object], None]


class Silent(Exception):
    """Nothing was heard for too long."""


class Died(Exception):
    """The process ended before its work did: the status."""


def start() -> None:
    """Have everything imported where processes are forked, so that no work waits for it."""
    process = _context().Process(target=int, daemon=True)
    process.start()
    process.join()


def messages(work: Callable[..., None], arguments: tuple[object, ...], seconds: float) -> Iterator[Any]:
    """What `work(send, *arguments)` sends from another process."""
    context = _context()
    mine, other = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(other, work, arguments), daemon=True)
    process.start()
    other.close()
    try:
        while mine.poll(seconds):
            yield mine.recv()
        raise Silent
    except EOFError:
        process.join()
        if process.exitcode:
            raise Died(process.exitcode) from None
    finally:
        process.kill()
        process.join()


def _run(pipe: Connection, work: Callable[..., None], arguments: tuple[object, ...]) -> None:
    work(pipe.send, *arguments)
    pipe.close()


def _context() -> Any:
    """Processes that start with everything imported, but with no thread started yet."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.preloaded"])
    return context
