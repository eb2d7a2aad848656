"""Trees and forests from sources that take more than they may in memory: the same trees, and nothing left behind."""

import os
from pathlib import Path

import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.data import scratch
from suffice.errors import MemoryNeeded
from suffice.growth import levels

pytestmark = pytest.mark.native
N, LITTLE = 900, 20_000
MODELS = {
    "classes": sf.RandomForestClassifier(3, random_state=1, max_features=2),
    "weighted": sf.RandomForestClassifier(3, random_state=1, class_weight="balanced", max_depth=5),
    "best first": sf.RandomForestClassifier(2, random_state=1, max_leaf_nodes=12, bootstrap=False, max_samples=0.7),
    "extra": sf.ExtraTreesClassifier(2, random_state=1, max_features_of_tree=3),
    "numbers": sf.RandomForestRegressor(2, random_state=1, min_samples_leaf=5),
    "counts": sf.RandomForestRegressor(2, random_state=1, criterion="poisson", max_depth=4),
    "tree": sf.DecisionTreeClassifier(splitter="histogram", random_state=0),
    "tree of numbers": sf.DecisionTreeRegressor(splitter="histogram", min_impurity_decrease=1e-3),
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4)).round(2)
    X[rng.random(X.shape) < 0.05] = np.nan
    z = np.nan_to_num(X)
    y = np.digitize(z[:, 0] + z[:, 1] * z[:, 2] + rng.normal(size=N), [-1, 1])
    return X, y, rng.integers(0, 4, N).astype(float)


def assert_same(found, wanted):
    for name in ("starts", "column", "left", "threshold", "missing_left", "gain", "weight", "value"):
        np.testing.assert_array_equal(getattr(found.trees_, name), getattr(wanted.trees_, name), err_msg=name)


def _parquet(folder: Path, X, y, weight=None):
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y} | ({} if weight is None else {"w": weight})
    pq.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=170)
    return sf.scan(folder / "rows.parquet", target="y", weight=None if weight is None else "w")


@pytest.mark.parametrize("name", MODELS)
def test_the_trees_are_those_of_rows_in_memory(rows, name, tmp_path):
    X, y, weight = rows
    is_class = "Classifier" in type(MODELS[name]).__name__
    y = np.array(["low", "middle", "high"])[y] if is_class else y
    model = MODELS[name]
    for w in (None, weight):
        with sf.threads(1):
            wanted = clone(model).fit(X, y, w)
        with sf.threads(3):
            found = clone(model).set_params(memory=LITTLE).fit(_parquet(tmp_path, X, y, w))
        assert_same(found, wanted)
        if is_class:
            np.testing.assert_array_equal(found.classes_, wanted.classes_)


@pytest.mark.parametrize("kind", [sf.RandomForestClassifier, sf.RandomForestRegressor])
def test_answers_out_of_bag(rows, kind, tmp_path):
    X, y, weight = rows
    model = kind(12, random_state=1, oob_score=True, max_depth=6)
    for w in (None, weight):
        wanted = clone(model).fit(X, y, w)
        found = clone(model).set_params(memory=LITTLE).fit(_parquet(tmp_path, X, y, w))
        assert found.oob_score_ == wanted.oob_score_
        np.testing.assert_array_equal(found.oob_interval_, wanted.oob_interval_)
        name = "oob_decision_function_" if hasattr(wanted, "classes_") else "oob_prediction_"
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))


def test_from_dask_and_csv(rows, tmp_path):
    X, y, weight = rows
    wanted = clone(MODELS["classes"]).fit(X, y, weight)
    little = clone(MODELS["classes"]).set_params(memory=LITTLE)
    parts = (da.from_array(X, chunks=(211, 4)), da.from_array(y, chunks=211), da.from_array(weight, chunks=211))
    assert_same(little.fit(*parts), wanted)
    table = np.column_stack([X, y, weight])
    np.savetxt(tmp_path / "rows.csv", table, delimiter=",", header="a,b,c,d,y,w", comments="", fmt="%.17g")
    assert_same(little.fit(sf.scan(tmp_path / "rows.csv", target="y", weight="w", missing=["nan"])), wanted)


def test_files_are_used_and_have_no_names(rows, tmp_path, monkeypatch):
    X, y, _ = rows
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    seen, grow = [], levels.grow_coded

    def watched(table, *rest):
        seen.append(table.codes.shape[1])
        assert os.listdir(tmp_path / "scratch") == []
        if len(seen) >= 3:  # threads may add several at once
            raise KeyboardInterrupt
        return grow(table, *rest)

    source = _parquet(tmp_path, X, y)
    monkeypatch.setattr(levels, "grow_coded", watched)
    with pytest.raises(KeyboardInterrupt):
        clone(MODELS["classes"]).set_params(memory=LITTLE).fit(source)
    assert max(seen) < N / 4
    assert os.listdir(tmp_path / "scratch") == []


def test_a_disk_without_space_is_told(rows, tmp_path, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch.os, "posix_fallocate", full, raising=False)
    with pytest.raises(MemoryNeeded, match=r"nor into a temporary file \(No space left on device\)"):
        clone(MODELS["classes"]).set_params(memory=LITTLE).fit(_parquet(tmp_path, *rows[:2]))


@pytest.mark.parametrize(
    "model",
    [
        sf.RandomForestRegressor(monotonic_cst=[1, 0, 0, 0], memory=LITTLE),
        sf.DecisionTreeRegressor(splitter="histogram", criterion="absolute_error", memory=LITTLE),
        sf.RandomForestRegressor(3, criterion="absolute_error", memory=LITTLE),
        sf.DecisionTreeClassifier(splitter="histogram", ccp_alpha="cv", memory=LITTLE),
    ],
    ids=["monotone", "medians", "forest of medians", "folds"],
)
def test_what_needs_all_rows_in_memory_says_so(rows, model, tmp_path):
    with pytest.raises(MemoryNeeded, match=r"more than memory=20,000. Raise memory, or (set|take)"):
        model.fit(_parquet(tmp_path, *rows[:2]))


@pytest.mark.parametrize("memory", [LITTLE, 1 << 30], ids=["files", "codes"])
def test_boosting_of_trees_holds_codes_alone(rows, memory, tmp_path, monkeypatch):
    X, y, weight = rows
    labels = np.array(["low", "middle", "high"])[y]
    stump = sf.DecisionTreeClassifier(max_depth=2, splitter="histogram", memory=memory)
    numbers = sf.DecisionTreeRegressor(max_depth=2, splitter="histogram", memory=memory)
    for model, target in ((sf.AdaBoostClassifier(stump), labels), (sf.AdaBoostRegressor(numbers), y)):
        model.set_params(n_estimators=4, random_state=0)
        wanted = clone(model).fit(X, target, weight)
        with monkeypatch.context() as patched:
            patched.setattr("suffice.data.source.Source.gather", None)
            found = clone(model).fit(_parquet(tmp_path, X, target, weight))
        np.testing.assert_array_equal(found.estimator_weights_, wanted.estimator_weights_)
        np.testing.assert_array_equal(found.sample_weights_, wanted.sample_weights_)
        for one, other in zip(found.estimators_, wanted.estimators_, strict=True):
            assert_same(one, other)


@pytest.mark.parametrize(
    "model",
    [
        sf.BaggingClassifier(),
        sf.BaggingRegressor(),
        sf.AdaBoostClassifier(sf.GaussianNB()),
        sf.AdaBoostRegressor(sf.Ridge()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_rows_that_are_gathered_are_limited(rows, model, tmp_path):
    source = _parquet(tmp_path, np.nan_to_num(rows[0]), rows[1])
    with pytest.raises(MemoryNeeded, match=r"take 28,800 bytes, more than memory=20,000. Raise memory"):
        clone(model).set_params(memory=LITTLE).fit(source)
    clone(model).set_params(n_estimators=2).fit(source)
