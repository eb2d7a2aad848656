"""Whether members and statistics that come from a file belong together."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..holds import require
from ..statistics import Statistic
from ..statistics.base import check_alike
from .base import Distribution
from .parameters import parameters_of
from .sharing import Members


def check_members(parts: Members) -> None:
    """Raise an error where parts whose densities are computed together are not members of one family."""
    check_alike(parts)
    require(all(part.has_parameters for part in parts), "parts must have parameters")
    columns = {getattr(part, "columns", None) for part in parts}
    require(len(columns) <= 1, "parts must have the same columns")
    if columns != {None}:  # each of several families
        for alike in zip(*(part.parts for part in parts), strict=True):
            check_members(alike)


def check_statistic(member: Distribution, statistic: Statistic) -> None:
    """Raise an error where a statistic is not of the kind and size that the rows of a member have."""
    inside: Any = getattr(statistic, "parts", None)
    if inside is not None:
        own: Any = getattr(member, "parts", ())
        require(len(own) == len(inside), "a statistic must have as many parts as its distribution")
        for part, one in zip(own, inside, strict=True):
            check_statistic(part, one)
        return
    d = len(getattr(member, parameters_of(member)[0].name))
    wanted = member.statistic(np.ones((1, d)))
    require(_form(statistic) == _form(wanted), f"the statistic of a {type(member).__name__} must be of {d} columns")


def _form(value: Any) -> object:
    """The class of a statistic, and the shapes of its fields."""
    if isinstance(value, Statistic):
        fields = dataclasses.fields(value)  # type: ignore[arg-type]
        return type(value), {field.name: _form(getattr(value, field.name)) for field in fields}
    return len(value) if isinstance(value, tuple) else np.shape(value)
