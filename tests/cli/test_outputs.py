"""Every command that writes a file: an output that is an input is refused, whatever it is called, unless forced."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from suffice.cli._outputs import FileOption
from suffice.cli.main import cli, run

TABLE = "a,b\n" + "".join(f"{i % 2 * 9 + i / 10},{i}\n" for i in range(20))


def commands(group, path=()):
    """Every command by the words that call it."""
    with click.Context(group) as ctx:
        for name in group.list_commands(ctx):
            found = group.get_command(ctx, name)
            if isinstance(found, click.Group):
                yield from commands(found, (*path, name))
            else:
                yield (*path, name), found


WRITING = {
    " ".join(path): command for path, command in commands(cli) if any(p.name == "output" for p in command.params)
}
PLACES = [
    (name, place.name)
    for name, command in WRITING.items()
    for place in command.params
    if isinstance(place, click.Argument | FileOption)
]
SPELLINGS = {
    "the same": lambda path: str(path),
    "another spelling": lambda path: f"{path.parent}/./x/../{path.name}",
    "relative": lambda path: os.path.relpath(path),
    "a symbolic link": lambda path: str(path.parent / "symbolic.csv"),
    "a hard link": lambda path: str(path.parent / "hard.csv"),
}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    (tmp_path / "x").mkdir()
    (tmp_path / "symbolic.csv").symlink_to(path)
    os.link(path, tmp_path / "hard.csv")
    return path


def arguments(name, place, value):
    """The words of a command whose argument or option `place` has a value, and all others that it needs another."""
    command, words = WRITING[name], name.split()
    for param in command.params:
        said = value if param.name == place else "other"
        if isinstance(param, click.Argument):
            words.append(said)
        elif param.required or param.name == place:
            words += [param.opts[0], said]
    return words


def test_the_commands_that_write_are_found():
    assert {"cluster", "compare", "compress", "datasets", "fit KMeans", "predict", "reduce", "report"} <= set(WRITING)
    assert ("predict", "model") in PLACES
    assert ("compare", "journal") in PLACES


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_an_input_is_not_overwritten(name, place, table, capsys):
    few = SPELLINGS if not name.startswith("fit ") or name == "fit KMeans" else {"the same": SPELLINGS["the same"]}
    for spell in few.values():
        words = arguments(name, place, str(table))
        assert run([*words, "-o", spell(table)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert "is an input of this command and is not overwritten; name another file, or say --force." in said.err
        assert table.read_text() == TABLE
    assert run([*arguments(name, place, spell(table)), "-o", str(table)]) == 2
    assert "is not overwritten" in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in WRITING if not name.startswith("fit ") or name == "fit KMeans"])
def test_an_output_that_cannot_be_is_refused_first(name, table, capsys):
    for output, words in [(table.parent, "is a folder"), (table.parent / "none" / "a.csv", "there is no folder")]:
        assert run([*arguments(name, "", ""), "-o", str(output)]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["cluster", "{}", "-k", "2"], '"cluster"\n'),
        (["reduce", "{}", "-k", "1"], '"pca0"\n'),
        (["fit", "KMeans", "{}", "--n-clusters", "2"], "PK"),
    ],
)
def test_forced_it_is_overwritten(words, kept, table):
    words = [word.format(table) for word in words]
    result = CliRunner().invoke(cli, [*words, "-o", str(table), "--force"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert table.read_bytes().startswith(kept.encode())
    assert (table.parent / "hard.csv").read_text() == TABLE
    assert sorted(os.listdir(table.parent)) == ["hard.csv", "symbolic.csv", "table.csv", "x"]


def test_patterns_and_bundled_tables_are_inputs_too(table, capsys):
    from suffice.data import datasets

    before = Path(datasets.path("iris")).read_bytes()
    for words in (
        ["cluster", str(table.parent / "*.csv"), "-o", str(table)],
        ["cluster", "iris", "-o", datasets.path("iris")],
        ["datasets", "iris", "-o", datasets.path("iris")],
    ):
        assert run(words) == 2
        assert "is not overwritten" in capsys.readouterr().err
    assert table.read_text() == TABLE
    assert Path(datasets.path("iris")).read_bytes() == before


def test_a_file_at_standard_input_is_an_input(table):
    command = [sys.executable, "-m", "suffice", "cluster", "-", "-k", "2", "-o", str(table)]
    with open(table, "rb") as file:
        result = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "is not overwritten" in result.stderr
    assert table.read_text() == TABLE


def test_a_page_named_by_default_is_checked(table, capsys, monkeypatch):
    monkeypatch.chdir(table.parent)
    os.link(table, "table-report.html")
    assert run(["report", "table.csv"]) == 2
    assert "'table-report.html' is an input of this command" in capsys.readouterr().err


def test_another_file_is_written_as_ever(table, tmp_path):
    result = CliRunner().invoke(cli, ["cluster", str(table), "-k", "2", "-o", str(tmp_path / "labels.csv")])
    assert result.exit_code == 0, result.output
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == 21
    assert table.read_text() == TABLE
