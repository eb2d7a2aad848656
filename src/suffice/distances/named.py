"""Distances by name, at the public edge: a string, an object or a function becomes one object, once."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidParameter, did_you_mean
from .base import Distance
from .by_scipy import BySciPy
from .function import Function


def names() -> tuple[str, ...]:
    """Every name that `as_distance` knows, sorted."""
    return tuple(sorted(_by_name()))


def is_distance(value: object) -> bool:
    """Whether `as_distance` takes a value that is no name: a distance, or a function of two rows."""
    return isinstance(value, Distance) or (callable(value) and not isinstance(value, type))


def as_distance(value: Any, owner: str = "as_distance", **arguments: Any) -> Distance:
    """The distance of a name (with its arguments), of a function of two rows, or the distance that it is already.

    >>> as_distance("cityblock"), as_distance("minkowski", p=3)
    (Manhattan(), Minkowski(p=3))
    """
    if isinstance(value, Distance):
        return value
    if isinstance(value, str) and value in _by_name():
        cls = _by_name()[value]
        return BySciPy(value) if cls is BySciPy else cls(**arguments)
    if is_distance(value):
        return Function(value)
    hint = did_you_mean(value, list(names())) if isinstance(value, str) else ""
    raise InvalidParameter(
        f"{owner}: metric must be a distance, a function of two rows, or one of {', '.join(names())}; got "
        f"{value!r}.{hint}"
    )


def require_metric(distance: Distance, owner: str) -> None:
    """Refuse a distance without the triangle inequality, for methods that rely on it."""
    if not distance.is_metric:
        raise InvalidParameter(
            f"{owner}: {distance!r} is no metric (a detour can be shorter than the direct way), which is needed here. "
            "Use a metric such as Euclidean(), or brute force."
        )


def _by_name() -> dict[str, type[Distance]]:
    return {name: cls for cls in Distance.members if cls.__module__.startswith(__package__ or "") for name in cls.names}
