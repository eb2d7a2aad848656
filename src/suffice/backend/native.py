"""The compiled kernels, loaded for this machine's instruction set; `native.py` of each family calls them."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

from ..errors import InvalidParameter
from ._cpu import level as machine_level

_LEVELS = ("v2", "v3", "v4")


def _load() -> tuple[str, ModuleType]:
    best = machine_level()
    wanted = os.environ.get("SUFFICE_ISA") or best
    allowed = _LEVELS[: _LEVELS.index(best) + 1] if best in _LEVELS else (best,)
    if wanted not in allowed:
        raise InvalidParameter(f"SUFFICE_ISA must be one of {', '.join(allowed)} on this machine; got {wanted!r}.")
    return wanted, importlib.import_module(f"{__package__}._native_{wanted}")


instruction_set, _kernels = _load()


def kernels() -> ModuleType:
    """The module of compiled kernels in use."""
    return _kernels
