"""What forests take beside the table and the trees that they keep."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import suffice as sf
from suffice.models.ensemble import bags

pytestmark = pytest.mark.native

PEAK = """
import numpy as np
import suffice as sf

def told(name):
    with open("/proc/self/status") as lines:
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))

X = np.random.default_rng(0).normal(size=(60_000, 10))
y = X[:, 0] + X[:, 1] * X[:, 2]
sf.RandomForestRegressor(2, oob_score=True).fit(X[:500], y[:500])
before = told("VmRSS")
with sf.threads(2):
    trees = sf.RandomForestRegressor(6, max_features=2, oob_score=True, random_state=0).fit(X, y).trees_
arrays = (trees.column, trees.left, trees.threshold, trees.missing_left, trees.gain, trees.weight, trees.value)
print((told("VmHWM") - before - sum(own.nbytes for own in arrays)) / X.nbytes)
"""


@pytest.mark.unsanitized  # whose kernels take memory of their own
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_forest_takes_little_beside_its_trees():
    done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True, env=os.environ)
    assert float(done.stdout) < 3.0


def test_rows_out_of_bag_do_not_depend_on_how_many_trees_are_asked_at_once(monkeypatch):
    X = np.random.default_rng(0).normal(size=(300, 4))
    once = sf.RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, X[:, 0] * X[:, 1])
    monkeypatch.setattr(bags, "_NODES", 500)
    parts = sf.RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, X[:, 0] * X[:, 1])
    np.testing.assert_array_equal(parts.oob_prediction_, once.oob_prediction_)
