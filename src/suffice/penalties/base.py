"""What every penalty is: what slopes cost by themselves, λ p(w), which the logarithm of a prior is, up to its sign."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from ..backend.coordinate import Costs
from ..choices import Choices, Named, check_number
from ..errors import InvalidParameter
from ..params import numbers
from ..registry import register_member
from ..typing import Floats, NumberLike


class Penalty(Named):
    """Base of the penalties: frozen dataclasses that are functions of slopes w, (p,) or (p, k), never of intercepts.

    A subclass names itself in `names` and gives `value` and `prox`, or `gradient` and `curvature` where it is smooth.
    Subclasses register themselves, so that everybody who takes names, and the contract tests, find them.
    """

    members: ClassVar[list[type[Penalty]]] = []
    is_smooth: ClassVar[bool] = False  # it has a gradient everywhere, and a constant curvature
    is_convex: ClassVar[bool] = True
    is_separable: ClassVar[bool] = True  # a sum over single slopes
    strength: float

    def __init_subclass__(cls) -> None:
        Penalty.members.append(cls)
        PENALTIES.register(cls)
        register_member(cls, "penalty")

    # ---- what a subclass says ----

    def value(self, w: Floats) -> float:
        """λ p(w)."""
        raise TypeError(f"{type(self).__name__} does not define value")

    def prox(self, v: Floats, step: NumberLike) -> Floats:
        """The w that minimises ½ ‖w − v‖² / step + λ p(w); `step` is one number, or one for each row of v."""
        raise TypeError(f"{type(self).__name__} does not define prox")

    def gradient(self, w: Floats) -> Floats:
        """Its gradient, in the shape of w, where it is smooth."""
        raise TypeError(f"{type(self).__name__} has no gradient")

    def curvature(self, p: int) -> Floats:
        """Its second derivatives for p slopes, where it is smooth: (p,), or (p, p) where they are not diagonal."""
        raise TypeError(f"{type(self).__name__} has no curvature")

    def in_units(self, unit: Floats) -> Penalty:
        """The same penalty of v, where w = v / unit, (p,)."""
        raise InvalidParameter(f"{type(self).__name__}: columns cannot be scaled under this penalty.")

    def largest(self, gradient: Floats) -> float:
        """The least strength that keeps all slopes at 0, where the loss has this gradient, (p,) or (p, k)."""
        return np.inf

    def costs(self, w: Floats) -> Costs | None:
        """What single slopes, (p,) or (p, k), cost as |w| and as ½ w², in their shape; None where it is no such sum.

        A concave penalty gives those of its tangent at w, which lies above it and touches it there.
        """
        return None

    def check_columns(self, p: int, owner: str) -> None:
        """Refuse parameters that are not those of p columns."""

    @classmethod
    def examples(cls, p: int) -> tuple[Penalty, ...]:
        """Some members for p slopes, for the contract tests."""
        return (cls(),)

    # ---- what everybody uses ----

    @property
    def has_costs(self) -> bool:
        """Whether it is a sum over single slopes of |w| and w², or has a tangent that is."""
        return type(self).costs is not Penalty.costs

    def of_strength(self, strength: float) -> Self:
        """The same penalty with another λ."""
        return replace(self, strength=strength)  # type: ignore[type-var]

    def distance(self, w: Floats, gradient: Floats, step: float = 1.0) -> Floats:
        """How far w is from being optimal where the loss has this gradient: what a proximal step would move it."""
        moved: Floats = (w - self.prox(w - step * gradient, step)) / step
        return moved


PENALTIES: Choices[Penalty] = Choices("penalty", Penalty)


def as_penalty(value: object, owner: str = "as_penalty") -> Penalty:
    """The penalty of a name, or the penalty that it is already; None is none.

    >>> as_penalty("l1")
    L1(strength=1.0, weights=None, positive=False)
    """
    return PENALTIES.member("none" if value is None else value, owner, "penalty")


def check_strength(penalty: Penalty) -> None:
    """Refuse a λ that is no finite number of at least 0."""
    check_number(penalty, "strength", 0.0)


def checked_weights(penalty: Penalty, weights: object) -> tuple[float, ...] | None:
    """One number of at least 0 a column, as a tuple; None counts each column once."""
    if weights is None:
        return None
    owner = type(penalty).__name__
    found = numbers(owner, "weights", weights, (np.size(np.asarray(weights, dtype=object)),), "one number a column")
    if np.any(found < 0):
        raise InvalidParameter(f"{owner}: weights must be at least 0; got {float(found.min()):g}.")
    return tuple(found.tolist())


def check_length(owner: str, penalty: Penalty, given: int, p: int) -> None:
    """Refuse weights that are not one a column."""
    if given != p:
        raise InvalidParameter(f"{owner}: {type(penalty).__name__} has {given} weights; X has {p} columns.")


def by_column(weights: tuple[float, ...] | None, w: Floats) -> Floats:
    """The weights of the columns beside slopes (p,) or (p, k)."""
    each = np.ones(len(w)) if weights is None else np.asarray(weights)
    return each if w.ndim == 1 else each[:, None]


def everywhere(cost: Floats, w: Floats) -> Floats:
    """Costs of columns as those of slopes (p,) or (p, k)."""
    return cost if cost.shape == w.shape else np.broadcast_to(cost, w.shape)


def steps(step: NumberLike, w: Floats) -> Floats:
    """The steps beside slopes (p,) or (p, k)."""
    each = np.asarray(step, dtype=np.float64)
    return each if each.ndim == 0 or w.ndim == 1 else each[:, None]
