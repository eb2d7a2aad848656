"""Sums over subtrees: node by node where there are few, level by level where there are many."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.growth import pruning

pytestmark = pytest.mark.native


def test_sums_over_subtrees_are_the_same_either_way(monkeypatch):
    rng = np.random.default_rng(0)
    tree = sf.DecisionTreeRegressor().fit(rng.normal(size=(200, 3)), rng.normal(size=200)).trees_
    own = rng.normal(size=len(tree.left))
    few = pruning.subtree_sums(tree, own)
    monkeypatch.setattr(pruning, "_FEW", 0)
    np.testing.assert_array_equal(pruning.subtree_sums(tree, own), few)
    assert few[0] == pytest.approx(own.sum())
