"""The laws of statistics: they add up."""

from __future__ import annotations

import dataclasses
import pickle
from itertools import pairwise
from typing import Any

import numpy as np

from ..statistics import Statistic


def check_statistic(cls: type[Statistic], seed: int = 0, rtol: float = 1e-10) -> None:
    """Zero, associative, commutative, merge of empties, any split equals the whole, immutable, serialisable."""
    rng = np.random.default_rng(seed)
    rows = cls.example(rng, 60)
    whole, nothing = cls.of(*rows), cls.of(*_part(rows, 0, 0))
    _same(nothing + nothing, nothing, rtol, "the merge of two empties is empty")
    _same(nothing + whole, whole, rtol, "zero + s = s")
    _same(whole + nothing, whole, rtol, "s + zero = s")
    for cuts in ([1], [20, 45], [0, 0, 30], [59, 60], sorted(rng.integers(0, 61, 7).tolist())):
        edges = [0, *cuts, 60]
        parts = [cls.of(*_part(rows, a, b)) for a, b in pairwise(edges)]
        _same(_sum(parts), whole, rtol, f"cut at {cuts}, the parts add up to the whole")
        _same(_sum(parts[::-1]), whole, rtol, "the order of the parts does not matter")
    a, b, c = (cls.of(*_part(rows, *ends)) for ends in ((0, 17), (17, 31), (31, 60)))
    _same((a + b) + c, a + (b + c), rtol, "(a + b) + c = a + (b + c)")
    _check_frozen(whole)
    _same(cls.from_arrays(whole.to_arrays()), whole, 0, "from_arrays undoes to_arrays")
    _same(pickle.loads(pickle.dumps(whole)), whole, 0, "pickle keeps it")


def _part(rows: tuple[Any, ...], first: int, end: int) -> tuple[object, ...]:
    return tuple(column[first:end] for column in rows)


def _sum(parts: list[Any]) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _check_frozen(statistic: Any) -> None:
    name = dataclasses.fields(statistic)[0].name
    try:
        setattr(statistic, name, None)
    except dataclasses.FrozenInstanceError:
        return
    raise AssertionError(f"{type(statistic).__name__}.{name} can be set; a statistic is immutable")


def _same(left: Statistic, right: Statistic, rtol: float, law: str) -> None:
    mine, other = left.comparable(), right.comparable()
    assert mine.keys() == other.keys(), f"{type(left).__name__}: {law}: fields differ"
    for name in mine:
        a, b = mine[name], other[name]
        message = f"{type(left).__name__}: {law}: {name}"
        if a.dtype.kind in "fiub":
            scale = float(np.max(np.abs(b), initial=0.0))
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * scale, err_msg=message)
        else:
            np.testing.assert_array_equal(a, b, err_msg=message)
