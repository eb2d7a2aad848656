"""Dask sources on a cluster: the same sums, the same messages, and no hang when workers go."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suffice.data import Chunk, Needs, as_source
from suffice.errors import InvalidData, TimeLimit, WorkersLost
from suffice.observing import Observer, observe

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402

from dask_rows import QUICK, ROWS, TARGET, WEIGHT, A, Sums, array, assert_same, bad_array, frame, sums  # noqa: E402
from suffice.data import dask_run as module  # noqa: E402


class Rows(Observer):
    """Notes the rows read; raises once `end` of them were, where given."""

    def __init__(self, end: int | None = None) -> None:
        self.seen: list[tuple[int, int | None]] = []
        self.end = end

    def rows_read(self, rows: int, total: int | None) -> None:
        self.seen.append((rows, total))
        if self.end is not None and rows >= self.end:
            raise TimeLimit("over")


def slow(chunk: Chunk) -> Sums:
    time.sleep(0.3)
    return sums(chunk)


def wait_until(condition: Callable[[], Any], seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        pytest.MonkeyPatch.context() as patch,
        distributed.LocalCluster(n_workers=0, processes=True, **QUICK) as cluster,
        distributed.Client(cluster) as client,
    ):
        for folder in (1, 2):  # workers take the path over, to import this file and what it shares with others
            patch.syspath_prepend(str(Path(__file__).parents[folder]))
        cluster.scale(2)
        client.wait_for_workers(2, timeout=30)
        yield client


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.05)


def test_on_a_cluster_the_sums_are_the_same(client: Any) -> None:
    needs = Needs(target="numbers")
    want = as_source(A, TARGET, WEIGHT, needs=needs).reduce(sums)
    source = as_source(array(), TARGET, da.from_array(WEIGHT, chunks=9), needs=needs)
    assert_same(source.reduce(sums), want)
    with dask.config.set(scheduler="sync"):
        assert np.array_equal(source.reduce(sums).X, source.reduce(sums).X)
    np.testing.assert_array_equal(source.map(lambda chunk: chunk.X).compute(), A)


def test_on_a_cluster_frames_and_persisted_arrays_work(client: Any) -> None:
    needs = Needs(categories=True, missing=True)
    source = as_source(dd.from_pandas(frame(), npartitions=4), needs=needs)
    assert source.schema == as_source(frame(), needs=needs).schema
    assert source.reduce(lambda chunk: len(chunk)) == ROWS
    assert_same(as_source(array().persist()).reduce(sums), as_source(A).reduce(sums))


def test_errors_on_a_worker_reach_the_user_as_they_are(client: Any) -> None:
    with pytest.raises(InvalidData, match=r"^PCA: column 1, row 31 holds NaN") as caught:
        as_source(bad_array(), needs=Needs("PCA")).reduce(sums)
    assert type(caught.value) is InvalidData

    def late(chunk: Chunk) -> int:
        raise TimeLimit("of its own")

    with pytest.raises(TimeLimit, match="of its own"):
        as_source(array()).reduce(late)


@pytest.mark.usefixtures("often")
def test_progress_is_told_while_partitions_finish(client: Any) -> None:
    with observe(rows := Rows()):
        as_source(array((10, 3))).reduce(slow)
    counts = [count for count, _ in rows.seen]
    assert counts == sorted(counts)
    assert rows.seen[-1] == (ROWS, ROWS)
    assert any(0 < count < ROWS for count in counts)


def test_progress_is_told_at_the_end_without_a_cluster() -> None:
    with dask.config.set(scheduler="threads"), observe(rows := Rows()):
        as_source(array()).reduce(sums)
    assert rows.seen == [(ROWS, ROWS)]


@pytest.mark.usefixtures("often")
def test_an_observer_that_raises_stops_the_work(client: Any) -> None:
    with observe(Rows(end=10)), pytest.raises(TimeLimit, match="over"):
        as_source(array((5, 3))).reduce(slow)
    wait_until(lambda: not any(client.processing().values()))


@pytest.mark.usefixtures("often")
def test_an_interrupt_stops_the_work(client: Any) -> None:
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        as_source(array((2, 3))).reduce(slow)
    timer.join()
    wait_until(lambda: not any(client.processing().values()))


@pytest.mark.usefixtures("often")
def test_a_worker_killed_in_the_middle_changes_nothing(client: Any, tmp_path: Path) -> None:
    def marked(chunk: Chunk) -> Sums:
        (tmp_path / f"{chunk.start}-{os.getpid()}").touch()
        return slow(chunk)

    killed: list[int] = []

    def kill() -> None:
        wait_until(lambda: len(list(tmp_path.iterdir())) >= 3)
        killed.append(int(next(tmp_path.iterdir()).name.partition("-")[2]))
        os.kill(killed[0], signal.SIGKILL)

    source = as_source(array((6, 3)))
    want = source.reduce(sums)
    killer = threading.Thread(target=kill)
    killer.start()
    got = source.reduce(marked)
    killer.join()
    assert killed
    assert len(list(tmp_path.iterdir())) > 10  # some partitions were summarised again
    assert np.array_equal(got.X, want.X)
    assert_same(got, want)
    client.wait_for_workers(2, timeout=20)


@pytest.mark.usefixtures("often")
def test_a_task_that_kills_its_workers_is_given_up(client: Any) -> None:
    def deadly(chunk: Chunk) -> int:
        os._exit(1)

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        pytest.raises(WorkersLost, match="died"),
    ):
        as_source(array((60, 3))).reduce(deadly)
    client.wait_for_workers(2, timeout=20)


@pytest.mark.usefixtures("often")
def test_a_cluster_without_workers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NO_WORKERS_SECONDS", 0.5)
    with (
        distributed.LocalCluster(n_workers=1, processes=False, **QUICK) as cluster,
        distributed.Client(cluster) as client,
    ):
        gone = threading.Timer(0.5, cluster.scale, [0])
        gone.start()
        with pytest.raises(WorkersLost, match=r"no worker for 0\.5 seconds"):
            as_source(array((1, 3))).reduce(slow)
        gone.join()
        wait_until(lambda: not client.who_has())


@pytest.mark.usefixtures("often")
def test_a_scheduler_that_goes_away_is_given_up(tmp_path: Path) -> None:
    address = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    command += ["--host", "127.0.0.1", "--scheduler-file", str(address)]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # it takes the summary in, and imports its file
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=found) as scheduler:
        wait_until(address.exists, 30)
        with distributed.Client(scheduler_file=str(address), timeout=2):
            threading.Timer(0.5, scheduler.kill).start()
            with pytest.raises(WorkersLost, match="scheduler"):
                as_source(array()).reduce(sums)
