"""Classes by their names in a file."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterable

from .. import registry
from ..errors import InvalidData
from ..renamed import FORMER
from .version_one import NAMES

_PACKAGE = __name__.partition(".")[0]
_MEMBERS = (
    "statistics",
    "distributions",
    "distances",
    "kernels",
    "losses",
    "penalties",
    "solvers",
    "indices",
    "models",
    "pipeline",
    "checkpoints",
)  # whose modules register by themselves


class Names:
    """The classes that a file of some version may hold: registered ones, and those that the caller names."""

    def __init__(self, version: int, classes: Iterable[type]) -> None:
        self.version = version
        self._own = {registry.place_of(cls): cls for cls in classes if dataclasses.is_dataclass(cls)}

    def class_of(self, name: object) -> type:
        """The class of a name; nothing is imported that the file says."""
        cls: type | None = None
        if isinstance(name, str):
            lasting = NAMES.get(name) if self.version == 1 else FORMER.get(name, name)
            cls = self._own.get(name) if lasting is None else (_registered(lasting) or self._own.get(name))
        if cls is None:
            raise InvalidData(
                f"it holds a {str(name)[:80]}, which this version of Suffice does not have; if it is a class of your "
                "own, name it: load(path, classes=[…])"
            )
        return cls


def _registered(name: str) -> type | None:
    """The class that is registered by a name, once all modules that may register it are imported."""
    known = registry.class_of(name)
    suffice = importlib.import_module(_PACKAGE)
    if known is None and name in suffice.__all__ and name[0].isupper():
        getattr(suffice, name)  # imports its module alone
        known = registry.class_of(name)
    for package in _MEMBERS:
        if known is None:
            _import_all(f"{_PACKAGE}.{package}")
            known = registry.class_of(name)
    return known


def import_members() -> None:
    """Import every module whose classes a file may hold."""
    for package in _MEMBERS:
        _import_all(f"{_PACKAGE}.{package}")


def _import_all(package: str) -> None:
    path = getattr(importlib.import_module(package), "__path__", ())
    for module in pkgutil.walk_packages(path, f"{package}."):
        importlib.import_module(module.name)
