"""Ordered categories keep their order, whatever the table is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.data import Needs
from suffice.errors import InvalidData

LEVELS = ["S", "M", "L"]
CELLS = ["M", "L", None, "S", "M"]
CODES = [1.0, 2.0, np.nan, 0.0, 1.0]
NEEDS = Needs("Test", missing=True, categories=True)


def declared_by_frame() -> pd.DataFrame:
    return pd.DataFrame({"size": pd.Categorical(CELLS, categories=LEVELS, ordered=True), "n": np.arange(5.0)})


def as_text() -> pd.DataFrame:
    return pd.DataFrame({"size": pd.Series(CELLS, dtype="str"), "n": np.arange(5.0)})


def columns_and_codes(source: Any) -> tuple[Any, np.ndarray]:
    return source.schema.columns[0], source.map(lambda chunk: chunk.X)[:, 0]


def check(source: Any, levels: tuple[str, ...] = ("S", "M", "L"), codes: list[float] = CODES) -> None:
    column, found = columns_and_codes(source)
    assert column.kind == "categorical"
    assert column.ordered
    assert column.categories == levels
    np.testing.assert_array_equal(np.asarray(found), codes)


def written(frame: pd.DataFrame, path: Path) -> str:
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path, row_group_size=2)
    return str(path)


@pytest.mark.parametrize(
    "make",
    [
        lambda frame: frame,
        lambda frame: pl.DataFrame({"size": CELLS, "n": np.arange(5.0)}, schema_overrides={"size": pl.Enum(LEVELS)}),
        lambda frame: pa.Table.from_pandas(frame),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_a_frame_declares_the_order(make: Any) -> None:
    check(sf.as_source(make(declared_by_frame()), needs=NEEDS))


@pytest.mark.parametrize("frame", [as_text(), declared_by_frame()], ids=["text", "ordered"])
def test_a_list_of_levels_declares_the_order(frame: pd.DataFrame) -> None:
    check(sf.as_source(frame, needs=NEEDS, types={"size": LEVELS}))
    backwards = [2 - code for code in CODES]
    check(sf.as_source(frame, needs=NEEDS, types={"size": LEVELS[::-1]}), ("L", "M", "S"), backwards)


def test_ordinal_without_levels_is_sorted_or_as_the_frame_says() -> None:
    check(sf.as_source(as_text(), needs=NEEDS, types={"size": "ordinal"}), ("L", "M", "S"), [2 - c for c in CODES])
    check(sf.as_source(declared_by_frame(), needs=NEEDS, types={"size": "ordinal"}))
    check(sf.as_source(pd.DataFrame({"g": [10, 9, 10]}), needs=NEEDS, types={"g": "ordinal"}), ("9", "10"), [1, 0, 1])
    check(sf.as_source(np.array([[3.0], [1.0]]), needs=NEEDS, types={"x0": [3, 1]}), ("3", "1"), [0.0, 1.0])


def test_the_order_can_be_taken_away() -> None:
    column, codes = columns_and_codes(sf.as_source(declared_by_frame(), needs=NEEDS, types={"size": "categorical"}))
    assert (column.ordered, column.categories) == (False, ("L", "M", "S"))
    np.testing.assert_array_equal(codes, [1, 0, np.nan, 2, 1])


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_files(tmp_path: Path, name: str) -> None:
    path = written(as_text(), tmp_path / name)
    check(sf.scan(path, types={"size": LEVELS}).suited_to(NEEDS))
    check(sf.scan(path, types={"size": "ordinal"}).suited_to(NEEDS), ("L", "M", "S"), [2 - c for c in CODES])


def test_parquet_declares_the_order(tmp_path: Path) -> None:
    path = written(declared_by_frame(), tmp_path / "t.parquet")
    check(sf.scan(path).suited_to(NEEDS))
    check(sf.scan(path, types={"size": LEVELS[::-1]}).suited_to(NEEDS), ("L", "M", "S"), [2 - c for c in CODES])


@pytest.mark.parametrize("frame", [as_text(), declared_by_frame()], ids=["text", "ordered"])
def test_dask(frame: pd.DataFrame) -> None:
    dd = pytest.importorskip("dask.dataframe")
    table = dd.from_pandas(frame, npartitions=2)
    check(sf.as_source(table, needs=NEEDS, types={"size": LEVELS}))
    if frame["size"].dtype == "category":
        check(sf.as_source(table, needs=NEEDS))
    numbers = dd.from_pandas(pd.DataFrame({"g": [10, 9, 10]}), npartitions=2)
    check(sf.as_source(numbers, needs=NEEDS, types={"g": "ordinal"}), ("9", "10"), [1, 0, 1])


def test_a_value_that_is_no_level_is_named(tmp_path: Path) -> None:
    dd = pytest.importorskip("dask.dataframe")
    few = {"size": ["S", "M"]}
    said = r"holds 'L', which is none of its levels: S, M\. Add it"
    with pytest.raises(InvalidData, match=f"column 'size', row 1 {said}"):
        sf.as_source(as_text(), needs=NEEDS, types=few)
    with pytest.raises(InvalidData, match=f"column 'size' {said}"):
        sf.as_source(dd.from_pandas(as_text(), npartitions=2), needs=NEEDS, types=few).map(lambda c: c.X).compute()
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(InvalidData, match=rf"row 2 of .*{name} {said}"):
            sf.scan(written(as_text(), tmp_path / name), types=few).suited_to(NEEDS).map(lambda chunk: chunk.X)


@pytest.mark.parametrize(
    ("types", "words"),
    [
        ({"size": ["S", "S"]}, "lists the level 'S' of column 'size' twice"),
        ({"size": []}, r"types has \[\] for column 'size'; known kinds: .*ordinal, an example .*, or a list of levels"),
        ({"size": "ordnal"}, "Did you mean 'ordinal'"),
        ({"sise": LEVELS}, "types names 'sise', which is no column of X.*'size'"),
        ({"n": "boolean"}, "types wants column 'n', which is numeric, to be boolean"),
    ],
)
def test_refused_types(types: Any, words: str) -> None:
    with pytest.raises(InvalidData, match=words):
        sf.as_source(as_text(), needs=NEEDS, types=types)


def test_a_source_has_its_types(tmp_path: Path) -> None:
    source = sf.scan(written(as_text(), tmp_path / "t.csv"))
    with pytest.raises(InvalidData, match=r"say them where it is made: scan\(path, types="):
        sf.as_source(source, types={"size": LEVELS})


def test_parts_that_order_the_levels_differently_are_refused() -> None:
    one, other = (pa.DictionaryArray.from_arrays([0, 1], names, ordered=True) for names in (["S", "M"], ["M", "S"]))
    with pytest.raises(InvalidData, match="S, M in one part and M, S in another; say their order"):
        sf.as_source(pa.table({"size": pa.chunked_array([one, other])}), needs=NEEDS)


def test_a_model_file_keeps_the_levels(tmp_path: Path) -> None:
    frame = declared_by_frame().dropna().reset_index(drop=True)
    model = sf.CategoricalNB().fit(frame[["size"]], ["a", "b", "b", "a"])
    sf.save(model, tmp_path / "model.suffice")
    column = sf.load(tmp_path / "model.suffice")._schema.columns[0]
    assert (column.ordered, column.categories) == (True, ("S", "M", "L"))


def test_new_rows_in_another_order_get_the_codes_of_the_fit() -> None:
    frame = declared_by_frame().dropna().reset_index(drop=True)
    model = sf.CategoricalNB().fit(frame[["size"]], ["a", "b", "b", "a"])
    text = frame[["size"]].astype("str")
    np.testing.assert_array_equal(model.predict(text), model.predict(frame[["size"]]))


def test_models_of_numbers_refuse_levels() -> None:
    with pytest.raises(
        InvalidData, match=r"'size' is ordinal \(such as 'S', 'M', 'L'\); numbers are needed\. Give its codes"
    ):
        sf.KMeans(2).fit(declared_by_frame().dropna())


def test_a_preparation_passes_levels_as_their_ranks() -> None:
    frame = declared_by_frame()
    model = sf.prepared(sf.KMeans(2, random_state=0), frame)
    ranks = model.fit(frame)[0].transform(frame)[:, -frame.shape[1] :]
    np.testing.assert_array_equal(ranks[:, list(frame).index("size")], frame["size"].cat.codes.replace(-1, np.nan))
