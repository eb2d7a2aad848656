"""Memory is used again only when nobody can see it any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from suffice.data.memory_pool import empty

SHAPE = (123, 7)


@pytest.mark.parametrize("derive", [lambda a: a[5:], lambda a: a.T, lambda a: a.view(np.int64), lambda a: a.ravel()])
def test_a_view_keeps_its_memory(derive: Callable[[Any], Any]) -> None:
    array = empty(SHAPE, np.float64)
    view = derive(array)
    del array
    others = [empty(SHAPE, np.float64) for _ in range(20)]
    assert not any(np.shares_memory(view, other) for other in others)


def test_memory_that_nobody_sees_is_used_again() -> None:
    array = empty(SHAPE, np.float64)
    place = array.ctypes.data
    del array
    assert empty(SHAPE, np.float64).ctypes.data == place
    assert empty((3, 1), np.float32).shape == (3, 1)
    assert empty((4, 0), np.float64).shape == (4, 0)


def test_memory_begins_at_a_line_of_the_cache() -> None:
    assert [empty((rows, 3), np.float64).ctypes.data % 64 for rows in (5, 70, 40_000)] == [0, 0, 0]


def test_a_smaller_array_uses_the_memory_of_a_larger_one_and_leaves_it_whole() -> None:
    array = empty((1000, 7), np.float64)
    place = array.ctypes.data
    del array
    smaller = empty((400, 7), np.float64)
    assert smaller.ctypes.data == place
    del smaller
    assert empty((1000, 7), np.float64).ctypes.data == place
