"""`Frequent` against `collections.Counter`: exact while there is room, within the stated error beyond."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.statistics.frequent import Frequent

words = st.lists(st.text("abcdé", max_size=3), max_size=60)


def best(counter: Counter[str], k: int) -> list[tuple[str, int]]:
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:k]


@given(st.lists(words, max_size=5))
def test_exact_while_there_is_room(parts: list[list[str]]) -> None:
    summary = reduce(add, [Frequent.of(np.array(part, dtype=np.str_)) for part in parts], Frequent.zero())
    counter = Counter(word for part in parts for word in part)
    assert summary.exact
    assert summary.top(5) == best(counter, 5)
    assert summary.distinct == len(counter)
    assert summary.total == counter.total()


@given(st.lists(words, min_size=1, max_size=6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_beyond_its_capacity_within_the_stated_error(parts: list[list[str]], capacity: int, random: object) -> None:
    summaries = [Frequent.of(np.array(part, dtype=np.str_), capacity=capacity) for part in parts]
    while len(summaries) > 1:
        i = random.randrange(len(summaries) - 1)  # type: ignore[attr-defined]
        summaries[i : i + 2] = [summaries[i] + summaries[i + 1]]
    summary, counter = summaries[0], Counter(word for part in parts for word in part)
    kept = dict(summary.top(capacity + 1))
    assert len(kept) <= capacity
    assert summary.distinct <= len(counter)
    assert summary.error <= counter.total() / (capacity + 1)
    for word, count in counter.items():
        assert kept.get(word, 0) <= count <= kept.get(word, 0) + summary.error


def test_a_frequent_value_is_found_among_many_rare_ones() -> None:
    total = Frequent.zero()
    for i in range(50):
        rare = [f"rare {i} {j}" for j in range(5000)]
        total += Frequent.of([*rare, "often"], [1] * 5000 + [500])
    assert total.top(1)[0][0] == "often"
    assert 25_000 - total.error <= total.top(1)[0][1] <= 25_000
    assert not total.exact
    assert total.distinct >= 5001
    assert len(total.values) <= 1000


def test_ties_go_to_the_smaller_value_whatever_the_order() -> None:
    a, b = Frequent.of(["z", "m"], [2, 2]), Frequent.of(["a", "q"], [2, 1])
    assert (a + b).top(3) == (b + a).top(3) == [("a", 2), ("m", 2), ("z", 2)]


def test_repeated_and_unseen_values_are_summed() -> None:
    assert Frequent.of([3, 1, 3], [2, 0, 5]).top(9) == [(3, 7)]


def test_only_the_values_worth_keeping_are_looked_up() -> None:
    counts = np.array([1, 9, 1, 1])
    asked: list[int] = []

    def values_at(kept: np.ndarray) -> list[str]:
        asked.extend(kept.tolist())
        return [f"v{i}" for i in kept]

    assert Frequent.counted(counts, values_at, capacity=2).top(3) == [("v1", 8)]
    assert asked == [1]


@pytest.mark.parametrize("capacity", [1, 1000])
def test_survives_serialisation(capacity: int) -> None:
    summary = Frequent.of(["b", "a", "b"], capacity=capacity)
    again = Frequent.from_arrays(summary.to_arrays())
    assert (again.top(2), again.error, again.distinct) == (summary.top(2), summary.error, summary.distinct)
    assert (again + summary).total == 6
