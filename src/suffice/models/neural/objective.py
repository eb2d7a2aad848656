"""What the outputs of a net cost: a loss of `suffice.losses`, for numbers, signs or classes, with smoothed labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...losses import Loss
from ...typing import Floats, Labels, Reals


class Costs(Protocol):
    """What outputs cost against targets as `Batch.y` has them."""

    def value_and_gradient(self, eta: Reals, y: Reals, weight: Reals | None) -> tuple[float, Reals]:
        """Σ w ℓ, and its gradient by the outputs η, (m, k)."""


@dataclass(frozen=True)
class Objective:
    """The loss of some outputs η, (m, k): summed over the k columns where it is one of numbers or of signs.

    With `smoothing` ε the loss is (1 − ε) ℓ(η, y) + ε times its mean over all classes. It is of (y − shift) / scale.
    """

    loss: Loss
    outputs: int
    smoothing: float = 0.0
    shift: Floats | None = None
    scale: Floats | None = None

    def targets(self, y: Labels, dtype: np.dtype[np.floating]) -> Reals:
        """Targets as the loss takes them: codes (m,), or numbers or signs (m, k)."""
        values: Reals = np.asarray(y)
        if self.loss.target == "classes":
            return values.astype(np.int64, copy=False)
        if self.loss.target == "signs" and self.outputs > 1:
            return np.where(np.arange(self.outputs) == values[:, None], dtype.type(1), dtype.type(-1))
        columns = values.reshape(len(values), self.outputs)
        if self.shift is not None and self.scale is not None:
            columns = (columns - self.shift) / self.scale
        return columns.astype(dtype, copy=False)

    def value_and_gradient(self, eta: Reals, y: Reals, weight: Reals | None) -> tuple[float, Reals]:
        """Σ w ℓ, and its gradient by η, (m, k)."""
        value, gradient = self._rows(eta, y)
        if weight is None:
            return float(np.add.reduce(value, axis=None, dtype=np.float64)), gradient
        gradient = gradient * weight[:, None]
        each = value if value.ndim == 1 else value.sum(axis=1)
        return float(np.dot(weight.astype(np.float64), each.astype(np.float64))), gradient

    def _rows(self, eta: Reals, y: Reals) -> tuple[Reals, Reals]:
        value, gradient = self._plain(eta, y)
        if self.smoothing == 0:
            return value, gradient
        others = self._all_labels(eta, y)
        share = self.smoothing / len(others)
        value, gradient = (1 - self.smoothing) * value, (1 - self.smoothing) * gradient
        for label in others:
            more, slope = self._plain(eta, label)
            value, gradient = value + share * more, gradient + share * slope
        return value, gradient

    def _all_labels(self, eta: Reals, y: Reals) -> list[Reals]:
        if self.loss.target == "classes":
            return [np.full_like(y, k) for k in range(eta.shape[1])]
        return [np.ones_like(y), -np.ones_like(y)]

    def _plain(self, eta: Reals, y: Reals) -> tuple[Reals, Reals]:
        if self.loss.target != "classes":
            value, gradient = self.loss.value_and_gradient(eta.ravel(), y.ravel())
            return value.reshape(eta.shape), np.asarray(gradient, dtype=eta.dtype).reshape(eta.shape)
        value, gradient = self.loss.value_and_gradient(eta, y)
        return np.asarray(value), np.asarray(gradient, dtype=eta.dtype)
