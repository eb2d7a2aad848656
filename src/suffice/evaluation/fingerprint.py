"""Whether two runs are about the same thing: a digest of data, models and settings."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from collections.abc import Mapping
from functools import partial
from types import CellType, CodeType
from typing import Any, Protocol

import numpy as np

from ..data.validate import is_sparse
from ..typing import Floats


class Digest(Protocol):
    """What takes bytes in, one after another."""

    def update(self, data: bytes, /) -> None: ...


def fingerprint(*values: object) -> str:
    """A digest of values: arrays by their bytes, frames by column, models by class and parameters.

    >>> import numpy as np
    >>> fingerprint(np.arange(3), "a") == fingerprint(np.array([0, 1, 2]), "a")
    True
    >>> fingerprint(1) == fingerprint(1.0)
    False
    """
    digest = hashlib.sha256()
    for value in values:
        _feed(digest, value, ())
    return digest.hexdigest()[:32]


def _feed(digest: Digest, value: Any, around: tuple[int, ...]) -> None:
    """Take a value in; `around` are the ids of those it is a part of, such as a function that calls itself."""
    if id(value) in around:
        digest.update(f"<{around.index(id(value))}>".encode())
        return
    around = (*around, id(value))
    digest.update(f"<{type(value).__module__}.{type(value).__qualname__}>".encode())
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        digest.update(repr(value).encode())
    elif isinstance(value, np.ndarray):
        _feed_array(digest, value, around)
    elif is_sparse(value):
        rows = value.tocsr()
        _feed(digest, (rows.shape, rows.data, rows.indices, rows.indptr), around)
    elif isinstance(value, list | tuple):
        for item in value:
            _feed(digest, item, around)
    elif isinstance(value, set | frozenset):
        _feed(digest, sorted(value, key=repr), around)
    elif isinstance(value, Mapping):
        for key in value:
            _feed(digest, (key, value[key]), around)
    else:
        _feed(digest, _parts(value), around)
    digest.update(b">")


def _feed_array(digest: Digest, value: Floats, around: tuple[int, ...]) -> None:
    digest.update(f"{value.dtype.str}{value.shape}".encode())
    if value.dtype == object:
        for item in value.ravel():
            _feed(digest, item, around)
    else:
        digest.update(np.ascontiguousarray(value).tobytes())


def _of_function(value: Any) -> tuple[object, ...]:
    """A function by its name and code, its default arguments, what it closes over, and the object it is a method of."""
    owner = getattr(value, "__self__", None)
    name = getattr(value, "__module__", ""), value.__qualname__, None if inspect.ismodule(owner) else owner
    if not hasattr(value, "__code__"):
        return name
    code, cells = value.__code__, getattr(value, "__closure__", None) or ()
    return (*name, _of_code(code), value.__defaults__, value.__kwdefaults__, [_inside(cell) for cell in cells])


def _of_code(code: CodeType) -> tuple[object, ...]:
    constants = [_of_code(each) if inspect.iscode(each) else each for each in code.co_consts]
    return code.co_code, code.co_names, constants


def _inside(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not yet set
        return "empty"


def _parts(value: Any) -> object:
    """What a value is made of, as simpler values."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return dict(sorted(value.get_params(deep=False).items()))
    if isinstance(value, type):
        return (value.__module__, value.__qualname__)
    if isinstance(value, partial):
        return (value.func, value.args, value.keywords)
    if inspect.isroutine(value):
        return _of_function(value)
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    if isinstance(value, np.random.RandomState):
        return value.get_state()
    if hasattr(value, "__dataframe__") or hasattr(value, "__arrow_c_stream__"):
        import narwhals as nw

        frame = nw.from_native(value, eager_only=True, allow_series=True)
        if isinstance(frame, nw.Series):
            return (frame.name, frame.to_numpy())
        return [(name, frame[name].to_numpy()) for name in frame.columns]
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "__array__"):  # a tensor on a device, or one with a gradient, refuses NumPy
        return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    return dict(sorted(vars(value).items())) if hasattr(value, "__dict__") else repr(value)
