"""`checkpoint`: a fit that was ended from outside goes on where it was."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from .data import Source
from .data.digest import rows_digest
from .engine import History
from .engine.keeping import Kept, Loop, Standing, kept_by
from .errors import InvalidData, InvalidModelFile, InvalidParameter
from .evaluation.fingerprint import fingerprint
from .holds import Sizes, anything, instance, number, optional, require, tuples
from .observing import Iteration
from .persist import load_measured, save
from .registry import registered


@registered("checkpoint/Loop")
@dataclass(frozen=True)
class LoopRecord:
    """Where a loop of a fit stands, and the random generator that it draws from."""

    run: int
    state: object
    iterations: tuple[Iteration, ...]
    converged: bool
    best: object
    history: History | None
    finals: tuple[float, ...]
    finished: bool
    rng: np.random.Generator | None = None

    holds: ClassVar = {
        "state": anything(),  # the loop says which, when it comes to it
        "iterations": tuples(instance(Iteration)),
        "best": anything(),
        "history": optional(instance(History)),
        "finals": tuples(number(finite=False)),
        "rng": optional(instance(np.random.Generator)),
    }

    def check_loaded(self) -> None:
        """Raise an error unless there is a best run exactly where one has ended."""
        require((self.history is None) == (self.run == 0), "history must be of the runs that have ended")
        require(self.history is None or self.history.iterations, "history must have iterations")
        require(self.history is not None or not self.finished, "a loop that has ended must have a history")


@registered("checkpoint/Fit")
@dataclass(frozen=True)
class FitRecord:
    """The loops of a fit: of which estimator, with which parameters, and from which rows."""

    name: str
    params: str
    rows: str
    loops: tuple[LoopRecord, ...] = ()

    holds: ClassVar = {"loops": tuples(instance(LoopRecord))}


@registered("checkpoint/Checkpoint")
@dataclass(frozen=True)
class Checkpoint:
    """The fits of a `with` block, in their order."""

    fits: tuple[FitRecord, ...] = ()

    holds: ClassVar = {"fits": tuples(instance(FitRecord))}


@contextmanager
def checkpoint(path: str | os.PathLike[str], *, seconds: float = 10.0, iterations: int = 1) -> Iterator[None]:
    """Write down now and then where the fits in the block are; the same code run again goes on from there.

    The file is written after an iteration, when at least `seconds` and so many `iterations` have passed since the last
    time, whole or not at all. Ctrl-C and a time limit write it as well. When a fit has ended the file says so: the same
    code run again takes its result from there at once. Remove the file to begin anew.

    A file of another model, of other parameters or other data is refused, and so is a damaged one; none is overwritten.

    >>> import suffice as sf, tempfile
    >>> X = sf.datasets.load("faithful").matrix()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for _ in range(2):  # the second time nothing is left to do
    ...         with sf.checkpoint(f"{folder}/fit.sff"):
    ...             model = sf.KMeans(2, random_state=0).fit(X)
    >>> np.sort(model.cluster_centers_[:, 0]).round(3)
    array([2.094, 4.298])
    """
    if not seconds >= 0 or not iterations >= 1:
        raise InvalidParameter(
            f"checkpoint: seconds must be a number, at least 0, and iterations an integer, at least 1; got {seconds!r} "
            f"and {iterations!r}."
        )
    keeper = CheckpointFile(path, seconds, iterations)
    try:
        with kept_by(keeper):
            yield
    finally:
        keeper.write_if_new()


class CheckpointFile:
    """The keeper: what the file holds, and when it is written next."""

    def __init__(self, path: str | os.PathLike[str], seconds: float, iterations: int) -> None:
        self.path, self.seconds, self.iterations = path, seconds, iterations
        self.sizes: Mapping[int, Sizes] = {}
        self.content = Checkpoint()
        self.fits = 0  # that have begun in this block and have loops
        self.passed, self.written = 0, time.monotonic()
        self.is_new = True
        with suppress(FileNotFoundError):
            self.content, self.sizes = _read(path)
            self.is_new = False
        self.write_if_new()  # a place that cannot be written to is an error now

    # ---- what iterate tells ----

    @contextmanager
    def fitting(self, name: str, params: Mapping[str, object], source: Source) -> Iterator[None]:
        """A fit begins; it is compared with the file when its first loop begins."""
        self.fit = _Fit(name, params, source)
        yield

    def loop(self, kept: Kept[object], rng: np.random.Generator | None) -> Loop[Any]:
        """The next loop of the fit; nothing is kept after one that was cut short."""
        fit = self.fit
        if fit.place is None:
            fit.place, self.fits = self.fits, self.fits + 1
            self._compare(fit)
        loops = self.content.fits[fit.place].loops
        number, fit.loops = fit.loops, fit.loops + 1
        if number > len(loops) or not all(loop.finished for loop in loops[:number]):
            return Loop()
        return _FileLoop(self, fit.place, number, kept, rng)

    def _compare(self, fit: _Fit) -> None:
        now = FitRecord(fit.name, fingerprint(fit.params), rows_digest(fit.source))
        if fit.place == len(self.content.fits):
            self.content = Checkpoint((*self.content.fits, now))
            return
        was = self.content.fits[fit.place or 0]
        others = {"name": f"another model, {was.name}", "params": "other parameters", "rows": "other data"}
        found = next((words for key, words in others.items() if getattr(was, key) != getattr(now, key)), None)
        if found is not None:
            raise InvalidParameter(
                f"checkpoint: {self.path} is of a fit with {found}, and this is a fit of {now.name}; it is left as it "
                "is. Run the same code as before, or give another path."
            )

    # ---- the file ----

    def is_due(self) -> bool:
        """Whether enough iterations and seconds have passed."""
        self.passed += 1
        return self.passed >= self.iterations and time.monotonic() - self.written >= self.seconds

    def put(self, place: int, number: int, record: LoopRecord) -> None:
        """Take in where a loop stands; those after it are of another course of things."""
        fits = self.content.fits
        loops = (*fits[place].loops[:number], record)
        self.content = Checkpoint((*fits[:place], replace(fits[place], loops=loops), *fits[place + 1 :]))
        self.is_new = True

    def write_if_new(self) -> None:
        """Write what is not in the file yet."""
        if self.is_new:
            save(self.content, self.path)
            self.is_new, self.passed, self.written = False, 0, time.monotonic()


@dataclass
class _Fit:
    """A fit under way: `place` is its number among those with loops, and it has begun so many `loops`."""

    name: str
    params: Mapping[str, object]
    source: Source
    place: int | None = None
    loops: int = field(default=0)


class _FileLoop(Loop[Any]):
    """A loop whose standing is kept in the file."""

    keeps: ClassVar = True

    def __init__(
        self, file: CheckpointFile, place: int, number: int, kept: Kept[object], rng: np.random.Generator | None
    ) -> None:
        self.file, self.place, self.number, self.kept, self.rng = file, place, number, kept, rng
        loops = file.content.fits[place].loops
        self.standing = self._standing(loops[number]) if number < len(loops) else Standing()

    def _standing(self, record: LoopRecord) -> Standing[object]:
        try:
            state = self._state(record.state) if record.iterations else None
            best = None if record.history is None else self._state(record.best)
            if record.rng is not None and self.rng is not None:
                self.rng.bit_generator.state = record.rng.bit_generator.state
        except (InvalidData, ValueError, TypeError) as error:
            raise _unusable(self.file.path, error) from error
        return Standing(
            record.run, state, record.iterations, record.converged, best, record.history, record.finals, record.finished
        )

    def _state(self, packed: object) -> object:
        sizes = Sizes()
        sizes.inside = self.file.sizes
        self.kept.kind.measure(packed, sizes)
        self.kept.kind.look(packed, sizes)
        return self.kept.unpack(packed)

    def is_due(self) -> bool:
        return self.file.is_due()

    def keep(self, standing: Standing[object], cut_short: bool = False) -> None:
        if cut_short and self.kept.overwritten:
            return
        state = self.kept.pack(standing.state) if standing.iterations else None
        best = None if standing.history is None else self.kept.pack(standing.best)
        record = LoopRecord(
            standing.run, state, standing.iterations, standing.converged, best, standing.history, standing.finals,
            standing.finished, copy.deepcopy(self.rng),
        )  # fmt: skip
        self.file.put(self.place, self.number, record)
        if not standing.finished or self.file.is_due():  # many short loops do not write each
            self.file.write_if_new()


def _read(path: str | os.PathLike[str]) -> tuple[Checkpoint, Mapping[int, Sizes]]:
    try:
        content, sizes = load_measured(path)
    except InvalidModelFile as error:
        raise _unusable(path, error) from error
    if not isinstance(content, Checkpoint):
        raise _unusable(path, f"it holds a {type(content).__name__}")
    return content, sizes


def _unusable(path: str | os.PathLike[str], reason: object) -> InvalidModelFile:
    return InvalidModelFile(
        f"checkpoint: {path} is no checkpoint that can be used ({str(reason).rstrip('.')}); it is left as it is. Give "
        "another path, or remove the file to begin anew."
    )
