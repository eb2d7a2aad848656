"""The laws of statistics: they add up."""

from __future__ import annotations

import dataclasses
import pickle
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from ..statistics import Affine, Statistic

S = TypeVar("S", bound=Statistic)


def check_statistic(cls: type[Statistic], seed: int = 0, rtol: float = 1e-10) -> None:
    """Zero, associative, commutative, merge of empties, any split equals the whole, immutable, serialisable.

    Where it says what it is after an affine map of the rows, that is the statistic of the mapped rows.
    """
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
    _check_after(cls, rows, rtol)
    _same(cls.from_arrays(whole.to_arrays()), whole, 0, "from_arrays undoes to_arrays")
    _same(pickle.loads(pickle.dumps(whole)), whole, 0, "pickle keeps it")


def _part(rows: tuple[Any, ...], first: int, end: int) -> tuple[object, ...]:
    return tuple(column[first:end] for column in rows)


def _sum(parts: list[S]) -> S:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _check_after(cls: type[Statistic], rows: tuple[Any, ...], rtol: float) -> None:
    if cls.after is Statistic.after:
        return
    X, rng = rows[0], np.random.default_rng(1)
    d = X.shape[1]
    by_column = Affine(rng.uniform(0.5, 2, d), rng.normal(size=d))
    fewer = Affine(rng.normal(size=(d, d - 1)), rng.normal(size=d - 1))
    found = [(change, cls.of(*rows).after(change)) for change in (by_column, fewer, by_column.then(fewer))]
    assert found[0][1] is not None, f"{cls.__name__}: a map of single columns changes what is summed up of them"
    for change, own in found:
        if own is not None:
            _same(own, cls.of(change.of(X), *rows[1:]), 100 * rtol, "what is summed up of mapped rows")
    assert cls.of(*rows).after(Affine(np.ones(d + 1), np.zeros(d + 1))) is None, "other columns cannot be mapped"


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
