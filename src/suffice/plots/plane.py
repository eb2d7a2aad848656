"""The plane in which rows are drawn: their two columns, or the two directions of their largest variance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..typing import Floats, Numbers, TableLike


@dataclass(frozen=True, eq=False)
class Plane:
    """The place of a row x is (x − origin) · axes; what is missing in it is taken from the origin.

    >>> plane = Plane.of(np.array([[1.0, 5.0, 0.0], [3.0, 5.0, 0.0]]), ("a", "b", "c"))
    >>> plane.names[0], plane.places([[4.0, 5.0, 0.0]])[:, 0].tolist()
    ('principal axis 1 (100.0%)', [2.0])
    """

    origin: Floats  # (d,)
    axes: Floats  # (d, 2)
    names: tuple[str, str]

    @classmethod
    def of(cls, rows: Numbers, names: Sequence[str] | None = None) -> Self:
        """The plane of rows (n, d); missing cells count as the mean of their column."""
        d = rows.shape[1]
        if d <= 2:
            names = names or [f"x{j}" for j in range(d)]
            return cls(np.zeros(d), np.eye(d, 2), (names[0], names[1] if d == 2 else ""))
        missing = np.isnan(rows)
        counts = np.maximum(np.sum(~missing, axis=0), 1)
        origin = np.where(missing, 0.0, rows).sum(axis=0) / counts
        axes, share = _principal(np.where(missing, 0.0, rows - origin))
        first, second = (f"principal axis {j + 1} ({100 * share[j]:.1f}%)" for j in (0, 1))
        return cls(origin, axes, (first, second))

    def places(self, X: TableLike) -> Floats:
        """Where rows stand in the plane, (n, 2)."""
        cells = np.asarray(X, dtype=np.float64)
        return np.asarray((np.where(np.isnan(cells), self.origin, cells) - self.origin) @ self.axes)

    def spread(self, covariance: Floats) -> Floats:
        """A covariance in the plane, (2, 2)."""
        return np.asarray(self.axes.T @ covariance @ self.axes)


def _principal(centred: Floats) -> tuple[Floats, Floats]:
    """The first two principal axes (d, 2), with their largest entry positive, and their shares of the variance (2,)."""
    n, d = centred.shape
    if n < d:
        _, values, right = np.linalg.svd(centred, full_matrices=False)
        variance, axes = values**2, right.T
    else:
        variance, axes = np.linalg.eigh(centred.T @ centred)
        variance, axes = variance[::-1], axes[:, ::-1]
    share = np.zeros(2)
    share[: len(variance)] = variance[:2] / (variance.sum() or 1.0)
    found = np.zeros((d, 2))
    found[:, : axes.shape[1]] = axes[:, :2]
    return found * np.where(found[np.abs(found).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0), share
