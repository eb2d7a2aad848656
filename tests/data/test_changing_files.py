"""A file that changes while it is read is an error, and no thread is left."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scanned_files import Sums, summarise, with_blocks, write
from suffice.data import Chunk
from suffice.data.scan import FileSource, scan
from suffice.errors import InvalidData, SourceChanged


@pytest.fixture(params=["t.csv", "t.parquet"])
def long(request: pytest.FixtureRequest, tmp_path: Path) -> FileSource:
    """A source of many chunks."""
    path = write(tmp_path / request.param, {"a": np.arange(20_000.0), "b": np.arange(20_000.0)})
    return with_blocks(scan(path), 1000)


def grow(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"1,2\n")


def replace(path: str) -> None:
    content = Path(path).read_bytes()
    stat = os.stat(path)
    Path(path + "2").write_bytes(content)
    os.utime(path + "2", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    os.replace(path + "2", path)


def touch(path: str) -> None:
    os.utime(path, ns=(0, 0))


CHANGES = {"grown": grow, "replaced": replace, "touched": touch, "deleted": os.remove}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("when", ["before", "during"])
def test_a_file_that_changes_is_an_error(long: FileSource, change: Any, when: str) -> None:
    path, done = long.files[0].stamp.path, []

    def count(chunk: Chunk) -> Sums:
        if not done:
            done.append(change(path))
        return summarise(chunk)

    if when == "before":
        done.append(change(path))
    with pytest.raises(SourceChanged, match=r"t\.(csv|parquet) (changed since it was scanned|vanished)"):
        long.reduce(count)


def test_a_file_that_changes_at_the_very_end_is_an_error(long: FileSource, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last look comes after the last batch."""
    file_type = type(long.files[0])
    read = file_type.batches

    def batches(self: Any, columns: Any) -> Iterator[Any]:
        yield from read(self, columns)
        touch(self.stamp.path)

    monkeypatch.setattr(file_type, "batches", batches)
    with pytest.raises(SourceChanged):
        long.reduce(summarise)


def test_a_file_cut_short_while_it_is_read(long: FileSource) -> None:
    """Whatever Arrow says about the missing bytes, the answer is that the file changed."""
    path = long.files[0].stamp.path

    def cut(chunk: Chunk) -> Sums:
        os.truncate(path, 2000)
        return summarise(chunk)

    with pytest.raises(SourceChanged):
        long.reduce(cut)


def test_an_error_in_the_model_leaves_no_thread(long: FileSource) -> None:
    def fail(chunk: Chunk) -> Sums:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        long.reduce(fail)
    for thread in threading.enumerate():
        if thread.name == "suffice-read-ahead":
            thread.join(5)
            assert not thread.is_alive()


def test_a_folder_that_is_closed_or_gone(monkeypatch):
    """The hint of what else there is, and the folder that is named, may not be had: the sentence is the same."""

    def closed(*arguments):
        raise PermissionError("closed")

    for name in ("listdir", "getcwd"):
        monkeypatch.setattr(f"suffice.data.files.os.{name}", closed)
    with pytest.raises(InvalidData, match=r"there is no file 'nowhere\.csv'\. The folder now is one that is not there"):
        scan("nowhere.csv")
    with pytest.raises(InvalidData, match="no file matches"):
        scan("nowhere*.csv")
