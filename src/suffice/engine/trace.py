"""`recording`: every iteration of every fit, kept as one trace that reports and notebooks replay."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidData, needed
from ..observing import Iteration, Observer, observe
from ..replacing import replace_text, replacing

VERSION = 3  # since 2, snapshots carry the names of fitted attributes; since 3, runs begin with one


@dataclass
class FitTrace:
    """One fit: the estimator's name and parameters, its iterations, and what each iteration showed.

    `starts` is what each run began with, empty where that is not known (fits that were gone on with). `within` is the
    number of the fit that it was a part of, None where it stood alone.
    """

    name: str
    params: dict[str, object]
    iterations: list[Iteration] = field(default_factory=list)
    snapshots: list[dict[str, Any]] = field(default_factory=list)
    status: str = "running"
    within: int | None = None
    starts: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Trace:
    """All fits that a `recording` saw, in the order they began."""

    fits: list[FitTrace] = field(default_factory=list)

    def save(self, path: str | Path) -> None:
        """Write the trace: `.jsonl` (one line a fit and an iteration) or `.parquet` (one row for each such line).

        The file is written whole or not at all.
        """
        path = Path(path)
        if path.suffix == ".jsonl":
            replace_text(path, "".join(json.dumps(line) + "\n" for line in self._lines()))
        elif path.suffix == ".parquet":
            self._save_parquet(path)
        else:
            raise InvalidData(f"{path}: a trace is saved as .jsonl or .parquet; got {path.suffix or 'no ending'!r}.")

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Read a trace that `save` wrote."""
        path = Path(path)
        try:
            lines = _parquet_lines(path) if path.suffix == ".parquet" else _json_lines(path)
            return cls._from_lines(lines)
        except (LookupError, TypeError, ValueError) as error:
            raise InvalidData(f"{path} is not a trace this version can read: {error}.") from None

    def _lines(self) -> Iterator[dict[str, object]]:
        for number, fit in enumerate(self.fits):
            own = {"name": fit.name, "params": fit.params, "status": fit.status, "within": fit.within}
            yield {"trace": VERSION, "fit": number, **own}
            for start in fit.starts:
                yield {"fit": number, "start": _plain(start)}
            for done, snapshot in zip(fit.iterations, fit.snapshots, strict=True):
                yield {
                    "fit": number,
                    "iteration": done.number,
                    "objective": _plain(done.objective),
                    "seconds": done.seconds,
                    "metrics": _plain(done.metrics),
                    "snapshot": _plain(snapshot),
                }

    @classmethod
    def _from_lines(cls, lines: list[dict[str, Any]]) -> Trace:
        trace = cls()
        for line in lines:
            if "trace" in line:
                if line["trace"] > VERSION:
                    raise ValueError(f"it has format {line['trace']}, newer than {VERSION}")
                fit = FitTrace(line["name"], line["params"], status=line["status"], within=line.get("within"))
                trace.fits.append(fit)
                continue
            fit = trace.fits[line["fit"]]
            if "start" in line:
                fit.starts.append(_arrays(line["start"]))
                continue
            objective = float("nan") if line["objective"] is None else line["objective"]
            number = line["iteration" if "iteration" in line else "round"]
            fit.iterations.append(Iteration(number, objective, line["seconds"], line["metrics"]))
            fit.snapshots.append(_arrays(line["snapshot"]))
        return trace

    def _save_parquet(self, path: Path) -> None:
        pa, parquet = _pyarrow()
        lines = list(self._lines())
        columns = {"fit": [line["fit"] for line in lines], "line": [json.dumps(line) for line in lines]}
        for name in ("iteration", "objective", "seconds"):
            columns[name] = [line.get(name) for line in lines]
        with replacing(path) as file:
            parquet.write_table(pa.table(columns), file)


def _json_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _parquet_lines(path: Path) -> list[dict[str, object]]:
    with open(path, "rb") as file:  # opened once: a path may be another file the next time
        return [json.loads(line) for line in _pyarrow()[1].read_table(file)["line"].to_pylist()]


def _pyarrow() -> tuple[Any, Any]:
    return needed("pyarrow", "files"), needed("pyarrow.parquet", "files")


def _plain(value: object) -> Any:
    """The value in JSON's terms; what is not a finite number becomes null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


def _arrays(value: object) -> object:
    """Lists as arrays, also those within mappings."""
    if isinstance(value, Mapping):
        return {name: _arrays(item) for name, item in value.items()}
    return np.array(value) if isinstance(value, list) else value


def _copied(value: Any) -> Any:
    """A copy of arrays, also of those within mappings."""
    if isinstance(value, Mapping):
        return {name: _copied(item) for name, item in value.items()}
    return np.copy(value)


class _Recorder(Observer):
    records = True

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.open: list[FitTrace] = []
        self.numbers: list[int] = []  # of the fits under way, the innermost last

    def fit_started(self, name: str, params: Mapping[str, object]) -> None:
        fit = FitTrace(name, _plain(params), within=self.numbers[-1] if self.numbers else None)
        self.numbers.append(len(self.trace.fits))
        self.trace.fits.append(fit)
        self.open.append(fit)

    def run_started(self, snapshot: Mapping[str, object]) -> None:
        if self.open:
            self.open[-1].starts.append(_copied(snapshot))

    def iteration_done(self, done: Iteration, snapshot: Mapping[str, object]) -> None:
        if self.open:
            self.open[-1].iterations.append(done)
            self.open[-1].snapshots.append(_copied(snapshot))

    def fit_ended(self, status: str) -> None:
        self.open.pop().status = status
        self.numbers.pop()


@contextmanager
def recording() -> Iterator[Trace]:
    """Record every iteration of the fits within the block: objective, seconds, metrics and snapshots.

    >>> with recording() as trace:
    ...     pass
    >>> trace.fits
    []
    """
    trace = Trace()
    with observe(_Recorder(trace)):
        yield trace
