"""Fits within fits: what ends an inner one early ends the outer one too, after the round it is in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import TypeVar

from ..errors import TimeLimit
from .history import Status

T = TypeVar("T")

# How fits within the iteration under way have ended early; None outside any iteration.
early_ends: ContextVar[list[Status] | None] = ContextVar("suffice_early_ends", default=None)


def status_of(reason: BaseException) -> Status:
    """What a fit that was ended by Ctrl-C or a time limit says of itself."""
    return "time_limit" if isinstance(reason, TimeLimit) else "interrupted"


def is_early(status: Status) -> bool:
    """Whether somebody else ended the fit."""
    return status in ("interrupted", "time_limit")


def end_outer(status: Status) -> None:
    """Tell the fit around this one how this one ended: Ctrl-C and a time limit end that one too."""
    ends = early_ends.get()
    if ends is not None and is_early(status):
        ends.append(status)


def unless_early(found: T) -> T:
    """What a fit within this one gave, where all of them are needed: what ended it early is raised."""
    ends = early_ends.get()
    if ends and "interrupted" in ends:
        raise KeyboardInterrupt
    if ends:
        raise TimeLimit("the time limit ran out before there was a result to keep.")
    return found


def in_turn(works: Iterable[Callable[[], T]]) -> Iterator[T]:
    """What several fits within an iteration give, one after the other, until Ctrl-C or a time limit ends one of them.

    One that was ended with something to keep is the last. Where the first has nothing to keep, there is nothing at all,
    and what ended it is raised.
    """
    nothing = True
    for work in works:
        try:
            found = work()
        except (KeyboardInterrupt, TimeLimit) as reason:
            if early_ends.get() is None or nothing:
                raise
            end_outer(status_of(reason))
            return
        nothing = False
        yield found
        if early_ends.get():
            return
