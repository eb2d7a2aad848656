"""Moments of inputs and targets together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..data.rows import as_array, is_sparse
from ..errors import InvalidData
from ..holds import instance, require, tuples, whole
from ..typing import CSR, Numbers
from .affine import Affine
from .base import Arrays, Statistic
from .moments import Moments, RootMoments
from .sparse_rows import SparseRows

_FEW = 500  # columns of sparse rows whose products are fewer numbers than the rows


def joint_moments(
    X: Numbers, weight: Numbers | None, Y: Numbers | None = None, rooted: bool = False, like: object = None
) -> Moments | RootMoments | SparseRows:
    """The moments of the rows of [X | Y], in square-root form if `rooted`; sparse rows of many columns are kept.

    With `like`, they have the form of that, to be added to it.
    """
    kind = _kind(X, rooted) if like is None else type(like)
    if kind is SparseRows:
        return SparseRows.of(X if is_sparse(X) else _as_sparse(X), weight, Y)
    if is_sparse(X) and kind is not RootMoments:
        return SparseRows.of(X, weight, Y).squared()
    found: Moments | RootMoments = kind.of(X, weight, Y)  # type: ignore[attr-defined]
    return found


def _kind(X: Numbers, rooted: bool) -> type:
    if is_sparse(X) and X.shape[1] > _FEW:
        return SparseRows
    return RootMoments if rooted else Moments


def _as_sparse(X: Numbers) -> CSR:
    from scipy.sparse import csr_array

    return csr_array(X)


@dataclass(frozen=True)
class JointMoments(Statistic):
    """Moments of the columns of [X | Y], and which of them are targets.

    `targets` is the shape of one row's target: () for a plain y, (q,) for several.

    >>> joint = JointMoments.of(np.array([[1.0], [3.0]]), None, np.array([2.0, 6.0]))
    >>> joint.inputs, joint.targets, joint.moments.mean.tolist()
    (1, (), [2.0, 4.0])
    """

    moments: Moments | RootMoments | SparseRows
    targets: tuple[int, ...]

    holds: ClassVar = {"moments": instance(Moments, RootMoments, SparseRows), "targets": tuples(whole(at_least=1))}

    @property
    def weight(self) -> float:
        """Σw of the rows."""
        return self.moments.weight

    def check_loaded(self) -> None:
        require(len(self.targets) <= 1 and self.inputs >= 1, f"targets cannot be {self.targets}")

    @classmethod
    def of(
        cls, X: Numbers, weight: Numbers | None, y: Numbers, rooted: bool = False, like: JointMoments | None = None
    ) -> JointMoments:
        """The moments of [X | y], in square-root form if `rooted`, or in the form of others, to be added to them."""
        y = y if hasattr(y, "ndim") else as_array(y, cls.__name__)
        held = None if like is None else like.moments
        return cls(joint_moments(X, weight, y[:, None] if y.ndim == 1 else y, rooted, held), y.shape[1:])

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

    def after(self, change: Affine) -> JointMoments | None:
        """The moments of the same rows and targets after an affine map of the rows."""
        found = self.moments.after(change.beside(len(self.moments.mean) - self.inputs))
        return None if found is None else JointMoments(found, self.targets)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> JointMoments:
        own: Arrays = {k.removeprefix("moments."): v for k, v in arrays.items() if k.startswith("moments.")}
        kind = RootMoments if "root" in own else SparseRows if "starts" in own else Moments
        count = int(arrays["targets"])
        return cls(kind.from_arrays(own), tuple(int(arrays[f"targets.{i}"]) for i in range(count)))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return rng.normal(size=(n, 3)), rng.integers(0, 3, n).astype(float), rng.normal(size=(n, 2))
