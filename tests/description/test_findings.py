"""Every sentence about a table is said where it is true, and only there."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.description import describe, row_copies
from suffice.description.row_copies import RowCopies

RNG = np.random.default_rng(0)
N = 1000
NORMAL = RNG.normal(10, 1, N)


def warned(**columns: Any) -> str:
    return "\n".join(describe(pa.table(columns)).warnings)


def with_last(*values: float) -> np.ndarray:
    return np.append(NORMAL[: N - len(values)], values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.full(N, 3.0), "is constant"),
        (with_last(*[0.0] * 8), "is 0 in 8 rows and at least"),
        (with_last(-999.0, -999.0), "is -999 in 2 rows and at least "),
        (with_last(9999.0, 9999.0), "is 9999 in 2 rows and at most "),
        (with_last(500.0), "reaches up to 500, while about 99 % of its values are at most"),
        (with_last(-500.0), "reaches down to -500"),
        (np.append(np.zeros(N - 5), np.ones(5)), "holds 0 in at least 99 % of the rows"),
        (np.exp(2 * RNG.normal(size=N) - 0.1 * np.arange(N) % 1), "skewed to the right"),
        (["yes"] * (N - 2) + ["no"] * 2, "holds yes in at least 99 %"),
        ([f"the {i}th customer wrote a long complaint about it" for i in range(N)], "holds free text"),
        ([None] * N, "has no values: all 1,000 are missing"),
        ([f"A{i}" for i in range(N)], "like an id"),
        (np.where(np.arange(N) == 3, np.inf, NORMAL), "holds 1 infinite value, left out"),
    ],
)
def test_a_sentence_is_said_where_it_is_true(values: Any, said: str) -> None:
    assert said in warned(x=values, other=RNG.normal(size=N))


@pytest.mark.parametrize(
    "values",
    [
        NORMAL,
        RNG.exponential(size=N),
        RNG.poisson(3, N),  # zeros among counts are counts
        RNG.integers(0, 2, N),
        np.append(RNG.integers(0, 99, N - 2), [99, 99]),  # the end of a range
        RNG.uniform(0, 1, N),
        RNG.choice(["a", "b"], N, p=[0.95, 0.05]),
        RNG.choice(["the north of the country, and more", "the south of the country, and more"], N),
        [True] * (N // 2) + [False] * (N // 2),
    ],
)
def test_ordinary_columns_are_not_odd(values: Any) -> None:
    assert warned(x=values, other=RNG.normal(size=N)) == ""


def test_many_of_one_kind_are_one_line() -> None:
    (line,) = describe(np.column_stack([np.ones((50, 30)), RNG.normal(size=50)])).warnings
    assert line.startswith("30 columns are constant: 'x0', 'x1'")
    assert line.endswith("… (20 of 30)")


def test_correlated_pairs() -> None:
    x = RNG.normal(size=N)
    assert warned(x=x, y=-2 * x + 5) == "columns 'x' and 'y' are strongly correlated (r = -1.000)"
    assert warned(x=1e9 + x, y=x) == "columns 'x' and 'y' are strongly correlated (r = 1.000)"
    gaps = np.where(RNG.random(N) < 0.3, np.nan, x)
    assert "'x' and 'y' are strongly correlated (r = 1.000)" in warned(x=x, y=gaps)
    assert warned(x=x, y=RNG.normal(size=N)) == ""
    wide = describe(np.outer(np.ones(6), np.ones(5)) * x[:30].reshape(30, 1)[:, [0] * 5][:6])
    assert "correlated" not in str(wide)  # six rows say nothing
    many = describe(np.column_stack([x + 0.01 * RNG.normal(size=N) for _ in range(5)]))
    assert many.warnings[0].startswith("10 pairs of columns are strongly correlated: ")


# Copies of rows.


def test_copies_are_counted_in_all_rows() -> None:
    x = RNG.normal(size=(20_190, 3))
    x[9_125:] = x[RNG.integers(0, 9_125, 11_065)]
    found = describe(x)
    assert found.copies is not None
    assert (found.copies.count, found.copies.exact) == (11_065, True)
    assert "11,065 rows are copies of an earlier row" in found.warnings


def test_copies_among_few_possible_rows_are_no_finding() -> None:
    few = describe(pa.table({"a": RNG.choice(["x", "y"], 100), "b": RNG.integers(0, 3, 100)}))
    assert few.copies is not None
    assert few.copies.count >= 94
    assert few.warnings == ()
    assert describe(RNG.integers(0, 10, (300, 1)).astype(float)).warnings == ()  # repeated values of one column
    assert describe(RNG.integers(0, 2, (5000, 15)).astype(float)).warnings == ()  # the birthday problem
    twice = describe(pa.table({"a": RNG.normal(size=30).tolist() * 2, "b": RNG.normal(size=30).tolist() * 2}))
    assert "30 rows are copies of an earlier row" in twice.warnings


def test_missing_cells_zeros_and_large_integers_in_copies() -> None:
    twice = pa.table({"a": [None, None, 0.0, -0.0], "b": ["x", "x", "", ""]})
    assert RowCopies.of(twice).copies == 2
    assert RowCopies.of(pa.table({"a": [2**60, 2**60 + 1]})).copies == 0
    assert RowCopies.of(pa.table({"a": ["", None]})).copies == 0
    assert RowCopies.of(pa.table({"a": ["ab", "a"], "b": ["c", "bc"]})).copies == 0
    assert (
        RowCopies.of(pa.table({"a": [1, 2]})).hashes[0].tolist()
        == RowCopies.of(pa.table({"a": [1.0, 2.0]})).hashes[0].tolist()
    )


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(st.text(max_size=3), st.sampled_from([0.0, 1.5, None])), max_size=40),
    size=st.integers(1, 7),
)
def test_copies_against_a_set(rows: list[tuple[str, float | None]], size: int) -> None:
    table = pa.table(
        {"text": pa.array([r[0] for r in rows], pa.string()), "x": pa.array([r[1] for r in rows], pa.float64())}
    )
    pieces = [RowCopies.of(table.slice(i, size)) for i in range(0, len(rows), size)]
    assert reduce(add, pieces, RowCopies.zero()).copies == len(rows) - len(set(rows))


def test_too_many_rows_are_a_sample_that_has_every_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_copies, "MOST", 1000)
    table = pa.table({"x": np.arange(20_000) % 10_000})
    found = reduce(add, [RowCopies.of(table.slice(i, 700)) for i in range(0, 20_000, 700)])
    assert not found.exact
    assert found.rows == 20_000
    assert 100 < found.copies == found.checked / 2 < 1000
    (said,) = (w for w in describe(np.arange(20_000.0).reshape(-1, 1) % 10_000).warnings if "copies" in w)
    assert said.startswith("at least ")
    assert "were compared with all others" in said
    nothing = describe(RNG.normal(size=(20_000, 1)))
    assert not any("copies" in warning for warning in nothing.warnings)


def test_a_column_without_a_name_that_names_rows_is_compared_with_nothing(tmp_path: Any) -> None:
    table = pd.DataFrame({"x": RNG.normal(size=80), "year": np.repeat(np.arange(20.0), 4)})
    table.iloc[70:, :] = table.iloc[:10, :].to_numpy()
    path = str(tmp_path / "table.csv")
    table.to_csv(path)
    about = describe(path)
    assert about.warnings == ("10 rows are copies of an earlier row",)
    assert about.numbering == about.ids == ("column_1",)
    table.rename_axis("day").to_csv(path)
    assert any("'day'" in warning for warning in describe(path).warnings)


def test_one_called_id_may_repeat_now_and_then() -> None:
    ids = np.append(RNG.permutation(np.arange(5_000, 9_000, 4))[:95], [5_000] * 5)
    said = warned(ID=ids, other=RNG.normal(size=100))
    assert "is called an id and has" in said
    assert "called an id" not in warned(size=ids, other=RNG.normal(size=100))
    assert "called an id" not in warned(ID=np.repeat(np.arange(50), 2), other=RNG.normal(size=100))


def test_categories_that_differ_only_in_case_or_spaces_are_said():
    found = describe({"region": ["north", "north ", "south"] * 10, "sold": ["yes", "Yes", "no"] * 10}).warnings
    said = "which differ only in case or spaces: perhaps they are one"
    assert [w for w in found if "only in case" in w] == [
        f"column 'region' holds 'north' and 'north ', {said}",
        f"column 'sold' holds 'Yes' and 'yes', {said}",
    ]
    assert not any("only in case" in w for w in describe("crabs").warnings)
