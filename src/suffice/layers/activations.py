"""Activations: functions of one number between layers, with their derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend import nets
from ..choices import Choices, Named, check_number
from ..holds import number
from ..registry import register_member
from ..typing import Reals, Torch


class Activation(Named):
    """Base: a subclass names itself and gives `apply`, `chain` and PyTorch's `module`."""

    members: ClassVar[list[type[Activation]]] = []

    def __init_subclass__(cls) -> None:
        Activation.members.append(cls)
        ACTIVATIONS.register(cls)
        register_member(cls, "activation")

    def forward(self, z: Reals, bias: Reals) -> Reals:
        """h = f(z + b), in the memory of z, (m, units)."""
        z += bias
        return self.apply(z)

    def backward(self, slope: Reals, h: Reals, sums: Reals) -> Reals:
        """dℓ/dz from dℓ/dh and h, in the memory of the former; its sum over the rows, dℓ/db, goes into `sums`."""
        slope = self.chain(slope, h)
        np.add.reduce(slope, axis=0, out=sums)
        return slope

    def apply(self, z: Reals) -> Reals:
        """h = f(z), in the memory of z."""
        raise TypeError(f"{type(self).__name__} does not define apply")

    def chain(self, slope: Reals, h: Reals) -> Reals:
        """dℓ/dz from dℓ/dh and h = f(z), in the memory of the former."""
        raise TypeError(f"{type(self).__name__} does not define chain")

    def module(self, torch: Torch) -> Torch:
        """PyTorch's module of it; None for the identity."""
        raise TypeError(f"{type(self).__name__} does not define module")


ACTIVATIONS: Choices[Activation] = Choices("activation", Activation)


class _TwoPieces(Activation):
    """Base of f(z) = z above 0, else `_below` times z: one pass with the bias, and one back."""

    @property
    def _below(self) -> float:
        raise TypeError(f"{type(self).__name__} does not define _below")

    def forward(self, z: Reals, bias: Reals) -> Reals:
        return nets.bend(z, bias, self._below)

    def backward(self, slope: Reals, h: Reals, sums: Reals) -> Reals:
        return nets.unbend(slope, h, self._below, sums)[0]


@dataclass(frozen=True)
class Identity(_TwoPieces):
    """f(z) = z."""

    names: ClassVar = ("identity", "linear")

    @property
    def _below(self) -> float:
        return 1.0

    def module(self, torch: Torch) -> Torch:
        return None


@dataclass(frozen=True)
class Sigmoid(Activation):
    """f(z) = 1 / (1 + exp(−z)), with f' = f (1 − f), at most ¼: many of them in a row make gradients vanish."""

    names: ClassVar = ("sigmoid", "logistic")

    def apply(self, z: Reals) -> Reals:
        z *= 0.5
        np.tanh(z, out=z)
        z += 1.0
        z *= 0.5
        return z

    def chain(self, slope: Reals, h: Reals) -> Reals:
        slope *= h
        slope *= 1.0 - h
        return slope

    def module(self, torch: Torch) -> Torch:
        return torch.nn.Sigmoid()


@dataclass(frozen=True)
class Tanh(Activation):
    """f(z) = tanh z, with f' = 1 − f²."""

    names: ClassVar = ("tanh",)

    def apply(self, z: Reals) -> Reals:
        np.tanh(z, out=z)
        return z

    def chain(self, slope: Reals, h: Reals) -> Reals:
        slope *= 1.0 - h * h
        return slope

    def module(self, torch: Torch) -> Torch:
        return torch.nn.Tanh()


@dataclass(frozen=True)
class ReLU(_TwoPieces):
    """f(z) = max(z, 0), with f' = 1 above 0, else 0."""

    names: ClassVar = ("relu",)

    @property
    def _below(self) -> float:
        return 0.0

    def module(self, torch: Torch) -> Torch:
        return torch.nn.ReLU(inplace=True)


@dataclass(frozen=True)
class LeakyReLU(_TwoPieces):
    """f(z) = z above 0, else a z: a unit that is off still learns. `below` is a."""

    below: float = 0.01
    names: ClassVar = ("leaky_relu",)
    holds: ClassVar = {"below": number(above=0, below=1)}

    def __post_init__(self) -> None:
        check_number(self, "below", 0.0, above=True, most=1.0, below=True)

    @property
    def _below(self) -> float:
        return self.below

    def module(self, torch: Torch) -> Torch:
        return torch.nn.LeakyReLU(self.below)


@dataclass(frozen=True)
class Softplus(Activation):
    """f(z) = log(1 + exp z), with f' = 1 − exp(−f): a ReLU without its kink."""

    names: ClassVar = ("softplus",)

    def apply(self, z: Reals) -> Reals:
        tail = np.log1p(np.exp(-np.abs(z)))
        np.maximum(z, 0.0, out=z)
        z += tail
        return z

    def chain(self, slope: Reals, h: Reals) -> Reals:
        slope *= -np.expm1(-h)
        return slope

    def module(self, torch: Torch) -> Torch:
        return torch.nn.Softplus()


def as_activation(value: object, owner: str) -> Activation:
    """The activation of a name, or the one that it is already.

    >>> as_activation("leaky_relu", "Dense")
    LeakyReLU(below=0.01)
    """
    return ACTIVATIONS.member(value, owner, "activation")
