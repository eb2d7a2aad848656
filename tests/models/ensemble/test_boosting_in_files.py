"""Gradient boosting from sources that take more than they may in memory: the same trees, and nothing left behind."""

import os

import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.data.scratch import Room
from suffice.errors import MemoryNeeded
from suffice.growth import levels, stored_rounds

pytestmark = pytest.mark.native
N, LITTLE = 900, 20_000
NUMBERS, CLASSES = sf.HistGradientBoostingRegressor, sf.HistGradientBoostingClassifier
SMALL = {"max_iter": 3, "random_state": 1, "memory": LITTLE}
MODELS = {
    "numbers": NUMBERS(min_samples_leaf=3, early_stopping=True, **SMALL),
    "drawn": NUMBERS(max_depth=4, max_leaf_nodes=None, subsample=0.6, max_features=0.5, **SMALL),
    "counts": NUMBERS("poisson", l2_regularization=0.5, **SMALL),
    "huber": NUMBERS("huber", max_leaf_nodes=5, **SMALL),
    "two classes": CLASSES(min_samples_leaf=3, class_weight="balanced", **SMALL),
    "three classes": CLASSES(max_leaf_nodes=6, early_stopping=True, **SMALL),
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4)).round(2)
    X[:, 3] = rng.integers(0, 6, N)
    X[rng.random(X.shape) < 0.05] = np.nan
    z = np.nan_to_num(X)
    y = np.digitize(z[:, 0] + z[:, 1] * z[:, 2] + z[:, 3] % 2 + rng.normal(size=N), [-1, 1])
    return X, y, rng.integers(0, 4, N).astype(float)


def _target(name, y):
    if "classes" not in name:
        return y
    return np.array(["low", "middle", "high"])[np.maximum(y, 1) if name == "two classes" else y]


def assert_same(found, wanted):
    for name in ("starts", "column", "left", "threshold", "missing_left", "gain", "weight", "value", "sets"):
        np.testing.assert_array_equal(getattr(found.trees_, name), getattr(wanted.trees_, name), err_msg=name)
    np.testing.assert_array_equal(found._baseline, wanted._baseline)
    assert found.n_iter_ == wanted.n_iter_


def _parquet(folder, X, y, weight=None):
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y} | ({} if weight is None else {"w": weight})
    pq.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=170)
    return sf.scan(folder / "rows.parquet", target="y", weight=None if weight is None else "w")


@pytest.mark.parametrize("name", MODELS)
def test_the_trees_are_those_of_rows_in_memory(rows, name, tmp_path, monkeypatch):
    X, y, weight = rows
    model, y = clone(MODELS[name]).set_params(categorical_features=[3]), _target(name, y)
    blocks = Room.blocks
    monkeypatch.setattr(Room, "blocks", lambda self, n, step=0: blocks(self, n, 250))
    for w in (None, weight, weight / 3):
        with sf.threads(1):
            wanted = clone(model).fit(X, y, w)
        with sf.threads(2):
            found = clone(model).fit(_parquet(tmp_path, X, y, w))
        assert_same(found, wanted)
        np.testing.assert_allclose(found.history_.objective, wanted.history_.objective, rtol=1e-12)


def test_from_dask_and_csv(rows, tmp_path):
    X, y, weight = rows
    model = MODELS["numbers"]
    wanted = clone(model).fit(X, y, weight)
    parts = (da.from_array(X, chunks=(211, 4)), da.from_array(y, chunks=211), da.from_array(weight, chunks=211))
    assert_same(clone(model).fit(*parts), wanted)
    table = np.column_stack([X, y, weight])
    np.savetxt(tmp_path / "rows.csv", table, delimiter=",", header="a,b,c,d,y,w", comments="", fmt="%.17g")
    source = sf.scan(tmp_path / "rows.csv", target="y", weight="w", missing=["nan"])
    assert_same(clone(model).fit(source), wanted)


def test_files_are_used_and_have_no_names(rows, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    seen, grow = [], levels.grow_boosted

    def watched(table, *rest):
        seen.append(table.codes.shape[1])
        assert os.listdir(tmp_path / "scratch") == []
        if len(seen) == 3:
            raise KeyboardInterrupt
        return grow(table, *rest)

    monkeypatch.setattr(levels, "grow_boosted", watched)
    with pytest.raises(KeyboardInterrupt):
        clone(MODELS["numbers"]).fit(_parquet(tmp_path, *rows[:2]))
    assert max(seen) < N / 4
    assert os.listdir(tmp_path / "scratch") == []


def test_an_interrupted_fit_has_the_rounds_before_and_goes_on_from_its_checkpoint(rows, tmp_path, monkeypatch):
    trees, grow = [], stored_rounds.grow_stored

    def watched(*given):
        if len(trees) == 2:
            raise KeyboardInterrupt
        trees.append(grow(*given))
        return trees[-1]

    found, source = clone(MODELS["numbers"]), _parquet(tmp_path, *rows[:2])
    monkeypatch.setattr(stored_rounds, "grow_stored", watched)
    with sf.checkpoint(tmp_path / "rounds", seconds=0), pytest.raises(KeyboardInterrupt):
        found.fit(source)
    assert (found.history_.status, found.n_iter_) == ("interrupted", 2)
    trees.clear()
    with sf.checkpoint(tmp_path / "rounds", seconds=0):
        found.fit(source)
    assert len(trees) == 1
    assert_same(found, clone(MODELS["numbers"]).fit(*rows[:2]))


def test_predictors_of_a_round_that_ends_early_are_those_before_it(rows, tmp_path, monkeypatch):
    """What is saved of a fit that is interrupted within a round must not hold half of it."""
    kept = []

    def interrupted(self, raw, to, nodes, value):
        kept.append((raw, raw.copy()))
        to[:10] = 7.0
        raise RuntimeError("in the middle")

    monkeypatch.setattr(stored_rounds.StoredRounds, "_move", interrupted)
    with pytest.raises(RuntimeError, match="in the middle"):
        clone(MODELS["numbers"]).fit(_parquet(tmp_path, *rows[:2]))
    np.testing.assert_array_equal(*kept[0])


@pytest.mark.parametrize(
    ("asked", "remedy"),
    [
        ({"monotonic_cst": [1, 0, 0, 0]}, "set monotonic_cst=None"),
        ({"interaction_cst": "pairwise"}, "set interaction_cst=None"),
        ({"loss": "absolute_error"}, "set another loss"),
        ({"scoring": None}, "set scoring='loss'"),
        ({"validation_fraction": None}, "set a validation_fraction"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_what_needs_all_rows_in_memory_says_so(rows, asked, remedy, tmp_path):
    with pytest.raises(MemoryNeeded, match=rf"more than memory=20,000. Raise memory, or {remedy}\."):
        clone(MODELS["numbers"]).set_params(**asked).fit(_parquet(tmp_path, *rows[:2]))
