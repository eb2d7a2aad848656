"""How non-negative factors are improved: least squares with long strides, the divergence step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...engine import Kept, Step
from ...holds import floats, number
from ...typing import Floats
from .divergence import Divergence
from .frobenius import FactorSums

_FIRST, _LONGER, _LONGEST, _SHORTER = 0.5, 1.1, 0.95, 0.5


class Squares(Protocol):
    """Least squares, of complete rows or of known cells."""

    def improved(self, columns: Floats) -> tuple[Floats, FactorSums]: ...


@dataclass(frozen=True)
class Stride:
    """Factors of columns, the point beyond them that is tried next, how far that is, and the loss before."""

    columns: Floats  # (d, k)
    point: Floats  # (d, k)
    length: float
    loss: float

    @classmethod
    def from_start(cls, columns: Floats) -> Stride:
        """Before the first step."""
        return cls(columns, columns, 0.0, np.inf)

    @staticmethod
    def kept(d: int, k: int) -> Kept[Stride]:
        """How it is written to a checkpoint."""
        return Kept.fields(Stride, columns=floats(d, k), point=floats(d, k), length=number(), loss=number(finite=False))


def stride(fit: Squares, cost: Callable[[Floats], float], rounding: float) -> Callable[[Stride], Step[Stride]]:
    """One iteration: least squares from a point beyond the last, or from the last where that is worse.

    Alternating steps go on in nearly the same direction for long; going farther saves most of them (Ang and Gillis,
    2019), and a point that raises the loss is not taken.
    """

    def step(now: Stride) -> Step[Stride]:
        length, point = now.length, now.point
        better, sums = fit.improved(point)
        loss = sums.loss + cost(point)
        if loss > now.loss:
            length, point = length * _SHORTER, now.columns
            better, sums = fit.improved(point)
            loss = min(sums.loss + cost(point), now.loss)  # but for rounding
        after = min(length * _LONGER, _LONGEST) if now.loss < np.inf else _FIRST
        farther = np.maximum(better + length * (better - now.columns), 0.0) if length else better
        return Step(Stride(better, farther, after, loss), loss, done=loss <= rounding)

    return step


@dataclass(frozen=True)
class Shares:
    """Factors of columns (d, k) and of rows (n, k)."""

    columns: Floats
    rows: Floats

    @staticmethod
    def kept(d: int, n: int, k: int) -> Kept[Shares]:
        """How they are written to a checkpoint."""
        return Kept.fields(Shares, columns=floats(d, k), rows=floats(n, k))


def divergence_step(
    fit: Divergence, objective: Callable[[float, float], float], rounding: float
) -> Callable[[Shares], Step[Shares]]:
    """One iteration of the rows and of the columns; the objective is of the divergence and the log likelihood."""

    def step(now: Shares) -> Step[Shares]:
        better, rows, sums = fit.improved(now.columns, now.rows)
        return Step(Shares(better, rows), objective(sums.apart, sums.logs), done=sums.apart <= rounding)

    return step
