"""Model files (.sff): a zip of one JSON document and the arrays it names. Loading runs no code from the file.

`model.json` holds `{"format": "suffice model", "version": 1, "suffice": …, "model": node}`. A node is a JSON value
(null, true, a number, text, a list), or an object whose `"$"` says what it stands for:

=========== ==========================================================================
`float`     `value`: "nan", "inf" or "-inf"
`tuple`     `items`
`dict`      `items`: pairs of nodes
`array`     `at`: the name of a .npy file in the zip (never with pickled objects)
`scalar`    the same, for a single NumPy number
`objects`   `shape`, `items`: an array of other values
`sparse`    `kind`, `shape`, and the three arrays of a compressed matrix
`generator` `name`, `state`: a random generator
`object`    `class`, `state`: a dataclass of Suffice, by name, and its attributes
=========== ==========================================================================

Only dataclasses of Suffice, or those that the caller names, are made; their constructors are not called.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import json
import math
import os
import zipfile
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InvalidData, InvalidParameter

__all__ = ["load", "save"]

FORMAT, VERSION = "suffice model", 1
_PACKAGE = __name__.partition(".")[0]
_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
_SPARSE = ("csr_matrix", "csr_array", "csc_matrix", "csc_array")


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all.

    >>> import suffice as sf, tempfile
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.GaussianNB().fit(iris.matrix(), iris["species"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sf.save(model, f"{folder}/iris.sff")
    ...     again = sf.load(f"{folder}/iris.sff")
    >>> bool(np.array_equal(again.theta_, model.theta_))
    True
    """
    writer = _Writer()
    document = {"format": FORMAT, "version": VERSION, "suffice": _version(), "model": writer.node(model, "")}
    target = Path(path)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(unfinished, "w") as file:
            file.writestr("model.json", json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
            for name, array in writer.arrays.items():
                with file.open(name, "w", force_zip64=True) as part:
                    np.lib.format.write_array(part, array, allow_pickle=False)
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def load(path: str | os.PathLike[str], classes: Iterable[type] = ()) -> Any:
    """The model in a file. `classes` names dataclasses of your own that it may hold."""
    try:
        with zipfile.ZipFile(path) as file:
            document = json.loads(file.read("model.json"))
            _check_head(document, path)
            return _Reader(file, path, classes).value(document["model"])
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, InvalidData):
            raise
        raise InvalidData(f"load: {path} is no model file, or a damaged one ({error}). Save the model again.") from None


def _version() -> str:
    return str(importlib.import_module(_PACKAGE).__version__)


def _check_head(document: Any, path: Any) -> None:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidData(f"load: {path} is a zip file, but no model of Suffice.")
    if document.get("version") != VERSION:
        raise InvalidData(
            f"load: {path} has format version {document.get('version')}, written by Suffice "
            f"{document.get('suffice')}; this is Suffice {_version()}, which reads version {VERSION}. "
            "Update with: pip install -U suffice."
        )


class _Writer:
    """Turns values into nodes, and keeps their arrays by name."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}
        self._names: dict[int, str] = {}  # by identity: an array that stands twice is written once
        self._kept: list[Any] = []  # so that no identity is used again

    def node(self, value: Any, place: str) -> Any:
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

    def _array(self, value: Any, place: str) -> Any:
        if value.dtype != object:
            return {"$": "array", "at": self._stored(value)}
        items = [self.node(item, place) for item in value.ravel()]
        return {"$": "objects", "shape": list(value.shape), "items": items}

    def _stored(self, array: Any) -> str:
        if id(array) not in self._names:
            name = f"arrays/{len(self.arrays)}.npy"
            self._names[id(array)] = name
            self._kept.append(array)
            self.arrays[name] = array
        return self._names[id(array)]

    def _other(self, value: Any, place: str) -> Any:
        cls = type(value)
        if cls.__name__ in _SPARSE and cls.__module__.startswith("scipy.sparse"):
            parts = {name: self.node(getattr(value, name), place) for name in ("data", "indices", "indptr")}
            return {"$": "sparse", "kind": cls.__name__, "shape": list(value.shape), **parts}
        if isinstance(value, np.random.Generator) and type(value.bit_generator).__name__ in _GENERATORS:
            bits = value.bit_generator
            return {"$": "generator", "name": type(bits).__name__, "state": self.node(dict(bits.state), place)}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            state = {k: self.node(v, f"{place}.{k}" if place else k) for k, v in _state(value).items()}
            return {"$": "object", "class": f"{cls.__module__}:{cls.__qualname__}", "state": state}
        kind = (
            f"the function {value.__name__!r}" if callable(value) and hasattr(value, "__name__") else repr(value)[:80]
        )
        raise InvalidParameter(
            f"save: {place or 'the model'} is {kind} of type {cls.__module__}.{cls.__qualname__}, which a model file "
            "cannot hold. Use a named choice or a dataclass in its place, and an integer as a seed."
        )


def _state(value: Any) -> dict[str, Any]:
    """The attributes of a dataclass, declared or not, but for those that are computed again when asked for."""
    if hasattr(value, "__dict__"):
        return {k: v for k, v in vars(value).items() if not isinstance(getattr(type(value), k, None), cached_property)}
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


class _Reader:
    """Turns nodes into values."""

    def __init__(self, file: zipfile.ZipFile, path: Any, classes: Iterable[type]) -> None:
        self.file, self.path = file, path
        self.classes = {f"{cls.__module__}:{cls.__qualname__}": cls for cls in classes}
        self._arrays: dict[str, Any] = {}

    def value(self, node: Any) -> Any:
        """The value of a node."""
        if isinstance(node, list):
            return [self.value(item) for item in node]
        if not isinstance(node, dict):
            return node
        make = getattr(self, f"_make_{node.get('$')}", None)
        if make is None:
            raise InvalidData(f"load: {self.path} holds a {node.get('$')!r}, which this version does not know.")
        return make(node)

    def _make_float(self, node: Any) -> float:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[node["value"]]

    def _make_tuple(self, node: Any) -> tuple[Any, ...]:
        return tuple(self.value(item) for item in node["items"])

    def _make_dict(self, node: Any) -> dict[Any, Any]:
        return {self.value(key): self.value(item) for key, item in node["items"]}

    def _make_array(self, node: Any) -> Any:
        name = node["at"]
        if name not in self._arrays:
            self._arrays[name] = np.load(io.BytesIO(self.file.read(name)), allow_pickle=False)
        return self._arrays[name]

    def _make_scalar(self, node: Any) -> Any:
        return self._make_array(node)[()]

    def _make_objects(self, node: Any) -> Any:
        out = np.empty(len(node["items"]), dtype=object)
        out[:] = [self.value(item) for item in node["items"]]
        return out.reshape(node["shape"])

    def _make_sparse(self, node: Any) -> Any:
        from scipy import sparse

        if node["kind"] not in _SPARSE:
            raise InvalidData(f"load: {self.path} holds a sparse {node['kind']!r}, which this version does not know.")
        parts = tuple(self.value(node[name]) for name in ("data", "indices", "indptr"))
        return getattr(sparse, node["kind"])(parts, shape=tuple(node["shape"]))

    def _make_generator(self, node: Any) -> Any:
        if node["name"] not in _GENERATORS:
            raise InvalidData(
                f"load: {self.path} holds a generator {node['name']!r}, which this version does not know."
            )
        bits = getattr(np.random, node["name"])()
        bits.state = self.value(node["state"])
        return np.random.Generator(bits)

    def _make_object(self, node: Any) -> Any:
        cls = self._class(node["class"])
        made: Any = object.__new__(cls)
        for name, item in node["state"].items():
            object.__setattr__(made, name, self.value(item))
        return made

    def _class(self, name: str) -> type:
        """A dataclass of Suffice, or one that the caller named; nothing else is looked up."""
        if name in self.classes:
            return self.classes[name]
        module, _, qualified = name.partition(":")
        cls: Any = None
        if module.split(".")[0] == _PACKAGE and qualified.isidentifier():
            try:
                cls = getattr(importlib.import_module(module), qualified, None)
            except ImportError:
                cls = None
        if not isinstance(cls, type) or not dataclasses.is_dataclass(cls) or cls.__module__ != module:
            raise InvalidData(
                f"load: {self.path} holds a {name}, which this version of Suffice does not have. If it is a class of "
                "your own, name it: load(path, classes=[…])."
            )
        return cls
