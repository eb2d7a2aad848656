"""Values at given places of the sorted order, against a sort."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.statistics.order_statistics import order_statistics

RNG = np.random.default_rng(0)
N = 50_000
COLUMNS = {
    "any": RNG.normal(size=N),
    "single precision": RNG.exponential(size=N).astype(np.float32),
    "few values": RNG.integers(0, 4, N).astype(float),
    "constant": np.zeros(N),
    "sorted": np.arange(float(N)),
    "periodic, so that the sample is wrong": np.where(np.arange(N) % 9 == 0, 1e6 + np.arange(N), np.arange(float(N))),
    "small": RNG.normal(size=100),
    "one": np.ones(1),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_as_a_sort_finds_them(name: str) -> None:
    x = COLUMNS[name]
    for ranks in (np.array([0, len(x) - 1]), np.array([len(x) // 2]), np.sort(RNG.integers(0, len(x), 9))):
        found = order_statistics(x, ranks)
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(found, np.sort(x)[ranks])
