"""What every operation of the back-end keeps: all its entries give what the last one, the definition, gives."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from .. import backend
from ..backend.dispatch import Entry, Operation, Portable
from ..backend.examples import Case
from ..errors import InvalidData
from ..typing import NumberLike

LAYOUTS: dict[str, Callable[[NDArray[np.generic]], NDArray[np.generic]]] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
}
SHAPES = ((40, 7), (90, 17), (1, 7), (40, 1), (1, 1), (0, 7))


def check_operation(operation: Operation[..., object], shapes: Iterable[tuple[int, int]] = SHAPES) -> None:
    """Raise an AssertionError unless its entries agree on its examples, or it says what happens elsewhere.

    >>> check_operation(backend.moments)
    """
    _check_signatures(operation)
    if not isinstance(operation.entries[-1], Portable):
        _check_elsewhere(operation, shapes)
    for entry in operation.entries[:-1]:
        compared = sum(_check_entry(operation, entry, case) for case in cases(shapes))
        assert compared, f"{operation.name}: nothing was compared with the {entry.name} entry; see its example"


def cases(shapes: Iterable[tuple[int, int]]) -> Iterator[Case]:
    """Every type and layout of rows of these shapes."""
    for n, d in shapes:
        for dtype in (np.float64, np.float32):
            for layout in LAYOUTS.values():
                yield Case(n, d, dtype, layout)


def _check_signatures(operation: Operation[..., object]) -> None:
    """All entries can be called in the same way."""
    wanted = [(p.name, p.default, p.kind) for p in inspect.signature(operation).parameters.values()]
    for entry in operation.entries:
        found = [(p.name, p.default, p.kind) for p in inspect.signature(entry.run).parameters.values()]
        assert found == wanted, f"{operation.name}: the {entry.name} entry has parameters {found}, not {wanted}"


def _check_entry(operation: Operation[..., object], entry: Entry[..., object], case: Case) -> int:
    """How many examples an entry agrees on with the definition."""
    compared = 0
    for own, other in zip(operation.example(case), operation.example(case), strict=True):  # they may be overwritten
        if entry.takes(operation.deciding(own, {})):
            place, scale = f"{operation.name} ({entry.name}), example {compared} of {case}", _largest(own)
            _assert_close(entry.run(*own), operation.entries[-1].run(*other), scale, place)
            compared += 1
    return compared


def _check_elsewhere(operation: Operation[..., object], shapes: Iterable[tuple[int, int]]) -> None:
    """Its examples run; without native code it is refused, with the sentence that says what happens then."""
    assert operation.elsewhere, f"{operation.name}: has no portable entry and does not say what happens elsewhere"
    drawn = [arguments for case in cases(shapes) for arguments in operation.example(case)]
    assert drawn, f"{operation.name}: has no example"
    for arguments in drawn:
        operation(*arguments)
    with backend.using("portable"):
        try:
            operation(*drawn[0])
        except InvalidData as error:
            assert operation.elsewhere in str(error)
        else:
            raise AssertionError(f"{operation.name}: ran although only portable code was allowed")


def _assert_close(found: object, wanted: object, scale: float, place: str) -> None:
    """Equal whole numbers and texts; numbers to rounding in double, or in single where they are stored so.

    `scale` is that of the arguments: what is zero in one entry may be rounding of them in another.
    """
    mine, theirs = _parts(found), _parts(wanted)
    assert mine.keys() == theirs.keys(), f"{place}: {mine.keys()} against {theirs.keys()}"
    for name, value in mine.items():
        a, b = np.asarray(value), np.asarray(theirs[name])
        if b.dtype.kind != "f":
            assert np.array_equal(a, b), f"{place}{name}: {a} against {b}"
            continue
        assert a.dtype == b.dtype, f"{place}{name}: {a.dtype} against {b.dtype}"
        rtol = 1e-10 if b.dtype == np.float64 else 2e-6
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(scale, _largest(b)), err_msg=f"{place}{name}")


def _largest(values: NumberLike) -> float:
    """The largest finite number of some arrays."""
    floats = [part for part in map(np.asarray, _parts(values).values()) if part.dtype.kind == "f"]
    return max((float(np.max(np.abs(a), initial=0.0, where=np.isfinite(a))) for a in floats), default=0.0)


def _parts(value: object, name: str = "") -> dict[str, object]:
    """The arrays and numbers that a result is made of, by their places in it."""
    if hasattr(value, "comparable"):
        return _parts(value.comparable(), name)
    if dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif isinstance(value, tuple | list):
        value = {str(i): part for i, part in enumerate(value)}
    if not isinstance(value, dict):
        return {name: value}
    return {place: part for key, own in value.items() for place, part in _parts(own, f"{name}.{key}").items()}
