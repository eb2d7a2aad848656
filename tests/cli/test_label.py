"""`suffice label`: a person as an oracle, who mistypes, undoes, leaves and comes back."""

import io

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.cli.main import run


@pytest.fixture
def typed(monkeypatch, tmp_path, capsys):
    """Run the command in an empty folder with lines that are typed; gives the status, and what was said."""
    monkeypatch.chdir(tmp_path)

    def answered(lines, *arguments):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = run(["label", *arguments])
        out, err = capsys.readouterr()
        return status, out + err

    return answered


def test_a_session_that_is_left_goes_on(typed, tmp_path):
    options = ("crabs", "--target", "kind", "--classes", "blue,orange", "--drop", "sp")
    status, said = typed(["b", "green", "orange", "undo", "o", "?", "quit", "b"], *options)
    assert status == 0
    assert "'green' is none of blue, orange." in said
    assert "taken back: row" in said
    assert "stopped: 2 labels (blue 1, orange 1), kept in crabs-kind.labels; the same command goes on" in said
    assert "the model says" not in said
    status, said = typed(["b", "o", "b", "o"], *options, "--queries", "4", "-o", "out.csv", "--save", "model.sff")
    assert "3 answers from crabs-kind.labels" in said
    assert said.count("the model says ") == 1  # of the row after five labels
    table = pd.read_csv(tmp_path / "out.csv")
    assert table["kind"].value_counts().to_dict() == {"blue": 3, "orange": 3}
    assert len(table) == 200
    model = sf.load(tmp_path / "model.sff")
    assert set(model.predict(sf.datasets.load("crabs").to_frame().drop(columns=["sp", "index"]))) <= {"blue", "orange"}


def test_labels_that_are_there_and_classes_that_turn_up(typed, tmp_path):
    table = pd.DataFrame({"id": range(40), "x": np.linspace(0, 1, 40), "y": [*["low"] * 4, *[None] * 36]})
    table.to_csv("t.csv", index=False)
    status, said = typed(["high", "High", "High", "high", "Q", "Q", ":q"], "t.csv", "--target", "y", "--no-hints")
    assert status == 0
    assert "'high' would be a new class beside low; type it again to add it" in said
    assert ":q quit" in said
    assert "stopped: 7 labels (low 4, High 2, Q 1)" in said
    assert "the model says" not in said


def test_numbers_and_words_that_are_none(typed):
    pd.DataFrame({"x": np.arange(30.0), "z": np.arange(30.0) % 7}).to_csv("t.csv", index=False)
    lines = ["many", "nan", *"1234567", "u", "7", "q"]
    status, said = typed(lines, "t.csv", "--target", "price", "--task", "numbers")
    assert status == 0
    assert "'many' is no number; type one such as 3.5" in said
    assert "'nan' is no number" in said
    assert "the model says" in said
    assert "stopped: 7 labels, kept in t-price.labels" in said


def test_it_ends_where_no_row_is_left(typed):
    pd.DataFrame({"x": [1.0, 2.0, 3.0]}).to_csv("t.csv", index=False)
    _, unclear = typed(["ver"], "t.csv", "--target", "kind", "--classes", "vermilion,verdant")
    assert "'ver' may be vermilion or verdant; type more of it." in unclear
    _, said = typed(["a", "b", "b", "b", "a"], "t.csv", "--target", "y")
    assert "no row is left to ask about: 3 labels (b 2, a 1)" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-", "--target", "y"), "give the table as a file"),
        (("crabs", "--target", "y", "--strategy", "margins"), "Did you mean 'margin'?"),
        (("crabs", "--target", "sp", "--classes", "X,Y"), "must be one of 'X', 'Y'; got 'B'"),
        (("crabs", "--target", "y", "--model", "KMeans"), "model must predict classes or numbers"),
        (("crabs", "--target", "y", "--save", "out.csv"), "a model is kept in a file such as model.sff"),
        (("crabs", "--target", "y", "--queries", "1", "--save", "m.sff"), "labels of 2 classes are needed"),
        (("nothing.csv", "--target", "y"), "nothing.csv"),
    ],
)
def test_refusals(typed, arguments, words):
    status, said = typed(["a"], *arguments)
    assert status != 0
    assert words in said


def test_a_journal_of_another_table_is_refused(typed):
    pd.DataFrame({"x": [1.0, 2.0, 3.0]}).to_csv("t.csv", index=False)
    typed(["a"], "t.csv", "--target", "y")
    pd.DataFrame({"x": [1.0, 2.0, 4.0]}).to_csv("t.csv", index=False)
    status, said = typed(["a"], "t.csv", "--target", "y")
    assert status != 0
    assert "is about another run: the rows changed since" in said
