"""The bootstrap: how much any statistic of rows would vary from sample to sample."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from numbers import Integral
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..backend.blas import blas_threads_for
from ..backend.threads import thread_count
from ..backend.weights import RunningMass
from ..data.rows import as_numbers
from ..data.side_by_side import side_by_side
from ..data.validate import check_some_weight
from ..errors import InvalidData, InvalidParameter
from ..randomness import generator
from ..typing import Floats, RandomState, TableLike, TargetLike, WeightLike
from .bootstrap_result import INNER, Bootstrap, Statistic, Studentised
from .bootstrap_statistics import STATISTICS, KnownStatistic
from .intervals import check_level
from .jackknife import MOST_ROWS, Units, left_out
from .rows import count_rows, in_memory, rows_of

T = TypeVar("T")
R = TypeVar("R")
_CELLS = 1 << 18  # of how often rows count, that are drawn before the statistics of these draws
_WORTH = 1 << 22  # cells of all draws that are worth the start of threads


def bootstrap(
    statistic: str | KnownStatistic | Statistic,
    X: TableLike | tuple[TableLike, ...] | None = None,
    *,
    weight: WeightLike = None,
    units: TargetLike = None,
    level: float = 0.95,
    resamples: int = 2000,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Bootstrap:
    """Resample rows with replacement and see how a statistic varies: its standard error and its intervals.

    `X` holds the rows, an array or a frame, or a tuple of such whose rows belong together. The statistic is a name
    ("mean", "median", "variance", "std", "covariance", "correlation"), which is fastest, or a function of such rows
    that gives one number, or several as an array. Where `X` is only the number n of rows, or is left out, the statistic
    is given how often each row counts, (n,), instead. That is faster where rows need not be copied, and the way for
    weights that are not whole.

    A weight is a number of equal rows. With `units`, the unit of each row (a person measured several times), whole
    units are drawn instead of rows. The same `random_state` gives the same draws, for any number of threads; `n_jobs`
    of them call a function side by side.

    >>> lengths = np.array([4.1, 5.0, 3.8, 4.4, 9.2, 4.9, 4.3, 5.6])
    >>> found = bootstrap(np.median, lengths)
    >>> print(found)
    value    bias  standard error
     4.65  0.0555          0.4432
    <BLANKLINE>
    interval    2.5 %  97.5 %
    percentile    4.2     5.6
    basic         3.7     5.1
    normal      3.726   5.463
    BCa           4.1     5.6
    >>> print(found.bca(level=0.9))
    4.65 [4.2, 5.3]

    Two columns by name, several statistics at once with weights, and how often rows count:

    >>> print(bootstrap("correlation", (lengths, np.log(lengths))).percentile())
    0.9923 [0.99, 0.9997]
    >>> print(bootstrap(lambda rows: (rows.mean(), np.median(rows)), lengths, weight=[2, 1, 1, 1, 1, 1, 1, 2]))
    statistic  value     bias  standard error  2.5 %  97.5 %
    0            5.1  0.00172          0.4787    4.5   6.867
    1           4.65  0.04258          0.4187    4.1     5.6
    >>> print(bootstrap(lambda counts: np.average(lengths, weights=counts), len(lengths)).percentile())
    5.162 [4.3, 6.413]
    """
    check_level(level)
    for name, number, least in (("resamples", resamples, 2), ("n_jobs", 1 if n_jobs is None else n_jobs, -1)):
        if not isinstance(number, Integral) or isinstance(number, bool) or number < least or number == 0:
            raise InvalidParameter(f"bootstrap: {name} must be an integer, at least {least}; got {number!r}.")
    rows = _opened(statistic, X, weight, units)
    rng = generator(random_state)
    again = copy.deepcopy(rng)
    value = rows.values(rows.drawn.times[None])[0]
    replicates = rows.replicates(int(resamples), rng, n_jobs)
    if value.ndim > 1 or replicates.shape[1:] != value.shape:
        raise InvalidParameter(
            "bootstrap: the statistic must give one number, or always as many in an array of one axis; "
            f"got shape {value.shape}."
        )

    def with_errors(error: Statistic | int | None) -> Studentised:
        return rows.with_errors(error, int(resamples), copy.deepcopy(again), n_jobs)

    def without() -> tuple[Floats, Floats]:
        return left_out(rows.values, rows.drawn)[:2]

    return Bootstrap(value[()], replicates, level, without, with_errors)


Places = NDArray[np.intp]  # (resamples, units drawn): which unit each draw gave
Values = Callable[[Floats], Floats]  # of how often each row counts in B resamples, (B, n): (B,) or (B, statistics)


@dataclass(frozen=True, eq=False)
class _Rows:
    """A statistic of rows that are drawn again and again."""

    drawn: Units
    of_counts: Values
    known: KnownStatistic | None = None
    X: Floats | None = None  # (n, d), of a statistic known by name
    of_function: Callable[[Statistic], Values] | None = None

    def values(self, often: Floats) -> Floats:
        """The statistic where the units stand so often, (B, U)."""
        return self.of_counts(self.drawn.weight(often))

    def replicates(self, resamples: int, rng: np.random.Generator, n_jobs: int | None) -> Floats:
        """The statistic of so many resamples."""
        if self.known is not None and self.X is not None and self.drawn.are_rows:
            found = self.known.drawn(self.drawn.times, self.X, resamples, rng)
            if found is not None:
                return found[:, 0] if self.values(self.drawn.times[None]).ndim == 1 else found
        blocks = _blocks(self.drawn.times, resamples, rng)
        number = len(self.drawn.times)
        return _joined(_mapped(blocks, lambda at: self.values(_often(at, number)), self._threads(n_jobs, resamples)))

    def with_errors(
        self, error: Statistic | int | None, resamples: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Studentised:
        """The standard error of the statistic; its values of resamples, and their standard errors."""
        errors, number = self._errors(error), len(self.drawn.times)

        def seeded() -> Iterator[tuple[Places, int]]:
            for at in _blocks(self.drawn.times, resamples, rng):
                yield at, int(rng.integers(1 << 62))

        def both(item: tuple[Places, int]) -> tuple[Floats, Floats]:
            often = _often(item[0], number)
            return self.values(often), errors(often, np.random.default_rng(item[1]))

        own = errors(self.drawn.times[None], copy.deepcopy(rng))[0]
        found = _mapped(seeded(), both, self._threads(n_jobs, resamples))
        values, of_values = (_joined(parts) for parts in zip(*found, strict=True))
        if values.shape != of_values.shape:
            raise InvalidParameter(
                f"bootstrap: error must give as many numbers as the statistic; got shape {of_values.shape[1:]}."
            )
        return own, values, of_values

    def _errors(self, error: Statistic | int | None) -> Callable[[Floats, np.random.Generator], Floats]:
        if error is None and self.known is not None and self.X is not None:
            known, X = self.known, self.X
            return lambda often, rng: known.errors(self.drawn.weight(often), X).reshape(self.values(often).shape)
        if callable(error):
            if self.of_function is None:
                raise InvalidParameter("bootstrap: error is a function of rows, which this statistic has none of.")
            by_counts = self.of_function(error)
            return lambda often, rng: by_counts(self.drawn.weight(often))
        inner = INNER if error is None else error
        if not isinstance(inner, Integral) or isinstance(inner, bool) or inner < 2:
            raise InvalidParameter(f"bootstrap: error must be a function, or an integer, at least 2; got {error!r}.")
        return lambda often, rng: np.array(
            [np.std(self.values(_often(_places(one, int(inner), rng), len(one))), axis=0, ddof=1) for one in often]
        )

    def _threads(self, n_jobs: int | None, resamples: int) -> int:
        """As many as asked for; statistics known by name take all where there is enough to do."""
        if n_jobs is None:
            worth = self.known is not None and resamples * len(self.drawn.of) >= _WORTH
            return thread_count() if worth else 1
        return thread_count() if n_jobs < 0 else int(n_jobs)


def _opened(statistic: str | KnownStatistic | Statistic, X: object, weight: WeightLike, units: TargetLike) -> _Rows:
    """The statistic as one of how often each row counts, whatever was given."""
    known = None
    if isinstance(statistic, str | KnownStatistic):
        known = STATISTICS.member(statistic, "bootstrap", "statistic", " or a function")
    elif not callable(statistic):
        raise InvalidParameter(
            f"bootstrap: statistic must be a function of rows, such as np.mean, or one of the names "
            f"{', '.join(STATISTICS)}; got {statistic!r}."
        )
    if X is None or (isinstance(X, Integral) and not isinstance(X, bool)):
        if known is not None:
            raise InvalidParameter(f"bootstrap: {known.names[0]} is a statistic of columns; give them as X.")
        return _Rows(_checked(X, weight, units), _each(cast(Statistic, statistic)), of_function=_each)
    parts = cast(tuple[object, ...], X) if _are_several(X) else (X,)
    tables = [in_memory(part, "bootstrap") for part in parts]
    sizes = [count_rows(table, "bootstrap") for table in tables]
    if len(set(sizes)) > 1:
        raise InvalidData(f"bootstrap: the arrays of X must have as many rows each; got {sizes}.")
    drawn = _checked(sizes[0], weight, units)
    check_some_weight(drawn.weight(drawn.times), "bootstrap", "weight")
    if known is not None:
        return _of_columns(known, drawn, tables)

    def of_function(function: Statistic) -> Values:
        return _each(lambda counts: function(*(rows_of(table, _repeated(counts)) for table in tables)))

    _check_whole(drawn.weight(drawn.times))
    return _Rows(drawn, of_function(cast(Statistic, statistic)), of_function=of_function)


def _checked(n: object, weight: WeightLike, units: TargetLike) -> Units:
    drawn = Units.checked(n, weight, units, "bootstrap")
    total = float(drawn.times.sum())
    if np.count_nonzero(drawn.times) == 1:
        raise InvalidData(
            "bootstrap: only one row or unit counts, so that every resample is the same and there is no interval; give "
            "at least two."
        )
    if total > MOST_ROWS:
        raise InvalidData(f"bootstrap: the weights stand for {total:.3g} rows, too many to draw; scale them down.")
    return drawn


def _are_several(X: object) -> bool:
    """Whether this is a tuple of arrays or frames, and not one table."""
    return isinstance(X, tuple) and len(X) > 0 and all(len(getattr(part, "shape", ())) > 0 for part in X)


def _of_columns(known: KnownStatistic, drawn: Units, tables: list[object]) -> _Rows:
    arrays = [as_numbers(table, "bootstrap").astype(np.float64) for table in tables]
    columns = np.asfortranarray(np.column_stack(arrays))
    if not np.isfinite(columns).all():
        row = int(np.argmin(np.isfinite(columns).all(axis=1)))
        raise InvalidData(f"bootstrap: row {row} has a missing or infinite value; leave such rows out.")
    known.check_columns(columns.shape[1])
    flat = known.joint or (len(arrays) == 1 and arrays[0].ndim == 1)

    def of_counts(counts: Floats) -> Floats:
        found = known.of(counts, columns)
        return found[:, 0] if flat and found.ndim == 2 else found

    def of_function(function: Statistic) -> Values:
        return _each(lambda counts: function(*(rows_of(array, _repeated(counts)) for array in arrays)))

    return _Rows(drawn, of_counts, known, columns, of_function)


def _each(statistic: Statistic) -> Values:
    """A function of how often each row counts, for resample after resample."""

    def every(counts: Floats) -> Floats:
        return _joined([np.asarray(statistic(one), dtype=np.float64)[None] for one in counts])

    return every


def _joined(parts: Sequence[Floats]) -> Floats:
    if any(part.shape[1:] != parts[0].shape[1:] for part in parts):
        raise InvalidParameter(
            "bootstrap: the statistic must give one number, or always as many in an array of one axis; "
            f"got shapes {parts[0].shape[1:]} and others."
        )
    return np.concatenate(parts)


def _check_whole(weight: Floats) -> None:
    """Rows are repeated a whole number of times."""
    part = weight != np.floor(weight)
    if part.any():
        row = int(np.argmax(part))
        raise InvalidData(
            f"bootstrap: weight of row {row} is {weight[row]:g}, and rows are repeated a whole number of times; round "
            "the weights, or give the number of rows as X and write the statistic of how often each counts."
        )


def _repeated(counts: Floats) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(counts)), counts.astype(np.int64))


def _mapped(items: Iterable[T], job: Callable[[T], R], threads: int) -> list[R]:
    with blas_threads_for(0):  # products of few rows
        if threads == 1:
            return [job(item) for item in items]
        with closing(side_by_side(items, job, threads, 2 * threads)) as done:
            return list(done)


def _blocks(times: Floats, resamples: int, rng: np.random.Generator) -> Iterator[Places]:
    """So many resamples, some at a time: the units that were drawn."""
    size = max(1, _CELLS // len(times))
    for start in range(0, resamples, size):
        yield _places(times, min(size, resamples - start), rng)


def _places(times: Floats, resamples: int, rng: np.random.Generator) -> Places:
    """As many units as there are, drawn with replacement, (resamples, units drawn)."""
    if (times == 1).all():
        return rng.integers(0, len(times), (resamples, len(times)))
    return RunningMass(times).rows(rng.random((resamples, max(1, round(float(times.sum()))))))


def _often(places: Places, number: int) -> Floats:
    """How often each of the units came up, (resamples, U)."""
    resamples = len(places)
    at = places + number * np.arange(resamples)[:, None]
    return np.bincount(at.ravel(), minlength=resamples * number).reshape(resamples, number).astype(np.float64)
