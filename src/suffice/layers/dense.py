"""The dense layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..holds import instance, whole
from ..typing import Torch
from .activations import Activation, as_activation
from .base import Incoming, Layer, Parameter, Shape, check_whole, needs_vector
from .starts import Start, as_start


@dataclass(frozen=True)
class Dense(Layer):
    """Units that see all of a row: h = f(W x + b), with W (units, inputs).

    Weights begin as `start` says; biases at 0, but where the start has some.

    >>> from suffice.layers import Dense
    >>> Dense(16, "tanh")
    Dense(units=16, activation=Tanh(), start=GlorotUniform())
    """

    units: int
    activation: Activation | str = "relu"
    start: Start | str = "glorot_uniform"
    holds: ClassVar = {"units": whole(at_least=1), "activation": instance(Activation), "start": instance(Start)}

    def __post_init__(self) -> None:
        check_whole(self, "units", 1)
        object.__setattr__(self, "activation", as_activation(self.activation, "Dense"))
        object.__setattr__(self, "start", as_start(self.start, "Dense"))

    def output(self, incoming: Incoming) -> Shape:
        needs_vector(self, incoming)
        return (self.units,)

    def parameters(self, incoming: Incoming) -> tuple[Parameter, ...]:
        assert isinstance(self.start, Start)
        inputs = needs_vector(self, incoming)
        weight = Parameter("weight", (self.units, inputs), inputs, self.units, self.start, decays=True)
        return weight, Parameter("bias", (self.units,), inputs, self.units, self.start.biases())

    def module(self, torch: Torch, incoming: Incoming) -> Torch:
        assert isinstance(self.activation, Activation)
        linear = torch.nn.Linear(incoming.shape[0], self.units)
        after = self.activation.module(torch)
        return linear if after is None else torch.nn.Sequential(linear, after)
