"""`suffice fit --coverage` and `suffice predict`: intervals and sets of a model that was kept."""

import csv
import io

import pytest

from suffice.cli.main import run


def rows_of(capsys):
    out, err = capsys.readouterr()
    return list(csv.DictReader(io.StringIO(out))), err


def test_intervals_of_a_regressor_behind_its_preparation(tmp_path, capsys):
    path = str(tmp_path / "model.sff")
    assert run(["fit", "Ridge", "crabs", "--target", "CW", "--coverage", "0.8", "-o", path]) == 0
    out = capsys.readouterr().out
    assert "The truth of a new row is inside with a probability of at least 0.8" in out
    assert "coef" in out or "estimate" in out
    assert run(["predict", path, "crabs"]) == 0
    rows, err = rows_of(capsys)
    assert len(rows) == 200
    assert all(float(row["low"]) <= float(row["prediction"]) <= float(row["high"]) for row in rows)
    assert "inside: 0." in err
    assert "of 200 rows" in err


def test_sets_of_a_classifier(tmp_path, capsys):
    path = str(tmp_path / "model.sff")
    columns = "sepal_length,sepal_width"
    given = ["--target", "species", "--columns", columns, "--coverage", "0.9", "-o", path]
    assert run(["fit", "LinearDiscriminantAnalysis", "iris", *given]) == 0
    capsys.readouterr()
    assert run(["predict", path, "iris"]) == 0
    rows, err = rows_of(capsys)
    assert {"prediction", "set", "p_setosa"} <= rows[0].keys()
    assert any("|" in row["set"] for row in rows)
    assert all(row["prediction"] in row["set"].split("|") or not row["set"] for row in rows)
    assert "inside: 0.9" in err or "inside: 0.8" in err


@pytest.mark.parametrize("given", [["KMeans", "iris"], ["PCA", "iris"]])
def test_refusals(given, capsys):
    assert run(["fit", *given, "--coverage", "0.9"]) == 2
    assert "--coverage is for models that predict numbers or classes" in capsys.readouterr().err
    assert run(["fit", "Ridge", "crabs", "--target", "CW", "--coverage", "1"]) == 2
