"""Rows for a report: drawn at random but always the same, whatever the table is read from."""

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.report import read_rows


@pytest.fixture
def frame(rng):
    n = 5_000
    return pd.DataFrame({
        "x": rng.normal(size=n),
        "count": np.arange(n),
        "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(n), unit="D"),
        "flag": rng.random(n) < 0.3,
        "kind": rng.choice(list("abc"), n, p=[0.6, 0.3, 0.1]),
        "y": rng.choice(["no", "yes"], n),
    })  # fmt: skip


def test_the_sample_is_in_order_and_of_the_wanted_size(frame):
    rows = read_rows(frame, rows=300)
    assert len(rows) == 300
    assert rows.description.rows == 5_000
    assert np.all(np.diff(rows.places) > 0)
    np.testing.assert_array_equal(rows.cells["x"], frame["x"].to_numpy()[rows.places])
    np.testing.assert_array_equal(rows.cells["kind"], frame["kind"].to_numpy()[rows.places].astype(object))
    np.testing.assert_array_equal(rows.cells["day"], rows.places + 18262)  # days from 1970 to 2020


def test_pieces_give_the_same_sample(frame, tmp_path):
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame.to_parquet(tmp_path / "all.parquet", row_group_size=700)
    frame[:1234].to_parquet(tmp_path / "part-1.parquet")
    frame[1234:].to_parquet(tmp_path / "part-2.parquet")
    whole = read_rows(frame, rows=200)
    for path in ("all.csv", "all.parquet", "part-*.parquet"):
        again = read_rows(str(tmp_path / path), rows=200)
        np.testing.assert_array_equal(again.places, whole.places)
        np.testing.assert_allclose(again.cells["x"], whole.cells["x"], rtol=1e-12)


def test_every_row_is_as_likely(frame):
    drawn = np.zeros(len(frame))
    for seed in range(60):
        drawn[read_rows(frame[["x"]], rows=500, random_state=seed).places] += 1
    means = drawn.reshape(10, -1).mean(axis=1)  # 6 expected, with a deviation of 0.1
    assert np.all(np.abs(means - 6) < 0.5)


def test_features_of_all_kinds(frame):
    rows = read_rows(frame, "y", rows=400)
    X, names = rows.features()
    assert [name for name in names if not name.startswith("day (")] == ["kind_b", "kind_c", "x", "count", "day", "flag"]
    np.testing.assert_array_equal(X[:, names.index("kind_b")], rows.cells["kind"] == "b")
    assert rows.table().column_names == ["x", "count", "day", "day (month)", "day (weekday)", "flag", "kind"]
    _, y, kind = rows.labelled()
    assert kind == "classes"
    assert set(y) == {"no", "yes"}


def test_ids_and_what_is_left_out_are_not_learned_from(frame):
    rows = read_rows(frame, "y", leave_out=["x"])
    assert "x" not in rows.features()[1]
    assert rows.numeric_names() == []  # count is like an id
    assert read_rows("crabs", "sp").left_out == ("index",)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1.0, 2.0, 1.0], "classes"),
        ([1.5, 2.0, 1.0], "numbers"),
        (list(range(30)), "numbers"),
        ([True, False], "classes"),
    ],
)
def test_the_kind_of_a_target(values, kind):
    assert read_rows(pd.DataFrame({"t": values, "x": values}), "t").labelled()[2] == kind


def test_standardized_columns(frame):
    missing = frame.assign(x=frame["x"].where(frame["x"] > -1), z=frame["x"] * 5 + 3)
    X = read_rows(missing, "y").standardized(1_000)
    assert X.shape == (1_000, 2)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0), 1)


def test_what_cannot_be_read_is_refused(frame):
    with pytest.raises(InvalidParameter, match="rows must be an integer, at least 1; got 0"):
        read_rows(frame, rows=0)
    with pytest.raises(InvalidData, match=r"has no column 'kin'\. Did you mean 'kind'"):
        read_rows(frame, leave_out=["kin"])
    with pytest.raises(InvalidData, match="holds text"):
        read_rows(frame, "kind").labelled("numbers")
    with pytest.raises(InvalidParameter, match="without a target"):
        read_rows(frame).labelled()


def test_long_cells_are_cut():
    rows = read_rows(pd.DataFrame({"a": ["x" * 100_000, "y"]}))
    assert [len(cell) for cell in rows.cells["a"]] == [200, 1]


def test_the_description_is_that_of_describe():
    assert str(read_rows("iris").description) == str(sf.describe("iris", top=6))
