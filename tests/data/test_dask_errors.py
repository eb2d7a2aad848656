"""Dask sources refuse in the words of tables in memory, and name the partition."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from suffice.data import Needs, as_source
from suffice.description import describe
from suffice.errors import InvalidData

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402

from dask_rows import ROWS, TARGET, WEIGHT, A, array, bad_array, sums  # noqa: E402


def test_bad_cells_are_named_by_their_row() -> None:
    with pytest.raises(InvalidData, match=r"^PCA: column 1, row 31 holds NaN"):
        as_source(bad_array(), needs=Needs("PCA")).reduce(sums)
    with pytest.raises(InvalidData, match="column 1, row 31 holds inf"):
        as_source(bad_array(np.inf)).map(lambda chunk: chunk.X).compute()
    unknown = bad_array()[da.from_array(np.arange(ROWS), chunks=10) >= 0]
    with pytest.raises(InvalidData, match="column 1, row 2 of partition 3 holds NaN"):
        as_source(unknown).reduce(sums)


def test_bad_targets_and_weights_are_named_by_their_partition() -> None:
    y = da.from_array(np.where(np.arange(ROWS) == 31, np.nan, 1), chunks=10)
    needs = Needs(target="numbers")
    with pytest.raises(InvalidData, match=r"y \(counted from row 30\), row 1 holds nan"):
        as_source(array((10, 3)), y, needs=needs).reduce(sums)
    with pytest.raises(InvalidData, match=r"sample_weight \(counted from row 30\) must be finite .* row 1"):
        as_source(array((10, 3)), None, y).reduce(sums)
    with pytest.raises(InvalidData, match="sample_weight is zero in every row"):
        as_source(array(), None, da.zeros(ROWS, chunks=13)).reduce(sums)


def test_text_cells_are_named() -> None:
    cells = np.array([[1, 2], [3, 4], [5, "six"]], dtype=object)
    with pytest.raises(InvalidData, match=r"column 1, row 0 holds 'six'.*\(counted from row 2\)"):
        as_source(da.from_array(cells, chunks=(1, 2))).reduce(sums)


def odd_partition(change: Callable[[Any], Any], at: int = 2, keep: Sequence[str] = ("a", "b", "t")) -> Any:
    """A dask frame of two columns of numbers and one of text, of which one partition is not what dask was told."""
    table = pd.DataFrame({"a": A[:, 0], "b": A[:, 1], "t": ["x", "y"] * 30})[list(keep)]
    parts = [table.iloc[i : i + 15] for i in range(0, ROWS, 15)]
    parts[at] = change(parts[at])
    meta = table.iloc[:0]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=meta, verify_meta=False)


ODD = {
    "text for numbers": (lambda p: p.assign(b=[f"n{i}" for i in range(15)]), r"'b' of partition 2 holds text.*'n0'"),
    "numbers for text": (lambda p: p.assign(t=np.arange(15)), r"'t' of partition 2 holds numbers.*holds text"),
    "reordered": (
        lambda p: p[["b", "a", "t"]],
        r"partition 2 has columns in another order: b, a, t",
    ),
    "renamed": (lambda p: p.rename(columns={"b": "c"}), r"partition 2 has columns .*a, c, t.* it has no column 'b'"),
    "fewer": (lambda p: p[["a", "t"]], r"partition 2 has columns .* it has no column 'b'"),
    "more": (lambda p: p.assign(z=1.0), r"partition 2 has columns that are not those of X: a, b, t, z"),
}


@pytest.mark.parametrize("case", ODD)
def test_a_partition_of_another_form_is_named(case: str) -> None:
    change, words = ODD[case]
    needs = Needs("PCA", categories=True)
    with dask.config.set({"dataframe.convert-string": False}):
        with pytest.raises(InvalidData, match=f"PCA: .*{words}"):
            as_source(odd_partition(change), needs=needs).reduce(sums)
        with pytest.raises(InvalidData, match=f"describe: .*{words}"):
            describe(odd_partition(change))


def test_chosen_columns_are_found_by_name_in_every_partition() -> None:
    """Columns that were selected stand in the order of the selection; one that a partition lacks is named."""
    numbers = ["a", "b"]
    whole = as_source(odd_partition(lambda p: p[["b", "a"]], keep=numbers), needs=Needs("PCA"))
    np.testing.assert_allclose(whole.suited_to(Needs("PCA"), ("b", "a")).reduce(sums).X, A[:, [1, 0]].sum(axis=0))
    lacking = as_source(odd_partition(lambda p: p[["a"]], keep=numbers), needs=Needs("PCA"))
    with pytest.raises(InvalidData, match=r"partition 2 has columns .* it has no column 'b'"):
        lacking.suited_to(Needs("PCA"), ("b", "a")).reduce(sums)


def misfits() -> Iterator[tuple[str, Callable[[], Any], str]]:
    X, needs = array(), Needs(target="numbers")
    masked = X[X[:, 1] > 0]
    split = dd.from_pandas(pd.DataFrame(A, columns=["a", "b", "c"]), npartitions=3)
    other = dd.from_pandas(pd.Series(TARGET, index=np.arange(ROWS) * 2), npartitions=3)
    short = da.ones(ROWS - 1, chunks=7)
    yield "length", lambda: as_source(X, short, needs=needs), "X has 60 rows but y has 59"
    yield "memory", lambda: as_source(X, TARGET[:-1], needs=needs), "X has 60 rows but y has 59"
    yield "weight", lambda: as_source(X, None, WEIGHT[:-1]), r"shape \(60,\); got shape \(59,\)"
    yield "count", lambda: as_source(masked, da.ones(60, chunks=30)), "X has 5 partitions but y has 2"
    yield "sizes", lambda: as_source(masked, TARGET), "y is in memory, but the sizes of the partitions of X"
    yield "index", lambda: as_source(split, other), "divided at different index values"
    yield "no y", lambda: as_source(X, needs=needs), "requires y to be passed"
    yield "name", lambda: as_source(split, "a", needs=needs), "y is in memory"
    yield "later", lambda: as_source(X, dask.delayed(TARGET), needs=needs), "y is a dask Delayed"
    yield "bag", lambda: as_source(dask.delayed(A)), "X is a dask Delayed"
    yield "series", lambda: as_source(split["a"]), "X is a dask Series"
    yield "one axis", lambda: as_source(X[:, 0]), "Expected 2D array"
    yield "columns", lambda: as_source(X[:, :0]), "X has no columns"
    rows = da.ones(ROWS, chunks=13)
    yield (
        "rows",
        lambda: as_source(masked, rows, needs=needs).reduce(sums),
        r"rows but y \(partition \d\) has \d",
    )


@pytest.mark.parametrize(("make", "message"), [pytest.param(*case[1:], id=case[0]) for case in misfits()])
def test_what_does_not_fit_together_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        make()


def test_a_value_that_was_not_there_before_is_named() -> None:
    split = dd.from_pandas(pd.DataFrame({"k": ["a", "b", "a", "b"]}), npartitions=2)
    source = as_source(split, needs=Needs(categories=True))
    other = dataclasses.replace(source, X=split.assign(k=split["k"].replace("b", "z")))
    with pytest.raises(InvalidData, match=r"column 'k' holds 'z'; known are a, b\. \(partition \d\)"):
        other.reduce(sums)
