"""A statistic of one's own: the smallest and the largest value of every column."""

from dataclasses import dataclass

import numpy as np

from suffice.statistics import Statistic


@dataclass(frozen=True)
class Extremes(Statistic):
    """The minimum (d,) and the maximum (d,) of the columns; of no rows, ∞ and −∞."""

    minimum: np.ndarray
    maximum: np.ndarray

    @classmethod
    def of(cls, X):
        """The extremes of some rows."""
        return cls(X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf))

    def __add__(self, other):
        return Extremes(np.minimum(self.minimum, other.minimum), np.maximum(self.maximum, other.maximum))

    @classmethod
    def example(cls, rng, n):
        return (rng.normal(size=(n, 3)),)


if __name__ == "__main__":
    from suffice.contracts import check_statistic

    check_statistic(Extremes)
    print("Extremes adds up.")
