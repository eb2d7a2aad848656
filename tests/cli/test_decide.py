"""`suffice decide`: actions with their reasons, what they cost, and what is refused."""

import csv
import io

import pytest

from suffice.cli.main import run

COSTS = "sp,keep,release\nB,0,1\nO,20,0\n"
SIZES = "FL,RW,CL,CW,BD"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("decide") / "model.sff")
    assert run(["fit", "LinearDiscriminantAnalysis", "crabs", "--target", "sp", "--columns", SIZES, "-o", path]) == 0
    return path


def test_every_row_gets_an_action_and_a_reason(model, tmp_path, capsys):
    (tmp_path / "costs.csv").write_text(COSTS, encoding="utf-8")
    assert run(["decide", model, "crabs", "--costs", str(tmp_path / "costs.csv"), "--doubt", "0.2"]) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 200
    assert {row["action"] for row in rows} == {"keep", "release", "doubt"}
    assert rows[0]["reason"].startswith("B with ")
    assert "mean cost" in err
    assert "always 'release': 0.5" in err
    assert all(float(row["expected_cost"]) <= 0.2 for row in rows)
    assert {row["expected_cost"] for row in rows if row["action"] == "doubt"} == {"0.2"}  # not 0.19999999999999998
    assert max(len(row["expected_cost"].partition("e")[0].strip("0.")) for row in rows) <= 11  # digits and a point


def test_refusals(model, tmp_path, capsys):
    (tmp_path / "costs.csv").write_text(COSTS.replace("O,", "X,"), encoding="utf-8")
    assert run(["decide", model, "crabs", "--costs", str(tmp_path / "costs.csv")]) != 0
    assert "costs name the class 'X', which is none of " in capsys.readouterr().err
    assert run(["decide", model, "crabs", "--costs", str(tmp_path / "none.csv")]) != 0
    assert "cannot be read" in capsys.readouterr().err
    (tmp_path / "doubt.csv").write_text(COSTS.replace("keep", "doubt"), encoding="utf-8")
    assert run(["decide", model, "crabs", "--costs", str(tmp_path / "doubt.csv"), "--doubt", "1"]) != 0
    assert "an action called 'doubt'" in capsys.readouterr().err
    other = str(tmp_path / "pca.sff")
    assert run(["fit", "PCA", "crabs", "--columns", SIZES, "-o", other]) == 0
    assert run(["decide", other, "crabs", "--costs", str(tmp_path / "costs.csv")]) != 0
    assert "gives no probabilities of classes" in capsys.readouterr().err
