"""Ordered columns in descriptions, in the report and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import suffice as sf
from suffice.cli.main import cli
from suffice.description import OrdinalColumn
from suffice.report.association import associations
from suffice.report.rows import read_rows

LEVELS = ["low", "middle", "high", "top"]
CELLS = ["high", "low", "low", "middle", "low", "high", None, "middle"]
TYPES = {"grade": LEVELS}


def text() -> pd.DataFrame:
    return pd.DataFrame({"grade": pd.Series(CELLS, dtype="str"), "x": [5.0, 1.0, 2.0, 3.0, 1.5, 6.0, 2.0, 4.0]})


def ordered() -> pd.DataFrame:
    return text().assign(grade=pd.Categorical(CELLS, categories=LEVELS, ordered=True))


def check(column: object) -> None:
    assert isinstance(column, OrdinalColumn)
    assert (column.kind, column.rows, column.missing, column.unknown) == ("ordinal", 8, 1, 0)
    assert [(share.value, share.count) for share in column.levels] == [
        ("low", 3), ("middle", 2), ("high", 2), ("top", 0),
    ]  # fmt: skip
    assert (column.lowest, column.median, column.highest) == ("low", "middle", "high")
    assert column.quantiles == {0.0: "low", 0.25: "low", 0.5: "middle", 0.75: "high", 1.0: "high"}


def test_frames() -> None:
    check(sf.describe(ordered())["grade"])
    check(sf.describe(pl.DataFrame({"grade": CELLS}, schema_overrides={"grade": pl.Enum(LEVELS)}))["grade"])
    check(sf.describe(text(), types=TYPES)["grade"])


def test_files(tmp_path: Path) -> None:
    text().to_csv(tmp_path / "t.csv", index=False)
    ordered().to_parquet(tmp_path / "t.parquet", row_group_size=3)
    check(sf.describe(str(tmp_path / "t.csv"), types=TYPES)["grade"])
    check(sf.describe(str(tmp_path / "t.parquet"))["grade"])
    check(sf.describe(sf.scan(tmp_path / "t.csv", types=TYPES, target="grade"))["grade"])


@pytest.mark.parametrize("types", [None, TYPES], ids=["declared", "levels"])
def test_dask(types: Any) -> None:
    dd = pytest.importorskip("dask.dataframe")
    table = dd.from_pandas(ordered() if types is None else text(), npartitions=3)
    check(sf.describe(table, types=types)["grade"])


def test_levels_that_nobody_lists_are_numbers_by_size() -> None:
    column = sf.describe(pd.DataFrame({"g": [10, 9, 9]}), types={"g": "ordinal"})["g"]
    assert isinstance(column, OrdinalColumn)
    assert [share.value for share in column.levels] == ["9", "10"]
    assert column.median == "9"


def test_levels_that_are_intervals_or_numbers() -> None:
    frame = pd.DataFrame({"cut": pd.cut(pd.Series([1.0, 2.0, 4.0]), [0, 2, 4])})
    frame["grade"] = pd.Categorical([3, 1, 1], categories=[3, 2, 1], ordered=True)
    found = sf.describe(frame)
    assert found["cut"].median == "(0, 2]"
    assert (found["grade"].lowest, found["grade"].median) == ("3", "1")
    assert frame["cut"].cat.categories[0] == pd.Interval(0, 2)  # left as it was


def test_a_value_that_is_no_level_is_warned_of() -> None:
    found = sf.describe(text(), types={"grade": ["low", "middle"]})
    assert found.warnings == ("column 'grade' holds 2 values that are none of its levels, left out",)


def test_the_text_has_the_levels_in_order() -> None:
    lines = str(sf.describe(ordered())).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("ordinal"))
    header = "ordinal missing lowest 25% median 75% highest levels in order"
    assert " ".join(lines[at].split()) == header
    counts = "low 3 (42.9 %), middle 2 (28.6 %), high 2 (28.6 %), top 0 (0 %)"
    assert " ".join(lines[at + 1].split()) == f"grade 1 low low middle high high {counts}"


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    text().to_csv(path, index=False)
    call = ["describe", str(path), "--json", "--type", "grade=" + ",".join(LEVELS)]
    found = CliRunner().invoke(cli, call, catch_exceptions=False)
    assert json.loads(found.stdout)["columns"][0]["median"] == "middle"
    refused = CliRunner().invoke(cli, ["describe", str(path), "--type", "grade"])
    assert "has no =; write COLUMN=KIND" in refused.output


def test_the_report_ranks_levels() -> None:
    rows = read_rows(ordered())
    X, names = rows.features()
    assert names == ["grade", "x"]
    np.testing.assert_array_equal(X[:, 0], [2, 0, 0, 1, 0, 2, np.nan, 1])
    assert associations(rows).strength[0, 1] == pytest.approx(0.94, abs=0.05)  # ε of ρ, by ranks
    found = sf.report(ordered(), seconds=0.1)
    assert "(1 of numbers, 1 of ordered categories)" in found.short[0]
    card = next(c for part in found.sections[0].parts for c in part.cards if c["name"] == "grade")
    assert ("median", "middle") in card["facts"]
    places = [card["picture"].index(f">{level}<") for level in LEVELS]
    assert places == sorted(places)
