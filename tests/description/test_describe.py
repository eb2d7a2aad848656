"""`describe` on real, messy and large tables; figures against NumPy and the standard library."""

from __future__ import annotations

import dataclasses
import json
import statistics
import tracemalloc
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.backend import threads
from suffice.data import datasets
from suffice.data.schema import Column, Schema
from suffice.data.source import Chunk
from suffice.data.table import Table, as_batches
from suffice.description import Description, TableSummary, describe, description, summarise
from suffice.description.column_summaries import CategorySummary, NumberSummary
from suffice.errors import InvalidParameter, SufficeError
from suffice.observing import Observer, observe


def in_batches(columns: dict[str, Any], kinds: dict[str, str], size: int = 2, n_rows: int | None = None) -> Table:
    """Columns as a table that comes in batches of a few rows, one after the other."""
    schema = Schema(tuple(Column(name, kinds.get(name, "numeric")) for name in columns))  # type: ignore[arg-type]

    def read(ahead: bool) -> Iterator[Chunk]:
        start = 0
        for batch in as_batches(pa.table(columns), size):
            yield Chunk(batch, start=start)
            start += batch.num_rows

    return Table(schema, "a table", (read,), n_rows)


def described(columns: dict[str, Any], size: int = 2, **kinds: str) -> Description:
    return description(summarise(in_batches(columns, kinds, size)), "a table")


@pytest.mark.parametrize("name", datasets.names())
def test_bundled_tables_against_numpy(name: str) -> None:
    table = datasets.load(name)
    found = describe(name)
    assert found.rows == table.n_rows
    assert [column.name for column in found.columns] == list(table.names)
    for column in found.columns:
        values = table[column.name]
        if column.kind == "numeric":
            assert column.mean == pytest.approx(values.mean(), rel=1e-12)
            assert column.deviation == pytest.approx(values.std(ddof=1), rel=1e-12)
            assert list(column.quantiles.values()) == np.quantile(values, list(column.quantiles)).tolist()
            assert (column.minimum, column.maximum) == (values.min(), values.max())
        else:
            assert column.distinct == len(set(values.tolist()))
            assert sum(share.count for share in column.top) <= table.n_rows


def test_the_text_of_iris() -> None:
    lines = str(describe("iris")).splitlines()
    assert lines[0].endswith("150 rows, 5 columns")
    assert lines[2].split() == [
        "numbers",
        "missing",
        "mean",
        "deviation",
        "min",
        "25%",
        "median",
        "75%",
        "max",
    ]
    assert lines[3].split() == ["sepal_length", "0", "5.843", "0.8281", "4.3", "5.1", "5.8", "6.4", "7.9"]
    assert "setosa 50 (33.3 %), versicolor 50 (33.3 %), virginica 50 (33.3 %)" in str(describe("iris"))
    assert all(len(line) <= 100 and line == line.rstrip() for line in lines)


def test_all_forms_of_a_table_give_the_same(tmp_path: Any) -> None:
    table = datasets.load("crabs")
    path = tmp_path / "crabs.csv"
    table.to_frame("pandas").to_csv(path, index=False)
    wanted = describe("crabs").columns
    for data in (table, table.to_frame("pandas"), table.to_frame("pyarrow"), path, str(path)):
        assert describe(data).columns == wanted


MESSY = {
    "number": [1.0, None, float("nan"), float("inf"), 5.0, -float("inf")],
    "count": pa.array([1, 2, None, 2, 2, 9]),
    "nothing": pa.array([None] * 6, pa.float64()),
    "same": [7, 7, 7, 7, 7, 7],
    "word": ["b", None, "a", "a", "", "<i>"],
    "code": ["a", "b", "c", "d", "e", "f"],
    "flag": [True, False, None, True, True, None],
    "day": [date(2024, 2, 29), None, date(1969, 7, 20), date(2024, 1, 1), None, date(2000, 1, 1)],
    "time": pa.array([datetime(2024, 1, 1, 10, 30)] * 6, pa.timestamp("ns", tz="UTC")),
    "row": [10, 11, 15, 20, 21, 30],
}
KINDS = {"word": "categorical", "code": "categorical", "flag": "boolean", "day": "date", "time": "date"}


@pytest.mark.parametrize("size", [1, 2, 6])
def test_messy_columns(size: int) -> None:
    found = described(MESSY, size, **KINDS)
    number, count, nothing = found["number"], found["count"], found["nothing"]
    assert (number.missing, number.infinite, number.mean, number.maximum) == (2, 2, 3.0, 5.0)
    assert (count.missing, count.mean) == (1, 3.2)
    assert count.deviation == pytest.approx(statistics.stdev([1, 2, 2, 2, 9]))
    assert (nothing.missing, np.isnan(nothing.mean), np.isnan(nothing.maximum)) == (6, True, True)
    assert [(s.value, s.count, s.share) for s in found["word"].top] == [
        ("a", 2, 0.4),
        ("", 1, 0.2),
        ("<i>", 1, 0.2),
    ]
    assert (found["word"].distinct, found["word"].missing) == (4, 1)
    assert [(s.value, s.count) for s in found["flag"].top] == [("true", 3), ("false", 1)]
    assert (found["day"].earliest, found["day"].latest) == ("1969-07-20", "2024-02-29")
    assert found["time"].earliest == "2024-01-01T10:30:00Z"


@pytest.mark.parametrize("size", [1, 2, 6])
def test_warnings_name_what_is_odd(size: int) -> None:
    assert described(MESSY, size, **KINDS).warnings == (
        "column 'number' holds 2 infinite values, left out of its figures",
        "column 'nothing' has no values: all 6 are missing",
        "column 'same' is constant",
        "column 'time' is constant",
    )


@pytest.mark.parametrize("size", [1, 7, 25])
def test_columns_like_an_id_are_named_where_there_are_rows_enough(size: int) -> None:
    ids = {"code": [f"c{i}" for i in range(25)], "row": list(range(25)), "word": ["a", *"abcdefghijklmnopqrstuvwx"]}
    kinds = {"code": "categorical", "word": "categorical"}
    assert described(ids, size, **kinds).warnings == (
        "column 'code' has a different value in every row, like an id",
        "column 'row' has a different value in every row, like an id",
    )
    few = {name: values[2:12] for name, values in ids.items()}
    assert described(few, size, **kinds).warnings == ()


def test_to_dict_is_json_without_nan() -> None:
    text = json.dumps(described(MESSY, **KINDS).to_dict(), allow_nan=False)
    again = json.loads(text)
    assert again["rows"] == 6
    assert again["columns"][2]["mean"] is None
    assert again["columns"][0]["quantiles"]["0.5"] == 3.0


def test_html_is_escaped() -> None:
    found = described({"<b>&": [1.0], "w": ["<script>alert(1)</script>"]}, w="categorical")
    html = dataclasses.replace(found, title="<img>")._repr_html_()
    assert "<script>" not in html
    assert "<img>" not in html
    assert "&lt;b&gt;&amp;" in html
    assert "&lt;script&gt;" in html


def test_text_cannot_steer_the_terminal() -> None:
    text = str(described({"a\nb": [1.0], "w": ["\x1b[31mred\r"]}, w="categorical"))
    assert "\x1b" not in text
    assert "\r" not in text
    assert "a\\nb" in text


def test_long_texts_are_shortened_but_told_apart() -> None:
    long = "x" * 5000
    found = described({"w": [long + "1", long + "2", long + "1"]}, w="categorical")["w"]
    assert found.distinct == 2
    assert [(s.value, s.count) for s in found.top] == [("x" * 79 + "…", 2), ("x" * 79 + "…", 1)]


def test_no_rows_at_all() -> None:
    found = described({"a": pa.array([], pa.float64()), "w": pa.array([], pa.string())}, w="categorical")
    assert found.rows == 0
    assert found.warnings == ()
    assert "0 rows, 2 columns" in str(found)


def test_arrow_types_of_every_width() -> None:
    types: list[Any] = [pa.int8(), pa.uint64(), pa.float32(), pa.decimal128(25, 2)]
    columns = {str(t): pa.array([1, None, 3]).cast(t) for t in types}
    for column in described(columns).columns:
        assert (column.mean, column.missing, column.maximum) == (2.0, 1, 3.0)
    texts: dict[str, Any] = {
        str(t): pa.array(["a", None, "a"], t) for t in (pa.string(), pa.large_string(), pa.string_view())
    }
    texts["coded"] = pa.array(["a", None, "a"]).dictionary_encode()
    for column in described(texts, **dict.fromkeys(texts, "categorical")).columns:
        assert (column.distinct, column.missing, column.top[0].count) == (1, 1, 2)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6) | st.none(), max_size=40), st.integers(1, 9))
def test_any_cut_of_the_rows_gives_the_same_numbers(values: list[float | None], size: int) -> None:
    columns = {"a": pa.array(values, pa.float64())}
    whole, cut = described(columns, 100)["a"], described(columns, size)["a"]
    assert cut.quantiles == pytest.approx(whole.quantiles, nan_ok=True)
    assert cut.mean == pytest.approx(whole.mean, rel=1e-9, abs=1e-6, nan_ok=True)
    assert cut.deviation == pytest.approx(whole.deviation, rel=1e-9, abs=1e-6, nan_ok=True)
    assert cut.missing == whole.missing == sum(value is None for value in values)


def test_table_summaries_add_up() -> None:
    table = in_batches(MESSY, KINDS)
    parts = [TableSummary.of(chunk.X, table.schema) for chunk in table.chunks()]
    left, right = (parts[0] + parts[1]) + parts[2], parts[0] + (parts[1] + parts[2])
    wanted = str(description(summarise(table), "t"))
    for summary in (
        left,
        right,
        TableSummary.zero(table.schema) + left,
        left + TableSummary.zero(table.schema),
    ):
        assert str(description(summary, "t")) == wanted
    assert left.rows == 6


def test_column_summaries_survive_serialisation() -> None:
    number = NumberSummary.of(np.array([1.0, np.nan, 4.0]))
    assert NumberSummary.from_arrays(number.to_arrays()).quantiles.quantile(0.5) == 2.5
    words = CategorySummary.of(["a", "b", "a"])
    assert CategorySummary.from_arrays(words.to_arrays()).frequent.top(1) == [("a", 2)]


def test_the_number_of_threads_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    table = in_batches({"a": rng.normal(size=30_000), "w": rng.choice(["x", "y"], 30_000)}, {"w": "categorical"}, 7000)
    with threads(1):
        one = description(summarise(table), "t").to_dict()
    with threads(4):
        assert description(summarise(table), "t").to_dict() == one


def test_progress_is_reported_after_every_batch() -> None:
    class Listener(Observer):
        def __init__(self) -> None:
            self.heard: list[tuple[int, int | None]] = []

        def rows_read(self, rows: int, total: int | None) -> None:
            self.heard.append((rows, total))

    listener = Listener()
    with observe(listener):
        summarise(in_batches({"a": [1.0, 2.0, 3.0]}, {}, n_rows=3))
    assert listener.heard == [(2, 3), (3, 3)]


def test_memory_does_not_grow_with_the_rows() -> None:
    def read(ahead: bool) -> Iterator[Chunk]:
        rng = np.random.default_rng(0)
        for i in range(60):
            ids = [f"{'long ' * 40}{i} {j}" for j in range(5000)]
            yield Chunk(pa.record_batch({"x": rng.normal(size=5000), "id": pa.array(ids)}), start=5000 * i)

    tracemalloc.start()
    found = description(summarise(Table(Schema((Column("x"), Column("id", "categorical"))), "t", (read,))), "t")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6 + 3 * 8 * 300_000  # and hashes of two million rows at the most
    assert found.rows == 300_000
    assert found["x"].rank_error > 0
    assert "quantiles: off by at most" in str(found)
    assert not found["id"].exact
    assert found["id"].top == ()
    assert found.warnings == (
        "column 'id' holds free text (207 characters on average, hardly two alike), which is no category",
    )


@pytest.mark.parametrize("bad", [{"top": -1}, {"top": 1.5}, {"top": True}, {"quantiles": [2]}])
def test_bad_parameters(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        describe("iris", **bad)


@pytest.mark.parametrize("data", ["irsi", "no/such/file.csv", 7, None])
def test_bad_data(data: Any) -> None:
    with pytest.raises(SufficeError):
        describe(data)
