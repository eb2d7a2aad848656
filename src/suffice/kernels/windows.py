"""Windows: what a row at some distance counts, as a function of u = distance / radius."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..choices import Choices, Named
from ..registry import register_member
from ..typing import Floats, NumberLike


@dataclass(frozen=True)
class Window(Named):
    """Base of the windows: `weigh(u)` is K(u) up to a factor, for u from 0 on, up to 1 where the window ends there.

    A window that never ends gives log K(u) instead, so that nothing underflows.
    """

    members: ClassVar[list[type[Window]]] = []
    ends: ClassVar[bool] = True  # 0 beyond u = 1

    def __init_subclass__(cls) -> None:
        Window.members.append(cls)
        WINDOWS.register(cls)
        register_member(cls, "window")

    def weigh(self, u: Floats) -> Floats:
        """K(u), or log K(u) where it never ends."""
        raise TypeError(f"{type(self).__name__} does not define weigh")

    def __call__(self, u: NumberLike) -> Floats:
        """K(u) for any u ≥ 0, 1 at u = 0.

        >>> EpanechnikovWindow()([0.0, 0.5, 2.0])
        array([1.  , 0.75, 0.  ])
        """
        u = np.asarray(u, dtype=np.float64)
        if not self.ends:
            return np.asarray(np.exp(self.weigh(u)))
        return np.where(u <= 1, self.weigh(np.minimum(u, 1.0)), 0.0)


WINDOWS: Choices[Window] = Choices("window", Window)


class ConstantWindow(Window):
    """The constant window: every row within the radius counts alike."""

    names = ("constant", "tophat", "uniform")

    def weigh(self, u: Floats) -> Floats:
        return np.ones_like(u)


class TriangularWindow(Window):
    """The triangular window, K(u) = 1 − u."""

    names = ("triangular", "linear")

    def weigh(self, u: Floats) -> Floats:
        return 1 - u


class EpanechnikovWindow(Window):
    """The Epanechnikov window, K(u) = 1 − u²."""

    names = ("epanechnikov",)

    def weigh(self, u: Floats) -> Floats:
        return 1 - u**2


class BiweightWindow(Window):
    """The biweight window, K(u) = (1 − u²)²."""

    names = ("biweight", "quartic")

    def weigh(self, u: Floats) -> Floats:
        return (1 - u**2) ** 2


class TricubeWindow(Window):
    """The tricube window, K(u) = (1 − u³)³."""

    names = ("tricube",)

    def weigh(self, u: Floats) -> Floats:
        return (1 - u**3) ** 3


class CosineWindow(Window):
    """The cosine window, K(u) = cos(π u / 2)."""

    names = ("cosine",)

    def weigh(self, u: Floats) -> Floats:
        return np.cos(np.pi / 2 * u)


class GaussianWindow(Window):
    """The Gaussian window, K(u) = exp(−u²/2), which never ends."""

    names = ("gaussian",)
    ends = False

    def weigh(self, u: Floats) -> Floats:
        return -0.5 * u**2


class ExponentialWindow(Window):
    """The exponential window, K(u) = exp(−u), which never ends."""

    names = ("exponential",)
    ends = False

    def weigh(self, u: Floats) -> Floats:
        return -u
