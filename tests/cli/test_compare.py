"""`suffice compare`: models side by side, training error beside future error."""

import json

import pytest

from suffice.cli.main import run

ASKED = ["compare", "iris", "--target", "species", "--models", "GaussianNB,BernoulliNB", "--folds", "5"]


def test_a_comparison_in_lines(capsys):
    assert run(ASKED) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["model", "GaussianNB", "BernoulliNB", "dummy"]
    assert "training" not in lines[0]


def test_training_error_is_an_option(capsys):
    assert run([*ASKED, "--train"]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[0].split()[-2:] == ["training", "fit"]
    assert "underfits: worse than GaussianNB on training rows, and on new rows" in text
    assert run([*ASKED, "--train", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["fit"] for row in rows] == ["", "underfits", "underfits"]
    assert rows[0]["gap"] == pytest.approx(rows[0]["training"] - rows[0]["value"])


def test_what_is_not_known_is_null(capsys):
    assert run([*ASKED, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[1]["p_better_to_dummy"] is None  # both say the same everywhere
