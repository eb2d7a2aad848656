"""Trees in model files: whatever is in one, loading and using it reads no memory but its own."""

import io
import time
from functools import partial

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.contracts.model_files import changes, check_harmless, npy, pack, unpacked
from suffice.errors import InvalidModelFile
from suffice.growth import Trees


def table(n=300):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"x": rng.normal(size=n), "kind": rng.choice([f"k{i}" for i in range(70)], n), "z": rng.normal(size=n)}
    )
    return X.mask(rng.random(X.shape) < 0.1), X["x"] * 2 + (X["kind"] < "k4") + rng.normal(size=n) / 4


def use(model, X):
    """Everything that reads trees."""
    model.predict(X)
    model.apply(X)
    model.decision_path(X)
    model.contributions(X)
    model.rules().text()
    model.rules().newick()
    assert len(model.feature_importances_) == 3


def hostile(array, rng):
    """An array with some of its cells replaced by what no tree has, or by what stands elsewhere in it."""
    yield from changes(array)
    if not array.size or array.dtype.kind not in "iufb":
        return
    for _ in range(25):
        changed = array.copy()
        at = rng.integers(0, array.size, 3)
        if array.dtype.kind == "b":
            changed.flat[at] ^= True
        elif array.dtype.kind in "iu":
            limits = np.iinfo(array.dtype)
            few = [
                0,
                1,
                2,
                63,
                64,
                int(array.max()),
                min(int(array.max()) + 1, limits.max),
                limits.max // 2,
                limits.max,
                limits.min,
            ]
            changed.flat[at] = np.array([rng.choice(np.array(few, dtype=object)) for _ in at], dtype=object).astype(
                array.dtype
            )
        else:
            changed.flat[at] = rng.choice([0.0, -1.0, 0.5, 1e300, -1e300, np.inf, -np.inf, np.nan, 2.0**53, 64.0], 3)
        yield "with odd cells", changed
    yield "in another order", rng.permutation(array)


@pytest.mark.parametrize("target", ["numbers", "classes"])
def test_damaged_fields_do_no_harm(target, tmp_path):
    X, y = table()
    y = y if target == "numbers" else np.digitize(y, [0, 1])
    model = (sf.DecisionTreeRegressor if target == "numbers" else sf.DecisionTreeClassifier)(max_depth=6).fit(X, y)
    path, rng = tmp_path / "tree.sff", np.random.default_rng(1)
    sf.save(model, path)
    use(sf.load(path), X)
    members = unpacked(path)
    refused = 0
    for name in sorted(members.keys() - {"model.json"}):
        for change, array in hostile(np.load(io.BytesIO(members[name])), rng):
            pack({**members, name: npy(array)}, path)
            check_harmless(path, type(model), partial(use, X=X[:20]), f"{name} {change}")
            refused += _is_refused(path)
    assert refused > 50


def _is_refused(path):
    try:
        sf.load(path)
    except InvalidModelFile:
        return True
    return False


@pytest.mark.parametrize("kind", ["numbers", "classes", "weighted"])
def test_files_are_compact_and_hold_every_bit(kind, tmp_path):
    X, y = table(2000)
    weight = np.random.default_rng(2).random(len(X)) if kind == "weighted" else None
    if kind == "numbers":
        model = sf.RandomForestRegressor(20, random_state=0).fit(X, y)
    else:
        model = sf.RandomForestClassifier(20, bootstrap=False, random_state=0).fit(X, np.digitize(y, [0, 1]), weight)
    path = tmp_path / "forest.sff"
    sf.save(model, path)
    again = sf.load(path).trees_
    plain = 0
    for name in Trees.holds:
        one, other = getattr(model.trees_, name), getattr(again, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
        plain += one.nbytes
    share = {"numbers": 0.65, "classes": 0.45, "weighted": 0.85}[kind]
    assert path.stat().st_size < share * plain


def test_a_forest_of_500_trees_loads_soon(tmp_path):
    X, y = table(1000)
    tree = sf.DecisionTreeClassifier().fit(X, np.digitize(y, [0, 1]))
    forest = sf.RandomForestClassifier(1, random_state=0).fit(X, np.digitize(y, [0, 1]))
    forest.trees_ = Trees.joined([tree.trees_] * 500)
    sf.save(forest, tmp_path / "forest.sff")
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        again = sf.load(tmp_path / "forest.sff")
        seconds.append(time.perf_counter() - began)
    assert len(again.trees_) == 500
    assert min(seconds) < 1.0


def test_nodes_with_two_parents_are_refused(tmp_path):
    X, y = table()
    model = sf.DecisionTreeRegressor(max_depth=3).fit(X, y)
    path = tmp_path / "tree.sff"
    left = model.trees_.left
    inner = np.flatnonzero(left >= 0)
    left[inner[1]] = left[inner[2]]
    with pytest.raises(sf.errors.InvalidParameter, match="every node but the roots must have one parent"):
        sf.save(model, path)
