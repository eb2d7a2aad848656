"""The same rows from any source, cut anywhere, give the same model."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import params
from ..estimator import Clusterer, Estimator
from ..typing import TableLike, TargetLike, WeightLike
from .results import assert_same, fresh, results

RTOL = 1e-8


def source_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for every kind of source; one whose package is missing is left out."""
    missing = left_out()
    for check in _packages():
        if check.__name__ not in missing and (check is not labels_and_inertia or issubclass(cls, Clusterer)):
            yield check.__name__, partial(check, cls)


def left_out() -> set[str]:
    """The names of the checks whose packages are missing."""
    return {check.__name__ for check, needed in _packages().items() if not all(map(_is_there, needed))}


def _packages() -> dict[Callable[[type[Estimator]], None], tuple[str, ...]]:
    return {
        frames: ("pandas",),
        parquet_files: ("pyarrow",),
        csv_file: ("pyarrow",),
        dask_arrays: ("dask",),
        dask_frames: ("dask", "pandas", "pyarrow"),
        labels_and_inertia: ("pandas", "pyarrow"),
    }


def labels_and_inertia(cls: type[Estimator]) -> None:
    """`labels_` are there for rows in memory, and are what `predict` gives wherever they are; `inertia_` always is."""
    from ..data.scan import scan

    rng = np.random.default_rng(12)
    X, _ = cls.example(rng, 150)
    weight = rng.integers(1, 3, len(X)).astype(float)
    inside, model = (fresh(cls).fit(X, sample_weight=weight) for _ in range(2))
    np.testing.assert_array_equal(inside.labels_, inside.predict(X))
    with tempfile.TemporaryDirectory() as folder:
        _frame(X, None, weight).to_parquet(f"{folder}/rows.parquet", row_group_size=40)
        source = scan(f"{folder}/rows.parquet", weight="weight")
        found = model.fit(source).predict(source)  # a model that has labels of an array
        np.testing.assert_array_equal(getattr(model, "labels_", found), found)
        np.testing.assert_array_equal(fresh(cls).fit_predict(source), found)
        if "inertia_" in params.attributes(cls):
            reads_in_order = "parquet_files" in cls.exemptions
            expected = -model.score(source) if reads_in_order else inside.inertia_
            np.testing.assert_allclose(model.inertia_, expected, rtol=RTOL)


def _is_there(package: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(package) is not None


def _example(cls: type[Estimator]) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(11)
    X, y = cls.example(rng, 150)
    weight = rng.integers(0, 3, 150).astype(float)
    return X, y, weight, results(fresh(cls).fit(X, y, sample_weight=weight), X)


def _columns(X: Any, y: TargetLike, weight: WeightLike) -> dict[str, Any]:
    columns = {f"column {j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])}
    return columns | ({} if y is None else {"target": y}) | {"weight": weight}


def _frame(X: TableLike, y: TargetLike, weight: WeightLike) -> Any:
    import pandas as pd

    return pd.DataFrame(_columns(X, y, weight))


def frames(cls: type[Estimator]) -> None:
    """A frame is its matrix with names; new rows as an array of the same columns are understood."""
    X, y, weight, expected = _example(cls)
    frame = _frame(X, None, weight).drop(columns="weight")
    model = fresh(cls).fit(frame, y, sample_weight=weight)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert_same(results(model, frame), expected, RTOL)


def _check_files(cls: type[Estimator], write: Callable[[Any, Path], str]) -> None:
    import pyarrow as pa

    from ..data.scan import scan

    X, y, weight, expected = _example(cls)
    with tempfile.TemporaryDirectory() as folder:
        pattern = write(pa.table(_columns(X, y, weight)), Path(folder))
        target = None if y is None else "target"
        source = scan(f"{folder}/{pattern}", target=target, weight="weight")
        model = fresh(cls).fit(source)
        assert_same(results(model, source), expected, RTOL)


def parquet_files(cls: type[Estimator]) -> None:
    """Three Parquet files of different lengths, in small row groups."""

    def write(table: Any, folder: Path) -> str:
        from pyarrow import parquet

        for name, first, count in (("a", 0, 7), ("b", 7, 1), ("c", 8, None)):
            parquet.write_table(table.slice(first, count), folder / f"{name}.parquet", row_group_size=50)
        return "*.parquet"

    _check_files(cls, write)


def csv_file(cls: type[Estimator]) -> None:
    """A CSV file, with as many digits as bring every double back."""

    def write(table: TableLike, folder: Path) -> str:
        from pyarrow import csv

        csv.write_csv(table, folder / "rows.csv")
        return "rows.csv"

    _check_files(cls, write)


def dask_arrays(cls: type[Estimator]) -> None:
    """Dask arrays cut unevenly."""
    import dask.array as da

    X, y, weight, expected = _example(cls)
    cuts = (40, 1, 109)
    pieces = [None if a is None else da.from_array(a, chunks=(cuts, *a.shape[1:])) for a in (X, y, weight)]
    model = fresh(cls).fit(pieces[0], pieces[1], sample_weight=pieces[2])
    assert_same(results(model, pieces[0]), expected, RTOL)


def dask_frames(cls: type[Estimator]) -> None:
    """A dask dataframe of several partitions."""
    import dask.dataframe as dd

    X, y, weight, expected = _example(cls)
    frame = dd.from_pandas(_frame(X, y, weight), npartitions=4)
    target = None if y is None else frame["target"]
    features = frame[[f"column {j}" for j in range(X.shape[1])]]
    model = fresh(cls).fit(features, target, sample_weight=frame["weight"])
    assert_same(results(model, features), expected, RTOL)
