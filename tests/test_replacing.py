"""Files that are written whole or not at all: everything in the library that writes a file does it this way."""

import ast
import json
import os
import threading
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

import suffice
from suffice.cli._tables import write_columns
from suffice.engine.trace import FitTrace, Trace
from suffice.errors import InvalidData
from suffice.models.pictures.images import read_image, save_image
from suffice.observing import Iteration
from suffice.replacing import replace_text, replacing
from suffice.report.page import Report
from suffice.report.playing import Player

LONG = 2_000


def trace(number):
    iterations = [Iteration(i, float(number), 0.0, {}) for i in range(LONG)]
    return Trace([FitTrace("fit", {}, iterations, [{}] * LONG, "converged")])


def rounds_of(path):
    return {done.objective for fit in Trace.load(path).fits for done in fit.iterations}


def text_of(path):
    return {int(word) for word in path.read_text().replace("<html>", "").split()}


class Page(Player):
    def to_html(self):
        return self.title


def a_report(number):
    return Report("a", (), (), "", {}, f"<html>{f'{number} ' * LONG}")


# By name: what writes a number many times, and what reads the numbers that a file holds.
WRITERS = {
    "a.txt": (lambda path, i: replace_text(path, f"{i} " * LONG), text_of),
    "report.html": (lambda path, i: a_report(i).save(path), text_of),
    "player.html": (lambda path, i: Page((), f"{i} " * LONG).save(path), text_of),
    "trace.jsonl": (lambda path, i: trace(i).save(path), rounds_of),
    "trace.parquet": (lambda path, i: trace(i).save(path), rounds_of),
    "a.csv": (lambda path, i: write_columns({"x": [i] * LONG}, str(path)),
              lambda path: set(pyarrow.csv.read_csv(path)["x"].to_pylist())),
    "a.tsv": (lambda path, i: write_columns({"x": [i] * LONG}, str(path)),
              lambda path: set(pyarrow.csv.read_csv(path)["x"].to_pylist())),
    "a.parquet": (lambda path, i: write_columns({"x": [i] * LONG}, str(path)),
                  lambda path: set(pyarrow.parquet.read_table(pyarrow.py_buffer(path.read_bytes()))["x"].to_pylist())),
    "a.json": (lambda path, i: write_columns({"x": [i] * LONG}, str(path)),
               lambda path: {row["x"] for row in json.loads(path.read_text())}),
    "a.png": (lambda path, i: save_image(np.full((60, 60), i, dtype=np.uint8), path),
              lambda path: set(np.unique(read_image(path)).tolist())),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_many_threads_may_write_to_one_path(name, tmp_path):
    write, read = WRITERS[name]
    path = tmp_path / name
    failures = []

    def work(number):
        try:
            for _ in range(3):
                write(path, number)
                assert len(read(path)) == 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(read(path)) == 1
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", WRITERS)
def test_an_error_leaves_the_old_file_and_nothing_else(name, tmp_path, monkeypatch):
    write, read = WRITERS[name]
    path = tmp_path / name
    write(path, 1)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises((OSError, InvalidData), match="No space left"):
        write(path, 2)
    assert read(path) == {1}
    path.unlink()
    with pytest.raises((OSError, InvalidData), match="No space left"):
        write(path, 2)
    assert os.listdir(tmp_path) == []


def test_an_error_of_the_writer_leaves_the_old_file(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")

    def fail():
        with replacing(path) as file:
            file.write(b"new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_link_stays_and_rights_are_kept(tmp_path):
    (tmp_path / "a").write_text("old")
    os.chmod(tmp_path / "a", 0o640)
    (tmp_path / "link").symlink_to("a")
    replace_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_text() == "new"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_errors_name_the_path(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"none/a\.txt'$"):
        replace_text(tmp_path / "none" / "a.txt", "new")
    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # of root, nothing is protected
    with pytest.raises(PermissionError, match=r"a'$"):
        replace_text(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "old"


ALLOWED = {"replacing.py", "evaluation/sealed_lines.py"}  # the way itself, and files that are added to


def test_nothing_else_writes_files():
    folder = Path(suffice.__file__).parent
    found = []
    for path in folder.rglob("*.py"):
        where = path.relative_to(folder).as_posix()
        calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
        found += [f"{where}:{call.lineno}" for call in calls if writes(call) and where not in ALLOWED]
    assert found == []


def writes(call):
    """Whether a call opens a file to write, or writes one at once."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr in ("write_text", "write_bytes")
    if not isinstance(function, ast.Name) or function.id != "open":
        return False
    modes = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "mode")]
    return any(not isinstance(mode, ast.Constant) or set(mode.value) & set("wax+") for mode in modes)
