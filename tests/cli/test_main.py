"""The command `suffice`: what it prints, and that all bad input ends in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from suffice.cli.main import cli, run


def suffice(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "suffice", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)  # type: ignore[call-overload,no-any-return]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "some table.csv"
    path.write_text("size;colour\n1,5;red\n2,5;blue\n-99;red\n", encoding="utf-8")
    return path


def test_help_names_the_commands() -> None:
    result = CliRunner().invoke(cli, ["--help"])
    assert result.exit_code == 0
    assert "describe  Describe the columns of a table." in result.output
    assert CliRunner().invoke(cli, []).output == result.output


def test_every_command_is_found_and_has_help() -> None:
    with click.Context(cli) as ctx:
        for name in cli.list_commands(ctx):
            result = CliRunner().invoke(cli, [name, "--help"])
            assert result.exit_code == 0
            assert result.output.startswith("Usage:")


def test_version() -> None:
    assert CliRunner().invoke(cli, ["--version"]).output.startswith("suffice 0.")


def test_describe_is_plain_when_piped() -> None:
    result = suffice("describe", "iris")
    assert result.returncode == 0
    assert result.stderr == ""
    assert "150 rows, 5 columns" in result.stdout
    assert "\x1b" not in result.stdout


def test_describe_reads_a_file_as_it_is_told(table: Path) -> None:
    options = ["--delimiter", ";", "--decimal", ",", "--missing", "-99", "--threads", "1", "--json"]
    result = CliRunner().invoke(cli, ["describe", str(table), *options])
    assert result.exit_code == 0
    size, colour = json.loads(result.output)["columns"]
    assert (size["mean"], size["missing"]) == (2.0, 1)
    assert colour["top"][0] == {"value": "red", "count": 2, "share": pytest.approx(2 / 3)}


def test_top_limits_the_categories() -> None:
    result = CliRunner().invoke(cli, ["describe", "crabs", "--top", "1"])
    assert "B 100 (50 %)" in result.output
    assert "O 100" not in result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["describe"], "Missing argument 'DATA'"),
        (["describ", "iris"], "There is no command 'describ'. Did you mean 'describe'?"),
        (["describe", "iris", "--tpo", "3"], "No such option"),
        (["describe", "iris", "--top", "-1"], "--top"),
        (["describe", "iris", "--threads", "0"], "--threads"),
        (["describe", "irs"], "iris"),
        (["describe", "no such file.csv"], "no such file.csv"),
        (["describe", "{tmp}"], "folder"),
        (["describe", "{tmp}/empty.csv"], "empty"),
        (["describe", "{tmp}/ragged.csv"], "ragged.csv"),
        (["describe", "{tmp}/latin.csv"], "latin.csv"),
        (["describe", "{tmp}/fake.parquet"], "fake.parquet"),
        (["describe", "{tmp}/picture.png"], "picture.png"),
    ],
)
def test_bad_input_ends_in_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "ragged.csv").write_bytes(b"a,b\n1,2\n1,2,3\n")
    (tmp_path / "latin.csv").write_bytes("a,b\nü,1\n".encode("latin-1"))
    (tmp_path / "fake.parquet").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert run([argument.format(tmp=tmp_path) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("suffice: error: ")
    assert captured.err.count("\n") == 1
    assert said in captured.err


@pytest.mark.parametrize("package", ["click", "rich", "pyarrow"])
def test_a_missing_package_is_one_sentence(package: str) -> None:
    hide = f"import sys; sys.modules[{package!r}] = None; sys.argv[1:] = ['describe', 'iris']; "
    start = "sys.stdout.isatty = lambda: True; from suffice.__main__ import main; main()"
    result = subprocess.run([sys.executable, "-c", hide + start], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    wanted = f"suffice: error: {package} is not installed; install it with: pip install 'suffice[cli]'\n"
    assert result.stderr == wanted


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    wide = tmp_path / "wide.csv"
    names = [f"column_{j}" for j in range(3000)]
    wide.write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "suffice", "describe", str(wide)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) in (0, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is not a signal there")
def test_ctrl_c_is_one_sentence() -> None:
    code = (
        "import os, signal, sys, time\n"
        "import suffice.data.table as module\n"
        "def stop(*table, **options):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(30)\n"
        "module.as_table = stop\n"
        "sys.argv[1:] = ['describe', 'iris']\n"
        "from suffice.__main__ import main; main()\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 130
    assert result.stderr.strip() == "suffice: stopped by Ctrl-C; no result was written."


def test_help_loads_nothing_heavy() -> None:
    heavy = "numpy", "pyarrow", "sklearn", "scipy", "pandas", "rich"
    code = (
        "import sys; from suffice.cli.main import run; run(['--help']); "
        f"sys.exit(str([name for name in {heavy!r} if name in sys.modules]))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stderr.strip() == "[]"


def test_help_is_fast() -> None:
    def seconds() -> float:
        start = time.perf_counter()
        suffice("--help")
        return time.perf_counter() - start

    assert min(seconds() for _ in range(3)) < 0.5


def test_on_a_terminal_the_table_fits_into_80_columns(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    wide = tmp_path / "wide.csv"
    wide.write_text(
        "a_column_with_a_very_long_name_indeed,b,word\n"
        + "".join(f"{i * 12345.678},{-i * 98765.4321},{'word ' * 9}{i}\n" for i in range(500)),
        encoding="utf-8",
    )
    shown = on_terminal(["describe", str(wide)], pty)
    lines = [line.rstrip() for line in strip_colours(shown).splitlines()]
    body = [line for line in lines[1:] if not line.startswith(("warning", "deviation", "quantiles"))]
    assert all(len(line) <= 80 for line in body)
    assert "\x1b[" in shown
    row = next(line for line in lines if line.startswith("a_column"))
    assert row.split()[1] == "0"
    assert "6,160,493" in row
    assert "left out for want of width: 25%" in strip_colours(shown)


def on_terminal(arguments: list[str], pty: object) -> str:
    """What a terminal of 80 columns shows."""
    main, terminal = pty.openpty()  # type: ignore[attr-defined]
    environment = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "suffice", *arguments, "--no-progress"]
    with subprocess.Popen(command, stdout=terminal, stderr=terminal, env=environment) as process:
        os.close(terminal)
        shown = b""
        while True:
            try:
                piece = os.read(main, 65_536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        assert process.wait(timeout=60) == 0
    os.close(main)
    return shown.decode()


def strip_colours(text: str) -> str:
    from rich.text import Text

    return Text.from_ansi(text.replace("\r", "")).plain
