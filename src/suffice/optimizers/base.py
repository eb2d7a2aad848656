"""Optimisers of many parameters by gradients of batches, and schedules of their learning rates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..backend import nets
from ..backend.arrays import Array
from ..choices import Choices, Named, check_number
from ..errors import InvalidParameter
from ..holds import flag, number, whole
from ..layers.base import check_flag, check_whole
from ..registry import register_member


class Optimizer(Named):
    """Base: a subclass names itself, says how many `slots` it keeps for each parameter, and gives `update`.

    It works in the memory of its arguments, with operators alone: for arrays of NumPy and tensors of PyTorch.
    """

    members: ClassVar[list[type[Optimizer]]] = []
    rate: float

    def __init_subclass__(cls) -> None:
        Optimizer.members.append(cls)
        OPTIMIZERS.register(cls)
        register_member(cls, "optimizer")

    @property
    def slots(self) -> int:
        """How many numbers it keeps for each parameter."""
        return 0

    def update(self, theta: Array, slope: Array, slots: Array, rate: float, t: int) -> None:
        """One step of the parameters θ, (p,), by their gradient; `slots`, (slots, p), and t, from 1, are its memory."""
        raise TypeError(f"{type(self).__name__} does not define update")


OPTIMIZERS: Choices[Optimizer] = Choices("optimizer", Optimizer)


@dataclass(frozen=True)
class SGD(Optimizer):
    """Gradient descent with momentum: v ← μ v + g, θ ← θ − η v; Nesterov's form takes g + μ v as the step.

    >>> import numpy as np
    >>> theta, slots = np.array([1.0]), np.zeros((1, 1))
    >>> SGD(momentum=0.9).update(theta, np.array([2.0]), slots, rate=0.1, t=1)
    >>> theta
    array([0.8])
    """

    rate: float = 0.1
    momentum: float = 0.0
    nesterov: bool = False
    names: ClassVar = ("sgd",)
    holds: ClassVar = {"rate": number(above=0), "momentum": number(at_least=0, below=1), "nesterov": flag()}

    def __post_init__(self) -> None:
        check_number(self, "rate", 0.0, above=True)
        check_number(self, "momentum", 0.0, most=1.0, below=True)
        check_flag(self, "nesterov")
        if self.nesterov and self.momentum == 0:
            raise InvalidParameter("SGD: nesterov=True needs a momentum above 0, such as 0.9.")

    @property
    def slots(self) -> int:
        return int(self.momentum > 0)

    def update(self, theta: Array, slope: Array, slots: Array, rate: float, t: int) -> None:
        if self.momentum == 0:
            theta -= rate * slope
            return
        v = slots[0]
        v *= self.momentum
        v += slope
        theta -= rate * (slope + self.momentum * v if self.nesterov else v)


@dataclass(frozen=True)
class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015): θ ← θ − η m̂ / (√v̂ + ε), with means m of the gradients and v of their squares.

    m̂ = m / (1 − β₁ᵗ) and v̂ = v / (1 − β₂ᵗ) undo that both begin at 0.
    """

    rate: float = 1e-3
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    names: ClassVar = ("adam",)
    holds: ClassVar = {
        "rate": number(above=0),
        "beta_1": number(at_least=0, below=1),
        "beta_2": number(at_least=0, below=1),
        "epsilon": number(above=0),
    }

    def __post_init__(self) -> None:
        check_number(self, "rate", 0.0, above=True)
        check_number(self, "beta_1", 0.0, most=1.0, below=True)
        check_number(self, "beta_2", 0.0, most=1.0, below=True)
        check_number(self, "epsilon", 0.0, above=True)

    @property
    def slots(self) -> int:
        return 2

    def update(self, theta: Array, slope: Array, slots: Array, rate: float, t: int) -> None:
        root = math.sqrt(1.0 - self.beta_2**t)
        step = rate * root / (1.0 - self.beta_1**t)
        nets.adam(theta, slope, slots[0], slots[1], (self.beta_1, self.beta_2), self.epsilon * root, step)


class Schedule(Named):
    """Base of the schedules: a subclass names itself and gives the factor of the learning rate in each epoch."""

    members: ClassVar[list[type[Schedule]]] = []

    def __init_subclass__(cls) -> None:
        Schedule.members.append(cls)
        SCHEDULES.register(cls)
        register_member(cls, "schedule")

    def factor(self, epoch: int, epochs: int) -> float:
        """What the learning rate is multiplied by in an epoch, from 0, of so many."""
        return 1.0


SCHEDULES: Choices[Schedule] = Choices("schedule", Schedule)


@dataclass(frozen=True)
class ConstantRate(Schedule):
    """The same rate in all epochs."""

    names: ClassVar = ("constant",)


@dataclass(frozen=True)
class StepDecay(Schedule):
    """The rate times `by` after every so many epochs: by^⌊epoch / every⌋.

    >>> [StepDecay(2, 0.5).factor(epoch, 10) for epoch in range(5)]
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    every: int = 30
    by: float = 0.1
    names: ClassVar = ("steps",)
    holds: ClassVar = {"every": whole(at_least=1), "by": number(above=0, at_most=1)}

    def __post_init__(self) -> None:
        check_whole(self, "every", 1)
        check_number(self, "by", 0.0, above=True, most=1.0)

    def factor(self, epoch: int, epochs: int) -> float:
        return float(self.by ** (epoch // self.every))


@dataclass(frozen=True)
class ExponentialDecay(Schedule):
    """The rate times `by` after every epoch: by^epoch."""

    by: float = 0.99
    names: ClassVar = ("exponential",)
    holds: ClassVar = {"by": number(above=0, at_most=1)}

    def __post_init__(self) -> None:
        check_number(self, "by", 0.0, above=True, most=1.0)

    def factor(self, epoch: int, epochs: int) -> float:
        return float(self.by**epoch)


@dataclass(frozen=True)
class InverseTime(Schedule):
    """The rate over 1 + decay · epoch."""

    decay: float = 0.01
    names: ClassVar = ("inverse_time",)
    holds: ClassVar = {"decay": number(at_least=0)}

    def __post_init__(self) -> None:
        check_number(self, "decay", 0.0)

    def factor(self, epoch: int, epochs: int) -> float:
        return 1.0 / (1.0 + self.decay * epoch)


@dataclass(frozen=True)
class Cosine(Schedule):
    """Half a cosine from 1 to `least` over `max_iter` epochs, and over as many again if more follow.

    Loshchilov and Hutter (2017), with restarts: a warm start, or a `partial_fit` after the last epoch, begins at 1.
    """

    least: float = 0.0
    names: ClassVar = ("cosine",)
    holds: ClassVar = {"least": number(at_least=0, at_most=1)}

    def __post_init__(self) -> None:
        check_number(self, "least", 0.0, most=1.0)

    def factor(self, epoch: int, epochs: int) -> float:
        share = epoch % epochs / epochs
        return self.least + (1.0 - self.least) * 0.5 * (1.0 + math.cos(math.pi * share))


def as_optimizer(value: object, owner: str) -> Optimizer:
    """The optimiser of a name, or the one that it is already.

    >>> as_optimizer("adam", "NeuralClassifier").rate
    0.001
    """
    return OPTIMIZERS.member(value, owner, "optimizer")
