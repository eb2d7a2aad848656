"""Learning rates: how long the steps of gradient descent are, update by update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ..backend.sgd import RateLaw
from ..choices import Choices, Named
from ..errors import InvalidParameter
from ..holds import number
from ..losses import Loss
from ..registry import register_member


class LearningRate(Named):
    """Base of the learning rates, frozen dataclasses: each is a law η_t = scale / (shift + t)^power, t from 1.

    Steps that fall in this way end at the minimum where Σ η_t = ∞ and Σ η_t² < ∞ (Robbins and Monro, 1951), which is
    a power above ½ and of at most 1.
    """

    members: ClassVar[list[type[LearningRate]]] = []
    shrinks_by: ClassVar[float] = 1.0  # divided by this where the objective no longer falls
    by_strength: ClassVar[bool] = False  # it falls by the strength of the penalty, and needs one

    def __init_subclass__(cls) -> None:
        LearningRate.members.append(cls)
        LEARNING_RATES.register(cls)
        register_member(cls, "learning_rate")

    def law(self, loss: Loss, strength: float) -> RateLaw:
        """The law for a loss with an L2 penalty ½ λ‖w‖² of this strength λ."""
        raise TypeError(f"{type(self).__name__} does not define law")


LEARNING_RATES: Choices[LearningRate] = Choices("learning rate", LearningRate)


def check_positive(owner: object, *names: str, least: float = 0.0, most: float = np.inf) -> None:
    """Refuse parameters that are no finite numbers above 0, or within bounds."""
    for name in names:
        value = getattr(owner, name)
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool) and np.isfinite(value)
        if not (is_number and value > least and value <= most):
            bound = f"above {least:g}" + ("" if most == np.inf else f" and at most {most:g}")
            raise InvalidParameter(f"{type(owner).__name__}: {name} must be a number, {bound}; got {value!r}.")


@dataclass(frozen=True)
class ConstantRate(LearningRate):
    """η_t = η₀: fast at first, and around the minimum in the end.

    >>> ConstantRate(0.5).law(Loss(), 1.0).at(100)
    0.5
    """

    eta0: float = 0.01
    names: ClassVar = ("constant",)
    holds: ClassVar = {"eta0": number(above=0)}

    def __post_init__(self) -> None:
        check_positive(self, "eta0")

    def law(self, loss: Loss, strength: float) -> RateLaw:
        return RateLaw(self.eta0, 0.0, 0.0)


@dataclass(frozen=True)
class InverseScaling(LearningRate):
    """η_t = η₀ / t^power: 1/t, 1/√t, and whatever lies between.

    >>> InverseScaling(0.5, 0.5).law(Loss(), 1.0).at(100)
    0.05
    """

    eta0: float = 0.01
    power: float = 0.5
    names: ClassVar = ("invscaling", "1/t", "1/sqrt(t)")
    holds: ClassVar = {"eta0": number(above=0), "power": number(at_least=0)}

    def __post_init__(self) -> None:
        check_positive(self, "eta0")
        if self.power != 0:
            check_positive(self, "power")

    @classmethod
    def of_name(cls, name: str, **arguments: object) -> Self:
        return cls(**({"power": 1.0} if name == "1/t" else {}) | arguments)  # type: ignore[arg-type]

    def law(self, loss: Loss, strength: float) -> RateLaw:
        return RateLaw(self.eta0, 0.0, self.power)

    @property
    def is_robbins_monro(self) -> bool:
        """Whether Σ η = ∞ and Σ η² < ∞."""
        return 0.5 < self.power <= 1


@dataclass(frozen=True)
class PegasosRate(LearningRate):
    """η_t = 1 / (λ t), with the penalty ½ λ‖w‖² (Shalev-Shwartz et al., 2007).

    Where a penalty is written λ‖w‖², its λ is half of this one, and the rate is 1 / (2 λ t).
    """

    names: ClassVar = ("pegasos",)
    by_strength: ClassVar = True

    def law(self, loss: Loss, strength: float) -> RateLaw:
        return RateLaw(1 / _positive(self, strength), 0.0, 1.0)


@dataclass(frozen=True)
class OptimalRate(LearningRate):
    """η_t = 1 / (λ (t₀ + t − 1)), with the penalty ½ λ‖w‖² and first steps of the size of slopes (Bottou, 2012)."""

    names: ClassVar = ("optimal",)
    by_strength: ClassVar = True

    def law(self, loss: Loss, strength: float) -> RateLaw:
        own = _positive(self, strength)
        size = 1 / own**0.25
        steep = float(np.abs(loss.gradient(np.array([-size]), np.array([1.0])))[0])
        return RateLaw(1 / own, max(1.0, steep) / (own * size) - 1.0, 1.0)


@dataclass(frozen=True)
class AdaptiveRate(LearningRate):
    """η_t = η₀ while the objective falls; divided by 5 where it does not, until it is nearly 0."""

    eta0: float = 0.01
    names: ClassVar = ("adaptive",)
    shrinks_by: ClassVar = 5.0
    holds: ClassVar = {"eta0": number(above=0)}

    def __post_init__(self) -> None:
        check_positive(self, "eta0")

    def law(self, loss: Loss, strength: float) -> RateLaw:
        return RateLaw(self.eta0, 0.0, 0.0)


def _positive(rate: LearningRate, strength: float) -> float:
    if strength > 0:
        return strength
    raise InvalidParameter(
        f"{type(rate).__name__}: the rate is 1 / (λ t), and the L2 penalty has a strength λ of 0; take InverseScaling."
    )
