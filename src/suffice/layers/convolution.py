"""The convolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..holds import instance, whole
from ..typing import Torch
from .activations import Activation, as_activation
from .base import Incoming, Layer, Parameter, Shape, check_whole, needs_image, windowed
from .starts import Start, as_start


@dataclass(frozen=True)
class Convolution(Layer):
    """Filters that pass over an image: each sees `kernel` × `kernel` cells of all channels at a time.

    A side of n cells becomes ⌊(n + 2 p − f) / s⌋ + 1, with `padding` p, `kernel` f and `stride` s.

    >>> from suffice.layers import Convolution, Plan
    >>> Plan.of([Convolution(16, 3, padding=1)], (8, 8, 1)).shapes[-1]
    (8, 8, 16)
    """

    filters: int
    kernel: int = 3
    stride: int = 1
    padding: int = 0
    activation: Activation | str = "relu"
    start: Start | str = "glorot_uniform"
    holds: ClassVar = {
        "filters": whole(at_least=1),
        "kernel": whole(at_least=1),
        "stride": whole(at_least=1),
        "padding": whole(),
        "activation": instance(Activation),
        "start": instance(Start),
    }

    def __post_init__(self) -> None:
        for name, least in (("filters", 1), ("kernel", 1), ("stride", 1), ("padding", 0)):
            check_whole(self, name, least)
        object.__setattr__(self, "activation", as_activation(self.activation, "Convolution"))
        object.__setattr__(self, "start", as_start(self.start, "Convolution"))

    def output(self, incoming: Incoming) -> Shape:
        needs_image(self, incoming.shape)
        return *windowed(self, incoming.shape, self.kernel, self.stride, self.padding), self.filters

    def parameters(self, incoming: Incoming) -> tuple[Parameter, ...]:
        assert isinstance(self.start, Start)
        channels, cells = incoming.shape[2], self.kernel * self.kernel
        shape = (self.filters, channels, self.kernel, self.kernel)
        weight = Parameter("weight", shape, channels * cells, self.filters * cells, self.start, decays=True)
        return weight, Parameter("bias", (self.filters,), channels * cells, self.filters, self.start.biases())

    def module(self, torch: Torch, incoming: Incoming) -> Torch:
        assert isinstance(self.activation, Activation)
        filters = torch.nn.Conv2d(incoming.shape[2], self.filters, self.kernel, self.stride, self.padding)
        after = self.activation.module(torch)
        return filters if after is None else torch.nn.Sequential(filters, after)
