"""How gradient descent goes from one point to the next: steps of a given length, searched ones, and momentum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ..choices import Choices, Named
from ..engine import Kept
from ..holds import floats, number, whole
from ..registry import register_member
from ..typing import Floats
from .line_search import searched
from .rates import InverseScaling, check_positive

Evaluated = Callable[[Floats], tuple[float, Floats]]
_HALVINGS = 60


@dataclass(frozen=True)
class Walk:
    """Where gradient descent stands: the point θ (q,), F and its gradient there, and what the way was like.

    `rate` is the length of the next step, `velocity` (q,) the mean of the last steps or gradients, `squares` (q,) the
    mean of their squares, and `t` counts steps.
    """

    theta: Floats
    value: float
    gradient: Floats
    rate: float
    velocity: Floats
    squares: Floats
    t: int = 0

    @classmethod
    def kept(cls, q: int) -> Kept[Walk]:
        """How it is written to a checkpoint."""
        many, one = floats(q, finite=False), number(finite=False)
        return Kept.fields(cls, theta=many, value=one, gradient=many, rate=one, velocity=many, squares=many, t=whole())

    def moved(self, change: Floats, evaluate: Evaluated, **changed: object) -> Walk:
        """The walk after a change of θ."""
        theta = self.theta + change
        value, gradient = evaluate(theta)
        return replace(self, theta=theta, value=value, gradient=gradient, t=self.t + 1, **changed)  # type: ignore[arg-type]


class StepRule(Named):
    """Base of the rules, frozen dataclasses: a subclass gives `next`, the walk after one step."""

    members: ClassVar[list[type[StepRule]]] = []
    takes_subgradients: ClassVar[bool] = False  # it reaches the minimum of a loss with kinks
    rate: float

    def __init_subclass__(cls) -> None:
        StepRule.members.append(cls)
        STEP_RULES.register(cls)
        register_member(cls, "step_rule")

    def next(self, walk: Walk, evaluate: Evaluated) -> Walk:
        """The walk after one step."""
        raise TypeError(f"{type(self).__name__} does not define next")

    def gain(self, walk: Walk) -> float:
        """By about how much a step from here lowers the objective."""
        return walk.rate * float(walk.gradient @ walk.gradient)


STEP_RULES: Choices[StepRule] = Choices("step rule", StepRule)


@dataclass(frozen=True)
class FixedStep(StepRule):
    """w ← w − η ∇F(w). Above 2 / (the largest curvature) it leads away from the minimum."""

    rate: float = 0.1
    names: ClassVar = ("fixed",)
    holds: ClassVar = {"rate": number(above=0)}

    def __post_init__(self) -> None:
        check_positive(self, "rate")

    def next(self, walk: Walk, evaluate: Evaluated) -> Walk:
        return walk.moved(-self.rate * walk.gradient, evaluate)


@dataclass(frozen=True)
class DecayingStep(StepRule):
    """w ← w − η_t ∇F(w) with η_t = η / t^power: 1/t and 1/√t by name; powers in (½, 1] are Robbins and Monro's."""

    rate: float = 1.0
    power: float = 0.5
    names: ClassVar = ("1/sqrt(t)", "1/t")
    takes_subgradients: ClassVar = True
    holds: ClassVar = {"rate": number(above=0), "power": number(above=0, at_most=1)}

    def __post_init__(self) -> None:
        check_positive(self, "rate")
        check_positive(self, "power", most=1.0)

    @classmethod
    def of_name(cls, name: str, **arguments: object) -> Self:
        return cls(**({"power": 1.0} if name == "1/t" else {}) | arguments)  # type: ignore[arg-type]

    def next(self, walk: Walk, evaluate: Evaluated) -> Walk:
        rate = self.rate / (walk.t + 1) ** self.power
        return walk.moved(-rate * walk.gradient, evaluate)

    @property
    def is_robbins_monro(self) -> bool:
        """Whether Σ η = ∞ and Σ η² < ∞."""
        return InverseScaling(self.rate, self.power).is_robbins_monro


@dataclass(frozen=True)
class Backtracking(StepRule):
    """The first of η, η/2, η/4 … that lowers F by a tenth of what the slope promises; η is then doubled."""

    rate: float = 1.0
    names: ClassVar = ("backtracking",)
    holds: ClassVar = {"rate": number(above=0)}

    def __post_init__(self) -> None:
        check_positive(self, "rate")

    def next(self, walk: Walk, evaluate: Evaluated) -> Walk:
        rate, square = 2 * walk.rate, float(walk.gradient @ walk.gradient)
        for _ in range(_HALVINGS):
            found = walk.moved(-rate * walk.gradient, evaluate, rate=rate)
            if found.value <= walk.value - 0.1 * rate * square:
                return found
            rate /= 2
        return replace(walk, t=walk.t + 1)


@dataclass(frozen=True)
class LineSearch(StepRule):
    """η = argmin F(w − η ∇F(w)), the best length along the gradient, to a hundredth of its slope."""

    rate: float = 1.0
    names: ClassVar = ("line_search", "exact")
    holds: ClassVar = {"rate": number(above=0)}

    def __post_init__(self) -> None:
        check_positive(self, "rate")

    def next(self, walk: Walk, evaluate: Evaluated) -> Walk:
        found = searched(evaluate, walk.theta, -walk.gradient, walk.value, walk.gradient, walk.rate, flat=0.01)
        if found is None:
            return replace(walk, t=walk.t + 1)
        theta, value, gradient = found
        size = float(np.linalg.norm(walk.gradient))
        rate = float(np.linalg.norm(theta - walk.theta)) / size if size > 0 else walk.rate
        return replace(walk, theta=theta, value=value, gradient=gradient, rate=rate, t=walk.t + 1)


@dataclass(frozen=True)
class BoldDriver(StepRule):
    """A step that lowers F makes the next longer (η · grow); one that does not is taken back, and η · shrink tried."""

    rate: float = 0.1
    grow: float = 1.05
    shrink: float = 0.5
    names: ClassVar = ("bold_driver",)
    holds: ClassVar = {"rate": number(above=0), "grow": number(above=1), "shrink": number(above=0, at_most=1)}

    def __post_init__(self) -> None:
        check_positive(self, "rate")
        check_positive(self, "grow", least=1.0)
        check_positive(self, "shrink", most=1.0)

    def next(self, walk: Walk, evaluate: Evaluated) -> Walk:
        found = walk.moved(-walk.rate * walk.gradient, evaluate, rate=walk.rate * self.grow)
        if found.value <= walk.value:
            return found
        return replace(walk, rate=walk.rate * self.shrink, t=walk.t + 1)


@dataclass(frozen=True)
class Momentum(StepRule):
    """v ← μ v − η ∇F(w), w ← w + v: steps that agree add up, those to and fro cancel (Polyak, 1964)."""

    rate: float = 0.1
    momentum: float = 0.9
    names: ClassVar = ("momentum",)
    holds: ClassVar = {"rate": number(above=0), "momentum": number(above=0, below=1)}

    def __post_init__(self) -> None:
        check_positive(self, "rate")
        check_positive(self, "momentum", most=float(np.nextafter(1, 0)))

    def next(self, walk: Walk, evaluate: Evaluated) -> Walk:
        velocity = self.momentum * walk.velocity - self.rate * walk.gradient
        return walk.moved(velocity, evaluate, velocity=velocity)

    def gain(self, walk: Walk) -> float:
        return super().gain(walk) + float(walk.velocity @ walk.velocity) / (2 * self.rate)


@dataclass(frozen=True)
class Nesterov(Momentum):
    """Momentum with the gradient of where it leads: v ← μ v − η ∇F(w + μ v), w ← w + v (Nesterov, 1983)."""

    rate: float = 0.1
    momentum: float = 0.9
    names: ClassVar = ("nesterov",)

    def next(self, walk: Walk, evaluate: Evaluated) -> Walk:
        ahead = evaluate(walk.theta + self.momentum * walk.velocity)[1]
        velocity = self.momentum * walk.velocity - self.rate * ahead
        return walk.moved(velocity, evaluate, velocity=velocity)


@dataclass(frozen=True)
class Adam(StepRule):
    """Steps of about η in every coordinate, by running means of gradient and its square (Kingma and Ba, 2015)."""

    rate: float = 0.05
    beta1: float = 0.9
    beta2: float = 0.999
    names: ClassVar = ("adam",)
    holds: ClassVar = {"rate": number(above=0), "beta1": number(above=0, below=1), "beta2": number(above=0, below=1)}

    def __post_init__(self) -> None:
        check_positive(self, "rate")
        check_positive(self, "beta1", "beta2", most=float(np.nextafter(1, 0)))

    def next(self, walk: Walk, evaluate: Evaluated) -> Walk:
        t = walk.t + 1
        velocity = self.beta1 * walk.velocity + (1 - self.beta1) * walk.gradient
        squares = self.beta2 * walk.squares + (1 - self.beta2) * walk.gradient**2
        mean, square = velocity / (1 - self.beta1**t), squares / (1 - self.beta2**t)
        return walk.moved(-self.rate * mean / (np.sqrt(square) + 1e-8), evaluate, velocity=velocity, squares=squares)

    def gain(self, walk: Walk) -> float:
        return self.rate * float(np.abs(walk.gradient).sum())
