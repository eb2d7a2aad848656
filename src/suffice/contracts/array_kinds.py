"""Arrays of every kind: what holds the same numbers gives the same answer, and what holds none is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..errors import SufficeError
from ..statistics import Statistic
from .density_laws import drawn_rows
from .laws import _same

ROWS = 2_000  # enough that a pointer to memory that was given back does not go unnoticed


def kinds_of(values: NDArray[np.generic]) -> Iterator[tuple[str, object]]:
    """The same numbers in other arrays, by what is odd about each."""
    yield "a list", values.tolist()
    twice = np.repeat(values, 2, axis=0)
    yield "strided", twice[::2]
    yield "reversed", np.ascontiguousarray(values[::-1])[::-1]
    yield "in Fortran order", np.asfortranarray(values)
    yield "read-only", _read_only(values)
    yield "of the other byte order", values.astype(values.dtype.newbyteorder())
    yield "not aligned", _unaligned(values)
    yield "a field of records", _field(values)
    yield "masked nowhere", np.ma.masked_array(values)
    if values.ndim == 2:
        yield "a matrix", values.view(np.matrix)
    if values.dtype == np.float64 and np.array_equal(values, np.floor(values)):
        yield "integers", values.astype(np.int64)
        yield "small integers", values.astype(np.int8) if np.abs(values).max(initial=0) < 100 else values.astype(int)
        yield "single precision", values.astype(np.float32)


def _read_only(values: NDArray[np.generic]) -> NDArray[np.generic]:
    copy = values.copy()
    copy.flags.writeable = False
    return copy


def _unaligned(values: NDArray[np.generic]) -> NDArray[np.generic]:
    room = np.zeros(values.nbytes + 1, dtype=np.uint8)
    shifted = room[1:].view(values.dtype).reshape(values.shape)
    shifted[...] = values
    return shifted


def _field(values: NDArray[np.generic]) -> NDArray[np.generic]:
    records = np.zeros(values.shape, dtype=[("flag", "i1"), ("value", values.dtype)])
    records["value"] = values
    return records["value"]


def no_numbers(values: NDArray[Any]) -> Iterator[tuple[str, object]]:
    """What cannot stand in the place of these numbers."""
    yield "too short", values[:-1]
    yield "too long", np.concatenate([values, values[:1]])
    yield "of one dimension more", values[..., None, None]
    yield "text", np.full(values.shape, "red")
    yield "complex", values + 1j
    yield "records", np.zeros(values.shape, dtype=[("a", "f8"), ("b", "f8")])
    yield "an object", object()


def check_statistic_arguments(cls: type[Statistic]) -> None:
    """`of` gives the same for the same numbers in any kind of array, and refuses what holds none."""
    rows = cls.example(np.random.default_rng(3), ROWS)
    whole = cls.of(*rows)
    for at, values in enumerate(rows):
        if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
            continue
        for kind, other in kinds_of(values):
            _same(cls.of(*_with(rows, at, other)), whole, 1e-12, f"argument {at} is {kind}")
        with suppress(SufficeError):  # None may stand for weights of 1
            cls.of(*_with(rows, at, None))
        for kind, other in no_numbers(values):
            if at or kind not in ("too short", "too long") or len(rows) > 1:
                _refused(partial(cls.of, *_with(rows, at, other)), cls, f"argument {at} is {kind}")


def distribution_arguments(cls: type[Distribution]) -> None:
    """Rows and weights in any kind of array give the same; what holds no numbers, or has another length, is refused."""
    rng = np.random.default_rng(5)
    member, X = drawn_rows(cls, ROWS)
    weight = rng.integers(0, 4, ROWS).astype(np.float64)
    summary, densities = member.statistic(X, weight), member.log_prob(X)
    for kind, rows in kinds_of(X):
        np.testing.assert_allclose(member.log_prob(rows), densities, rtol=1e-5, err_msg=f"rows are {kind}")
        _same(member.statistic(rows, weight), summary, 1e-5, f"rows are {kind}")
    for kind, other in kinds_of(weight):
        _same(member.statistic(X, other), summary, 1e-12, f"the weights are {kind}")
    for kind, other in no_numbers(weight):
        _refused(partial(member.statistic, X, other), cls, f"the weights are {kind}")
        _refused(partial(type(member)(**_family(member)).fit, X, other), cls, f"the weights are {kind}")
    wide = np.hstack([X, X[:, :1]])
    if member.n_columns is not None:
        _refused(lambda: member.log_prob(wide), cls, "a column more")
        _refused(lambda: member.statistic(X[:, :-1], weight), cls, "a column fewer")


def _family(member: Distribution) -> dict[str, Any]:
    return {f.name: getattr(member, f.name) for f in fields(member) if "parameter" not in f.metadata}


def _with(rows: tuple[object, ...], at: int, other: object) -> tuple[Any, ...]:
    return (*rows[:at], other, *rows[at + 1 :])


def _refused(call: Callable[[], object], cls: type, what: str) -> None:
    try:
        call()
    except SufficeError:
        return
    raise AssertionError(f"{cls.__name__}: nothing was said where {what}")
