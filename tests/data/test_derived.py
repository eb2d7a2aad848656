"""Sources mapped, filtered, gathered, cut and sampled: the same rows from arrays, files and Dask."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.contracts import check_source
from suffice.contracts.source_laws import example_rows
from suffice.data import Chunk, Needs, Schema, as_source
from suffice.data.schema import Column
from suffice.errors import InvalidData, MemoryNeeded
from suffice.observing import Observer, observe

NEEDS = Needs("Laws", target="numbers", missing=True)
NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def table():
    return tuple(example_rows(np.random.default_rng(5)))


def frame_of(table):
    X, y, weight = table
    return pd.DataFrame(X, columns=NAMES).assign(y=y, w=weight)


def array(table, folder):
    return as_source(*table, needs=NEEDS)


def frame(table, folder):
    return as_source(frame_of(table)[NAMES], table[1], table[2], needs=NEEDS)


def csv(table, folder):
    frame_of(table).to_csv(folder / "rows.csv", index=False, float_format="%.17g")
    return sf.scan(folder / "rows.csv", target="y", weight="w")


def parquet(table, folder):
    whole = frame_of(table)
    whole[:90].to_parquet(folder / "a.parquet", row_group_size=20)
    whole[90:].to_parquet(folder / "b.parquet", row_group_size=20)
    return sf.scan(folder / "*.parquet", target="y", weight="w")


def dask_array(table, folder):
    cuts = (40, 1, 109)
    return as_source(*(da.from_array(a, chunks=(cuts, *a.shape[1:])) for a in table), needs=NEEDS)


def dask_frame(table, folder):
    whole = dd.from_pandas(frame_of(table), npartitions=4)
    return as_source(whole[NAMES], whole["y"], whole["w"], needs=NEEDS)


KINDS = [array, frame, csv, parquet, dask_array, dask_frame]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_laws(kind, table, tmp_path):
    check_source(kind(table, tmp_path), *table)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_laws_hold_for_derived_sources(kind, table, tmp_path):
    X, y, weight = table
    kept = X[:, 1] > -1
    source = kind(table, tmp_path).suited_to(NEEDS).filtered(lambda chunk: chunk.X[:, 1] > -1)
    check_source(source.mapped(lambda chunk: chunk), X[kept], y[kept], weight[kept], np.flatnonzero(kept))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_samples_are_the_same_rows_from_everywhere(kind, table, tmp_path):
    here, there = array(table, tmp_path).sample(20, 1), kind(table, tmp_path).suited_to(NEEDS).sample(20, 1)
    np.testing.assert_array_equal(here.X, there.X)
    np.testing.assert_array_equal(here.y, there.y)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_models_learn_from_derived_sources(kind, table, tmp_path):
    X, y, weight = table
    source = kind(table, tmp_path).suited_to(NEEDS)
    columns = Schema((Column("square"), Column("b")))
    derived = source.filtered(lambda chunk: chunk.y > 0).mapped(
        lambda chunk: Chunk(np.column_stack([chunk.X[:, 0] ** 2, chunk.X[:, 1]]), chunk.y, chunk.weight), columns
    )
    rows = np.column_stack([X[:, 0] ** 2, X[:, 1]])[y > 0]
    expected = sf.LinearRegression().fit(rows, y[y > 0], sample_weight=weight[y > 0])
    model = sf.LinearRegression().fit(derived)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(model.predict(derived)), expected.predict(rows), rtol=1e-9)
    assert list(model.feature_names_in_) == ["square", "b"]
    assert model.score(derived) == pytest.approx(expected.score(rows, y[y > 0], weight[y > 0]))


def test_a_filter_may_drop_what_a_model_cannot_use(tmp_path):
    path = tmp_path / "missing.csv"
    path.write_text("kind,x\nfish,1\nbird,\nfish,3\n")
    whole = sf.scan(path)
    with pytest.raises(InvalidData, match="'kind' is categorical"):
        sf.PCA().fit(whole)
    numbers = whole.mapped(lambda chunk: Chunk(chunk.X[:, 1:]), Schema((Column("x"),)))
    with pytest.raises(InvalidData, match=r"PCA: column 'x', row 2 of .*missing\.csv holds NaN"):
        sf.PCA().fit(numbers)
    assert sf.StandardScaler().fit(numbers.filtered(lambda chunk: ~np.isnan(chunk.X[:, 0]))).mean_ == [2.0]


def test_a_filter_by_the_target_that_the_model_does_not_need(tmp_path):
    path = tmp_path / "kinds.csv"
    path.write_text("kind,x\nfish,1\nbird,9\nfish,3\n")
    fish = sf.scan(path, target="kind").filtered(lambda chunk: chunk.y == "fish")
    assert (fish.count(), fish.gather().y.tolist()) == (2, ["fish", "fish"])
    assert sf.StandardScaler().fit(fish).mean_ == [2.0]
    assert sf.StandardScaler().fit(fish).transform(fish).ravel().tolist() == [-1.0, 1.0]


def test_a_table_too_large_is_refused_before_it_is_read(table, tmp_path):
    class Reads(Observer):
        def rows_read(self, rows, total):
            raise AssertionError("rows were read")

    sources = {"about ": csv(table, tmp_path), "": parquet(table, tmp_path)}
    with observe(Reads()):
        for words, source in sources.items():
            with pytest.raises(MemoryNeeded, match=rf"Suffice needs all rows at once, and those of .* take {words}\d"):
                source.gather(limit=1000)
    needed = 150 * 4 * 8
    with pytest.raises(MemoryNeeded, match=f"take {needed:,} bytes, more than memory=100. Raise memory, or pray"):
        sources[""].gather(limit=100, instead="pray")


def test_rows_of_partitions_are_changed_by_the_workers(table):
    """The rows that are left are summed up where they lie: nothing but summaries comes back."""
    import dask

    seen = []

    class Watch(dask.callbacks.Callback):
        def _posttask(self, key, value, dsk, state, worker_id):
            seen.append(value)

    source = dask_array(table, None).filtered(lambda chunk: chunk.y == 1).mapped(lambda chunk: chunk)
    with Watch(), dask.config.set(scheduler="sync"):
        total = source.reduce(lambda chunk: float(chunk.X.sum()))
    assert total == pytest.approx(table[0][table[1] == 1].sum())
    assert not any(isinstance(value, Chunk) for value in seen)


def test_an_interrupt_ends_the_reading(table, tmp_path):
    class CtrlC(Observer):
        def rows_read(self, rows, total):
            raise KeyboardInterrupt

    source = csv(table, tmp_path).filtered(lambda chunk: chunk.X[:, 0] > 0).mapped(lambda chunk: chunk)
    for ask in (lambda: source.reduce(len), source.gather, lambda: list(source.batches(5)), lambda: source.sample(5)):
        with observe(CtrlC()), pytest.raises(KeyboardInterrupt):
            ask()
    assert source.count() == int((table[0][:, 0] > 0).sum())


def test_sparse_rows(monkeypatch):
    import scipy.sparse

    from suffice.data import sampling

    monkeypatch.setattr(sampling, "_BLOCK_CELLS", 40)  # many blocks
    X = np.random.default_rng(0).poisson(0.7, (50, 4)).astype(float)
    dense, sparse = as_source(X), as_source(scipy.sparse.csr_array(X), needs=Needs(sparse=True))
    np.testing.assert_array_equal(sparse.sample(9, 1).X.toarray(), dense.sample(9, 1).X)
    kept = sparse.filtered(lambda chunk: np.asarray(chunk.X.sum(axis=1)).ravel() > 2)
    np.testing.assert_array_equal(kept.gather().X.toarray(), X[X.sum(axis=1) > 2])
    assert [batch.X.shape for batch in sparse.batches(20)] == [(20, 4), (20, 4), (10, 4)]
    np.testing.assert_array_equal(sparse.mapped(lambda chunk: Chunk(2 * chunk.X)).gather().X.toarray(), 2 * X)
