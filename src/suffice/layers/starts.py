"""Starts: from which distribution the first weights of a layer are drawn, or what they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..choices import Choices, Named
from ..errors import InvalidParameter
from ..holds import array_like, either, optional
from ..registry import register_member
from ..typing import ArrayLike, Floats

if TYPE_CHECKING:
    from .base import Parameter


class Start(Named):
    """Base: a subclass names itself and draws the first values of a parameter."""

    members: ClassVar[list[type[Start]]] = []

    def __init_subclass__(cls) -> None:
        Start.members.append(cls)
        STARTS.register(cls)
        register_member(cls, "start")

    def drawn(self, rng: np.random.Generator, parameter: Parameter) -> Floats:
        """The first values."""
        raise TypeError(f"{type(self).__name__} does not define drawn")

    def biases(self) -> Start | None:
        """The start of the biases beside such weights; None is 0."""
        return None


STARTS: Choices[Start] = Choices("start", Start)


@dataclass(frozen=True)
class GlorotUniform(Start):
    """Glorot and Bengio (2010): U(−a, a) with a = √(6 / (n_in + n_out)), a variance of 2 / (n_in + n_out)."""

    names: ClassVar = ("glorot_uniform", "glorot")

    def drawn(self, rng: np.random.Generator, parameter: Parameter) -> Floats:
        most = np.sqrt(6.0 / (parameter.fan_in + parameter.fan_out))
        return rng.uniform(-most, most, parameter.shape)


@dataclass(frozen=True)
class GlorotNormal(Start):
    """Glorot and Bengio (2010): N(0, 2 / (n_in + n_out))."""

    names: ClassVar = ("glorot_normal",)

    def drawn(self, rng: np.random.Generator, parameter: Parameter) -> Floats:
        return rng.normal(0.0, np.sqrt(2.0 / (parameter.fan_in + parameter.fan_out)), parameter.shape)


@dataclass(frozen=True)
class HeUniform(Start):
    """He et al. (2015), for ReLU: U(−a, a) with a = √(6 / n_in)."""

    names: ClassVar = ("he_uniform",)

    def drawn(self, rng: np.random.Generator, parameter: Parameter) -> Floats:
        most = np.sqrt(6.0 / parameter.fan_in)
        return rng.uniform(-most, most, parameter.shape)


@dataclass(frozen=True)
class HeNormal(Start):
    """He et al. (2015), for ReLU: N(0, 2 / n_in)."""

    names: ClassVar = ("he_normal", "he")

    def drawn(self, rng: np.random.Generator, parameter: Parameter) -> Floats:
        return rng.normal(0.0, np.sqrt(2.0 / parameter.fan_in), parameter.shape)


@dataclass(frozen=True)
class FanInUniform(Start):
    """U(−a, a) with a = 1 / √n_in, of weights and biases: where PyTorch's layers begin."""

    names: ClassVar = ("fan_in_uniform",)

    def drawn(self, rng: np.random.Generator, parameter: Parameter) -> Floats:
        most = parameter.fan_in**-0.5
        return rng.uniform(-most, most, parameter.shape)

    def biases(self) -> Start | None:
        return self


@dataclass(frozen=True)
class StandardNormal(Start):
    """N(0, 1): for the tables of embeddings."""

    names: ClassVar = ("normal",)

    def drawn(self, rng: np.random.Generator, parameter: Parameter) -> Floats:
        return rng.normal(size=parameter.shape)


_ARRAYS = either(*(array_like(*[None] * dimensions) for dimensions in (1, 2, 4)))


@dataclass(frozen=True, eq=False)
class Given(Start):
    """Values that are given: the weights, (units, inputs), and the biases, (units,), which are 0 without.

    The weights of a convolution are (filters, channels, height, width).
    """

    weight: ArrayLike
    bias: ArrayLike | None = None
    holds: ClassVar = {"weight": _ARRAYS, "bias": optional(array_like(None))}

    def drawn(self, rng: np.random.Generator, parameter: Parameter) -> Floats:
        return _fitting(self.weight, parameter)

    def biases(self) -> Start | None:
        return None if self.bias is None else _GivenBias(self.bias)


@dataclass(frozen=True, eq=False)
class _GivenBias(Start):
    bias: ArrayLike

    def drawn(self, rng: np.random.Generator, parameter: Parameter) -> Floats:
        return _fitting(self.bias, parameter)


def _fitting(values: ArrayLike, parameter: Parameter) -> Floats:
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if found.shape != parameter.shape or not np.isfinite(found).all():
        got = f"shape {found.shape}" if found.shape != parameter.shape else "NaN or infinity among them"
        raise InvalidParameter(
            f"Given: the {parameter.name} must be finite numbers of shape {parameter.shape}; got {got}."
        )
    return found


def as_start(value: object, owner: str) -> Start:
    """The start of a name, or the one that it is already.

    >>> as_start("he_normal", "Dense")
    HeNormal()
    """
    return STARTS.member(value, owner, "start")
