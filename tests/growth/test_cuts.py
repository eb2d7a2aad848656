"""Where the columns of few rows are cut."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.growth.cuts import Cuts


@pytest.mark.parametrize("n", [1, 2, 5, 150, 255])
def test_few_rows_are_cut_as_by_weights_of_one(n):
    rng = np.random.default_rng(n)
    X = np.where(rng.random((n, 4)) < 0.5, rng.normal(size=(n, 4)).round(1), -0.0)
    X[:, 2] = 3.0
    found, wanted = Cuts.of_rows(X, None, {}), Cuts.of_rows(X, np.ones(n), {})
    for name in ("edges", "low", "high", "exact", "recode", "starts"):
        assert getattr(found, name).dtype == getattr(wanted, name).dtype
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
