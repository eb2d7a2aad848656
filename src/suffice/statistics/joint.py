"""Moments of inputs and targets together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..data.rows import as_array
from ..errors import InvalidData
from ..holds import instance, require, tuples, whole
from ..typing import Numbers
from .base import Arrays, Statistic
from .moments import Moments, RootMoments


@dataclass(frozen=True)
class JointMoments(Statistic):
    """Moments of the columns of [X | Y], and which of them are targets.

    `targets` is the shape of one row's target: () for a plain y, (q,) for several.

    >>> joint = JointMoments.of(np.array([[1.0], [3.0]]), None, np.array([2.0, 6.0]))
    >>> joint.inputs, joint.targets, joint.moments.mean.tolist()
    (1, (), [2.0, 4.0])
    """

    moments: Moments | RootMoments
    targets: tuple[int, ...]

    holds: ClassVar = {"moments": instance(Moments, RootMoments), "targets": tuples(whole(at_least=1))}

    @property
    def weight(self) -> float:
        """Σw of the rows."""
        return self.moments.weight

    def check_loaded(self) -> None:
        require(len(self.targets) <= 1 and self.inputs >= 1, f"targets cannot be {self.targets}")

    @classmethod
    def of(cls, X: Numbers, weight: Numbers | None, y: Numbers, rooted: bool = False) -> JointMoments:
        """The moments of [X | y], in square-root form if `rooted`."""
        kind = RootMoments if rooted else Moments
        y = y if hasattr(y, "ndim") else as_array(y, cls.__name__)
        return cls(kind.of(X, weight, y[:, None] if y.ndim == 1 else y), y.shape[1:])

    @property
    def inputs(self) -> int:
        """How many columns X has."""
        return len(self.moments.mean) - int(np.prod(self.targets, dtype=int))

    def _check(self, other: JointMoments) -> None:
        if self.targets != other.targets:
            raise InvalidData(f"y has shape (n, *{other.targets}) here but had (n, *{self.targets}) before.")

    def __add__(self, other: JointMoments) -> JointMoments:
        self._check(other)
        return JointMoments(self.moments + other.moments, self.targets)  # type: ignore[operator]

    def __sub__(self, other: JointMoments) -> JointMoments:
        self._check(other)
        return JointMoments(self.moments - other.moments, self.targets)  # type: ignore[operator]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> JointMoments:
        own: Arrays = {k.removeprefix("moments."): v for k, v in arrays.items() if k.startswith("moments.")}
        kind = RootMoments if "root" in own else Moments
        count = int(arrays["targets"])
        return cls(kind.from_arrays(own), tuple(int(arrays[f"targets.{i}"]) for i in range(count)))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return rng.normal(size=(n, 3)), rng.integers(0, 3, n).astype(float), rng.normal(size=(n, 2))
