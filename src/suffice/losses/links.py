"""Links: what the linear predictor η says of the mean μ of a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..choices import Choices, Named
from ..registry import register_member
from .base import sigmoid

_EPS = float(np.finfo(np.float64).eps)


def _inside(mean: Array) -> Array:
    """Probabilities that are never quite 0 or 1, where a row of the other class would be impossible."""
    return namespace(mean).clip(mean, _EPS, 1 - _EPS)


class Link(Named):
    """Base of the links: g(μ) = η. A subclass gives the mean at η, its derivative, and g itself."""

    def __init_subclass__(cls) -> None:
        LINKS.register(cls)
        register_member(cls, "link")

    def mean(self, eta: Array) -> Array:
        """μ = g⁻¹(η)."""
        raise TypeError(f"{type(self).__name__} does not define mean")

    def slope(self, eta: Array) -> Array:
        """dμ/dη."""
        raise TypeError(f"{type(self).__name__} does not define slope")

    def of(self, mean: Array) -> Array:
        """η = g(μ)."""
        raise TypeError(f"{type(self).__name__} does not define of")


LINKS: Choices[Link] = Choices("link", Link)


@dataclass(frozen=True)
class IdentityLink(Link):
    """η = μ."""

    names: ClassVar = ("identity",)

    def mean(self, eta: Array) -> Array:
        return eta

    def slope(self, eta: Array) -> Array:
        return 0.0 * eta + 1.0

    def of(self, mean: Array) -> Array:
        return mean


@dataclass(frozen=True)
class LogLink(Link):
    """η = log μ: effects multiply the mean."""

    names: ClassVar = ("log",)

    def mean(self, eta: Array) -> Array:
        return namespace(eta).exp(eta)

    def slope(self, eta: Array) -> Array:
        return namespace(eta).exp(eta)

    def of(self, mean: Array) -> Array:
        return namespace(mean).log(mean)


@dataclass(frozen=True)
class LogitLink(Link):
    """η = log(μ / (1 − μ)): effects multiply the odds."""

    names: ClassVar = ("logit",)

    def mean(self, eta: Array) -> Array:
        return sigmoid(eta)

    def slope(self, eta: Array) -> Array:
        e = namespace(eta).exp(-namespace(eta).abs(eta))
        return e / ((1.0 + e) * (1.0 + e))

    def of(self, mean: Array) -> Array:
        xp = namespace(mean)
        return xp.log(mean) - xp.log1p(-mean)


@dataclass(frozen=True)
class ProbitLink(Link):
    """η = Φ⁻¹(μ), with the distribution function Φ of a standard Gaussian."""

    names: ClassVar = ("probit",)

    def mean(self, eta: Array) -> Array:
        from scipy.special import ndtr

        return _inside(ndtr(eta))

    def slope(self, eta: Array) -> Array:
        xp = namespace(eta)
        return xp.maximum(xp.exp(-0.5 * eta * eta) / np.sqrt(2 * np.pi), 0.0 * eta + _EPS)

    def of(self, mean: Array) -> Array:
        from scipy.special import ndtri

        return ndtri(mean)


@dataclass(frozen=True)
class ComplementaryLogLogLink(Link):
    """η = log(−log(1 − μ)): whether something happened at all, at a rate whose log is η."""

    names: ClassVar = ("cloglog",)

    def mean(self, eta: Array) -> Array:
        xp = namespace(eta)
        return _inside(-xp.expm1(-xp.exp(eta)))

    def slope(self, eta: Array) -> Array:
        xp = namespace(eta)
        return xp.maximum(xp.exp(eta - xp.exp(eta)), 0.0 * eta + _EPS)

    def of(self, mean: Array) -> Array:
        xp = namespace(mean)
        return xp.log(-xp.log1p(-mean))


@dataclass(frozen=True)
class InverseLink(Link):
    """η = 1 / μ."""

    names: ClassVar = ("inverse",)

    def mean(self, eta: Array) -> Array:
        return 1.0 / eta

    def slope(self, eta: Array) -> Array:
        return -1.0 / (eta * eta)

    def of(self, mean: Array) -> Array:
        return 1.0 / mean


@dataclass(frozen=True)
class SquareRootLink(Link):
    """η = √μ."""

    names: ClassVar = ("sqrt",)

    def mean(self, eta: Array) -> Array:
        return eta * eta

    def slope(self, eta: Array) -> Array:
        return 2.0 * eta

    def of(self, mean: Array) -> Array:
        return namespace(mean).sqrt(mean)
