"""Quantiles of values with weights: those of repeated values."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from suffice.statistics.sorted_values import SortedValues

PAIRS = st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 4)), min_size=1, max_size=30)
SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=9)


@given(PAIRS, SHARES)
def test_weights_are_repetitions(pairs: list[tuple[int, int]], shares: list[float]) -> None:
    x, weight = np.array(pairs, dtype=np.float64).T
    found = SortedValues.of(x, weight).quantile(np.array(shares))
    if not weight.any():
        assert np.isnan(found).all()
        return
    expected = np.quantile(np.repeat(x, weight.astype(int)), shares)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@given(PAIRS, SHARES, st.sampled_from([0.125, 0.5]))
def test_small_weights_that_are_equal_do_not_matter(
    pairs: list[tuple[int, int]], shares: list[float], one: float
) -> None:
    x = np.unique(np.array(pairs, dtype=np.float64)[:, 0])
    found = SortedValues.of(x, np.full(len(x), one)).quantile(np.array(shares))
    np.testing.assert_allclose(found, np.quantile(x, shares), atol=1e-9)


@given(PAIRS, PAIRS)
def test_values_without_weights_weigh_one(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    x, y = (np.array(pairs, dtype=np.float64)[:, 0] for pairs in (one, other))
    x = np.append(x, [np.nan, -0.0, 0.0])
    together = SortedValues.of(x) + SortedValues.of(y)
    weighted = SortedValues.of(np.append(x, y), np.ones(len(x) + len(y)))
    for found, expected in zip(together.in_order(), weighted.in_order(), strict=True):
        np.testing.assert_array_equal(found, expected)
