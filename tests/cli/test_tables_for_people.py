"""Tables as people send them, in the shell: what is said, where, and that the options named there are options."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from suffice.cli._said import as_options
from suffice.cli.main import run


@pytest.fixture
def shop(tmp_path, rng):
    """Prices in dollars, an order number in no order, and days that begin with the day."""
    n = 90
    units = rng.integers(1, 60, n)
    days = pd.date_range("2022-01-01", periods=n).strftime("%d/%m/%Y")
    price = [f"${one:,.2f}" for one in 40.0 * units + rng.normal(0, 60, n) + 900]
    orders = rng.permutation(np.arange(7_000, 9_000))[:n]
    table = pd.DataFrame({"order_no": orders, "day": days, "units": units, "price": price})
    table.to_csv(tmp_path / "shop.csv", index=False)
    return tmp_path / "shop.csv"


def test_standard_input_is_described(monkeypatch, capsys):
    stream = io.TextIOWrapper(io.BytesIO(b"a;b\n1,5;x\n2,5;y\n"))
    monkeypatch.setattr("sys.stdin", stream)
    assert run(["describe", "-"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("standard input: 2 rows, 2 columns")
    assert "note: read as numbers written like 1234,5: 'a'" in out


def test_remedies_are_options(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n1,234;01/02/2020\n5,678;03/04/2020\n")
    assert run(["describe", str(path)]) == 0
    out = capsys.readouterr().out
    assert "say --type x=1,234.5 or --type x=1234,5" in out
    assert run(["describe", str(path), "--types", "x=1,234.5", "--type", "y=dd/mm/yyyy", "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert [column["kind"] for column in about["columns"]] == ["numeric", "date"]
    assert run(["describe", str(path), "--decimal", ",", "--type", "y=mm/dd/yyyy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["columns"][0]["maximum"] == 5.678
    assert run(["describe", str(path), "--thousands", ",", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["columns"][0]["maximum"] == 5678


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("say missing=['unknown', 'see note', …].", "say --missing unknown --missing 'see note'."),
        ("say types={'a b': 'categorical'}", "say --type 'a b=categorical'"),
        ("or say delimiter=….", "or say --delimiter."),
        ("try encoding='cp1252' or encoding='latin-1'", "try --encoding cp1252 or --encoding latin-1"),
        ("nothing to change", "nothing to change"),
    ],
)
def test_arguments_as_options(message, said):
    assert as_options(message) == said


def test_fit_and_predict_read_a_table_alike_and_keep_its_ids(shop, tmp_path, capsys):
    model, out = str(tmp_path / "m.sff"), tmp_path / "out.csv"
    assert run(["fit", "LinearRegression", str(shop), "--target", "price", "-o", model]) == 0
    said = capsys.readouterr().err
    assert "read as numbers written like $1,234.5: 'price'" in said
    assert "left out, as they only number the rows (--columns uses them): order_no" in said
    assert "left out, as this model needs numbers: day" in said
    plain = tmp_path / "new.csv"
    plain.write_text("order_no,units,price\n7,10,1300.0\n9,20,1700.0\n")  # plain numbers do as well
    assert run(["predict", model, str(plain), "-o", str(out)]) == 0
    found = pd.read_csv(out)
    assert list(found.columns) == ["order_no", "prediction"]
    assert found["prediction"].to_numpy() == pytest.approx([1300, 1700], rel=0.1)
    assert "r2" in capsys.readouterr().err


def test_a_model_remembers_how_a_column_was_written(tmp_path, capsys):
    rows = [f'"{1000 + 37 * i:,}",{i % 7},{3 * (1000 + 37 * i) + i % 7}' for i in range(40)]
    table, new = tmp_path / "t.csv", tmp_path / "new.csv"
    table.write_text("\n".join(["x,z,y", *rows]) + "\n")
    new.write_text("x;z\n1,500;2\n")  # alone it could be one and a half
    model, out = str(tmp_path / "m.sff"), tmp_path / "out.csv"
    assert run(["fit", "LinearRegression", str(table), "--target", "y", "-o", model]) == 0
    assert run(["predict", model, str(new), "-o", str(out)]) == 0
    assert pd.read_csv(out)["prediction"][0] == pytest.approx(4502)
    capsys.readouterr()


def test_compare_by_time(shop, capsys):
    options = ["--target", "price", "--models", "LinearRegression", "--no-progress"]
    assert run(["compare", str(shop), "--time", "day", *options]) == 0
    assert "LinearRegression" in capsys.readouterr().out
    assert run(["compare", str(shop), "--time", "dya", *options]) == 2
    assert "Did you mean 'day'" in capsys.readouterr().err
    assert run(["report", str(shop), "--time", "day"]) == 2
    assert "--target" in capsys.readouterr().err


def test_compare_and_search_by_groups(tmp_path, rng, capsys):
    patient = np.repeat(np.arange(12), 5)
    table = tmp_path / "t.csv"
    pd.DataFrame({"patient": patient, "x": rng.normal(size=60), "y": patient + rng.normal(size=60)}).to_csv(table)
    given = [str(table), "--target", "y", "--groups", "patient", "--no-progress"]
    assert run(["compare", *given, "--models", "LinearRegression", "--folds", "20"]) == 0
    assert "12 folds instead of 20, since there are 12 groups." in capsys.readouterr().err
    assert run(["search", "Ridge", *given, "--try", "alpha=0.1,1", "--code", str(tmp_path / "c.py")]) == 0
    code = (tmp_path / "c.py").read_text()
    assert "groups = rows.cells['patient']" in code
    found: dict = {}
    exec(code, found)
    assert found["found"].problem.groups.tolist() == patient.tolist()
    assert run(["report", str(table), "--groups", "patient"]) == 2
    assert "--target" in capsys.readouterr().err


def test_fit_leaves_out_rows_without_a_target(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("x,y\n1,2\n2,\n3,6\n4,8\nnan,\n5,10\n")
    assert run(["fit", "LinearRegression", str(table), "--target", "y", "--no-prepare"]) == 0
    out, err = capsys.readouterr()
    assert "2 rows without a target are left out." in err
    assert "x" in out
    table.write_text("x,y\n1,\n2,\n")
    assert run(["fit", "LinearRegression", str(table), "--target", "y", "--no-prepare"]) == 2
    assert "the target 'y' has no values" in capsys.readouterr().err


def test_a_target_without_values(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,\n2,\n3,\n")
    assert run(["compare", str(path), "--target", "y"]) == 2
    assert "the target 'y' has no values: all 3 cells are missing." in capsys.readouterr().err


def test_none_may_be_a_category(tmp_path, capsys):
    lines = ["bags,x", *(f"{['None', 'driver', 'both'][i % 3]},{i}.5" for i in range(30))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    assert run(["describe", str(tmp_path / "t.csv")]) == 0
    assert "'None' is read as a missing cell in 'bags'; if it is a value, say --present None" in capsys.readouterr().out
    assert run(["describe", str(tmp_path / "t.csv"), "--present", "None", "--missing", "both"]) == 0
    said = capsys.readouterr().out
    assert "read as a missing cell" not in said
    assert "None 10 (50 %)" in said
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *(f"{'None' if i % 3 else i},{i}.5" for i in range(30))]))
    assert run(["describe", str(tmp_path / "t.csv")]) == 0
    assert "read as a missing cell" not in capsys.readouterr().out  # among numbers it is no category
