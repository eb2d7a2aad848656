"""What forests take beside the table and the trees that they keep."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import suffice as sf
from suffice.backend.growth import Limits, Targets
from suffice.models.ensemble import bags, batches

pytestmark = pytest.mark.native

PEAK = """
import sys
import numpy as np
import suffice as sf
from suffice.models.ensemble import batches

trees, batches._JOINED = int(sys.argv[1]), int(sys.argv[2])

def told(name):
    with open("/proc/self/status") as lines:
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))

X = np.random.default_rng(0).normal(size=(60_000, 10))
y = X[:, 0] + X[:, 1] * X[:, 2]
sf.RandomForestRegressor(2, oob_score=True).fit(X[:500], y[:500])
before = told("VmRSS")
with sf.threads(2):
    trees = sf.RandomForestRegressor(trees, max_features=2, oob_score=True, random_state=0).fit(X, y).trees_
arrays = (trees.column, trees.left, trees.threshold, trees.missing_left, trees.gain, trees.weight, trees.value)
print((told("VmHWM") - before - sum(own.nbytes for own in arrays)) / X.nbytes)
"""


@pytest.mark.unsanitized  # whose kernels take memory of their own
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(("trees", "joined"), [(6, batches._JOINED), (16, 1 << 22)], ids=["one batch", "four batches"])
def test_a_forest_takes_little_beside_its_trees(trees, joined):
    command = [sys.executable, "-c", PEAK, str(trees), str(joined)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    assert float(done.stdout) < 3.0


def test_a_batch_is_of_so_many_trees_that_none_of_its_arrays_is_long():
    squared = Targets(np.zeros((1, 2), dtype=np.int64), np.zeros(1, dtype=np.int64), 2, "squared")
    rows = 100_000
    with sf.threads(2):
        deep = batches.trees_at_once(rows, Limits(tried=1), squared)
        shallow = batches.trees_at_once(rows, Limits(tried=1, most_depth=3), squared)
        few = batches.trees_at_once(rows, Limits(tried=1, least_leaf=rows / 4), squared)
        huge = batches.trees_at_once(10**9, Limits(tried=1), squared)
    assert deep * 2 * rows * 8 <= batches._JOINED < (deep + 2) * 2 * rows * 8
    assert shallow == few > deep
    assert huge == 2


def test_rows_out_of_bag_do_not_depend_on_how_many_trees_are_asked_at_once(monkeypatch):
    X = np.random.default_rng(0).normal(size=(300, 4))
    once = sf.RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, X[:, 0] * X[:, 1])
    monkeypatch.setattr(bags, "_NODES", 500)
    parts = sf.RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, X[:, 0] * X[:, 1])
    np.testing.assert_array_equal(parts.oob_prediction_, once.oob_prediction_)


def test_threads_without_room_for_their_rows_grow_the_same_trees():
    """Sixteen threads would hold more than the table; they read the targets of their rows in place."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200_000, 1))
    y = X[:, 0] + rng.normal(size=len(X))
    found = []
    for threads in (1, 16):
        with sf.threads(threads):
            found.append(sf.RandomForestRegressor(16, max_depth=4, random_state=0).fit(X, y).trees_)
    for name in ("column", "threshold", "value", "gain"):
        np.testing.assert_array_equal(*(getattr(trees, name) for trees in found))
