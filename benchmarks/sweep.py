"""Every estimator, method, shape and layout against its best peers.

`python -m benchmarks sweep` runs everything and writes its part of RESULTS.md, `sweep KMeans` or `sweep cluster` prints
one estimator or one family. `--threads 1` sets everybody's threads, `--quick` takes small tables, `--minutes 5` ends
sooner. Families may be swept side by side on a large machine, each on cores of its own: `--join FILE …` makes one table
of what such runs printed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import suffice as sf
from suffice.errors import did_you_mean

from .families import contests, position
from .families.contest import Contest
from .families.tables import GRID, QUICK, Cell
from .harness import Machine, describe_machine, measure_machine
from .processes import Died, Send, Silent, messages, start
from .sweep_lines import OURS, Line, lines_of
from .sweep_table import detail, matrix, summary

MINUTES = 29.0
CELL_SECONDS = 45.0  # a table on which nothing is heard for so long is given up
GRACE = 5.0  # seconds at least for a table that is begun
TITLE = "Every estimator, method, shape and layout against its best peers"


def main(arguments: list[str]) -> int:
    """Run the wanted contests; the exit status is 1 if a peer wins somewhere."""
    options = _parser().parse_args(arguments)
    if options.join:
        return _joined(options.join)
    sf.threads(options.threads)
    chosen = chosen_contests(options.names)
    machine = measure_machine()
    head = describe_machine(machine)
    print("\n".join(head), flush=True)
    lines: list[Line] = []
    start()
    deadline = time.monotonic() + 60 * options.minutes
    for done, contest in enumerate(chosen):
        share = (deadline - time.monotonic()) / (len(chosen) - done)  # what one leaves over the others may use
        for line in run_contest(contest, QUICK if options.quick else GRID, machine, options.threads, share):
            lines.append(line)
            print(line, flush=True)
    print(f"\n{summary(lines)}\n\n{detail(lines)}")
    if not options.names and not options.quick:
        _write(head, lines)
    return int(any(line.loses for line in lines))


def _joined(files: list[str]) -> int:
    """The table of runs that were printed into files; the machine is that of the first."""
    texts = [Path(file).read_text(encoding="utf-8") for file in files]
    head = [line for line in texts[0].splitlines() if line.startswith("- ")]
    parts = [text.split(" lines were timed")[0].splitlines() for text in texts]  # what follows says it again
    lines = [line for part in parts for line in map(Line.read, part) if line is not None]
    print(summary(lines))
    _write([*head, f"- {len(files)} runs side by side, each with the threads above on cores of its own"], lines)
    return int(any(line.loses for line in lines))


def _write(head: list[str], lines: list[Line]) -> None:
    from .__main__ import read, write

    write({**read(), "sweep": "\n".join([TITLE, "", *head, "", summary(lines), "", detail(lines), matrix(lines)])})


def chosen_contests(names: list[str]) -> list[Contest]:
    """The contests of these estimators or families, whatever their case; all if none is named."""
    known = [(family, contest) for family, members in contests().items() for contest in members]
    if not names:
        return [contest for _, contest in known]
    words = {family for family, _ in known} | {contest.ours.__name__ for _, contest in known}
    for name in names:
        if name.lower() not in {word.lower() for word in words}:
            raise SystemExit(f"sweep: there is no family or estimator {name!r}.{did_you_mean(name, sorted(words))}")
    wanted = {name.lower() for name in names}
    return [contest for family, contest in known if {family, contest.ours.__name__.lower()} & wanted]


def run_contest(
    contest: Contest, grid: tuple[Cell, ...], machine: Machine, threads: int, seconds: float
) -> Iterator[Line]:
    """The lines of all tables of a contest, each table in a process of its own, within so many seconds."""
    deadline = time.monotonic() + seconds
    cells: dict[Cell, Cell] = {}  # and the first that was cut to it
    for asked in grid:
        cell = contest.cell(asked)
        if cell is not None:
            cells.setdefault(cell, asked)
    skipped = []
    for cell, asked in cells.items() if contest.peers else ():
        left = deadline - time.monotonic()
        if left > 0:
            why = contest.cut if cell != asked else ""
            for line in _in_process(contest, cell, machine, threads, min(CELL_SECONDS, left + GRACE)):
                remarks = (line.remark, why if line.method == "fit" else "")
                yield replace(line, remark="; ".join(filter(None, remarks)))
        else:
            skipped.append(str(cell))
    if skipped:
        yield Line(contest.name, "fit", "; ".join(skipped), remark="skipped: no time was left")


def _in_process(contest: Contest, cell: Cell, machine: Machine, threads: int, seconds: float) -> Iterator[Line]:
    """What a process finds out about one table; it is ended when it is silent for too long."""
    doing = "fit"
    try:
        for said in messages(_work, (*position(contest), cell, machine, threads), seconds):
            if isinstance(said, str):
                doing = said
            else:
                yield said
    except (Silent, Died) as error:
        method, _, who = doing.partition(" ")
        after = f"gave up after {seconds:.0f} s" if isinstance(error, Silent) else f"ended with status {error}"
        remark = f"{after}, in {who or 'the table'}"
        yield Line(contest.name, method, str(cell), remark=remark, failed=who == OURS)  # the peers went before


def _work(send: Send, family: str, place: int, cell: Cell, machine: Machine, threads: int) -> None:
    """In its own process: the lines of one table, and before each call which it is."""
    from threadpoolctl import threadpool_limits

    with sf.threads(threads), threadpool_limits(threads):
        for line in lines_of(contests()[family][place], cell, machine, send):
            send(line)


def _parser() -> argparse.ArgumentParser:
    from suffice.backend import thread_count

    parser = argparse.ArgumentParser(prog="python -m benchmarks sweep", description=__doc__)
    parser.add_argument("names", nargs="*", help="families or estimators; all if none is named")
    parser.add_argument("--join", nargs="+", metavar="FILE", help="one table of what runs of families printed")
    parser.add_argument("--threads", type=int, default=thread_count())
    parser.add_argument("--quick", action="store_true", help="small tables")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="the whole ends within this time")
    return parser
