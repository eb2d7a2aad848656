"""Whether two runs are about the same thing: a digest of data, models and settings."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..data.validate import is_sparse
from ..typing import Floats


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
        _feed(digest, value)
    return digest.hexdigest()[:32]


def _feed(digest: Any, value: Any) -> None:
    digest.update(f"<{type(value).__module__}.{type(value).__qualname__}>".encode())
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        digest.update(repr(value).encode())
    elif isinstance(value, np.ndarray):
        _feed_array(digest, value)
    elif is_sparse(value):
        rows = value.tocsr()
        _feed(digest, (rows.shape, rows.data, rows.indices, rows.indptr))
    elif isinstance(value, list | tuple):
        for item in value:
            _feed(digest, item)
    elif isinstance(value, set | frozenset):
        _feed(digest, sorted(value, key=repr))
    elif isinstance(value, Mapping):
        for key in value:
            _feed(digest, (key, value[key]))
    else:
        _feed(digest, _parts(value))
    digest.update(b">")


def _feed_array(digest: Any, value: Floats) -> None:
    digest.update(f"{value.dtype.str}{value.shape}".encode())
    if value.dtype == object:
        for item in value.ravel():
            _feed(digest, item)
    else:
        digest.update(np.ascontiguousarray(value).tobytes())


def _parts(value: Any) -> object:
    """What a value is made of, as simpler values."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return dict(sorted(value.get_params(deep=False).items()))
    if isinstance(value, type):
        return (value.__module__, value.__qualname__)
    if inspect.isroutine(value):
        code = getattr(value, "__code__", None)
        plain = () if code is None else (code.co_code, tuple(c for c in code.co_consts if not inspect.iscode(c)))
        return (getattr(value, "__module__", ""), value.__qualname__, *plain)
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
    if hasattr(value, "__array__"):
        return np.asarray(value)
    return dict(sorted(vars(value).items())) if hasattr(value, "__dict__") else repr(value)
