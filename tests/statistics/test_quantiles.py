"""`Quantiles` against sorted data: every answer within the stated error, for any order and any merges."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from suffice.errors import InvalidParameter
from suffice.statistics.quantiles import CAPACITY, Quantiles

QS = np.linspace(0, 1, 41)
floats = st.floats(-1e9, 1e9, allow_nan=False)


def assert_within_error(summary: Quantiles, values: np.ndarray) -> None:
    """Each quantile lies between the values whose ranks are off by at most the stated error."""
    ranked = np.sort(values)
    n = len(ranked)
    error = round(summary.rank_error * (n - 1))
    lower, upper = (f(QS * (n - 1)).astype(int) for f in (np.floor, np.ceil))
    found = summary.at(QS.tolist())
    assert summary.count == n
    assert (ranked[np.maximum(lower - error, 0)] <= found).all()
    assert (found <= ranked[np.minimum(upper + error, n - 1)]).all()
    assert found[0] == summary.minimum == ranked[0]
    assert found[-1] == summary.maximum == ranked[-1]


def orders(n: int) -> dict[str, np.ndarray]:
    rising = np.arange(n, dtype=float)
    return {
        "sorted": rising,
        "reversed": rising[::-1],
        "organ pipe": np.concatenate([rising[::2], rising[1::2][::-1]]),
        "zigzag": np.where(np.arange(n) % 2, rising, -rising),
        "blocks": np.sort(rising.reshape(-1, CAPACITY // 8) % 977, axis=0).ravel(),
        "constant": np.full(n, 3.0),
        "random": np.random.default_rng(0).normal(size=n),
        "lumps": np.random.default_rng(1).integers(0, 5, n).astype(float),
    }


@pytest.mark.parametrize("order", list(orders(8192)))
@pytest.mark.parametrize("chunk", [1000, 65_536, 10**7])
def test_every_order_stays_within_the_stated_error(order: str, chunk: int) -> None:
    values = orders(40 * CAPACITY)[order]
    parts = [Quantiles.of(values[i : i + chunk]) for i in range(0, len(values), chunk)]
    summary = reduce(add, parts)
    assert 0 < summary.rank_error < 0.001
    assert_within_error(summary, values)


def test_the_error_stays_small_and_the_memory_bounded_for_many_values() -> None:
    values = np.random.default_rng(2).normal(size=1 << 20)
    one = Quantiles.of(values)
    many = reduce(add, [one] * 100)
    assert many.count == 100 << 20
    assert many.rank_error < 0.002
    assert all(len(level) <= CAPACITY for level in many.levels)
    assert len(many.levels) <= 6
    assert_within_error(one, values)


@given(arrays(float, st.integers(1, 300), elements=floats), st.floats(0, 1))
def test_exact_as_numpy_while_there_is_room(values: np.ndarray, q: float) -> None:
    summary = Quantiles.of(values)
    assert summary.exact
    assert summary.rank_error == 0
    assert summary.quantile(q) == np.quantile(values, q)


def test_exact_up_to_the_capacity_and_no_further() -> None:
    values = np.arange(CAPACITY + 1.0)
    assert Quantiles.of(values[:-1]).exact
    assert (Quantiles.of(values[:100]) + Quantiles.of(values[100:-1])).exact
    assert not Quantiles.of(values).exact


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 30_000), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_merges_of_any_shape(sizes: list[int], random: object) -> None:
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    pieces = [rng.exponential(size=size) + 5 * rng.integers(0, 3) for size in sizes]
    parts = [Quantiles.of(piece) for piece in pieces]
    while len(parts) > 1:
        i = random.randrange(len(parts) - 1)  # type: ignore[attr-defined]
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    values = np.concatenate(pieces)
    if len(values):
        assert_within_error(parts[0], values)


def test_a_tree_and_a_chain_agree_within_their_errors() -> None:
    values = np.random.default_rng(3).normal(size=(16, 20_000))
    parts = [Quantiles.of(row) for row in values]
    chain = reduce(add, parts)
    while len(parts) > 1:
        parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=True)]
    for summary in (chain, parts[0]):
        assert_within_error(summary, values.ravel())


def test_zero_is_neutral_and_nan_is_left_out() -> None:
    some = Quantiles.of(np.array([np.nan, 2.0, np.nan, 1.0]))
    for summary in (some, some + Quantiles.zero(), Quantiles.zero() + some, some + Quantiles.of([np.nan])):
        assert (summary.count, summary.minimum, summary.maximum) == (2, 1.0, 2.0)
    assert np.isnan(Quantiles.zero().quantile(0.5))
    assert Quantiles.of([]).count == 0


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint64, bool])
def test_all_types_of_numbers(dtype: type) -> None:
    values = np.random.default_rng(4).integers(0, 2, 30_000).astype(dtype)
    assert_within_error(Quantiles.of(values), values.astype(float))


def test_infinite_values_have_ranks_too() -> None:
    for middle in ([0.0], np.zeros(20_000)):
        summary = Quantiles.of(np.array([-np.inf, *middle, np.inf]))
        assert [summary.quantile(q) for q in (0, 0.5, 1)] == [-np.inf, 0.0, np.inf]
    assert Quantiles.of([-1.5e308, 0, 1.5e308]).quantile(0.5) == 0


def test_the_summary_keeps_nothing_of_the_array_it_was_made_from() -> None:
    values = np.array([1.0, 2.0, 3.0])
    summary = Quantiles.of(values)
    values[:] = 9
    assert summary.quantile(0.5) == 2
    with pytest.raises(ValueError, match="read-only"):
        summary.levels[0][0] = 7


def test_survives_serialisation() -> None:
    summary = Quantiles.of(np.arange(50_000))
    again = Quantiles.from_arrays(summary.to_arrays())
    assert again.at([0.1, 0.5]).tolist() == summary.at([0.1, 0.5]).tolist()
    assert (again.count, again.rank_error) == (summary.count, summary.rank_error)
    assert (again + summary).count == 100_000


@pytest.mark.parametrize("q", [-0.1, 1.1, float("nan")])
def test_a_share_outside_0_to_1_is_refused(q: float) -> None:
    with pytest.raises(InvalidParameter, match="at least 0, at most 1"):
        Quantiles.of([1.0]).quantile(q)
