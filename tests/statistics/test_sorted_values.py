"""The values of a column: exact while few, bounded errors and memory beyond, whatever the cut."""

from functools import reduce
from operator import add

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from suffice.distributions import Laplace
from suffice.statistics import SortedValues, sorted_values

VALUES = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=60)


@given(VALUES, st.integers(0, 60))
def test_the_median_is_that_of_numpy_for_any_cut(values, cut):
    x = np.array(values)
    both = SortedValues.of(x[:cut]) + SortedValues.of(x[cut:])
    assert both.median() == np.median(x)
    assert both.distance(both.median()) == pytest.approx(np.abs(x - np.median(x)).sum())


@given(VALUES)
def test_weights_are_repetitions(values):
    x, w = np.array(values), np.arange(len(values)) % 3 + 1
    assert SortedValues.of(x, w).median() == np.median(np.repeat(x, w))


def test_rounding_does_not_decide_between_two_values():
    thirds = SortedValues.of(np.array([1.0, 1.0, 1.0, 2.0]), np.array([0.1, 0.2, 0.3, 0.6]))
    assert thirds.median() == 1.5


@pytest.mark.parametrize("chunks", [1, 7, 40])
def test_many_values_keep_the_bound(monkeypatch, rng, chunks):
    monkeypatch.setattr(sorted_values, "CAPACITY", 512)
    x = rng.lognormal(size=40_000)
    s = reduce(add, [SortedValues.of(part) for part in np.array_split(x, chunks)])
    assert not s.exact
    assert s.weight == pytest.approx(len(x))
    assert sum(len(level) for level in s.levels) <= 512 * len(s.levels)
    assert abs(np.mean(x <= s.median()) - 0.5) <= s.rank_error + 1 / len(x)
    assert s.rank_error < 0.06
    assert s.distance(1.0) == pytest.approx(np.abs(x - 1.0).sum(), rel=1e-4)


def test_a_location_beyond_the_capacity_is_nearly_as_likely(monkeypatch, rng):
    monkeypatch.setattr(sorted_values, "CAPACITY", 4096)
    X = rng.laplace(size=(60_000, 1))
    parts = [Laplace().statistic(part) for part in np.array_split(X, 9)]
    found = Laplace().mle(reduce(add, parts))
    best = Laplace(np.median(X), np.abs(X - np.median(X)).mean())
    assert found.log_prob(X).mean() == pytest.approx(best.log_prob(X).mean(), abs=1e-6)


def test_nothing_has_no_median():
    assert np.isnan(SortedValues.of(np.array([np.nan])).median())
