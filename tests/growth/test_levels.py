"""Trees on rows in files are those that grow in memory, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.backend.growth import CODES, MISSING, Coded, Draws, Limits, Targets, grow_coded
from suffice.data.scratch import Scratch
from suffice.growth.levels import Stored, grow_stored

pytestmark = pytest.mark.native
N, D = 1500, 5


def _table(rng):
    codes = rng.integers(0, 40, (D, N)).astype(np.uint8)
    codes[rng.random(codes.shape) < 0.05] = MISSING
    codes[0] = rng.integers(0, 6, N)
    return Coded(codes, np.arange(D) == 0, np.tile(np.arange(CODES, dtype=np.float64), (D, 1)))


def _stored(table, memory):
    scratch = Scratch("a test")
    codes = scratch.empty((N, D), np.uint8)
    codes[:] = table.codes.T
    return Stored(codes.T, table.categorical, table.values, scratch, memory)


def _targets(rng, table):
    weight = rng.integers(1, 4, N)
    y = rng.integers(-50, 50, N) + 30 * (table.codes[1] > 20) + 20 * (table.codes[0] % 2)
    code = rng.integers(0, 3, N) * (table.codes[2] > 9)
    yield Targets(np.column_stack([y * weight, weight]), y, 2, "squared", first_unit=0.5)
    yield Targets(np.column_stack([code > 0, weight]) * weight[:, None], code > 0, 2, "gini", classes=True)
    yield Targets(np.column_stack([code, weight]), code, 3, "entropy", classes=True, weight_unit=0.25)
    yield Targets(np.column_stack([y * weight, code * weight, weight]), y * 3 + code, 3, "squared")


LIMITS = [
    Limits(D),
    Limits(2, most_depth=6, least_leaf=3, of_tree=4),
    Limits(D, most_leaves=17, best_first=True),
    Limits(2, random_cuts=True, least_gain=1e-3),
]


@pytest.mark.parametrize("memory", [30_000, 120_000, 1 << 30], ids=["least", "little", "much"])
@pytest.mark.parametrize("limits", LIMITS, ids=["plain", "drawn", "best", "random"])
def test_trees_are_those_that_grow_in_memory(limits, memory):
    rng = np.random.default_rng(0)
    table = _table(rng)
    mass = np.cumsum(rng.integers(0, 3, N))
    for targets in _targets(rng, table):
        whole = {name: getattr(targets, name).astype(np.int64) for name in ("sums", "same")}
        targets = replace(targets, **whole)
        for draws in (Draws(np.array([3])), Draws(np.array([4, 5]), drawn=N, mass=mass)):
            wanted = grow_coded(table, targets, limits, draws, None, False)[0]
            with sf.threads(2):
                found = grow_stored(_stored(table, memory), targets, limits, draws)
            for name, value in vars(wanted).items():
                np.testing.assert_array_equal(getattr(found, name), value, err_msg=name)
                assert getattr(found, name).dtype == value.dtype, name
