"""Folds of rows in files and Dask collections: the answers of the same rows in memory."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.data import as_source
from suffice.errors import InvalidData, InvalidParameter
from suffice.resampling import Folds

RNG = np.random.default_rng(4)
X = RNG.normal(size=(300, 3)) + 2
NUMBERS = X @ [1.0, -2.0, 0.5] + RNG.normal(size=300)
CLASSES = np.array(["ant", "bee", "cat"])[np.digitize(NUMBERS, [-2, 0])]
WEIGHT = RNG.integers(1, 4, 300).astype(float)
FRAME = pd.DataFrame(X, columns=list("abc")).assign(y=NUMBERS, kind=CLASSES, w=WEIGHT)
CASES = [(sf.Ridge(2.0), "y", NUMBERS), (sf.GaussianNB(), "kind", CLASSES),
         (sf.LinearDiscriminantAnalysis(), "kind", CLASSES)]  # fmt: skip


@pytest.fixture
def parquet(tmp_path):
    FRAME.to_parquet(tmp_path / "rows.parquet", row_group_size=70)
    return tmp_path / "rows.parquet"


def check_same(found, wanted):
    assert all(fold.shared for fold in found.folds)
    for own, other in zip(found.folds, wanted.folds, strict=True):
        np.testing.assert_array_equal(own.test, other.test)
        np.testing.assert_array_equal(own.train, other.train)
        if own.probability is not None:
            np.testing.assert_allclose(own.probability, other.probability, rtol=1e-8, atol=1e-12)
    for name, scores in wanted.scores.items():
        np.testing.assert_allclose(found.scores[name], scores, rtol=1e-8, err_msg=name)
    assert str(found).splitlines()[2:] == str(wanted).splitlines()[2:]


@pytest.mark.parametrize(("model", "target", "y"), CASES)
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("splits", [5, Folds(3, repeats=2)])
def test_a_file(parquet, model, target, y, weight, splits):
    source = sf.scan(parquet, columns=["a", "b", "c"], target=target, weight=weight)
    found = sf.evaluate(model, source, splits=splits, refit=True)
    weighted = None if weight is None else WEIGHT
    wanted = sf.evaluate(model, FRAME[["a", "b", "c"]], y, splits=splits, sample_weight=weighted, refit=True)
    check_same(found, wanted)
    assert list(found.models[0].feature_names_in_) == ["a", "b", "c"]
    rows = FRAME[["a", "b", "c"]][:5]
    assert np.array_equal(found.final.predict(rows), wanted.final.predict(rows)) or y is NUMBERS


@pytest.mark.parametrize(("model", "target", "y"), CASES)
def test_dask_arrays(model, target, y):
    cuts = (100, 1, 199)
    pieces = [da.from_array(a, chunks=(cuts, *a.shape[1:])) for a in (X, y, WEIGHT)]
    found = sf.evaluate(model, pieces[0], pieces[1], sample_weight=pieces[2], splits=4)
    check_same(found, sf.evaluate(model, X, y, sample_weight=WEIGHT, splits=4))


def test_a_csv_file_and_groups(tmp_path):
    FRAME[["a", "b", "c", "y"]].to_csv(tmp_path / "rows.csv", index=False)
    groups = np.arange(300) // 10
    found = sf.evaluate(sf.Ridge(), sf.scan(tmp_path / "rows.csv", target="y"), groups=groups, splits=5)
    check_same(found, sf.evaluate(sf.Ridge(), X, NUMBERS, groups=groups, splits=5))


def test_rows_in_memory_as_a_source():
    found = sf.evaluate(sf.Ridge(), as_source(X, NUMBERS, needs=sf.Ridge()._fit_needs()), splits=5)
    check_same(found, sf.evaluate(sf.Ridge(), X, NUMBERS, splits=5))


def test_a_file_is_read_three_times_or_four(parquet, monkeypatch):
    from suffice.data.file_source import FileSource

    reads = []
    plain = FileSource.chunks
    monkeypatch.setattr(FileSource, "chunks", lambda self: reads.append(1) or plain(self))
    sf.evaluate(sf.Ridge(), sf.scan(parquet, columns=["a", "b", "c"], target="y"), splits=10, measures="rmse")
    assert len(reads) <= 4  # target, weights, sums, answers


def test_what_needs_rows_in_memory_says_so(parquet, tmp_path):
    source = sf.scan(parquet, columns=["a", "b", "c"], target="y")
    with pytest.raises(InvalidData, match="must be in memory"):
        sf.evaluate(sf.KNeighborsRegressor(), source)
    with pytest.raises(InvalidData, match=r"left out by folds .* Use splits=5"):
        sf.evaluate(sf.Ridge(), source, splits="monte_carlo")
    with pytest.raises(InvalidParameter, match="search needs rows in memory"):
        sf.evaluate(sf.Ridge(), source, search={"alpha": [1.0, 2.0]})
    with pytest.raises(InvalidParameter, match="train=True needs rows in memory"):
        sf.evaluate(sf.Ridge(), source, train=True)
    with pytest.raises(InvalidParameter, match="journal needs rows in memory"):
        sf.evaluate(sf.Ridge(), source, journal=tmp_path / "journal")
    frame = da.from_array(X, chunks=(100, 3)).to_dask_dataframe(columns=list("abc"))
    with pytest.raises(InvalidData, match="do not say which rows they hold"):
        sf.evaluate(sf.Ridge(), frame[["a", "b"]], frame["c"], splits=5)


def test_a_fold_that_fails_is_kept_or_raised(parquet):
    class Picky(sf.Ridge):
        def solve(self, summary):
            if summary.moments.mean[0] > X[:, 0].mean():
                raise ValueError("too much")
            return super().solve(summary)

    source = sf.scan(parquet, columns=["a", "b", "c"], target="y")
    kept = sf.evaluate(Picky(), source, splits=5, on_error="keep", measures="rmse")
    assert 0 < len(kept.failed) < 5
    assert np.isnan(kept.scores["rmse"]).sum() == len(kept.failed)
    with pytest.raises(InvalidData, match=r"Picky failed in fold . of 5.*too much"):
        sf.evaluate(Picky(), source, splits=5)
