"""Statistics that the bootstrap knows by name, of many resamples at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ..backend.weights import RunningMass
from ..choices import Choices, Named
from ..errors import InvalidParameter
from ..typing import Floats

_NEAR = 0.99  # of the mean square about the mean of all rows: so much may be due to another mean
_SAME = 1e-13  # of the mean square: so much of a variance is rounding


class KnownStatistic(Named):
    """A statistic of columns and of how often each row counts in each of B resamples, (B, n)."""

    joint = False  # of two columns together; else of each column by itself

    def __init_subclass__(cls) -> None:
        STATISTICS.register(cls)

    def check_columns(self, d: int) -> None:
        """Refuse a table with another number of columns."""
        if self.joint and d != 2:
            raise InvalidParameter(f"bootstrap: {self.names[0]!r} is a statistic of two columns; got {d}.")

    def of(self, counts: Floats, X: Floats) -> Floats:
        """The values, (B,) of two columns together, else (B, d)."""
        return self._of(counts, X.T) if self.joint else np.column_stack([self._of(counts, x[None]) for x in X.T])

    def errors(self, counts: Floats, X: Floats) -> Floats:
        """The standard error of each value by what one row changes, √(Σ c L²) / Σ c; see `_influence`."""
        if self.joint:
            return self._errors(counts, X.T)
        return np.column_stack([self._errors(counts, x[None]) for x in X.T])

    def drawn(self, times: Floats, X: Floats, resamples: int, rng: np.random.Generator) -> Floats | None:
        """The values of resamples of rows that stand so often, where that is possible without drawing the rows."""
        return None

    def _of(self, counts: Floats, columns: Floats) -> Floats:
        raise NotImplementedError

    def _influence(self, counts: Floats, columns: Floats) -> Floats:
        """How fast the value changes with the share of each row, (B, n)."""
        raise NotImplementedError

    def _errors(self, counts: Floats, columns: Floats) -> Floats:
        total = counts.sum(axis=1)
        return _quotient(np.sqrt(np.sum(counts * self._influence(counts, columns) ** 2, axis=1)), total)


STATISTICS: Choices[KnownStatistic] = Choices("statistic", KnownStatistic)


class Mean(KnownStatistic):
    """Σ x / n."""

    names = ("mean",)

    def _of(self, counts: Floats, columns: Floats) -> Floats:
        return _quotient(counts @ columns[0], counts.sum(axis=1))

    def _influence(self, counts: Floats, columns: Floats) -> Floats:
        return _centred(counts, columns[0])


class Covariance(KnownStatistic):
    """Σ (x − x̄)(y − ȳ) / (n − 1)."""

    names: ClassVar[tuple[str, ...]] = ("covariance",)
    joint = True

    def _of(self, counts: Floats, columns: Floats) -> Floats:
        total = counts.sum(axis=1)
        return _quotient(_mean_product(counts, columns[0], columns[-1]) * total, total - 1)

    def _influence(self, counts: Floats, columns: Floats) -> Floats:
        product = _centred(counts, columns[0]) * _centred(counts, columns[-1])
        return np.asarray(product - self._of(counts, columns)[:, None])


class Variance(Covariance):
    """Σ (x − x̄)² / (n − 1)."""

    names = ("variance", "var")
    joint = False


class StandardDeviation(Variance):
    """The root of the variance."""

    names = ("standard_deviation", "std")

    def _of(self, counts: Floats, columns: Floats) -> Floats:
        return np.sqrt(super()._of(counts, columns))

    def _influence(self, counts: Floats, columns: Floats) -> Floats:
        deviation = self._of(counts, columns)[:, None]
        product = _centred(counts, columns[0]) ** 2
        return _quotient(product - deviation**2, 2 * deviation)


class Correlation(KnownStatistic):
    """Pearson's correlation of two columns; not defined where one of them is constant."""

    names = ("correlation",)
    joint = True

    def _of(self, counts: Floats, columns: Floats) -> Floats:
        x, y = columns
        both = _deviation(counts, x) * _deviation(counts, y)
        return np.clip(_quotient(_mean_product(counts, x, y), both), -1, 1)

    def _influence(self, counts: Floats, columns: Floats) -> Floats:
        x, y = (_quotient(_centred(counts, column), _deviation(counts, column)[:, None]) for column in columns)
        r = self._of(counts, columns)[:, None]
        return np.asarray(x * y - r * (x**2 + y**2) / 2)


@dataclass(frozen=True)
class Quantile(KnownStatistic):
    """The value below which a share of the rows lies, between two rows in proportion, as NumPy's.

    An order statistic of n draws from n rows is x_(⌈n U⌉) with U that order statistic of n uniform numbers, which is a
    beta variable: one number is drawn instead of n, and the distribution is the same.

    >>> STATISTICS.make("median")
    Quantile(share=0.5)
    """

    names = ("median",)

    share: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise InvalidParameter(f"Quantile: share must be from 0 to 1; got {self.share!r}.")

    def _of(self, counts: Floats, columns: Floats) -> Floats:
        order = np.argsort(columns[0], kind="stable")
        x, below = columns[0][order], np.cumsum(counts[:, order], axis=1)  # (n,), (B, n)
        at = np.maximum(below[:, -1] - 1, 0) * self.share  # between two places, counted from 0
        last = len(x) - 1
        low, high = (np.minimum((below <= np.floor(p)[:, None]).sum(axis=1), last) for p in (at, np.ceil(at)))
        found = x[low] + (at - np.floor(at)) * (x[high] - x[low])
        return np.where(below[:, -1] > 0, found, np.nan)

    def _errors(self, counts: Floats, columns: Floats) -> Floats:
        """The error that endless resampling of each resample would give (Maritz and Jarrett, 1978)."""
        order = np.argsort(columns[0], kind="stable")
        x, below = columns[0][order], np.cumsum(counts[:, order], axis=1)
        n = below[:, -1:]
        chance = np.diff(self._reached(below, n), axis=1, prepend=0.0)  # (B, n)
        mean = chance @ x
        return np.asarray(np.sqrt(np.sum(chance * (x - mean[:, None]) ** 2, axis=1)))

    def _reached(self, below: Floats, n: Floats) -> Floats:
        """The probability that a resample's quantile is among the first `below` of n rows."""
        first = float(n[0, 0])
        if (n == first).all() and first == np.floor(first) and (below == np.floor(below)).all():
            place = max(first - 1, 0) * self.share + 1
            every = special.betainc(place, first - place + 1, np.arange(first + 1) / first)
            return np.asarray(every[below.astype(np.intp)])
        places = np.maximum(n - 1, 0) * self.share + 1
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(special.betainc(places, n - places + 1, below / n))

    def drawn(self, times: Floats, X: Floats, resamples: int, rng: np.random.Generator) -> Floats | None:
        """One or two order statistics of each resample."""
        n = max(1, round(float(times.sum())))
        at = (n - 1) * self.share
        low = int(at)  # of the order statistics, counted from 0
        first = rng.beta(low + 1, n - low, resamples)
        uniform = [first]
        if at > low:  # the least of the numbers above the first
            uniform.append(first + (1 - first) * rng.beta(1, n - low - 1, resamples))
        return np.column_stack([self._between(times, x, uniform, at - low) for x in X.T])

    def _between(self, times: Floats, x: Floats, uniform: list[Floats], part: float) -> Floats:
        order = np.argsort(x, kind="stable")
        mass = RunningMass(times[order])
        ends = [x[order][mass.rows(u)] for u in uniform]
        return np.asarray(ends[0] + part * (ends[-1] - ends[0]))


def _quotient(a: Floats, b: Floats) -> Floats:
    """a / b, NaN where b is not above 0."""
    found = np.full(np.broadcast_shapes(a.shape, b.shape), np.nan)
    np.divide(a, b, out=found, where=b > 0)
    return found


def _centred(counts: Floats, x: Floats) -> Floats:
    """The deviations from the mean of each resample, (B, n)."""
    return np.asarray(x - _quotient(counts @ x, counts.sum(axis=1))[:, None])


def _deviation(counts: Floats, x: Floats) -> Floats:
    """The standard deviation in each resample, (B,), with n below; 0 where it has one value only, to rounding."""
    square = _mean_product(counts, x, x)
    size = _quotient(counts @ x**2, counts.sum(axis=1))
    return np.sqrt(np.where(square > _SAME * size, square, 0.0))


def _mean_product(counts: Floats, x: Floats, y: Floats) -> Floats:
    """Σ (x − x̄)(y − ȳ) / n in each resample, (B,); about the means of all rows where its own are near."""
    total = counts.sum(axis=1)
    u, v = x - x.mean(), y - y.mean()
    sums = np.column_stack([u, v, u * u, v * v, u * v]) if y is not x else np.column_stack([u, u * u])
    means = _quotient(counts @ sums, total[:, None]).T
    mean_u, square_u, mean_v, square_v, product = means[[0, 1, 0, 1, 1] if y is x else [0, 2, 1, 3, 4]]
    far = ~((mean_u**2 < _NEAR * square_u) & (mean_v**2 < _NEAR * square_v))
    found = np.asarray(product - mean_u * mean_v)
    if far.any():  # where too few digits would be left
        few = counts[far]
        found[far] = _quotient(np.sum(few * _centred(few, x) * _centred(few, y), axis=1), total[far])
    return found
