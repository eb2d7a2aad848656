"""Values from the nodes of a model file."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from .. import registry
from ..errors import InvalidData
from ..holds import Sizes, check, require, rises
from ..holds.checking import declared, is_fitted
from .archive import Archive
from .generators import generator
from .names import Names
from .writing import SPARSE

_DEEPEST = 100  # levels of nodes in nodes
_DTYPE = re.compile(r"[<>|][biuf]\d{1,2}")
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Reader:
    """Turns nodes into values; every object is checked before it is made."""

    def __init__(self, archive: Archive, names: Names) -> None:
        self._archive, self._names = archive, names
        self.sizes: dict[int, Sizes] = {}  # the dimensions of objects, by identity
        self._kept: list[object] = []  # so that no identity is used again
        self._makers: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {
            "float": (self._float, ("value",)),
            "tuple": (self._tuple, ("items",)),
            "dict": (self._dict, ("items",)),
            "array": (self._array, ("at",)),
            "scalar": (self._scalar, ("at",)),
            "objects": (self._objects, ("shape", "items")),
            "dtype": (self._dtype, ("value",)),
            "sparse": (self._sparse, ("kind", "shape", "data", "indices", "indptr")),
            "generator": (self._generator, ("name", "state")),
            "object": (self._object, ("class", "state")),
        }

    def model(self, node: object) -> Any:
        """The value of the whole document."""
        return self._value(node, "", 0)

    def _value(self, node: object, place: str, depth: int) -> Any:
        require(depth < _DEEPEST, f"{place[:80]} lies too deep in it")
        if isinstance(node, list):
            return [self._value(item, f"{place}[{i}]", depth + 1) for i, item in enumerate(node)]
        if not isinstance(node, dict):
            return node
        kind = node.get("$")
        if not isinstance(kind, str) or kind not in self._makers:
            raise InvalidData(f"{place} is a {kind!r}, which this version does not know")
        make, keys = self._makers[kind]
        require(node.keys() == {"$", *keys}, f"{place} has the keys {', '.join(map(str, node))}")
        return make(place, depth, *(node[key] for key in keys))

    def _float(self, place: str, depth: int, value: str) -> float:
        require(isinstance(value, str) and value in _FLOATS, f"{place} is no number")
        return _FLOATS[value]

    def _tuple(self, place: str, depth: int, items: object) -> tuple[object, ...]:
        require(isinstance(items, list), f"{place} is no tuple")
        return tuple(self._value(items, place, depth))

    def _dict(self, place: str, depth: int, items: Any) -> dict[object, object]:
        pairs = isinstance(items, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in items)
        require(pairs, f"{place} is no dict")
        return {self._value(key, place, depth + 1): self._value(item, place, depth + 1) for key, item in items}

    def _array(self, place: str, depth: int, at: object) -> object:
        return self._archive.array(at)

    def _scalar(self, place: str, depth: int, at: object) -> object:
        array = self._archive.array(at)
        require(array.ndim == 0, f"{place} is no single number")
        return array[()]

    def _objects(self, place: str, depth: int, shape: Any, items: Any) -> object:
        require(isinstance(items, list) and _is_shape(shape), f"{place} is no array")
        require(math.prod(shape) == len(items), f"{place} has another size than its shape says")
        out = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):
            out[i] = self._value(item, place, depth + 1)
        return out.reshape(shape)

    def _dtype(self, place: str, depth: int, value: str) -> object:
        require(isinstance(value, str) and _DTYPE.fullmatch(value), f"{place} is no type of numbers")
        return np.dtype(value)

    def _sparse(self, place: str, depth: int, kind: Any, shape: Any, *parts: object) -> object:
        from scipy import sparse

        require(kind in SPARSE, f"{place} is a sparse {kind!r}, which this version does not know")
        require(_is_shape(shape) and len(shape) == 2, f"{place} has no shape")
        data, indices, indptr = (self._value(part, place, depth + 1) for part in parts)
        for values, kinds in ((data, "biuf"), (indices, "i"), (indptr, "i")):
            known = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in kinds
            require(known and values.dtype.isnative, f"{place} is no sparse matrix")
        rows, columns = shape if kind.startswith("csr") else shape[::-1]
        require(len(indptr) == rows + 1 and len(indices) == len(data), f"{place} has parts that do not fit together")
        require(rises(indptr, len(data)), f"{place} must have rows that are parts of its cells")
        inside = not indices.size or (indices.min() >= 0 and indices.max() < columns)
        require(inside, f"{place} must have indices within its shape")  # SciPy would not look at all of this
        return getattr(sparse, kind)((data, indices, indptr), shape=tuple(shape))

    def _generator(self, place: str, depth: int, name: object, state: object) -> object:
        return generator(name, self._value(state, place, depth + 1))

    def _object(self, place: str, depth: int, name: object, state: Any) -> object:
        cls = self._names.class_of(name)
        named = isinstance(state, dict) and all(key.isidentifier() and not key.startswith("__") for key in state)
        require(named, f"{place} has no attributes")
        inner = f"{place}." if place else ""
        called = getattr(cls, "formerly", {})  # attributes by the names they had in earlier versions
        held = {called.get(key, key): self._value(item, f"{inner}{key}", depth + 1) for key, item in state.items()}
        is_ours = registry.name_of(cls) is not None
        if is_ours:  # what is computed when it is read, files of earlier versions held
            held = {key: item for key, item in held.items() if not _is_computed(cls, key)}
        if not is_ours:
            hidden = next((key for key in held if _hides(cls, key)), None)
            require(hidden is None, f"{place or cls.__name__} has {hidden}, which is a name of its class")
        held = {**(_defaults(cls) if is_ours else {}), **held}
        try:
            sizes = check(cls, held, self.sizes, strict=is_ours)
        except InvalidData as error:
            raise InvalidData(f"{inner}{error}") from None
        made: Any = object.__new__(cls)
        for key, item in held.items():
            object.__setattr__(made, key, item)
        _check_made(made, is_ours, is_fitted(cls, held), place or cls.__name__)
        if is_ours and hasattr(made, "unpacked"):
            made = made.unpacked()
            sizes = check(type(made), vars(made), self.sizes)
            _check_made(made, is_ours, True, place)
        self._kept.append(made)
        self.sizes[id(made)] = sizes
        return made


def _hides(cls: object, key: str) -> bool:
    """Whether an attribute would stand before a method or a setting of the class, such as the template of a link."""
    own = inspect.getattr_static(cls, key, None)
    return own is not None and key not in declared(cls) and not _is_computed(cls, key)


def _is_computed(cls: object, key: str) -> bool:
    return isinstance(inspect.getattr_static(cls, key, None), cached_property)


def _defaults(cls: Any) -> dict[str, object]:
    """The parameters of an estimator by their defaults: a file of an earlier version may not know them all."""
    return {field.name: field.default for field in dataclasses.fields(cls) if "rule" in field.metadata}


def _check_made(made: object, is_ours: bool, fitted: bool, place: str) -> None:
    """Check what a constructor of ours would have checked, and what only the class knows."""
    try:
        if is_ours and hasattr(made, "__post_init__"):
            made.__post_init__()
        if fitted and hasattr(made, "check_loaded"):
            made.check_loaded()
    except Exception as error:
        raise InvalidData(f"{place}: {error}") from error


def _is_shape(shape: Any) -> bool:
    whole = isinstance(shape, list) and all(isinstance(n, int) and not isinstance(n, bool) for n in shape)
    return whole and all(0 <= n < 2**63 for n in shape) and len(shape) <= 32
