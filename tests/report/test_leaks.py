"""Sentences about columns that know the target, about row numbers and about time: when they are true, and when not."""

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.cli.main import run
from suffice.errors import InvalidData
from suffice.report import findings, read_rows
from suffice.report.calendar import part_of, parts_of
from suffice.report.leaks import filled_for_one, leaks, straight_line
from suffice.report.timing import lag_correlation, time_order


def said(frame, target):
    return " ".join(findings(read_rows(frame, target=target)))


@pytest.mark.parametrize("line", [lambda t: 24 - t, lambda t: 1.8 * t + 32, lambda t: t])
def test_a_straight_line_of_the_target_is_told(rng, line):
    t = rng.normal(8, 2, 40)
    (words,) = straight_line("x", line(t), t, "t")
    assert words.startswith("Column 'x' is a straight line of the target 't' (r² = 1)")


@pytest.mark.parametrize("noise", [0.05, 1.0])
def test_a_strong_correlation_is_no_line(rng, noise):
    t = rng.normal(8, 2, 400)
    assert not list(straight_line("x", t + noise * rng.normal(size=400), t, "t"))


def test_few_rows_constants_and_two_values_say_nothing(rng):
    t = rng.normal(size=9)
    assert not list(straight_line("x", 2 * t, t, "t"))
    assert not list(straight_line("x", np.ones(40), rng.normal(size=40), "t"))
    flag = (np.arange(40) % 2).astype(float)
    assert not list(straight_line("x", flag, flag, "t"))


def test_a_line_where_both_are_known_says_how_many(rng):
    t = rng.normal(size=60)
    x = np.where(np.arange(60) < 20, np.nan, 3 * t)
    (words,) = straight_line("x", x, t, "t")
    assert "in 40 rows where both are known" in words


def test_filled_for_one_class_alone(rng):
    y = np.where(rng.random(200) < 0.3, "yes", "no")
    refund = (y == "yes") & (rng.random(200) < 0.7)
    (words,) = filled_for_one("refund", ~refund, y, "returned")
    assert f"is filled only where the target 'returned' is 'yes' ({refund.sum()} rows)" in words
    (gone,) = filled_for_one("x", refund, y, "returned")
    assert "is missing only where the target 'returned' is 'yes'" in gone


def test_gaps_at_random_and_gaps_of_a_common_class_say_nothing(rng):
    y = np.where(rng.random(200) < 0.3, "yes", "no")
    assert not list(filled_for_one("x", rng.random(200) < 0.5, y, "t"))
    assert not list(filled_for_one("x", np.zeros(200, bool), y, "t"))
    common = np.where(np.arange(200) < 2, "rare", "usual")
    assert not list(filled_for_one("x", np.arange(200) >= 190, common, "t"))  # chance: nearly all rows are usual


def test_row_numbers_are_told_and_not_learned_from(rng):
    n = 60
    frame = pd.DataFrame(
        {"customer_id": rng.permutation(10_000)[:n], "shuffled": rng.permutation(n), "x": rng.normal(size=n),
         "year": np.arange(1950, 1950 + n), "count": rng.integers(0, 9, n), "t": rng.normal(size=n)}
    )  # fmt: skip
    rows = read_rows(frame, target="t")
    assert rows.description.numbering == ("customer_id", "shuffled")
    assert rows.table().column_names == ["x", "year", "count"]
    words = said(frame, "t")
    assert "'customer_id' has a different whole number in every row, like an id" in words
    assert "'shuffled' has a different whole number in every row, like an id" in words
    assert "'count'" not in words


def test_row_numbers_of_many_rows(rng):
    n = 30_000
    frame = pd.DataFrame({"key": rng.permutation(n), "x": rng.normal(size=n), "n": rng.integers(0, n, n)})
    about = sf.describe(frame)
    assert about.numbering == ("key",)
    assert any("'key' has a different whole number in each of" in warning for warning in about.warnings)


def test_the_order_of_time_is_told(rng):
    n = 120
    days = pd.date_range("2021-01-01", periods=n)
    walk = np.cumsum(rng.normal(size=n))
    frame = pd.DataFrame({"day": days, "x": rng.normal(size=n), "t": walk})
    (words,) = time_order(read_rows(frame, target="t"))
    assert words.startswith("Rows are in the order of 'day', and the target 't' is much like that of the row before")
    assert "--time day or time='day'" in words
    (alone,) = time_order(read_rows(frame.drop(columns="day"), target="t"))
    assert alone.startswith("In the order of the rows, the target 't' is much like that of the row before")
    assert alone.endswith("no column rises with the rows, to compare by time.")
    (numbered,) = time_order(read_rows(frame.assign(day=np.arange(n) / 4), target="t"))
    assert "--time day or time='day'" in numbered
    (dated,) = time_order(read_rows(frame.assign(t=rng.normal(size=n)), target="t"))
    assert dated.startswith("Rows are in the order of 'day'. ")


def test_no_order_is_told_where_there_is_none(rng):
    n = 120
    days = pd.date_range("2021-01-01", periods=n)
    frame = pd.DataFrame({"day": days, "x": rng.normal(size=n), "t": rng.normal(size=n)})
    for other in (frame.drop(columns="day"), frame.sample(frac=1, random_state=0), frame.head(20)):
        assert not list(time_order(read_rows(other, target="t")))
    by_target = frame.drop(columns="day").sort_values("t")  # sorted by the target: no time
    assert not list(time_order(read_rows(by_target, target="t")))
    assert not list(time_order(read_rows("iris", target="species")))
    assert lag_correlation(rng.normal(size=500)) < 0.2


def test_a_report_by_time(rng):
    n = 150
    days = pd.date_range("2021-01-01", periods=n)
    frame = pd.DataFrame({"day": days, "x": rng.normal(size=n), "t": np.cumsum(rng.normal(size=n))})
    made = sf.report(frame, "t", time="day", models={"tree": sf.DecisionTreeRegressor(max_depth=4)})
    assert "5 blocks of rows, in the order of 'day', is predicted by models fitted to earlier rows" in " ".join(
        made.sections[-1].parts[0].words
    )
    assert "compare by time" not in " ".join(made.results["findings"])
    folds = made.results["comparison"].evaluations["tree"].folds
    assert all(fold.train.max() < fold.test.min() for fold in folds)
    assert "time=labelled.cells['day']" in made.code
    for time, words in (("dya", "Did you mean 'day'"), ("t", "are the target itself")):
        with pytest.raises(InvalidData, match=words):
            sf.report(frame, "t", time=time)


def test_parts_of_dates_that_come_again():
    days = pd.date_range("2019-01-01", "2021-12-31", freq="5h").to_numpy()
    since = (days - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
    assert parts_of(since) == ("month", "weekday", "hour")
    assert parts_of(np.floor(since)) == ("month", "weekday")
    assert parts_of(since[:20]) == ("hour",)
    assert parts_of(since[:1]) == parts_of(np.array([np.nan])) == ()
    stamps = pd.DatetimeIndex(days)
    assert part_of(since, "month").tolist() == stamps.strftime("%b").tolist()
    assert part_of(since, "weekday").tolist() == stamps.strftime("%a").tolist()
    assert part_of(since, "hour").tolist() == stamps.strftime("%Hh").tolist()
    assert part_of(np.array([-0.5]), "weekday").tolist() == ["Wed"]


def test_seasons_are_learned_kept_and_used(tmp_path, rng, capsys):
    days = pd.date_range("2019-01-01", periods=300, freq="4D")
    sales = 100 + 50 * (days.month == 7) + rng.normal(0, 5, 300)
    pd.DataFrame({"day": days.strftime("%d/%m/%Y"), "sales": sales.round(1)}).to_csv(tmp_path / "t.csv", index=False)
    model, out = tmp_path / "m.sff", tmp_path / "o.csv"
    options = ["--target", "sales", "--models", "LinearRegression", "--save", str(model), "--no-progress"]
    assert run(["compare", str(tmp_path / "t.csv"), *options]) == 0
    (tmp_path / "new.csv").write_text("day\n05/07/2023\n05/08/2023\n")  # days or months first? the model knows
    assert run(["predict", str(model), str(tmp_path / "new.csv"), "-o", str(out)]) == 0
    july, august = pd.read_csv(out)["prediction"]
    assert july - august == pytest.approx(50, abs=10)
    capsys.readouterr()


def test_the_order_of_the_target_is_told(rng):
    y = rng.uniform(1, 100, 60)
    table = pd.DataFrame(
        {"log": -np.log(y), "near": np.log(y + rng.normal(size=60) ** 2), "x": rng.normal(size=60), "y": y}
    )
    (only,) = leaks(read_rows(table, "y"))
    assert only.startswith("Column 'log' puts the rows in the order of the target 'y' (rank correlation 1): perhaps")
    table.loc[3, "log"] = np.nan
    assert "in 59 rows where both are known" in next(leaks(read_rows(table, "y")))
    assert list(leaks(read_rows(pd.DataFrame({"x": np.arange(15.0) ** 2, "y": np.arange(15.0)}), "y"))) == []
