"""`suffice search`: parameters from the shell, with the code that finds them again."""

import json

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.cli._space import space_of
from suffice.cli.main import run

NEIGHBOURS = ["search", "KNeighborsClassifier", "iris", "--target", "species", "--try", "n_neighbors=1,5,15"]


def test_a_search_its_model_and_its_code(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ["--save", "model.sff", "--code", "found.py", "-o", "table.csv", "--journal", "j"]
    assert run([*NEIGHBOURS, *options]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].startswith("Pipeline: 3 candidates, 150 rows, 5 folds")
    assert "kept in model.sff: KNeighborsClassifier with n_neighbors=" in err
    names: dict = {}
    exec((tmp_path / "found.py").read_text(), names)
    table = pd.read_csv("table.csv")
    assert table["accuracy"].tolist() == [row["accuracy"] for row in names["found"].table()]
    iris = sf.datasets.load("iris").to_frame().drop(columns="species")
    assert np.array_equal(sf.load("model.sff").predict(iris), names["model"].predict(names["X"]))
    assert run([*NEIGHBOURS, "--journal", "j", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["params"] == names["found"].params
    assert [row["fit_seconds"] for row in found["table"]] == table["fit_seconds"].tolist()  # from the journal


def test_ranges_rules_times_and_other_folds(capsys):
    asked = ["search", "Ridge", "crabs", "--target", "CW", "--try", "alpha=0.001..1000", "--candidates", "4", "--json"]
    options = ["--strategy", "grid", "--simpler", "alpha", "--nested", "2", "--measure", "rmse", "--time", "index"]
    assert run([*asked, *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert sorted(row["ridge__alpha"] for row in found["table"]) == pytest.approx([0.001, 0.1, 10, 1000])
    assert found["measure"] == "rmse"
    assert found["nested"]["value"] > 0
    assert found["status"] == "finished"


def test_the_space():
    model = sf.Ridge()
    found = space_of(("alpha=1..10", "solver"), model, sf.make_pipeline(sf.StandardScaler(), model))
    assert str(found["ridge__alpha"]) == "Between(low=1, high=10, log=False)"
    assert len(found["ridge__solver"]) > 1
    own = space_of(("standardscaler__with_mean=yes,no",), model, sf.make_pipeline(sf.StandardScaler(), model))
    assert own == {"standardscaler__with_mean": [True, False]}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["Ridge", "crabs", "--target", "CW"], "Missing option '--try'"),
        (["Ridge", "-", "--target", "y", "--try", "alpha", "--code", "f.py"], "give it as a file"),
        (["Ridge", "crabs", "--try", "alpha"], "name the column to predict with --target"),
        (["Ridge", "crabs", "--target", "CW", "--try", "alhpa"], "no parameter 'alhpa'. Did you mean 'alpha'?"),
        (["Ridge", "crabs", "--target", "CW", "--try", "alpha=a..b"], "a range goes from one number to another"),
        (["Ridge", "crabs", "--target", "CW", "--try", "alpha="], "give values with commas between"),
        (["Ridge", "crabs", "--target", "CW", "--try", "alpha", "--try", "alpha=1"], "is given twice"),
        (["Ridge", "crabs", "--target", "CW", "--try", "alpha=9..1"], "low below high"),
        (["KMeans", "crabs", "--target", "CW", "--try", "tol"], "KMeans gives clusters"),
        (["Rigde", "crabs", "--target", "CW", "--try", "alpha"], "Did you mean 'Ridge'?"),
        (["Ridge", "crabs", "--target", "CW", "--try", "alpha", "--measure", "accuracy"], "measures classes"),
        (["Ridge", "crabs", "--target", "CW", "--try", "alpha", "--save", "x.csv"], "model is kept in a file"),
    ],
)
def test_refusals(options, words, capsys):
    assert run(["search", *options]) != 0
    assert words in capsys.readouterr().err
