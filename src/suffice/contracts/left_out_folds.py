"""Models that are a function of one summary: a fit to the sums of other folds is a fit to their rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ..data.source import Source
from ..estimator import Estimator, SummaryModel, Transformer
from ..resampling.fold_sums import FoldedRows
from ..typing import Labels, Reals, Whole
from .results import assert_same, fresh, results
from .sources import left_out

_FOLDS = 4
_RTOL = 1e-8


def left_out_fold_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for a model that is a function of one summary."""
    if issubclass(cls, Transformer) and (cls.row_by_row or cls._affine is not Transformer._affine):
        yield "steps_before_sums", partial(steps_before_sums, cls)
    if issubclass(cls, SummaryModel):
        yield "fits_without_folds", partial(fits_without_folds, cls)
        yield "fits_without_folds_of_missing_values", partial(fits_without_folds_of_missing_values, cls)
        if "parquet_files" not in left_out():
            yield "fits_without_folds_of_a_file", partial(fits_without_folds_of_a_file, cls)
        if "dask_arrays" not in left_out():
            yield "fits_without_folds_of_dask", partial(fits_without_folds_of_dask, cls)


def _table(cls: type[Estimator], n: int = 90) -> tuple[Reals, Labels | None, Reals, Whole]:
    """Rows, target, weights and folds."""
    rng = np.random.default_rng(51)
    X, y = cls.example(rng, n)
    return X, y, rng.integers(0, 4, n).astype(float), rng.permutation(np.arange(n) % _FOLDS)


def fits_without_folds(cls: type[Estimator]) -> None:
    """With and without weights; the rows of a fold are needed by nobody."""
    X, y, weight, fold = _table(cls)
    for own in (None, weight):
        source = fresh(cls).source_of(X, y, own)
        _compare(cls, source, X, y, own, fold, summed=True)


def fits_without_folds_of_missing_values(cls: type[Estimator]) -> None:
    """Of rows with missing cells, where the model takes them, perhaps by the rows themselves."""
    X, y, weight, fold = _table(cls)
    if cls().needs.missing:
        X = X.copy()
        X[np.random.default_rng(52).random(X.shape) < 0.05] = np.nan
        _compare(cls, fresh(cls).source_of(X, y, weight), X, y, weight, fold, summed=False)


def fits_without_folds_of_a_file(cls: type[Estimator]) -> None:
    """Of a Parquet file in small row groups."""
    import pyarrow as pa
    from pyarrow import parquet

    from ..data.scan import scan

    X, y, weight, fold = _table(cls)
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | ({} if y is None else {"y": y}) | {"w": weight}
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(pa.table(columns), f"{folder}/rows.parquet", row_group_size=31)
        found = scan(f"{folder}/rows.parquet", target=None if y is None else "y", weight="w")
        _compare(cls, fresh(cls).source_of(found), X, y, weight, fold, summed=True)


def fits_without_folds_of_dask(cls: type[Estimator]) -> None:
    """Of dask arrays cut unevenly."""
    import dask.array as da

    X, y, weight, fold = _table(cls)
    cuts = (40, 1, 49)
    pieces = [None if a is None else da.from_array(a, chunks=(cuts, *a.shape[1:])) for a in (X, y, weight)]
    _compare(cls, fresh(cls).source_of(*pieces), X, y, weight, fold, summed=True)


def steps_before_sums(cls: type[Transformer]) -> None:
    """A declared affine map is the transform; a map of each row by itself is the same whatever was learned from."""
    X = cls.example(np.random.default_rng(53), 40)[0]
    model = fresh(cls).fit(X)
    found = np.asarray(model.transform(X))
    affine = model._affine()
    if affine is not None:
        np.testing.assert_allclose(affine.of(X), found, rtol=1e-9, atol=1e-9 * np.abs(found).max())
    else:
        np.testing.assert_array_equal(fresh(cls).fit(X[::2]).transform(X), found)


def _compare(
    cls: type[Estimator], source: Source, X: Reals, y: Labels | None, weight: Reals | None, fold: Whole, summed: bool
) -> None:
    rows = FoldedRows(source, fold, _FOLDS)
    for out in range(_FOLDS):
        left, kept = rows.without(out), np.flatnonzero(fold != out)
        found = fresh(cls).fit_source(left)
        assert left.was_summed or not summed, f"{cls.__name__} took the rows of its folds again"
        own = {} if weight is None else {"sample_weight": weight[kept]}
        wanted = fresh(cls).fit(X[kept], None if y is None else y[kept], **own)
        assert_same(results(found, X), results(wanted, X), rtol=_RTOL)
