"""How the cells of a row are made again by a net: with Gaussian noise, or as shares between 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...choices import Choices, Named
from ...data import Chunk
from ...errors import RefusedRow
from ...registry import register_member
from ...typing import Floats, Reals
from .inputs import Inputs


class Cells(Named):
    """Base: a subclass says what a net is to give for rows, what a miss costs, and what rows outputs stand for.

    Cells that are NaN cost nothing.
    """

    members: ClassVar[list[type[Cells]]] = []
    has_noise: ClassVar[bool] = False  # whether there is a variance σ² of the noise

    def __init_subclass__(cls) -> None:
        Cells.members.append(cls)
        CELLS.register(cls)
        register_member(cls, "cells")

    def check(self, chunk: Chunk, owner: str) -> None:
        """Refuse a row that cannot be made."""

    def targets(self, X: Reals, inputs: Inputs) -> Reals:
        """What is to be made of some rows, (m, d)."""
        raise TypeError(f"{type(self).__name__} does not define targets")

    def cost(self, eta: Reals, targets: Reals) -> tuple[Floats, Reals]:
        """What each row costs, (m,), and the gradient by the outputs η, (m, d)."""
        raise TypeError(f"{type(self).__name__} does not define cost")

    def rows(self, eta: Reals, inputs: Inputs) -> Reals:
        """The rows that some outputs stand for, in the units of the table."""
        raise TypeError(f"{type(self).__name__} does not define rows")


CELLS: Choices[Cells] = Choices("kind of cells", Cells)


@dataclass(frozen=True)
class GaussianCells(Cells):
    """Numbers, in units of their standard deviation: a row costs ½ ‖x − η‖²."""

    names: ClassVar = ("gaussian",)
    has_noise: ClassVar[bool] = True

    def targets(self, X: Reals, inputs: Inputs) -> Reals:
        return np.asarray((X - inputs.mean.astype(X.dtype)) / inputs.scale.astype(X.dtype))

    def cost(self, eta: Reals, targets: Reals) -> tuple[Floats, Reals]:
        gap = _known(eta - targets, targets)
        return 0.5 * np.einsum("ij,ij->i", gap, gap, dtype=np.float64), gap

    def rows(self, eta: Reals, inputs: Inputs) -> Reals:
        return eta * inputs.scale.astype(eta.dtype) + inputs.mean.astype(eta.dtype)


@dataclass(frozen=True)
class BernoulliCells(Cells):
    """Shares between 0 and 1, such as grey levels: a row costs Σ log(1 + exp η) − x η, the cross-entropy."""

    names: ClassVar = ("bernoulli",)

    def check(self, chunk: Chunk, owner: str) -> None:
        with np.errstate(invalid="ignore"):
            bad = ((chunk.X < 0) | (chunk.X > 1)).any(axis=1)
        if bad.any():
            row = int(np.argmax(bad))
            cell = next(float(x) for x in chunk.X[row] if x < 0 or x > 1)
            raise RefusedRow(
                owner, row, f"holds {cell:g}, and bernoulli cells lie between 0 and 1",
                'Divide the table by its largest value, or use reconstruction="gaussian".',
            )  # fmt: skip

    def targets(self, X: Reals, inputs: Inputs) -> Reals:
        return np.asarray(X)

    def cost(self, eta: Reals, targets: Reals) -> tuple[Floats, Reals]:
        value = _known(np.logaddexp(0, eta) - targets * eta, targets)
        return value.sum(axis=1, dtype=np.float64), _known(sigmoid(eta) - targets, targets)

    def rows(self, eta: Reals, inputs: Inputs) -> Reals:
        return sigmoid(eta)


def _known(values: Reals, targets: Reals) -> Reals:
    """The values, 0 where the cell is missing."""
    missing = np.isnan(targets)
    return np.where(missing, values.dtype.type(0), values) if missing.any() else values


def sigmoid(eta: Reals) -> Reals:
    """1 / (1 + exp(−η))."""
    return np.asarray(0.5 * (np.tanh(0.5 * eta) + 1), dtype=eta.dtype)
