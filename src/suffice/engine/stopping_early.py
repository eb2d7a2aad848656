"""Work of many parts that Ctrl-C or a time limit may end: what is done is kept, where it is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from ..errors import TimeLimit
from ..observing import announced
from .nested import status_of


@dataclass
class Ended:
    """How the work ended: "finished", "interrupted" or "time_limit"."""

    status: str = "finished"


@contextmanager
def keeps_what_is_done(name: str, params: Mapping[str, object], enough: Callable[[], bool]) -> Iterator[Ended]:
    """Some work, told to the observers: what ends it early is raised only where what is done is not enough.

    >>> done = [1]
    >>> with keeps_what_is_done("work", {}, enough=lambda: len(done) > 0) as ended:
    ...     raise TimeLimit("over")
    >>> ended.status
    'time_limit'
    """
    ended = Ended()
    with announced(name, params) as told:
        try:
            yield ended
        except (KeyboardInterrupt, TimeLimit) as reason:
            if not enough():
                raise
            ended.status = status_of(reason)
        told.append("converged" if ended.status == "finished" else ended.status)
