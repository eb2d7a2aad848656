"""Dask sources: the same answers as in memory, the same messages, and no hang when workers go."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suffice.data import Chunk, Needs, as_source
from suffice.description import describe
from suffice.errors import InvalidData, TimeLimit, WorkersLost
from suffice.observing import Observer, observe

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402

from suffice.data import dask_run as module  # noqa: E402

RNG = np.random.default_rng(7)
ROWS = 60
A = RNG.normal(size=(ROWS, 3)) * [1, 10, 100] + [5, 0, -3]
TARGET = RNG.normal(size=ROWS)
WEIGHT = RNG.integers(0, 4, ROWS).astype(float)
CHUNKINGS = [(60, 3), (7, 3), (1, 1), (13, 2), ((0, 20, 0, 40, 0), (3,)), ((1, 58, 1), (1, 2))]
QUICK: dict[str, Any] = {"dashboard_address": ":0", "memory_limit": "512MiB", "threads_per_worker": 1}


@dataclass(frozen=True)
class Sums:
    """Rows, weight, weighted sums of X and of X·y, and the rows' first cells in the order of the merges."""

    rows: int
    weight: float
    X: np.ndarray
    Xy: np.ndarray
    order: tuple[float, ...]

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.rows + other.rows,
            self.weight + other.weight,
            self.X + other.X,
            self.Xy + other.Xy,
            self.order + other.order,
        )


def sums(chunk: Chunk) -> Sums:
    assert len(chunk) > 0
    w = np.ones(len(chunk)) if chunk.weight is None else chunk.weight
    y = np.zeros(len(chunk)) if chunk.y is None else chunk.y
    order = tuple(chunk.X[:, 0].tolist())
    return Sums(len(chunk), float(w.sum()), w @ chunk.X, (w * y) @ chunk.X, order)


def assert_same(got: Sums, want: Sums) -> None:
    assert (got.rows, got.weight, got.order) == (want.rows, want.weight, want.order)
    np.testing.assert_allclose(got.X, want.X, rtol=1e-12)
    np.testing.assert_allclose(got.Xy, want.Xy, rtol=1e-12)


def array(chunks: Any = (13, 3)) -> Any:
    return da.from_array(A, chunks=chunks)


def frame() -> Any:
    return pd.DataFrame(
        {
            "size": A[:, 0],
            "old": A[:, 1] > 0,
            "count": pd.array([None if i == 41 else i for i in range(ROWS)], dtype="Int64"),
            "colour": np.array(["blue", "orange", "green"], dtype=object)[np.arange(ROWS) // 25],
            "sex": pd.Categorical(["f" if i % 3 else "m" for i in range(ROWS)]),
        }
    )


# Arrays


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
@pytest.mark.parametrize("chunks", CHUNKINGS)
def test_array_gives_the_sums_of_numpy(chunks: Any, scheduler: str) -> None:
    needs = Needs(target="numbers")
    want = as_source(A, TARGET, WEIGHT, needs=needs).reduce(sums)
    y, w = da.from_array(TARGET, chunks=17), da.from_array(WEIGHT, chunks=60)
    source = as_source(array(chunks), y, w, needs=needs)
    assert source.n_rows == ROWS
    assert not source.schema.named
    with dask.config.set(scheduler=scheduler):
        assert_same(source.reduce(sums), want)


def test_target_and_weight_in_memory_are_dealt_out() -> None:
    needs = Needs(target="numbers")
    want = as_source(A, TARGET, WEIGHT, needs=needs).reduce(sums)
    assert_same(as_source(array(), TARGET.tolist(), pd.Series(WEIGHT), needs=needs).reduce(sums), want)


def test_one_number_as_weight() -> None:
    assert as_source(array(), None, 2).reduce(sums).weight == 2 * ROWS


def test_the_answer_is_the_same_to_the_last_bit_every_time() -> None:
    source = as_source(array((7, 3)))
    first = source.reduce(sums)
    assert all(np.array_equal(source.reduce(sums).X, first.X) for _ in range(5))


def test_unknown_chunk_sizes() -> None:
    X, y = array((13, 2)), da.from_array(TARGET, chunks=13)
    keep = X[:, 1] > 0
    source = as_source(X[keep], y[keep], needs=Needs(target="numbers"))
    kept = A[:, 1] > 0
    assert source.n_rows is None
    assert_same(source.reduce(sums), as_source(A[kept], TARGET[kept], needs=Needs(target="numbers")).reduce(sums))
    mapped = source.map(lambda chunk: chunk.X[:, 0])
    np.testing.assert_array_equal(mapped.compute(), A[kept, 0])
    assert np.isnan(mapped.shape[0])


def test_partitions_that_a_mask_leaves_empty_are_skipped() -> None:
    X = array((10, 3))
    few = X[da.from_array(np.arange(ROWS), chunks=10) >= 50]
    source = as_source(few)
    assert_same(source.reduce(sums), as_source(A[50:]).reduce(sums))
    np.testing.assert_array_equal(source.map(lambda chunk: chunk.X * 2).compute(), A[50:] * 2)


def test_no_rows() -> None:
    with pytest.raises(InvalidData, match="no rows"):
        as_source(array()[:0])
    with pytest.raises(InvalidData, match="the dask array has no rows; at least 1 is needed"):
        as_source(array()[array()[:, 0] > 1e9]).reduce(sums)


def test_chunks_come_in_order_with_their_first_row() -> None:
    X = array((25, 3))
    for table in (X, X[X[:, 0] > -1e9]):
        chunks = list(as_source(table, None, WEIGHT if table is X else None).chunks())
        assert [(chunk.start, len(chunk)) for chunk in chunks] == [(0, 25), (25, 25), (50, 10)]
        np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in chunks]), A)


# Mapped results


def test_map_is_lazy_and_keeps_blocks_and_types() -> None:
    calls = []

    def twice(chunk: Chunk) -> np.ndarray:
        calls.append(len(chunk))
        return (2 * chunk.X).astype(np.float32)

    mapped = as_source(array((25, 3))).map(twice)
    assert max(calls, default=1) == 1
    assert mapped.chunks == ((25, 25, 10), (3,))
    assert mapped.dtype == np.float32
    np.testing.assert_array_equal(mapped.compute(), (2 * A).astype(np.float32))


def test_map_keeps_single_precision() -> None:
    mapped = as_source(array().astype(np.float32)).map(lambda chunk: chunk.X.sum(axis=1))
    assert mapped.dtype == mapped.compute().dtype == np.float32


def test_map_uses_a_real_row_where_zeros_will_not_do() -> None:
    def picky(chunk: Chunk) -> np.ndarray:
        if not chunk.X.any(axis=1).all():
            raise ZeroDivisionError
        return np.array(["yes", "no"])[(chunk.X[:, 0] > 5).astype(int)]

    mapped = as_source(array()).map(picky)
    assert mapped.dtype == np.dtype("<U3")
    assert mapped.compute().tolist() == np.where(A[:, 0] > 5, "no", "yes").tolist()


def test_target_is_mapped_too() -> None:
    labels = np.where(TARGET > 0, "up", "down")
    source = as_source(array(), da.from_array(labels, chunks=9), needs=Needs(target="classes"))
    assert source.target().compute().tolist() == labels.tolist()


def test_mapping_a_frame_reads_nothing() -> None:
    def never(table: Any) -> Any:
        raise AssertionError("it was read")

    table = pd.DataFrame(A.astype(np.float32), columns=["a", "b", "c"])
    split = dd.from_pandas(table, npartitions=3).map_partitions(never, meta=table.iloc[:0])
    mapped = as_source(split).map(lambda chunk: chunk.X)
    assert mapped.dtype == np.float32
    with pytest.raises(AssertionError, match="it was read"):
        mapped.compute()


# Dataframes


def test_frame_with_mixed_kinds_is_what_it_is_in_memory() -> None:
    needs = Needs(categories=True, missing=True)
    memory = as_source(frame(), needs=needs)
    source = as_source(dd.from_pandas(frame(), npartitions=4), needs=needs)
    assert source.schema == memory.schema
    assert source.schema.columns[3].categories == ("blue", "green", "orange")
    np.testing.assert_array_equal(source.map(lambda chunk: chunk.X).compute(), memory.chunk.X)


def test_frame_target_and_weight_columns() -> None:
    table = pd.DataFrame(A, columns=["a", "b", "c"]).assign(y=TARGET, w=WEIGHT)
    split = dd.from_pandas(table, npartitions=3)
    needs = Needs(target="numbers")
    source = as_source(split[["a", "b", "c"]], split["y"], split["w"], needs=needs)
    assert source.n_rows is None
    assert source.schema.names == ("a", "b", "c")
    assert_same(source.reduce(sums), as_source(A, TARGET, WEIGHT, needs=needs).reduce(sums))
    some = source.suited_to(needs, ("c", "a"))
    np.testing.assert_allclose(some.reduce(sums).X, WEIGHT @ A[:, [2, 0]])


def test_known_categories_are_kept_and_unknown_ones_found() -> None:
    needs = Needs(categories=True)
    table = pd.DataFrame({"k": pd.Categorical(["b", "a", "b", "b"], categories=["c", "b", "a"])})
    split = dd.from_pandas(table, npartitions=2)
    source = as_source(split, needs=needs)
    assert source.schema.columns[0].categories == ("a", "b", "c")
    assert source.map(lambda chunk: chunk.X[:, 0]).compute().tolist() == [1, 0, 1, 1]
    unknown = as_source(split.assign(k=split["k"].cat.as_unknown()), needs=needs)
    assert unknown.schema.columns[0].categories == ("a", "b")


def test_objects_that_are_numbers_are_numbers() -> None:
    with dask.config.set({"dataframe.convert-string": False}):
        table = pd.DataFrame({"n": np.array([1, 2.5, None, 4], dtype=object), "t": [1.0, 2, 3, 4]})
        source = as_source(dd.from_pandas(table, npartitions=4, sort=False), needs=Needs(missing=True))
        assert source.schema == as_source(table, needs=Needs(missing=True)).schema
        np.testing.assert_array_equal(source.map(lambda chunk: chunk.X[:, 0]).compute(), [1, 2.5, np.nan, 4])


def test_text_is_refused_before_anything_is_read() -> None:
    split = dd.from_pandas(frame(), npartitions=2)
    with pytest.raises(InvalidData, match="LDA: column 'colour' is categorical; numbers are needed"):
        as_source(split, needs=Needs("LDA", missing=True))
    kept = as_source(split[["size", "old"]], needs=Needs("LDA"))
    assert kept.schema.names == ("size", "old")
    with pytest.raises(InvalidData, match=r"no column 'sice'.*Did you mean 'size'"):
        kept.suited_to(Needs("LDA"), ("sice",))


# Errors


def bad_array(value: float = np.nan) -> Any:
    cells = A.copy()
    cells[31, 1] = value
    return da.from_array(cells, chunks=(10, 3))


def test_bad_cells_are_named_by_their_row() -> None:
    with pytest.raises(InvalidData, match=r"^PCA: column 1, row 31 holds NaN"):
        as_source(bad_array(), needs=Needs("PCA")).reduce(sums)
    with pytest.raises(InvalidData, match="column 1, row 31 holds inf"):
        as_source(bad_array(np.inf)).map(lambda chunk: chunk.X).compute()
    unknown = bad_array()[da.from_array(np.arange(ROWS), chunks=10) >= 0]
    with pytest.raises(InvalidData, match="column 1, row 2 of partition 3 holds NaN"):
        as_source(unknown).reduce(sums)


def test_bad_targets_and_weights_are_named_by_their_partition() -> None:
    y = da.from_array(np.where(np.arange(ROWS) == 31, np.nan, 1), chunks=10)
    needs = Needs(target="numbers")
    with pytest.raises(InvalidData, match=r"y \(counted from row 30\), row 1 holds nan"):
        as_source(array((10, 3)), y, needs=needs).reduce(sums)
    with pytest.raises(InvalidData, match=r"sample_weight \(counted from row 30\) must be finite .* row 1"):
        as_source(array((10, 3)), None, y).reduce(sums)
    with pytest.raises(InvalidData, match="sample_weight is zero in every row"):
        as_source(array(), None, da.zeros(ROWS, chunks=13)).reduce(sums)


def test_text_cells_are_named() -> None:
    cells = np.array([[1, 2], [3, 4], [5, "six"]], dtype=object)
    with pytest.raises(InvalidData, match=r"column 1, row 0 holds 'six'.*\(counted from row 2\)"):
        as_source(da.from_array(cells, chunks=(1, 2))).reduce(sums)


def odd_partition(change: Callable[[Any], Any], at: int = 2, keep: Sequence[str] = ("a", "b", "t")) -> Any:
    """A dask frame of two columns of numbers and one of text, of which one partition is not what dask was told."""
    table = pd.DataFrame({"a": A[:, 0], "b": A[:, 1], "t": ["x", "y"] * 30})[list(keep)]
    parts = [table.iloc[i : i + 15] for i in range(0, ROWS, 15)]
    parts[at] = change(parts[at])
    meta = table.iloc[:0]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=meta, verify_meta=False)


ODD = {
    "text for numbers": (lambda p: p.assign(b=[f"n{i}" for i in range(15)]), r"'b' of partition 2 holds text.*'n0'"),
    "numbers for text": (lambda p: p.assign(t=np.arange(15)), r"'t' of partition 2 holds numbers.*holds text"),
    "reordered": (
        lambda p: p[["b", "a", "t"]],
        r"partition 2 has columns in another order: b, a, t",
    ),
    "renamed": (lambda p: p.rename(columns={"b": "c"}), r"partition 2 has columns .*a, c, t.* it has no column 'b'"),
    "fewer": (lambda p: p[["a", "t"]], r"partition 2 has columns .* it has no column 'b'"),
    "more": (lambda p: p.assign(z=1.0), r"partition 2 has columns that are not those of X: a, b, t, z"),
}


@pytest.mark.parametrize("case", ODD)
def test_a_partition_of_another_form_is_named(case: str) -> None:
    change, words = ODD[case]
    needs = Needs("PCA", categories=True)
    with dask.config.set({"dataframe.convert-string": False}):
        with pytest.raises(InvalidData, match=f"PCA: .*{words}"):
            as_source(odd_partition(change), needs=needs).reduce(sums)
        with pytest.raises(InvalidData, match=f"describe: .*{words}"):
            describe(odd_partition(change))


def test_chosen_columns_are_found_by_name_in_every_partition() -> None:
    """Columns that were selected stand in the order of the selection; one that a partition lacks is named."""
    numbers = ["a", "b"]
    whole = as_source(odd_partition(lambda p: p[["b", "a"]], keep=numbers), needs=Needs("PCA"))
    np.testing.assert_allclose(whole.suited_to(Needs("PCA"), ("b", "a")).reduce(sums).X, A[:, [1, 0]].sum(axis=0))
    lacking = as_source(odd_partition(lambda p: p[["a"]], keep=numbers), needs=Needs("PCA"))
    with pytest.raises(InvalidData, match=r"partition 2 has columns .* it has no column 'b'"):
        lacking.suited_to(Needs("PCA"), ("b", "a")).reduce(sums)


def misfits() -> Iterator[tuple[str, Callable[[], Any], str]]:
    X, needs = array(), Needs(target="numbers")
    masked = X[X[:, 1] > 0]
    split = dd.from_pandas(pd.DataFrame(A, columns=["a", "b", "c"]), npartitions=3)
    other = dd.from_pandas(pd.Series(TARGET, index=np.arange(ROWS) * 2), npartitions=3)
    short = da.ones(ROWS - 1, chunks=7)
    yield "length", lambda: as_source(X, short, needs=needs), "X has 60 rows but y has 59"
    yield "memory", lambda: as_source(X, TARGET[:-1], needs=needs), "X has 60 rows but y has 59"
    yield "weight", lambda: as_source(X, None, WEIGHT[:-1]), r"shape \(60,\); got shape \(59,\)"
    yield "count", lambda: as_source(masked, da.ones(60, chunks=30)), "X has 5 partitions but y has 2"
    yield "sizes", lambda: as_source(masked, TARGET), "y is in memory, but the sizes of the partitions of X"
    yield "index", lambda: as_source(split, other), "divided at different index values"
    yield "no y", lambda: as_source(X, needs=needs), "requires y to be passed"
    yield "name", lambda: as_source(split, "a", needs=needs), "y is in memory"
    yield "later", lambda: as_source(X, dask.delayed(TARGET), needs=needs), "y is a dask Delayed"
    yield "bag", lambda: as_source(dask.delayed(A)), "X is a dask Delayed"
    yield "series", lambda: as_source(split["a"]), "X is a dask Series"
    yield "one axis", lambda: as_source(X[:, 0]), "Expected 2D array"
    yield "columns", lambda: as_source(X[:, :0]), "X has no columns"
    rows = da.ones(ROWS, chunks=13)
    yield (
        "rows",
        lambda: as_source(masked, rows, needs=needs).reduce(sums),
        r"rows but y \(partition \d\) has \d",
    )


@pytest.mark.parametrize(("make", "message"), [pytest.param(*case[1:], id=case[0]) for case in misfits()])
def test_what_does_not_fit_together_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        make()


def test_a_value_that_was_not_there_before_is_named() -> None:
    split = dd.from_pandas(pd.DataFrame({"k": ["a", "b", "a", "b"]}), npartitions=2)
    source = as_source(split, needs=Needs(categories=True))
    other = dataclasses.replace(source, X=split.assign(k=split["k"].replace("b", "z")))
    with pytest.raises(InvalidData, match=r"column 'k' holds 'z'; known are a, b\. \(partition \d\)"):
        other.reduce(sums)


def test_kernels_use_one_thread_beside_others_and_all_when_alone() -> None:
    from suffice import backend

    def count(chunk: Chunk) -> int:
        return backend.thread_count()

    with backend.threads(2), dask.config.set(scheduler="sync"):
        assert as_source(array((20, 3))).reduce(count) == 3
        assert as_source(array((60, 3))).reduce(count) == 2


# Clusters


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
        patch.syspath_prepend(str(Path(__file__).parents[2]))  # workers take the path over, to import this file
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
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as scheduler:
        wait_until(address.exists, 30)
        with distributed.Client(scheduler_file=str(address), timeout=2):
            threading.Timer(0.5, scheduler.kill).start()
            with pytest.raises(WorkersLost, match="scheduler"):
                as_source(array()).reduce(sums)


def test_columns_of_one_parquet_table_stay_together(tmp_path: Path) -> None:
    """Dask reads few columns in fewer partitions than many; the rows of X and y must match all the same."""
    import suffice as sf

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 12)), columns=[f"x{j}" for j in range(12)])
    frame["y"] = frame.sum(axis=1)
    for k in range(8):
        frame[50 * k : 50 * (k + 1)].to_parquet(tmp_path / f"{k}.parquet")
    table = dd.read_parquet(tmp_path)
    features = [f"x{j}" for j in range(12)]
    model = sf.LinearRegression().fit(table[features], table["y"])
    np.testing.assert_allclose(model.coef_, np.ones(12), rtol=1e-10)
    assert model.score(table[features], table["y"]) == pytest.approx(1.0)
