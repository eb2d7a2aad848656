"""Values as nodes of a model file."""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property
from typing import Any

import numpy as np

from .. import registry
from ..errors import InvalidParameter
from ..holds import Sizes, check
from ..holds.checking import is_fitted
from ..typing import Labels
from .generators import GENERATORS

SPARSE = ("csr_matrix", "csr_array", "csc_matrix", "csc_array")
_PACKAGE = __name__.partition(".")[0]


class Writer:
    """Turns values into nodes, and keeps their arrays by name."""

    def __init__(self) -> None:
        self.arrays: dict[str, Labels] = {}
        self._names: dict[int, str] = {}  # by identity: an array that stands twice is written once
        self._sizes: dict[int, Sizes] = {}  # the dimensions of objects, by identity
        self._kept: list[object] = []  # so that no identity is used again

    def node(self, value: object, place: str) -> object:
        """The node of a value; `place` says where it stands, for messages."""
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        if isinstance(value, np.generic):
            return {"$": "scalar", "at": self._stored(np.asarray(value))}
        if isinstance(value, float):
            return value if math.isfinite(value) else {"$": "float", "value": repr(value)}
        if isinstance(value, list):
            return [self.node(item, f"{place}[{i}]") for i, item in enumerate(value)]
        if isinstance(value, tuple):
            return {"$": "tuple", "items": [self.node(item, f"{place}[{i}]") for i, item in enumerate(value)]}
        if isinstance(value, dict):
            pairs = [[self.node(k, place), self.node(v, f"{place}[{k!r}]")] for k, v in value.items()]
            return {"$": "dict", "items": pairs}
        return self._other(value, place)

    def _array(self, value: Labels, place: str) -> object:
        if value.dtype != object:
            return {"$": "array", "at": self._stored(value)}
        items = [self.node(item, place) for item in value.ravel()]
        return {"$": "objects", "shape": list(value.shape), "items": items}

    def _stored(self, array: Labels) -> str:
        if id(array) not in self._names:
            name = f"arrays/{len(self.arrays)}.npy"
            self._names[id(array)] = name
            self._kept.append(array)
            self.arrays[name] = array
        return self._names[id(array)]

    def _other(self, value: Any, place: str) -> object:
        cls = type(value)
        if isinstance(value, np.dtype) and value.kind in "biuf":
            return {"$": "dtype", "value": value.str}
        if cls.__name__ in SPARSE and cls.__module__.startswith("scipy.sparse"):
            parts = {name: self.node(getattr(value, name), place) for name in ("data", "indices", "indptr")}
            return {"$": "sparse", "kind": cls.__name__, "shape": list(value.shape), **parts}
        if isinstance(value, np.random.Generator) and type(value.bit_generator).__name__ in GENERATORS:
            bits = value.bit_generator
            return {"$": "generator", "name": type(bits).__name__, "state": self.node(dict(bits.state), place)}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._object(value, place)
        if hasattr(value, "fit") and hasattr(value, "get_params"):
            raise InvalidParameter(
                f"save: {place or 'the model'} is {cls.__module__.partition('.')[0]}'s {cls.__name__}, and a model "
                "file holds models of Suffice alone. Use Suffice's own in its place; `suffice models` lists them."
            )
        kind = (
            f"the function {value.__name__!r}" if callable(value) and hasattr(value, "__name__") else repr(value)[:80]
        )
        raise _refusal(place, f"{kind} of type {cls.__module__}.{cls.__qualname__}")

    def _object(self, value: Any, place: str) -> object:
        if hasattr(value, "packed") and registry.name_of(type(value)) is None:  # a form of what files know
            return self._in_its_plain_form(value, value.packed(), place)
        cls, state = type(value), _state(value)
        is_packed = hasattr(cls, "packed")  # by another object that is smaller, and gives this one back by `unpacked`
        nodes = {} if is_packed else {k: self.node(v, f"{place}.{k}" if place else k) for k, v in state.items()}
        name = registry.name_of(cls)
        if name is None and cls.__module__.partition(".")[0] == _PACKAGE:
            raise _refusal(place, f"a {cls.__name__}")
        try:  # what would not be loaded again is not saved
            sizes = check(cls, state, self._sizes, strict=name is not None)
            if is_fitted(cls, state) and hasattr(value, "check_loaded"):
                value.check_loaded()
        except Exception as error:
            raise InvalidParameter(f"save: {place or cls.__name__}: {error}") from None
        self._kept.append(value)
        self._sizes[id(value)] = sizes
        if is_packed:
            return self._object(value.packed(), place)
        return {"$": "object", "class": name or registry.place_of(cls), "state": nodes}

    def _in_its_plain_form(self, value: object, plain: object, place: str) -> object:
        node = self._object(plain, place)
        self._kept.append(value)
        self._sizes[id(value)] = self._sizes[id(plain)]
        return node


def _refusal(place: str, what: str) -> InvalidParameter:
    return InvalidParameter(
        f"save: {place or 'the model'} is {what}, which a model file cannot hold. Use a named choice or a dataclass in "
        "its place, and an integer as a seed."
    )


def _state(value: Any) -> dict[str, object]:
    """The attributes of a dataclass, declared or not, but for those that are computed again when asked for."""
    if hasattr(value, "__dict__"):
        return {k: v for k, v in vars(value).items() if not isinstance(getattr(type(value), k, None), cached_property)}
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
