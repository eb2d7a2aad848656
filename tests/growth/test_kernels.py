"""The kernels of growth on more rows than the examples of operations have."""

import numpy as np
import pytest

from suffice.backend.growth import Coded, Draws, Limits, Targets, native, portable

pytestmark = pytest.mark.native


@pytest.mark.parametrize("criterion", ["squared", "gini"])
def test_nodes_of_few_and_many_rows_are_cut_alike(criterion):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 200, (3, 700)).astype(np.uint8)
    codes[2] //= 60  # ties
    y = rng.integers(0, 2, 700) if criterion == "gini" else rng.integers(-40, 40, 700) + codes[0] // 3
    weight = rng.integers(1, 3, 700)
    targets = Targets(np.column_stack([y * weight, weight]), y, 2, criterion, classes=criterion == "gini")
    table = Coded(codes, np.zeros(3, dtype=bool), np.tile(np.arange(256.0), (3, 1)))
    asked = (table, targets, Limits(3, most_depth=6, least_leaf=3), Draws(np.array([1])), None, False)
    found, wanted = (own.grow_coded(*asked)[0].comparable() for own in (native, portable))
    sizes = wanted["sums"][wanted["column"] >= 0, 1]
    assert sizes.max() > 256
    assert ((sizes > 50) & (sizes < 256)).any()
    assert (sizes < 30).any()
    for name, own in wanted.items():
        np.testing.assert_allclose(found[name], own, rtol=1e-10, err_msg=name)
