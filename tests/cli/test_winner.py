"""The winner of a report or a comparison is kept, used on other rows, and made again by the code of the page."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.cli.main import run
from suffice.persist import load_training
from suffice.text import figure

KINDS = {"classes": "group", "numbers": "y"}


def _write(path: Path, n: int, shift: float = 0.0, seed: int = 0) -> Path:
    rng = np.random.default_rng(seed)
    lines = ["id,when,city,flag,size,x,y,group"]
    for i in range(n):
        x, city = rng.normal() + shift, "zz" if shift and i % 2 else "abc"[i % 3]
        cell = "" if i % 7 == 3 else f"{x:.4f}"
        y = 2 * x + (city == "a") + 0.1 * rng.normal()
        lines.append(
            f"k{i},20{10 + i % 12}-03-{1 + i % 28:02d},{city},{'true' if i % 2 else 'false'},{'SML'[i % 3]},{cell},"
            f"{y:.4f},{'high' if x > shift else 'low'}"
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _kept(tmp_path: Path, kind: str, *more: str) -> tuple[Path, Path]:
    table, model = _write(tmp_path / "table.csv", 120), tmp_path / "best.sff"
    drop = ["--drop", "y" if kind == "classes" else "group"]
    told = ["--target", KINDS[kind], *drop, "--type", "size=S,M,L", "--seconds", "0.5"]
    arguments = [str(table), *told, "-o", str(tmp_path / "r.html"), "--save", str(model), *more]
    assert run(["report", *arguments]) == 0
    return table, model


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_the_winner_predicts_other_rows(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, model = _kept(tmp_path, kind)
    new, out = _write(tmp_path / "new.csv", 30, seed=1), tmp_path / "out.csv"
    capsys.readouterr()
    assert run(["predict", str(model), str(new), "--target", KINDS[kind], "-o", str(out)]) == 0
    said = capsys.readouterr().err
    rows = _read(out)
    assert [row["id"] for row in rows] == [f"k{i}" for i in range(30)]
    truth = [row[KINDS[kind]] for row in _read(new)]
    if kind == "classes":
        right = np.mean([row["prediction"] == true for row, true in zip(rows, truth, strict=True)])
        assert right > 0.7
        assert f"accuracy for group: {figure(float(right))} of 30 rows" in said
        assert [key for key in rows[0] if key.startswith("p_")] == ["p_high", "p_low"]
    else:
        assert "r2 0." in said
        inside = [float(row["low"]) <= float(true) <= float(row["high"]) for row, true in zip(rows, truth, strict=True)]
        assert np.mean(inside) > 0.6
        assert "p_high" not in rows[0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "more"), [("classes", []), ("numbers", []), ("classes", ["--rows", "90"])])
def test_the_code_of_the_page_gives_the_scores_and_the_model(tmp_path: Path, kind: str, more: list[str]) -> None:
    table, path = _kept(tmp_path, kind, *more)
    target, left_out = KINDS[kind], ("y",) if kind == "classes" else ("group",)
    rows = {"rows": 90} if more else {}
    made = sf.report(str(table), target, leave_out=left_out, seconds=0.5, types={"size": ("S", "M", "L")}, **rows)
    names: dict[str, object] = {}
    exec(made.code, names)
    again, first = names["comparison"], made.results["comparison"]
    for name, found in first.evaluations.items():
        values = {key: interval.value for key, interval in again.evaluations[name].intervals.items()}
        assert values == {key: interval.value for key, interval in found.intervals.items()}
    made.winner.keep(tmp_path / "again.sff")
    X = made.results["table"]
    kept, by_code = sf.load(tmp_path / "again.sff"), names["best"]
    assert kept.predict(X).tolist() == by_code.predict(X).tolist()
    assert load_training(path).rows == 120


def test_compare_keeps_the_winner(tmp_path: Path) -> None:
    path = tmp_path / "best.sff"
    told = ["--models", "GaussianNB,LinearDiscriminantAnalysis", "--folds", "3", "--save", str(path)]
    assert run(["compare", "crabs", "--target", "sp", *told]) == 0
    model = sf.load(path)
    assert type(model[-1]).__name__ == "LinearDiscriminantAnalysis"
    assert load_training(path).target == "sp"


@pytest.mark.parametrize("command", ["report", "compare"])
@pytest.mark.parametrize(
    ("path", "said"),
    [("{tmp}/best.csv", "a model is kept in a file such as model.sff"), ("{tmp}", "is a folder"),
     ("{tmp}/no/best.sff", "make it first")],
)  # fmt: skip
def test_a_path_that_cannot_be_is_refused_before_the_work(
    command: str, path: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = ["-o", str(tmp_path / ("r.html" if command == "report" else "t.csv"))]
    assert run([command, "crabs", "--target", "sp", *output, "--save", path.format(tmp=tmp_path)]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_save_needs_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "crabs", "--save", "x.sff"]) == 2
    assert "--target" in capsys.readouterr().err


def test_drift_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, new = _write(tmp_path / "table.csv", 60), _write(tmp_path / "new.csv", 20, shift=50.0)
    model = tmp_path / "m.sff"
    assert run(["fit", "Ridge", str(table), "--target", "y", "--drop", "id,when,group", "-o", str(model)]) == 0
    assert run(["predict", str(model), str(table), "-o", str(tmp_path / "o.csv")]) == 0
    assert "warning" not in capsys.readouterr().err
    assert run(["predict", str(model), str(new), "-o", str(tmp_path / "o.csv"), "--keep", "flag"]) == 0
    said = capsys.readouterr().err
    assert "'city' holds 'zz' in 10 rows, which the fit never saw" in said
    assert "'x' holds values from 4" in said
    assert list(_read(tmp_path / "o.csv")[0]) == ["flag", "prediction"]


def test_columns_are_read_as_in_the_fit(tmp_path: Path) -> None:
    """A column of codes is text in the fit, and stays text where the new table has nothing but digits in it."""
    (tmp_path / "a.csv").write_text(
        "code,x,y\n" + "".join(f"{'x1' if i % 2 else '02'},{i},{i % 2}\n" for i in range(20))
    )
    (tmp_path / "b.csv").write_text("code,x,y\n02,3,0\n02,4,0\n")
    model = str(tmp_path / "m.sff")
    assert run(["fit", "LogisticRegression", str(tmp_path / "a.csv"), "--target", "y", "-o", model]) == 0
    assert run(["predict", model, str(tmp_path / "b.csv"), "-o", str(tmp_path / "o.csv")]) == 0
    assert [float(row["prediction"]) for row in _read(tmp_path / "o.csv")] == [0.0, 0.0]


def test_keep_names_columns_that_are_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(tmp_path / "m.sff")
    assert run(["fit", "KMeans", "iris", "--n-clusters", "2", "-o", model]) == 0
    assert run(["predict", model, "iris", "--keep", "Species"]) == 2
    assert "Did you mean 'species'?" in capsys.readouterr().err


def test_columns_that_a_table_lacks_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, model, less = _write(tmp_path / "t.csv", 60), str(tmp_path / "m.sff"), tmp_path / "less.csv"
    assert run(["fit", "Ridge", str(table), "--target", "y", "--drop", "id,when,group", "-o", model]) == 0
    less.write_text("Flag,x\ntrue,1.5\nfalse,2.5\n", encoding="utf-8")
    assert run(["predict", model, str(less)]) == 2
    assert f"lacks 3 columns that {model} learned from: 'city', 'flag', 'size'" in capsys.readouterr().err
