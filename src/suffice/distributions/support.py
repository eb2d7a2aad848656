"""Where a density can be above 0: the values that a cell may have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..typing import Flags, Numbers, Reals


@dataclass(frozen=True)
class Support:
    """The finite numbers from `least` to `most`, all or only the whole ones; its text is what error messages say.

    Distributions over whole numbers have probabilities, the others densities, so that neither has what the other has.

    >>> COUNTS.admits(np.array([0.0, 2.0, 0.5, -1.0, np.inf]))
    array([ True,  True, False, False, False])
    >>> str(AMOUNTS), AMOUNTS.within(NUMBERS), NUMBERS.within(AMOUNTS), COUNTS.within(NUMBERS)
    ('numbers that are at least 0', True, False, False)
    """

    words: str
    least: float = -np.inf
    most: float = np.inf
    whole: bool = False
    above: bool = False  # whether `least` itself is outside

    def __str__(self) -> str:
        return self.words

    def admits(self, X: Reals) -> Flags:
        """Which cells are inside; NaN is not."""
        inside = np.isfinite(X)
        if np.isfinite(self.least):
            inside &= self.least < X if self.above else self.least <= X
        if np.isfinite(self.most):
            inside &= self.most >= X
        if self.whole:
            inside &= np.floor(X) == X
        return inside

    def admits_all(self, X: Numbers) -> bool:
        """Whether every cell is inside and none missing; faster than `admits`, which keeps an answer for each."""
        if not X.size:
            return True
        low, high = X.min(), X.max()  # NaN where a cell is
        beyond_least = low > self.least if self.above else low >= self.least
        if not (np.isfinite(low) and np.isfinite(high) and beyond_least and high <= self.most):
            return False
        return not self.whole or bool(np.all(np.floor(X) == X))

    def within(self, other: Support) -> bool:
        """Whether `other` has a density at all of these values but some of probability 0."""
        return self.whole == other.whole and self.least >= other.least and self.most <= other.most

    def joined(self, other: Support) -> Support:
        """All from the least value of the two to the largest."""
        least, most = min(self.least, other.least), max(self.most, other.most)
        return Support(self.words, least, most, self.whole, self.above)


NUMBERS = Support("numbers")
AMOUNTS = Support("numbers that are at least 0", least=0.0)
POSITIVE = Support("numbers above 0", least=0.0, above=True)
COUNTS = Support("counts: 0, 1, 2, …", least=0.0, whole=True)
FLAGS = Support("0 or 1", least=0.0, most=1.0, whole=True)
ANGLES = Support("angles from −π to π", least=-np.pi, most=np.pi)
