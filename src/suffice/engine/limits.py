"""`limits`: how long a fit may take."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..errors import InvalidParameter, TimeLimit
from ..observing import Iteration, Observer, observe


class _Limits(Observer):
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        # The end for reads outside any fit, then one for each fit under way, the innermost last.
        self.ends = [time.monotonic() + seconds]

    def fit_started(self, name: str, params: Mapping[str, object]) -> None:
        self.ends.append(min([*self.ends[1:], time.monotonic() + self.seconds]))

    def fit_ended(self, status: str) -> None:
        self.ends.pop()

    def iteration_done(self, done: Iteration, snapshot: Mapping[str, object]) -> None:
        self._check()

    def rows_read(self, rows: int, total: int | None) -> None:
        self._check()

    def parts_done(self, parts: int, total: int | None) -> None:
        if total is None or parts < total:  # where all is done, nothing is left to end
            self._check()

    def _check(self) -> None:
        if time.monotonic() > self.ends[-1]:
            raise TimeLimit(f"the time limit of {self.seconds:g} s ran out before there was a result to keep.")


@contextmanager
def limits(*, seconds: float) -> Iterator[None]:
    """Give each fit within the block at most so many seconds.

    A fit that runs out keeps the best parameters so far, with `history_.status == "time_limit"`; if not even
    one iteration was done, `TimeLimit` is raised. The clock is looked at after each iteration, each chunk of rows and
    each fit to a part of the rows.

    >>> with limits(seconds=60):
    ...     pass
    """
    if not seconds > 0:
        raise InvalidParameter(f"limits: seconds must be a number, above 0; got {seconds!r}.")
    with observe(_Limits(seconds)):
        yield
