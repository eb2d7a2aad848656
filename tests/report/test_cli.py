"""`suffice report`: a page and a few lines."""

import io
import json
import sys
from pathlib import Path

import pytest

import suffice as sf
from suffice.cli.main import run


def test_a_page_and_a_summary(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["report", "faithful"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "faithful"
    assert "272 rows, 2 columns" in shown[1]
    assert shown[-1].startswith("written: faithful-report.html (")
    assert (tmp_path / "faithful-report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_file_with_options(tmp_path, capsys):
    iris = sf.datasets.load("iris").to_frame()
    path = tmp_path / "flowers.csv"
    iris.to_csv(path, index=False, sep=";", decimal=",")
    page = tmp_path / "page.html"
    options = ["--target", "species", "--decimal", ",", "--drop", "sepal_width", "--seconds", "3", "--title", "Flowers"]
    assert run(["report", str(path), *options, "-o", str(page), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["path"] == str(page)
    assert said["title"] == "Flowers"
    assert said["bytes"] == page.stat().st_size
    text = page.read_text(encoding="utf-8")
    assert "numbers, not learned from" in text
    assert "decimal=&#39;,&#39;" in text  # the code reads the file as it was read


def test_standard_input(tmp_path, monkeypatch, capsys):
    content = sf.datasets.load("faithful").to_frame().to_csv(index=False).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert run(["report", "-", "-o", str(tmp_path / "page.html")]) == 0
    assert "standard input: 272 rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["crabs", "--target", "spp"], "Did you mean 'sp'?"),
        (["crabs", "--drop", "FLL"], "Did you mean 'FL'?"),
        (["crab"], "Did you mean 'crabs'?"),
        (["crabs", "--rows", "0"], "0 is not in the range"),
        ([str(Path(__file__).parent)], "is a folder"),
    ],
)
def test_mistakes_are_one_line(arguments, message, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert run(["report", *arguments, "-o", str(page)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
    assert not page.exists()


def test_a_place_that_cannot_be_written(tmp_path, capsys):
    assert run(["report", "faithful", "-o", str(tmp_path)]) == 2
    assert "is a folder; name a file to write to" in capsys.readouterr().err


def test_a_page_is_written_where_no_model_can_be_kept(tmp_path, capsys):
    table, page, model = tmp_path / "t.csv", tmp_path / "t.html", tmp_path / "best.sff"
    table.write_text("x,y\n" + "".join(f"{i * 0.5},{'a' if i else 'b'}\n" for i in range(40)))
    assert run(["report", str(table), "--target", "y", "-o", str(page), "--save", str(model)]) == 2
    said = capsys.readouterr()
    assert "there is no model to save: No models were compared: the target 'y' needs two classes" in said.err
    assert "written:" in said.out
    assert page.exists()
    assert not model.exists()
