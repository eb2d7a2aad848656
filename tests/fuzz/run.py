"""A long run of random calls in several processes: ``PYTHONPATH=tests python -m fuzz.run 1000000 SEED PROCESSES``.

Each process tells the number it is at. One that dies, by a signal or for memory, or that is at one number for longer
than `SLOWEST` seconds, is ended and goes on after that number. Every fault is written with the number that makes it
again, and at the end each kind of fault once, with how often it came.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import re
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

SLOWEST = 30.0  # seconds for all calls of one number
MEMORY = 8 << 30  # bytes that a process may take
OFTEN = 5000  # numbers after which a process is begun anew


def work(pipe: Connection, numbers: range) -> None:
    """Make the calls of some numbers; before each its number is told, and after it what was found."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    from fuzz.calls import run

    for number in numbers:
        pipe.send((number, None))
        for fault in run(number):
            pipe.send((number, fault))
    pipe.send((None, None))


@dataclass
class Worker:
    """A process with the numbers that are left to it."""

    numbers: range
    process: Any = None
    pipe: Any = None
    at: int = -1
    since: float = 0.0

    def begin(self) -> None:
        """Start, or start again, with the numbers that are left."""
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe(duplex=False)
        self.process = context.Process(target=work, args=(theirs, self.numbers[:OFTEN]), daemon=True)
        self.process.start()
        theirs.close()
        self.at, self.since = -1, time.monotonic() + 60  # it imports first

    def heard(self) -> list[str]:
        """What the process says, until it has nothing more to say."""
        found = []
        try:
            while self.pipe.poll():
                number, fault = self.pipe.recv()
                if number is None:
                    self._done(self.numbers[OFTEN:])
                    return found
                if fault is not None:
                    found.append(fault)
                else:
                    self.at, self.since = number, time.monotonic()
        except EOFError:
            self.process.join()
            found.append(f"seed {self.at}: {_ended(self.process.exitcode)}")
            self._skip()
        return found

    def late(self) -> list[str]:
        """A fault where the process is at one number for too long; it is ended."""
        if self.process is None or time.monotonic() - self.since < SLOWEST:
            return []
        self.process.kill()
        self.process.join()
        found = [f"seed {self.at}: Hang for more than {SLOWEST:.0f} s"]
        self._skip()
        return found

    def _skip(self) -> None:
        self._done(self.numbers[self.numbers.index(self.at) + 1 :] if self.at in self.numbers else self.numbers[1:])

    def _done(self, left: range) -> None:
        self.process.join()
        self.numbers, self.process = left, None
        if left:
            self.begin()


def _ended(code: int | None) -> str:
    return f"Crash by {signal.Signals(-code).name}" if code is not None and code < 0 else f"Exit with {code}"


def fuzz(numbers: range, processes: int, say: Any = sys.stdout.write) -> list[str]:
    """Every fault of some numbers."""
    workers = [Worker(numbers[i::processes]) for i in range(processes) if numbers[i::processes]]
    for worker in workers:
        worker.begin()
    found: list[str] = []
    while any(worker.process is not None for worker in workers):
        wait([worker.pipe for worker in workers if worker.process is not None], timeout=1.0)
        for worker in workers:
            new = worker.heard() + worker.late() if worker.process is not None else []
            for fault in new:
                say(f"{fault}\n")
            found += new
    return found


def kinds(faults: list[str]) -> list[str]:
    """Each kind of fault once, the most frequent first, with how often it came."""
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for fault in faults:
        kind = re.sub(r"\d+", "#", fault.split(": ", 1)[1].split(": ")[0])
        kind = kind if kind.startswith(("Crash", "Hang", "Exit")) else fault.split(": ")[1]
        counts[kind] += 1
        first.setdefault(kind, fault)
    return [f"{n} × {first[kind]}" for kind, n in counts.most_common()]


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    importlib.import_module("fuzz.calls")  # what is not installed is said once, and not by every process
    total, seed, processes = (int(text) for text in (*sys.argv[1:], *("1000000", "1", "2")[len(sys.argv) - 1 :]))
    faults = fuzz(range(seed * 10**7, seed * 10**7 + total), processes)
    sys.stdout.write("\n".join(["", *kinds(faults), f"{len(faults)} faults of {total} numbers", ""]))
    sys.exit(bool(faults))
