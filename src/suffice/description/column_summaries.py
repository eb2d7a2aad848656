"""What `describe` keeps of a column: one statistic for each kind of column, each with `+`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..backend import threads
from ..data.rows import as_column
from ..statistics.base import Arrays, Statistic
from ..statistics.frequent import Frequent
from ..statistics.moments import DiagonalMoments
from ..statistics.quantiles import Quantiles

LONGEST = 80  # characters of a text that are kept; longer ones are told apart by a digest
_NEVER = np.iinfo(np.int64)
_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True)
class NumberSummary(Statistic, saved=False):
    """Moments and quantiles of the finite numbers of a column, and how many cells are missing or infinite.

    >>> column = NumberSummary.of(np.array([1.0, np.nan])) + NumberSummary.of(np.array([3.0, np.inf]))
    >>> column.rows, column.missing, column.infinite, column.moments.mean.tolist(), column.rising
    (4, 1, 1, [2.0], True)
    """

    rows: int
    missing: int
    infinite: int
    moments: DiagonalMoments
    quantiles: Quantiles
    rising: bool
    """Whether the numbers are whole and rise from row to row, as row numbers do."""
    zeros: int = 0
    least_positive: float = np.inf

    @classmethod
    def zero(cls) -> NumberSummary:
        """The summary of no cells."""
        return cls(0, 0, 0, DiagonalMoments.zero(1), Quantiles.zero(), True)

    @classmethod
    def of(cls, values: Any) -> NumberSummary:
        """The summary of an array of numbers, of NumPy or Arrow."""
        cells = _floats(values)
        finite = np.isfinite(cells)
        x, infinite = cells, 0
        if not finite.all():
            x, infinite = cells[finite], int(np.isinf(cells).sum())
        with threads(1):  # the columns are shared out among the threads
            moments = DiagonalMoments.of(x[:, None]) if x.size else DiagonalMoments.zero(1)
        missing = cells.size - x.size - infinite
        return cls(cells.size, missing, infinite, moments, Quantiles.of(x), _rises(x), *_near_zero(x))

    def __add__(self, other: NumberSummary) -> NumberSummary:
        return NumberSummary(
            self.rows + other.rows,
            self.missing + other.missing,
            self.infinite + other.infinite,
            self.moments + other.moments,
            self.quantiles + other.quantiles,
            self.rising and other.rising and self.quantiles.maximum < other.quantiles.minimum,
            self.zeros + other.zeros,
            min(self.least_positive, other.least_positive),
        )

    def comparable(self) -> Arrays:
        """Everything that does not depend on the order of the rows."""
        counts = np.array([self.rows, self.missing, self.infinite, self.zeros])
        arrays = {"rows": counts, "positive": np.nan_to_num(np.array([self.least_positive]))}
        return {**arrays, **self.moments.to_arrays(), **self.quantiles.comparable()}

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return Quantiles.example(rng, n)


@dataclass(frozen=True)
class CategorySummary(Statistic, saved=False):
    """The most frequent values of a column of text or of yes and no.

    >>> column = CategorySummary.of(["ant", None]) + CategorySummary.of(["bee", "ant"])
    >>> column.rows, column.missing, column.frequent.top(1)
    (4, 1, [('ant', 2)])
    """

    rows: int
    missing: int
    repeats: int
    """The rows whose value stood before in the same piece of the table: 0 for an id."""
    frequent: Frequent
    letters: int = 0
    """The characters of all cells together."""
    spaced: int = 0
    """The rows whose text has a space, as sentences have."""

    @classmethod
    def zero(cls) -> CategorySummary:
        """The summary of no cells."""
        return cls(0, 0, 0, Frequent.zero())

    @classmethod
    def of(cls, values: Any) -> CategorySummary:
        """The summary of an Arrow array, or of anything that can become one."""
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = values if isinstance(values, pa.Array) else pa.array(values)
        if pa.types.is_string_view(cells.type):
            cells = cells.cast(pa.string())
        counted = pc.value_counts(cells)
        distinct, counts = counted.field("values"), counted.field("counts").to_numpy()
        if cells.null_count:
            valid = distinct.is_valid()
            distinct, counts = distinct.filter(valid), counts[valid.to_numpy(zero_copy_only=False)]
        frequent = Frequent.counted(counts, lambda kept: [key_of(v) for v in distinct.take(kept).to_pylist()])
        return cls(len(cells), cells.null_count, frequent.total - len(distinct), frequent, *_texts(distinct, counts))

    def __add__(self, other: CategorySummary) -> CategorySummary:
        return CategorySummary(
            self.rows + other.rows,
            self.missing + other.missing,
            self.repeats + other.repeats,
            self.frequent + other.frequent,
            self.letters + other.letters,
            self.spaced + other.spaced,
        )

    def comparable(self) -> Arrays:
        """Everything that does not depend on how the rows were cut into pieces."""
        rows = np.array([self.rows, self.missing, self.letters, self.spaced])
        return {"rows": rows, **self.frequent.comparable()}

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return (rng.choice(["red", "green", "blue"], n),)


@dataclass(frozen=True)
class DateSummary(Statistic, saved=False):
    """The earliest and the latest moment of a column, in microseconds since 1970.

    >>> column = DateSummary.of(np.array(["2024-02-29", "NaT"], dtype="M8[us]"))
    >>> column.missing, np.datetime64(column.latest, "us").item().year
    (1, 2024)
    """

    rows: int
    missing: int
    earliest: int
    latest: int
    days: bool
    """Whether every moment is a midnight, so that dates are enough to show."""
    zoned: bool
    """Whether the column has a time zone; the moments are in UTC then."""

    @classmethod
    def zero(cls) -> DateSummary:
        """The summary of no cells."""
        return cls(0, 0, int(_NEVER.max), int(_NEVER.min), True, False)

    @classmethod
    def of(cls, values: Any) -> DateSummary:
        """The summary of an array of dates or times, of NumPy or Arrow."""
        import pyarrow as pa

        cells = values if isinstance(values, pa.Array) else pa.array(values)
        zone = getattr(cells.type, "tz", None)
        ticks = cells.cast(pa.timestamp("us", tz=zone), safe=False).cast(pa.int64())
        x = ticks.drop_null().to_numpy()
        days = zone is None and not (x % _DAY).any()
        low, high = (int(x.min()), int(x.max())) if x.size else (int(_NEVER.max), int(_NEVER.min))
        return cls(len(cells), cells.null_count, low, high, days, zone is not None)

    def __add__(self, other: DateSummary) -> DateSummary:
        return DateSummary(
            self.rows + other.rows,
            self.missing + other.missing,
            min(self.earliest, other.earliest),
            max(self.latest, other.latest),
            self.days and other.days,
            self.zoned or other.zoned,
        )

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return (rng.integers(0, 10**15, n).astype("M8[us]"),)


Summary = NumberSummary | CategorySummary | DateSummary
SUMMARIES: dict[str, type[NumberSummary] | type[CategorySummary] | type[DateSummary]] = {
    "numeric": NumberSummary,
    "boolean": CategorySummary,
    "categorical": CategorySummary,
    "date": DateSummary,
}


def _floats(values: object) -> NDArray[np.generic]:
    """The cells as floats, with NaN for those that are missing."""
    if type(values).__module__.partition(".")[0] == "pyarrow":
        from ..data.arrow import numbers

        values = numbers(values)
    return as_column(values, "NumberSummary")


def _texts(distinct: Any, counts: NDArray[np.int64]) -> tuple[int, int]:
    """The characters of different texts by how often each occurs, and how many have a space."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_string(distinct.type) or pa.types.is_large_string(distinct.type)):
        return 0, 0
    lengths = pc.utf8_length(distinct).to_numpy(zero_copy_only=False)
    spaced = pc.match_substring(distinct, " ").to_numpy(zero_copy_only=False)
    return int(lengths @ counts), int(counts[spaced.astype(bool)].sum())


def _near_zero(x: NDArray[Any]) -> tuple[int, float]:
    """How many numbers are 0, and the least of those above it."""
    positive = x[x > 0]
    return int((x == 0).sum()), float(positive.min()) if positive.size else np.inf


def _rises(x: NDArray[Any]) -> bool:
    return bool((x[1:] > x[:-1]).all() and (x == np.floor(x)).all())


def key_of(value: object) -> str:
    """The value as text of bounded length; a long one ends in a digest of all of it.

    >>> len(key_of("x" * 10_000)), key_of(True)
    (97, 'true')
    """
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if len(text) <= LONGEST:
        return text
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{text[:LONGEST]}…{digest}"


def shown(key: str) -> str:
    """A kept text as people see it: without the digest, shortened to 80 characters.

    >>> len(shown(key_of("x" * 10_000)))
    80
    """
    return key if len(key) <= LONGEST else key[: LONGEST - 1] + "…"
