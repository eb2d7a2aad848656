"""What every loss is: how bad a linear predictor η is for a target y, ℓ(η, y), one number a row."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ..backend.arrays import Array, namespace
from ..backend.dual import Box
from ..choices import Choices, Named
from ..registry import register_member
from ..typing import Floats, Numbers

Target = Literal["numbers", "signs", "classes"]


class Loss(Named):
    """Base of the losses: frozen dataclasses that are functions of η and y.

    A subclass names itself in `names` and gives `value` and `gradient`, and `curvature` where it has one. Subclasses
    register themselves, so that everybody who takes names, and the contract tests, find them. They are written in the
    array API standard, for arrays of any library.

    `target` says what y is: numbers, with η (n,); signs, −1 or 1, with η (n,); or classes, their codes from 0, with
    η (n, k), where `curvature` gives the probabilities p of the matrices diag(p) − p pᵀ.
    """

    members: ClassVar[list[type[Loss]]] = []
    target: ClassVar[Target] = "numbers"
    is_convex: ClassVar[bool] = True
    is_smooth: ClassVar[bool] = True  # the gradient is continuous
    has_curvature: ClassVar[bool] = True  # of a parabola that follows it (Newton), or lies above it where `majorises`
    majorises: ClassVar[bool] = False
    dispersed: ClassVar[bool] = False  # its likelihood has a scale of its own, which is estimated
    has_likelihood: ClassVar[bool] = False
    is_family: ClassVar[bool] = False  # half the deviance of a family, whose best constant is the mean of the targets
    least_target: ClassVar[float] = -np.inf
    most_target: ClassVar[float] = np.inf
    above_least: ClassVar[bool] = False  # the least target itself is not allowed

    @property
    def kernel(self) -> str:
        """The name by which the kernels of `backend.predictors` know it; "" where they do not."""
        return ""

    @property
    def kernel_numbers(self) -> tuple[float, float]:
        """The numbers that its kernel takes, as many as it needs."""
        return 0.0, 0.0

    def __init_subclass__(cls) -> None:
        Loss.members.append(cls)
        LOSSES.register(cls)
        register_member(cls, "loss")

    # ---- what a subclass says ----

    def value(self, eta: Array, y: Array) -> Array:
        """ℓ(η, y), (n,)."""
        raise TypeError(f"{type(self).__name__} does not define value")

    def gradient(self, eta: Array, y: Array) -> Array:
        """dℓ/dη, in the shape of η; where there is none, one of the subgradients."""
        raise TypeError(f"{type(self).__name__} does not define gradient")

    def curvature(self, eta: Array, y: Array) -> Array:
        """d²ℓ/dη², expected where that depends on y, or that of a parabola above the loss, never negative."""
        raise TypeError(f"{type(self).__name__} does not define curvature")

    def steepest(self) -> float:
        """The largest curvature anywhere; infinite where there is no bound."""
        return np.inf

    def mean(self, eta: Array) -> Array:
        """What is predicted at η: the expected target, or the probability of the sign 1 or of each class."""
        return eta

    def variance(self, mean: Array) -> Array:
        """The variance of a target with this mean, in units of the dispersion."""
        return 0.0 * mean + 1.0

    def half_deviance(self, mean: Array, y: Array) -> Array:
        """½ d(y, μ), (n,), of a family."""
        raise TypeError(f"{type(self).__name__} is no family")

    def constant(self, mean: float) -> float:
        """The η that is best for all rows alike where their targets have this mean, or where to begin."""
        return mean

    def in_scale(self, size: float) -> Loss:
        """The same loss, which knows that targets are of this size."""
        return self

    def box(self, y: Floats) -> Box | None:
        """The box of its dual, for losses that are made of straight lines or parabolas; None for others."""
        return None

    def rounded(self, width: float) -> Loss | None:
        """A loss with a curvature, above this one by width / 4 at most, and only within `width` of kinks; or None."""
        return None

    def slack(self, eta: Array, y: Array) -> Array:
        """Of a rounded loss: by how much the loss with its kinks is above its dual at this gradient, (n,)."""
        raise TypeError(f"{type(self).__name__} has no kinks that are rounded")

    def observed(self) -> Loss:
        """The same loss with its own curvature, not the expected one, where that is never negative; else itself."""
        return self

    def least(self, y: Array) -> Array:
        """The smallest loss that any η has at y, (n,)."""
        return 0.0 * y

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        """log p(y | η), (n,), where the loss is a likelihood: ℓ is −dispersion · log p and a constant."""
        raise TypeError(f"{type(self).__name__} has no likelihood")

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        """Some members, for the contract tests."""
        return (cls(),)

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        """Targets that the loss allows, for the contract tests."""
        return rng.normal(size=n) * 2

    # ---- what everybody uses ----

    def parts(self, eta: Array, y: Array) -> tuple[Array, Array, Array]:
        """Value, gradient and curvature; overridden where they share work."""
        return self.value(eta, y), self.gradient(eta, y), self.curvature(eta, y)

    def value_and_gradient(self, eta: Array, y: Array) -> tuple[Array, Array]:
        """Both; overridden where they share work."""
        return self.value(eta, y), self.gradient(eta, y)

    def refusal(self, y: Numbers) -> str:
        """Why these targets have no such loss; "" where they have."""
        low, high = float(y.min()), float(y.max())
        if low < self.least_target or (self.above_least and low == self.least_target):
            word = "above" if self.above_least else "at least"
            return f"needs targets {word} {self.least_target:g}; got {low:g}"
        return f"needs targets of at most {self.most_target:g}; got {high:g}" if high > self.most_target else ""


LOSSES: Choices[Loss] = Choices("loss", Loss)


def as_loss(value: object, owner: str = "as_loss") -> Loss:
    """The loss of a name, or the loss that it is already.

    >>> as_loss("huber")
    HuberLoss(delta=1.35)
    """
    return LOSSES.member(value, owner, "loss")


def softplus(x: Array) -> Array:
    """log(1 + exp x), without overflow."""
    xp = namespace(x)
    return xp.log1p(xp.exp(-xp.abs(x))) + xp.where(x > 0, x, 0.0 * x)


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(−x)), without overflow."""
    xp = namespace(x)
    e = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1.0, e) / (1.0 + e)
