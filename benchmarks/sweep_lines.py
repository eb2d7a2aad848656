"""The lines of one contest on one table: equal quality first, then ours and the peers' times in turn."""

from __future__ import annotations

import gc
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from .families.contest import Contest, Differs
from .families.methods import METHODS, Call, check_answer, shared_methods
from .families.tables import Cell, Table
from .harness import Machine, repeated, seconds, timed

OURS = "suffice"
REFITS = ("partial_fit", "fit_predict", "fit_transform")
PAUSE = 0.03  # seconds before a timing: the threads of a BLAS spin for about so long after a call
SHORT = 0.005  # seconds: a shorter call is repeated until it lasts so long
STARTING = 0.3  # seconds: the first call of a process may take so long by what it imports
BRIEF = 0.1  # seconds of everybody's first call: then there is time for more rounds
SLOW, VERY_SLOW = 2.0, 15.0  # seconds of everybody's first call: then the best of two counts, or the only one
AT_LIMIT = 1.5  # times the limit of the machine, and no faster program is to be expected
HOPELESS = 4.0  # times the first call of the fastest peer: who is slower is not timed again
LARGE = 2**25  # bytes: smaller tables stay in a cache, for which no limit is measured
NEAR = 1.3  # times faster than the best peer is what we want


@dataclass(frozen=True)
class Line:
    """One method on one table."""

    contest: str
    method: str
    cell: str
    ours: float = float("nan")  # seconds
    theirs: float = float("nan")
    peer: str = ""
    remark: str = ""
    failed: bool = False  # no answer, or a worse one, where the peer has a good one
    at_limit: bool = False

    @property
    def ratio(self) -> float:
        """How many times faster than the best peer we are."""
        return self.theirs / self.ours

    @property
    def loses(self) -> bool:
        """Whether the peer is to be preferred, and the machine is not the reason."""
        return self.failed or (self.ratio < 1 and not self.at_limit)

    @property
    def wants_work(self) -> bool:
        """Whether it loses, or wins by less than we want."""
        return self.loses or (self.ratio < NEAR and not self.at_limit)

    @property
    def order(self) -> tuple[bool, float]:
        """Losing lines first."""
        return not self.failed, 1e9 if np.isnan(self.ratio) else self.ratio

    def __str__(self) -> str:
        times = "" if np.isnan(self.ratio) else f"{seconds(self.ours)} | {self.peer} {seconds(self.theirs)}"
        ratio = "–" if np.isnan(self.ratio) else f"{self.ratio:.2f}×"
        return f"| {self.contest}.{self.method} | {self.cell} | {times or '– | –'} | {ratio} | {self.remark} |"

    @classmethod
    def read(cls, text: str) -> Line | None:
        """The line that was printed so; None for other text."""
        cells = [cell.strip() for cell in text.strip().split("|")[1:-1]]
        if len(cells) != 6 or "." not in cells[0]:
            return None
        contest, _, method = cells[0].rpartition(".")
        name, _, theirs = cells[3].rpartition(" ")[0].rpartition(" ")
        times = (
            {} if cells[2] == "–" else {"ours": _read(cells[2]), "theirs": _read(f"{theirs} {cells[3].split()[-1]}")}
        )
        failed = "not equally good" in cells[5] or cells[5].startswith("refused") or cells[5].endswith(f"in {OURS}")
        return cls(contest, method, cells[1], **times, peer=name, remark=cells[5], failed=failed,
                   at_limit="at the limit of" in cells[5])  # fmt: skip


def _read(text: str) -> float:
    """Seconds, from the unit that read best."""
    value, unit = text.split()
    return float(value) * {"s": 1.0, "ms": 1e-3, "µs": 1e-6}[unit]


Say = Callable[[str], object]
Timing = Callable[[dict[str, Call], dict[str, float]], dict[str, float]]  # of the calls and how long the first took


def alternate(calls: dict[str, Call], first: dict[str, float]) -> dict[str, float]:
    """The median seconds of everybody, in turn.

    If that takes long, the best of two rounds, or the only one; if it is short, and what else runs on the machine would
    disturb it, the best of nine.
    """
    if sum(first.values()) > VERY_SLOW:
        return first
    first = {name: timed(calls[name]) if once < STARTING else once for name, once in first.items()}  # warm now
    total = sum(first.values())
    rounds = 1 if total > SLOW else 3 if total > BRIEF else 9
    times: dict[str, list[float]] = {name: [once] if rounds == 1 else [] for name, once in first.items()}
    repeats = {name: max(1, min(200, int(SHORT / once))) for name, once in first.items()}
    gc.collect()
    for _ in range(rounds):
        for name, once in first.items():
            if once > SHORT:
                time.sleep(PAUSE)
            times[name].append(timed(repeated(calls[name], repeats[name])) / repeats[name])
    return {name: statistics.median(t) if rounds == 3 else min(t) for name, t in times.items()}


def lines_of(
    contest: Contest, cell: Cell, machine: Machine, say: Say = lambda text: None, timing: Timing = alternate
) -> Iterator[Line]:
    """Every method that we and a peer have; `say` is told before each first call what it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = contest.table(cell)
        options = contest.options(table)
        new = {OURS: partial(contest.ours, **options)}
        new |= {name: partial(make, **options) for name, make in contest.peers.items()}
        models: dict[str, Any] = {}
        start = time.perf_counter()
        yield from _line(contest, cell, table, "fit", new, models, machine, say, timing)
        if OURS not in models or len(models) == 1:
            return
        _share(contest, models)
        slow = time.perf_counter() - start > SLOW
        for method in compared_methods(contest, models):
            if slow and method in REFITS:  # nearly the line of `fit` again
                continue
            yield from _line(contest, cell, table, method, new, models, machine, say, timing)


def compared_methods(contest: Contest, models: dict[str, Any]) -> list[str]:
    """The methods besides `fit` that we and some peer have."""
    if contest.only_fit:
        return []
    shared = {name for peer, model in models.items() if peer != OURS for name in shared_methods(contest.ours, model)}
    return [name for name in METHODS if name in shared - {"fit"}]


@dataclass
class _Tries:
    """The first calls of everybody: what is called, the answers, the seconds, and why we have none."""

    calls: dict[str, Call] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    refused: str = ""


def _line(
    contest: Contest, cell: Cell, table: Table, method: str, new: dict[str, Any], models: dict[str, Any],
    machine: Machine, say: Say, timing: Timing,
) -> Iterator[Line]:  # fmt: skip
    """The line of one method, if a peer can do it; fitted models are kept."""
    found = partial(Line, contest.name, method, str(cell))
    tries = _try(contest, method, table, new, models, say)
    if tries.answers.keys() <= {OURS}:
        return
    if OURS not in tries.answers:
        yield found(remark=f"refused: {tries.refused}", failed=True)
        return
    peers, worse = _equal(contest, method, table, tries.answers)
    if method == "fit":
        models.update({name: tries.answers[name] for name in (OURS, *peers)})
    limit = _limit(contest, method, table, tries.answers[OURS], machine)
    tries.answers.clear()
    say(f"{method} timing")
    timed_ones = [OURS, *_fast(peers, tries.seconds)]
    took = timing({name: tries.calls[name] for name in timed_ones}, {name: tries.seconds[name] for name in timed_ones})
    best = min(timed_ones[1:], key=lambda name: took[name])
    remark = contest.remark(method, best, table)
    yield _judged(found(took[OURS], took[best], best, remark=remark), limit, worse)


def _try(contest: Contest, method: str, table: Table, new: dict[str, Any], models: dict[str, Any], say: Say) -> _Tries:
    tries = _Tries()
    for name in _asked(contest, method, new, models):
        say(f"{method} {name}")
        try:
            call = METHODS[method](new[name], models.get(name), table)
            start = time.perf_counter()
            tries.answers[name] = call()
            tries.seconds[name] = time.perf_counter() - start
            tries.calls[name] = call
        except Exception as error:
            if name == OURS:
                tries.refused = f"{type(error).__name__}: {error}"[:100].replace("\n", " ")
    return tries


def _fast(peers: list[str], first: dict[str, float]) -> list[str]:
    """The peers that may be the best one, judged by their first calls."""
    least = min(first[name] for name in peers)
    return [name for name in peers if first[name] <= HOPELESS * max(least, SHORT)]


def _asked(contest: Contest, method: str, new: dict[str, Any], models: dict[str, Any]) -> list[str]:
    """Who does this, we last: everybody in `fit`, then those who have a fitted model and the method."""
    if method == "fit":
        return [*(name for name in new if name != OURS), OURS]
    peers = [name for name in models if name != OURS and hasattr(models[name], method)]
    return [*(peers[:1] if contest.alike_after_fit and method not in REFITS else peers), OURS]


def _equal(contest: Contest, method: str, table: Table, answers: dict[str, Any]) -> tuple[list[str], str]:
    """The peers that have earned a comparison, and in what way our answer is worse.

    A peer that only differs from us does not count where another one agrees.
    """
    peers, differing, worse = [name for name in answers if name != OURS], {}, []
    for name in peers:
        try:
            if method == "fit":
                contest.equal(answers[OURS], answers[name], table)
            else:
                check_answer(contest, method, answers[OURS], answers[name], table)
        except Differs as error:
            differing[name] = _in_words(name, error)
        except AssertionError as error:
            worse.append(_in_words(name, error))
    if len(differing) == len(peers):
        return peers, "; ".join(differing.values())
    return [name for name in peers if name not in differing], "; ".join(worse)


def _in_words(name: str, error: AssertionError) -> str:
    return f"{name}: {' '.join(str(error).split())[:100]}"


def _share(contest: Contest, models: dict[str, Any]) -> None:
    """Give the peers our parameters, in the precision of their own, so that the same question has the same answer."""
    for name, model in models.items():
        for attribute in contest.shared if name != OURS else ():
            own = np.asarray(getattr(model, attribute))
            setattr(model, attribute, np.asarray(getattr(models[OURS], attribute)).astype(own.dtype))


def _limit(contest: Contest, method: str, table: Table, answer: Any, machine: Machine) -> tuple[float, str]:
    """The seconds below which no program can get, and why: the rows read and the answer written, or the operations."""
    written = answer.nbytes if isinstance(answer, np.ndarray) else 0
    read = 0.0 if method.startswith(("get_", "sample")) or table.few_asked else table.nbytes
    memory = read / machine.bandwidth + written / machine.writing if read + written > LARGE else 0.0
    count = contest.operations.get(method)
    product = 0.0 if count is None or sp.issparse(table.X) else count(table) / machine.operations
    product /= 2 if table.X.dtype == np.float32 else 1
    return max((memory, "memory"), (product, "the matrix product"))


def _judged(line: Line, limit: tuple[float, str], worse: str) -> Line:
    fastest, why = limit
    remarks = [line.remark] if line.remark else []
    remarks += [f"not equally good: {worse}"] if worse else []
    at_limit = line.ours <= AT_LIMIT * fastest or line.ours <= line.theirs <= AT_LIMIT * fastest
    if at_limit and line.ratio < NEAR:
        remarks.append(f"at the limit of {why} ({line.ours / fastest:.1f}× it)")
    fields = {**vars(line), "remark": "; ".join(remarks), "failed": bool(worse), "at_limit": at_limit}
    return Line(**fields)
