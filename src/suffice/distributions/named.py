"""Families by name, at the public edge: a string or a distribution becomes a distribution, once."""

from __future__ import annotations

from .base import FAMILIES, Distribution


def names() -> tuple[str, ...]:
    """Every name that `as_distribution` knows, sorted."""
    return tuple(FAMILIES)


def as_distribution(value: object, owner: str = "as_distribution", parameter: str = "family") -> Distribution:
    """The family of a name, or the distribution that it is already.

    >>> as_distribution("poisson")
    Poisson(rate=None)
    >>> as_distribution("poison")
    Traceback (most recent call last):
    ...
    suffice.errors.InvalidParameter: as_distribution: family must be a distribution, or one of bernoulli, ...
    """
    return FAMILIES.member(value, owner, parameter)
