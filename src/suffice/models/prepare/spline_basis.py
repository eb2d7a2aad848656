"""The splines of one column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import BSpline

from ...backend import features
from ...typing import Floats


@dataclass(frozen=True)
class SplineBasis:
    """B-splines on knots that rise, as functions of x (n,) that give (n, size)."""

    knots: Floats
    degree: int
    extrapolation: str
    include_bias: bool
    natural: bool

    @property
    def size(self) -> int:
        """How many functions there are."""
        if self.extrapolation == "periodic":
            return len(self.knots) - 1 - (not self.include_bias)
        return len(self.knots) + self.degree - 1 - (not self.include_bias) - 2 * self.natural

    def __call__(self, x: Floats) -> Floats:
        """The functions at x; NaN where x is."""
        missing = np.isnan(x)
        made = self._made(np.where(missing, self.knots[0], x))
        made[missing] = np.nan
        return made

    def _made(self, x: Floats) -> Floats:
        if self.extrapolation == "periodic":
            whole = self._within(self.knots[0] + np.remainder(x - self.knots[0], self.knots[-1] - self.knots[0]))
            size = len(self.knots) - 1
            whole[:, : self.degree] += whole[:, size:]  # the last ones are the first of the next period
            return whole[:, : size - (not self.include_bias)]
        whole = self._extrapolated(x)
        if self.natural:
            return whole @ self._straight_beyond
        return whole if self.include_bias else whole[:, :-1]

    def _extrapolated(self, x: Floats) -> Floats:
        low, high = self.knots[0], self.knots[-1]
        made = self._within(np.clip(x, low, high))
        way = "linear" if self.natural else self.extrapolation
        if way not in ("linear", "continue"):
            return made
        for beyond, end in ((x < low, low), (x > high, high)):
            if not beyond.any():
                continue
            if way == "continue":
                made[beyond] = self._within(x[beyond])
            elif self.degree:
                made[beyond] += (x[beyond] - end)[:, None] * self._splines(end, nu=1)
        return made

    def _within(self, x: Floats) -> Floats:
        """The splines at x; beyond the outer knots, their polynomials."""
        ends = np.array([0, len(self._t)], dtype=np.int64)
        return np.asarray(features.splines(x[:, None], self._t, ends, self.degree, False))

    @cached_property
    def _t(self) -> Floats:
        """The knots, and as many beyond as the degree: of the next periods, or as far apart as the outer ones."""
        knots, k = self.knots, self.degree
        if self.extrapolation == "periodic":
            period = knots[-1] - knots[0]
            return np.concatenate([knots[-(k + 1) : -1] - period, knots, knots[1 : k + 1] + period])
        return continued(knots, k)

    @cached_property
    def _splines(self) -> BSpline:
        return BSpline(self._t, np.eye(len(self._t) - self.degree - 1), self.degree)

    @cached_property
    def _straight_beyond(self) -> Floats:
        """The combinations of splines whose second derivative is 0 at the outer knots, (p, p − 2).

        Without a constant one fewer, which are all 0 at the first knot.
        """
        zero = self._splines(self.knots[[0, -1]], nu=2)
        zero /= np.abs(zero).max()
        if not self.include_bias:
            zero = np.concatenate([zero, self._splines(self.knots[:1])])
        whole, _ = np.linalg.qr(zero.T, mode="complete")
        return whole[:, len(zero) :]


def continued(knots: Floats, degree: int) -> Floats:
    """The knots (…, q), and as many more on either side as the degree, as far apart as the outer ones."""
    steps = np.arange(1, degree + 1)
    low, high = knots[..., :1], knots[..., -1:]
    before = low - steps[::-1] * (knots[..., 1:2] - low)
    return np.concatenate([before, knots, high + steps * (high - knots[..., -2:-1])], axis=-1)
