"""Batch normalisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..choices import check_number
from ..holds import number
from ..typing import Torch
from .base import Incoming, Layer, Parameter, Shape


@dataclass(frozen=True)
class BatchNorm(Layer):
    """Each column, or channel, of a batch to mean 0 and variance 1, then γ z + β (Ioffe and Szegedy, 2015).

    Predictions use running means: of each batch `momentum` is taken in. A batch needs more than one row.
    """

    momentum: float = 0.1
    epsilon: float = 1e-5
    holds: ClassVar = {"momentum": number(above=0, at_most=1), "epsilon": number(above=0)}

    def __post_init__(self) -> None:
        check_number(self, "momentum", 0.0, above=True, most=1.0)
        check_number(self, "epsilon", 0.0, above=True)

    def output(self, incoming: Incoming) -> Shape:
        return incoming.shape

    def parameters(self, incoming: Incoming) -> tuple[Parameter, ...]:
        shape = incoming.shape[-1:]
        return Parameter("scale", shape, constant=1.0), Parameter("shift", shape)

    def buffers(self, incoming: Incoming) -> tuple[Parameter, ...]:
        shape = incoming.shape[-1:]
        return Parameter("mean", shape), Parameter("variance", shape, constant=1.0)

    def module(self, torch: Torch, incoming: Incoming) -> Torch:
        kind = torch.nn.BatchNorm1d if len(incoming.shape) == 1 else torch.nn.BatchNorm2d
        return kind(incoming.shape[-1], eps=self.epsilon, momentum=self.momentum)
