"""Parts of Parquet files are read side by side: the same answer for any number of threads, and the first error."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import suffice as sf
from suffice import backend, scan
from suffice.data import Needs, parquet
from suffice.data.file_source import FileSource
from suffice.observing import Observer, observe
from suffice.statistics import DiagonalMoments

pytestmark = pytest.mark.native

ANY = Needs(owner="Model", missing=True)
N = 1000


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row group is a part."""
    monkeypatch.setattr(parquet, "PART_BYTES", 1)


def write(folder: Path, name: str = "t.parquet", group: int = 64, **more: Any) -> Path:
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=N), "b": rng.normal(size=N), **more}
    pq.write_table(pa.table(columns), folder / name, row_group_size=group)
    return folder / name


def moments(chunk: Any) -> DiagonalMoments:
    return DiagonalMoments.of(chunk.X, chunk.weight)


@pytest.mark.parametrize("group", [1, 64, 999, 5000])
def test_any_number_of_threads_gives_the_same_bits(tmp_path: Path, group: int) -> None:
    source = scan(write(tmp_path, group=group)).suited_to(ANY)
    found = []
    for n in (1, 2, 5):
        with backend.threads(n):
            found.append((source.reduce(moments), source.map(lambda chunk: chunk.X)))
    for summary, rows in found[1:]:
        np.testing.assert_array_equal(summary.mean, found[0][0].mean)
        np.testing.assert_array_equal(summary.scatter, found[0][0].scatter)
        np.testing.assert_array_equal(rows, found[0][1])
    table = pq.read_table(tmp_path / "t.parquet")
    np.testing.assert_array_equal(found[0][1], np.stack([table["a"].to_numpy(), table["b"].to_numpy()], axis=1))


def test_rows_are_numbered_through_all_files(tmp_path: Path) -> None:
    paths = [write(tmp_path, name, group) for name, group in (("a.parquet", 100), ("b.parquet", 170))]
    source = scan(paths).suited_to(ANY)
    numbers = source.map(lambda chunk: np.arange(chunk.start, chunk.start + len(chunk)))
    np.testing.assert_array_equal(numbers, np.arange(2 * N))


def test_a_model_learns_the_same_as_in_memory(tmp_path: Path) -> None:
    path = write(tmp_path, y=np.arange(N) % 3)
    table = pq.read_table(path).to_pandas()
    model = sf.GaussianNB().fit(scan(path, target="y"))
    memory = sf.GaussianNB().fit(table[["a", "b"]], table["y"])
    np.testing.assert_allclose(model.theta_, memory.theta_, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(scan(path, target="y")), memory.predict(table[["a", "b"]]))


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_first_bad_row_is_named(tmp_path: Path, threads: int) -> None:
    cells = np.ones(N)
    cells[[300, 310, 700]] = np.inf
    source = scan(write(tmp_path, c=cells)).suited_to(ANY)
    with backend.threads(threads), pytest.raises(sf.errors.InvalidData, match="row 301 of"):
        source.reduce(moments)
    assert not [one for one in threading.enumerate() if one.name.startswith("suffice-worker")]


def test_an_error_of_the_summary_ends_the_reading(tmp_path: Path) -> None:
    seen = []

    def fail(chunk: Any) -> DiagonalMoments:
        seen.append(chunk.start)
        raise ZeroDivisionError(str(chunk.start))

    with backend.threads(2), pytest.raises(ZeroDivisionError, match=r"^0$"):
        scan(write(tmp_path, group=10)).suited_to(ANY).reduce(fail)
    assert len(seen) < 20


def test_weights_may_vanish_in_a_part_but_not_in_all(tmp_path: Path) -> None:
    weight = np.zeros(N)
    weight[500] = 2.0
    some = scan(write(tmp_path, "some.parquet", w=weight), weight="w").suited_to(ANY)
    assert some.reduce(moments).weight.tolist() == [2.0, 2.0]
    none = scan(write(tmp_path, "none.parquet", w=np.zeros(N)), weight="w").suited_to(ANY)
    with pytest.raises(sf.errors.InvalidData, match="zero in every row"):
        none.reduce(moments)
    with pytest.raises(sf.errors.InvalidData, match="zero in every row"):
        none.map(lambda chunk: chunk.X)


class Watching(Observer):
    def __init__(self, most: int | None = None) -> None:
        self.rows: list[int] = []
        self.most = most

    def rows_read(self, rows: int, total: int | None) -> None:
        assert total == N
        self.rows.append(rows)
        if self.most is not None and rows > self.most:
            raise KeyboardInterrupt


def test_observers_hear_how_far_the_reading_is(tmp_path: Path) -> None:
    watching = Watching()
    with observe(watching):
        scan(write(tmp_path)).suited_to(ANY).reduce(moments)
    assert watching.rows == sorted(watching.rows)
    assert watching.rows[-1] == N


def test_an_interrupt_leaves_no_thread_behind(tmp_path: Path) -> None:
    with observe(Watching(most=100)), pytest.raises(KeyboardInterrupt):
        scan(write(tmp_path)).suited_to(ANY).reduce(moments)
    assert not [one for one in threading.enumerate() if one.name.startswith("suffice-worker")]


def test_missing_values_and_other_types_are_filled_in(tmp_path: Path) -> None:
    whole = pa.array([None if i % 7 == 0 else i for i in range(N)], pa.int32())
    missing = pa.array([None if i % 5 == 0 else float(i) for i in range(N)])
    source = scan(write(tmp_path, whole=whole, missing=missing, text=["x", "y"] * (N // 2)))
    X = source.suited_to(Needs(owner="Model", missing=True, categories=True)).map(lambda chunk: chunk.X)
    rows = np.arange(N)
    np.testing.assert_array_equal(X[:, 2], np.where(rows % 7 == 0, np.nan, rows))
    np.testing.assert_array_equal(X[:, 3], np.where(rows % 5 == 0, np.nan, rows))
    np.testing.assert_array_equal(X[:, 4], rows % 2)
    numbers = scan(tmp_path / "t.parquet", columns=["missing", "a"]).suited_to(ANY).map(lambda chunk: chunk.X)
    np.testing.assert_array_equal(numbers[:, 0], X[:, 3])


def test_wide_files_are_read_one_part_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suffice.data.file_source.READING_BYTES", 1)
    source: FileSource = scan(write(tmp_path)).suited_to(ANY)
    used = set()

    def note(chunk: Any) -> DiagonalMoments:
        used.add((threading.current_thread().name, backend.thread_count()))
        return moments(chunk)

    with backend.threads(3):
        source.reduce(note)
    assert used == {("suffice-worker_0", 3)}
