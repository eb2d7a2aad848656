"""Types of arrays, and the few steps that portable code takes on any array library."""

from __future__ import annotations

from types import ModuleType
from typing import Any

Array = Any  # anything that follows the array API standard: what its operations give, only its library knows


def namespace(x: Array) -> ModuleType:
    """The array-API module of an array."""
    found: ModuleType = x.__array_namespace__()
    return found


def as_double(x: Array) -> Array:
    """The array in double precision; sums are always kept so."""
    xp = namespace(x)
    return xp.astype(x, xp.float64, copy=False)


def beside(x: Array, values: Array | None) -> Array | None:
    """The values as an array of the same library and on the same device as x; None stays None."""
    return None if values is None else namespace(x).asarray(values, device=x.device)
