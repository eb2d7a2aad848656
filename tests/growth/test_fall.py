"""Rows fall to the same leaves by codes of one byte, of two, and by their numbers."""

import numpy as np
import pytest

import suffice as sf
from suffice.backend.growth import native, portable

pytestmark = pytest.mark.native


def table(rng, n, d):
    X = rng.normal(size=(n, d))
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, np.nan_to_num(X[:, 0] * X[:, d // 2]) + np.nan_to_num(X[:, -1]) + rng.normal(size=n)


@pytest.mark.parametrize(
    ("model", "d", "bytes_of_node"),
    [
        (sf.RandomForestRegressor(4, min_samples_leaf=9, random_state=0), 6, 4),
        (sf.RandomForestRegressor(4, min_samples_leaf=9, random_state=0), 128, 4),
        (sf.RandomForestRegressor(4, min_samples_leaf=9, random_state=0), 129, 8),  # too many columns for a byte
        (sf.DecisionTreeRegressor(), 1, 8),  # too many thresholds
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_codes(rng, model, d, bytes_of_node, dtype):
    X, y = table(rng, 700, d)
    trees = model.fit(X[:, :d], y).trees_
    rows = table(rng, 8_011 if d < 100 else 3_001, d)[0].astype(dtype)
    rows[3], rows[4], rows[5] = np.inf, -np.inf, 0.0
    rows[6] = np.where(np.isnan(X[0]), 0, X[0])
    wanted = portable.leaves(rows[:200], trees.forest)
    by_number = native.leaves(rows[:3], trees.forest)
    assert np.array_equal(by_number, wanted[:3])
    codes = native.kernels().code_forest(*trees.forest.as_read(), 1)
    assert len(codes[0]) == bytes_of_node * len(trees.column)
    out = np.empty((len(rows), len(trees)), dtype=np.int64)
    native.kernels().fall_to_leaves(rows, *trees.forest.as_read(), *codes, out, 2)
    assert np.array_equal(out[:200], wanted)
    plain = np.empty_like(out)
    native.kernels().fall_to_leaves(rows, *trees.forest.as_read(), None, None, None, plain, 1)
    assert np.array_equal(out, plain)
