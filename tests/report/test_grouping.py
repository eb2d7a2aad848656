"""Rows that belong together, and how rows are divided to compare models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.report import findings, read_rows
from suffice.report.division import division
from suffice.report.grouping import grouped_rows


@pytest.fixture
def visits(rng):
    """Eight visits of each of 30 patients, whose age is the same at all of them, in no order."""
    patient = np.repeat(np.arange(30), 8)
    level = rng.normal(size=30)[patient]
    frame = pd.DataFrame(
        {"patient": patient + 500, "age": 40 + patient % 9, "dose": rng.normal(size=240), "level": level}
    )
    return frame.assign(level=level + 0.1 * rng.normal(size=240), y=3 * level + frame["dose"]).sample(
        frac=1, random_state=0
    )


def told(frame, target="y"):
    return list(grouped_rows(read_rows(frame, target=target)))


def test_rows_of_one_are_told(visits):
    (words,) = told(visits)
    assert words == (
        "Column 'patient' has 30 different values in 240 rows, and 'age' is the same in all rows of one. If new rows "
        "are of others, random folds may look too good: keep the rows of one together, with --groups patient or "
        "groups='patient'."
    )
    (alone,) = told(visits.drop(columns="age"))
    assert alone.startswith("Column 'patient' has 30 different values in 240 rows. If new rows")
    towns = visits.assign(town=[f"town {p}" for p in visits["patient"]]).drop(columns="patient")
    (text,) = told(towns)
    assert text.startswith("Column 'town' has 30 different values in 240 rows, and 'age' is the same")


def test_nothing_is_told_of_other_columns(visits, rng):
    n = 240
    ids = visits.assign(patient=np.arange(n))  # each row is another patient
    counted = visits.assign(patient=np.tile(np.arange(30), 8))  # numbers that count anew are of nobody
    few = visits.assign(patient=visits["patient"] % 5, age=rng.integers(0, 50, n))
    words = visits.assign(patient=[f"word {k}" for k in rng.integers(0, 40, n)]).rename(columns={"patient": "word"})
    codes = visits.rename(columns={"patient": "minutes"})  # whole numbers whose name says nothing
    for frame in (ids, counted, few, words.assign(age=rng.normal(size=n)), codes):
        assert told(frame) == []
    assert list(grouped_rows(read_rows(visits))) == []  # no target


def test_a_report_by_groups(visits):
    made = sf.report(visits, "y", groups="patient", models={"tree": sf.DecisionTreeRegressor()})
    assert "rows of one 'patient' are in one fold" in " ".join(made.sections[-1].parts[0].words)
    assert not [words for words in made.results["findings"] if "random folds" in words]
    comparison, rows = made.results["comparison"], made.results["labelled"]
    patients = rows.cells["patient"]
    for fold in comparison.evaluations["tree"].folds:
        assert not set(patients[fold.train]) & set(patients[fold.test])
    assert made.results["table"].column_names == ["age", "dose", "level"]
    assert "groups=labelled.cells['patient']" in made.code
    assert any("--groups patient" in words for words in findings(read_rows(visits, target="y")))
    for groups, words in (("patint", "Did you mean 'patient'"), ("y", "are the target itself")):
        with pytest.raises(InvalidData, match=words):
            sf.report(visits, "y", groups=groups)
    with pytest.raises(InvalidData, match="name one with target="):
        sf.report(visits, groups="patient")
    with pytest.raises(InvalidParameter, match="not by both"):
        sf.report(visits, "y", groups="patient", time="dose")


@pytest.mark.parametrize(("how", "what"), [({"time": "when"}, "time"), ({"groups": "when"}, "group")])
def test_rows_that_cannot_be_divided_are_left_out_aloud(how, what, rng):
    frame = pd.DataFrame({"when": [np.nan, *range(59)], "x": rng.normal(size=60), "t": rng.normal(size=60)})
    rows, y, kind = read_rows(frame, target="t").labelled()
    own = division(**how)
    divided = own.divide(rows, y, kind)
    assert (len(divided.rows), len(divided.y)) == (59, 59)
    assert divided.notes == [f"1 row without a {what} is left out."]
    scope = {"np": np, "rows": rows, "y": y}
    exec("\n".join(own.keeping("rows")), scope)
    assert np.array_equal(scope["y"], divided.y)


def test_fewer_groups_than_folds(visits):
    rows, y, kind = read_rows(visits.assign(site=visits["patient"] % 3), target="y").labelled()
    own = division(groups="site")
    asked, unasked = own.divide(rows, y, kind, 10), own.divide(rows, y, kind)
    assert asked.parts == unasked.parts == 3
    assert asked.notes == ["3 folds instead of 10, since there are 3 groups."]
    assert unasked.notes == []
    for site, words in ((1.0, "All rows with a target are of one group"), (np.nan, "No row with a target has a group")):
        alone, y, kind = read_rows(visits.assign(site=site), target="y").labelled()
        with pytest.raises(InvalidData, match=words):
            own.divide(alone, y, kind)
