"""Distances by name, at the public edge: a string, an object or a function becomes one object, once."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidParameter
from .base import DISTANCES, Distance
from .function import Function


def names() -> tuple[str, ...]:
    """Every name that `as_distance` knows, sorted."""
    return tuple(DISTANCES)


def is_function(value: object) -> bool:
    """Whether a value is a function of two rows, and no distance already."""
    return callable(value) and not isinstance(value, type | Distance)


def is_distance(value: object) -> bool:
    """Whether `as_distance` takes a value that is no name: a distance, or a function of two rows."""
    return isinstance(value, Distance) or is_function(value)


def as_distance(value: Any, owner: str = "as_distance", **arguments: object) -> Distance:
    """The distance of a name (with its arguments), of a function of two rows, or the distance that it is already.

    >>> as_distance("cityblock"), as_distance("minkowski", p=3)
    (Manhattan(), Minkowski(p=3))
    """
    if is_function(value):
        return Function(value)
    try:
        return DISTANCES.member(value, owner, "metric", ", a function of two rows", **arguments)
    except TypeError as error:
        raise InvalidParameter(f"{owner}: metric_params={arguments!r} do not suit metric={value!r}: {error}.") from None


def asymmetry(distance: Distance) -> str:
    """Why a distance cannot be used where every pair of rows has one distance; "" where it can."""
    if distance.is_symmetric:
        return ""
    return f"{type(distance).__name__} from x to y is not that from y to x; use JensenShannon() for histograms"


def require_metric(distance: Distance, owner: str) -> None:
    """Refuse a distance without the triangle inequality, for methods that rely on it."""
    if not distance.is_metric:
        raise InvalidParameter(
            f"{owner}: {distance!r} is no metric (a detour can be shorter than the direct way), which is needed here. "
            "Use a metric such as Euclidean(), or brute force."
        )
