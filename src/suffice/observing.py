"""Who is watching: fits and readers report here, and the observers in force listen.

Models and sources only call `report` functions; they know no observer. The observers themselves (progress,
recording, limits) live in `suffice.engine` and are switched on with a `with` statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import ClassVar

from . import holds as kinds
from .registry import registered


@registered("history/Round")
@dataclass(frozen=True)
class Iteration:
    """One iteration of a fit: its number from 1, the objective after it, seconds since the fit began."""

    number: int
    objective: float
    seconds: float
    metrics: Mapping[str, float] = field(default_factory=dict)

    holds: ClassVar = {
        "objective": kinds.number(finite=False),
        "metrics": kinds.mapping(kinds.text(), kinds.either(kinds.number(finite=False), kinds.flag())),
    }


class Observer:
    """Base of all observers: every method does nothing, so a subclass says only what it needs."""

    records: ClassVar[bool] = False  # whether it keeps snapshots, for which a fit may stop more often

    def fit_started(self, name: str, params: Mapping[str, object]) -> None:
        """A fit of the estimator `name` begins."""

    def run_started(self, snapshot: Mapping[str, object]) -> None:
        """A run of a fit begins; `snapshot` holds what the model wants to show of its initialisation."""

    def iteration_done(self, done: Iteration, snapshot: Mapping[str, object]) -> None:
        """An iteration is over; `snapshot` holds copies of what the model wants to show."""

    def rows_read(self, rows: int, total: int | None) -> None:
        """A pass over a source has come to `rows` rows of `total` (None while unknown)."""

    def parts_done(self, parts: int, total: int | None) -> None:
        """So many folds or candidates of `total` (None while unknown) are done."""

    def fit_ended(self, status: str) -> None:
        """The fit is over."""


_observers: ContextVar[tuple[Observer, ...]] = ContextVar("suffice_observers", default=())


def observers() -> tuple[Observer, ...]:
    """The observers in force, outermost first."""
    return _observers.get()


def is_recorded() -> bool:
    """Whether somebody keeps what iterations show."""
    return any(observer.records for observer in observers())


def part_done(parts: int, total: int | None) -> None:
    """Tell the observers that so many parts of the work under way are done; a time limit may end it here."""
    for observer in observers():
        observer.parts_done(parts, total)


def announced(name: str, params: Mapping[str, object]) -> AbstractContextManager[list[str]]:
    """Tell the observers that some work begins, and when it is over how it ended: what was put into the list."""
    watching = observers()
    return _told(watching, name, params) if watching else nullcontext([])


@contextmanager
def _told(watching: tuple[Observer, ...], name: str, params: Mapping[str, object]) -> Iterator[list[str]]:
    ended: list[str] = []
    for observer in watching:
        observer.fit_started(name, params)
    try:
        yield ended
    finally:
        for observer in watching:
            observer.fit_ended(ended[0] if ended else "failed")


@contextmanager
def unobserved() -> Iterator[None]:
    """No observer in force within the block: for fits that are a step of another fit."""
    token = _observers.set(())
    try:
        yield
    finally:
        _observers.reset(token)


@contextmanager
def observe(observer: Observer) -> Iterator[None]:
    """Put `observer` in force within the `with` block."""
    token = _observers.set((*_observers.get(), observer))
    try:
        yield
    finally:
        _observers.reset(token)
