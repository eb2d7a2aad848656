"""Loops that can go on from where they were: what `iterate` tells a checkpoint, and what it gets back.

A model says with `Kept` how the state of its loop is written down; it knows no more of checkpoints. The file is written
by `suffice.checkpoints`, which lies above and puts a `Keeper` in force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from ..data import Source
from ..holds import Kind, record
from ..observing import Iteration
from .history import History

S = TypeVar("S")


def _itself(value: object) -> Any:
    return value


@dataclass(frozen=True)
class Kept(Generic[S]):
    """How the state of a loop is written: `pack(state)` is of a `kind`, with the dimensions of this fit.

    `overwritten` says that a step works in the memory of its state, which is therefore not kept when a step is cut
    short.
    """

    kind: Kind
    pack: Callable[[S], object] = _itself
    unpack: Callable[[Any], S] = _itself
    overwritten: bool = False

    @classmethod
    def fields(cls, made: Callable[..., S], **kinds: Kind) -> Kept[S]:
        """A dataclass by its fields, each of a kind."""
        return cls(
            record(*kinds.values()),
            lambda state: tuple(getattr(state, name) for name in kinds),
            lambda values: made(**dict(zip(kinds, values, strict=True))),
        )


@dataclass(frozen=True)
class Standing(Generic[S]):
    """Where a loop stands: the run under way with its state and iterations, and the best of those before.

    `iterations` is empty before the first iteration of a run, and `converged` says that it has had its last. `history`
    belongs to `best`, None while there is none.
    """

    run: int = 0
    state: S | None = None
    iterations: tuple[Iteration, ...] = ()
    converged: bool = False
    best: S | None = None
    history: History | None = None
    finals: tuple[float, ...] = ()
    finished: bool = False


class Loop(Generic[S]):
    """Base: a loop that nobody keeps. `standing` is where it goes on."""

    standing: Standing[S] = Standing()
    keeps: ClassVar[bool] = False  # whether somebody does

    def is_due(self) -> bool:
        """Whether it is time to keep where the loop stands."""
        return False

    def keep(self, standing: Standing[S], cut_short: bool = False) -> None:
        """Keep where the loop stands; `cut_short`: a step was under way and will not end."""


class Keeper(Protocol):
    """What keeps loops."""

    def fitting(self, name: str, params: Mapping[str, object], source: Source) -> AbstractContextManager[None]:
        """A fit begins, from these rows; only outermost ones are told."""

    def loop(self, kept: Kept[object], rng: np.random.Generator | None) -> Loop[Any]:
        """The next loop of the fit."""


_keeper: ContextVar[Keeper | None] = ContextVar("suffice_keeper", default=None)
_in_fit: ContextVar[bool] = ContextVar("suffice_in_fit", default=False)


@contextmanager
def kept_by(keeper: Keeper | None) -> Iterator[None]:
    """Put a keeper in force within the block; None: what is in it is not kept."""
    token = _keeper.set(keeper)
    try:
        yield
    finally:
        _keeper.reset(token)


def resumable(
    name: str, params: Callable[[], Mapping[str, object]], source: Callable[[], Source]
) -> AbstractContextManager[None]:
    """A fit whose loops can be kept; a fit within another one is a part of that."""
    keeper = _keeper.get()
    return nullcontext() if keeper is None or _in_fit.get() else _fitting(keeper, name, params(), source())


@contextmanager
def _fitting(keeper: Keeper, name: str, params: Mapping[str, object], source: Source) -> Iterator[None]:
    token = _in_fit.set(True)
    try:
        with keeper.fitting(name, params, source):
            yield
    finally:
        _in_fit.reset(token)


def opened(
    kept: Kept[S] | Callable[[], Kept[S]] | None, rng: np.random.Generator | None
) -> AbstractContextManager[Loop[S]]:
    """A loop; those within its steps are parts of them and not kept by themselves."""
    keeper = _keeper.get()
    return nullcontext(Loop()) if keeper is None else _opened_by(keeper, kept, rng)


@contextmanager
def _opened_by(
    keeper: Keeper, kept: Kept[S] | Callable[[], Kept[S]] | None, rng: np.random.Generator | None
) -> Iterator[Loop[S]]:
    loop: Loop[S] = Loop()
    if kept is not None and _in_fit.get():
        loop = keeper.loop(kept if isinstance(kept, Kept) else kept(), rng)  # type: ignore[arg-type]
    with kept_by(None):
        yield loop
