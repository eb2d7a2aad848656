"""Running dask tasks on the scheduler in force, with an eye on the workers, the clock and the observers."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any, cast

from dask import delayed
from dask.base import get_scheduler
from dask.delayed import Delayed

from ..errors import WorkersLost
from ..observing import observers
from .dask_worker import Part, merged

NO_WORKERS_SECONDS = 30.0  # a cluster that has had no worker for so long is given up
POLL_SECONDS = 0.5  # how often a running pass looks at its workers and reports its progress
_FAN_IN = 8  # summaries merged in one task; a power of two, so that the order of the merges does not depend on it


def computed(parts: list[Delayed], n_rows: int | None, start: int = 0) -> Part:
    """The parts merged in order, by a tree that depends on their number only; `start` rows came before."""
    tree, merge = parts, delayed(merged)
    while len(tree) > 1:
        tree = [merge(tree[i : i + _FAN_IN]) for i in range(0, len(tree), _FAN_IN)]
    client = getattr(get_scheduler(), "__self__", None)
    if hasattr(client, "scheduler_info"):
        total = _on_cluster(client, tree[0], parts, n_rows, start)
    else:
        total = tree[0].compute(**_cull(parts))
    _report(start + total.rows, n_rows)
    return total


def _cull(parts: list[Delayed]) -> dict[str, bool]:
    """Leaving unused tasks out takes long for many partitions, and there are none where all are used."""
    return {"optimize_graph": len(parts) == 1}


def _report(rows: int, n_rows: int | None) -> None:
    for observer in observers():
        observer.rows_read(rows, n_rows)


def _rows(part: Part) -> int:
    return part.rows


def _on_cluster(client: Any, root: Delayed, parts: list[Delayed], n_rows: int | None, start: int) -> Part:
    """The value of `root`; observers, if any, learn the progress from tiny tasks that count rows."""
    from distributed import CancelledError, KilledWorker, as_completed

    counts = [delayed(_rows)(part) for part in parts] if observers() else []
    futures: list[object] = []
    try:
        futures = client.compute([root, *counts], **_cull(parts))
        return _awaited(client, futures[0], as_completed(futures[1:], with_results=True), n_rows, start)
    except KilledWorker as error:
        raise WorkersLost(f"Workers died at one task again and again (out of memory?): {error}") from error
    except CancelledError as error:
        raise WorkersLost(f"The work was cancelled or the scheduler was lost: {error}") from error
    finally:
        with suppress(Exception):
            client.cancel(futures)


def _awaited(client: object, root: Any, counted: Any, n_rows: int | None, rows: int) -> Part:
    """The result of `root`, while the workers and the clock are watched."""
    seconds, seen = POLL_SECONDS, time.monotonic()
    while True:
        try:
            return cast(Part, root.result(timeout=seconds))
        except TimeoutError:
            if root.status == "error":  # it failed meanwhile, perhaps with a TimeoutError of its own
                root.result()
        # A result that is there but takes longer than this to fetch gets twice the time at the next attempt.
        seconds = 2 * seconds if root.status == "finished" else POLL_SECONDS
        rows += sum(count for future, count in counted.next_batch(block=False) if future.status == "finished")
        _report(rows, n_rows)
        seen = time.monotonic() if _has_workers(client) else seen
        if time.monotonic() - seen > NO_WORKERS_SECONDS:
            raise WorkersLost(
                f"The cluster has had no worker for {NO_WORKERS_SECONDS:g} seconds. "
                "Start workers, or see in their logs why they ended (a module that is not installed there, "
                "or too little memory), and fit again."
            )


def _has_workers(client: Any) -> bool:
    try:
        return bool(client.nthreads())
    except OSError as error:
        raise WorkersLost(f"The connection to the scheduler was lost: {error}") from error
