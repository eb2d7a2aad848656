"""Runs a workload: equal quality first, then alternating timings, then peak memory."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

PAUSE = 0.1  # seconds before each timing: the threads of a BLAS spin for a while after a call and would disturb others
SAME = 1e-6  # of an objective, which nobody may be further above than the best
share = 1.0  # of the rows, for a quick try
clock = time.perf_counter  # or that of the processor, where the machine does other work as well


def reduced(rows: int) -> int:
    """So many rows, or the share of them that a quick try has."""
    return max(100, int(rows * share))


def loosest(fit: Callable[[float], Any], objective: Callable[[Any], float], least: float) -> Callable[[], Any]:
    """The fit with the loosest tolerance that brings its objective within 1e-6 of the least, or a tight one."""
    for power in range(2, 10):
        if objective(fit(10.0**-power)) <= least * (1 + SAME):
            return lambda: fit(10.0**-power)
    return lambda: fit(1e-10)


def no_worse(what: str, ours: list[float], theirs: list[float], least: float) -> None:
    """Assert that scores of several seeds are as high as those of a peer, within noise, or so little lower."""
    spread = [np.var(own, ddof=1) / len(own) if len(own) > 1 else 0.0 for own in (ours, theirs)]
    noise = max(least, 2 * float(np.sqrt(sum(spread))))
    assert np.mean(ours) >= np.mean(theirs) - noise, f"{what} {np.mean(ours):.4f}; the peer's is {np.mean(theirs):.4f}"


@dataclass
class Workload:
    """One piece of work, done by Suffice and by its peers; `check` asserts that the answers are equally good."""

    name: str
    size: str
    ours: Callable[[], Any]
    peers: dict[str, Callable[[], Any]]
    check: Callable[[Any, dict[str, Any]], None]
    floor: dict[str, float] = field(default_factory=dict)  # by peer: how many times faster we must be
    bytes_read: float = 0.0  # what must be read at least once
    operations: float = 0.0  # floating-point operations of the best known algorithm
    repeat: int = 5  # 0: only the first call is timed
    memory: bool = True
    most_megabytes: float = float("inf")  # that we may take
    peaks: dict[str, Callable[[], float]] = field(default_factory=dict)  # own ways to weigh, in megabytes


@dataclass
class Row:
    """A finished workload: median seconds and peak extra megabytes of everybody, and the physical limit."""

    workload: Workload
    seconds: dict[str, float]
    megabytes: dict[str, float]
    limit: float

    @property
    def missed(self) -> int:
        """How many floors are."""
        slow = sum(self.ratio(peer) < floor for peer, floor in self.workload.floor.items())
        return slow + (self.megabytes.get("suffice", 0.0) > self.workload.most_megabytes)

    def ratio(self, peer: str) -> float:
        """How many times faster than the peer we are."""
        return self.seconds[peer] / self.seconds["suffice"]


@dataclass(frozen=True)
class Machine:
    """What the machine can do at best, measured here."""

    bandwidth: float  # bytes a second, reading
    operations: float  # double-precision operations a second
    writing: float = float("inf")  # bytes a second, into memory that is new

    def limit(self, work: Workload) -> float:
        """The seconds below which no program can get."""
        return max(work.bytes_read / self.bandwidth, work.operations / self.operations)


def measure_machine() -> Machine:
    """Read bandwidth by scanning a large array on all threads; operations by a large matrix product."""
    from suffice import backend

    big, square = np.ones((4_000_000, 16)), np.random.default_rng(0).normal(size=(3000, 3000))
    read = min(timed(lambda: backend.first_bad(big)) for _ in range(5))
    product = min(timed(lambda: square @ square) for _ in range(3))
    write = min(timed(lambda: _fill(big.shape)) for _ in range(3))
    return Machine(big.nbytes / read, 2 * 3000**3 / product, big.nbytes / write)


def _fill(shape: tuple[int, int]) -> None:
    """Write new memory, a stripe on each thread."""
    from suffice.backend import thread_count

    stripes = np.array_split(np.empty(shape), thread_count())
    with ThreadPoolExecutor(thread_count()) as pool:
        list(pool.map(lambda stripe: np.copyto(stripe, 1.0), stripes))


def describe_machine(machine: Machine) -> list[str]:
    """The machine in words, for the head of the table."""
    import scipy
    import sklearn

    from suffice.backend import native, thread_count

    model = "unknown processor"
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as lines:
            model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    return [
        f"- {model}, {os.cpu_count()} cores, {_memory() / 2**30:.0f} GiB, {platform.system()}, "
        f"Python {platform.python_version()}",
        f"- numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}; Suffice uses "
        f"{thread_count()} threads, kernels for x86-64-{native.instruction_set}",
        f"- measured limits: {machine.bandwidth / 1e9:.1f} GB/s read, {machine.operations / 1e9:.0f} GFLOP/s "
        f"(double, matrix product), {machine.writing / 1e9:.1f} GB/s written to new memory",
    ]


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def run(work: Workload, machine: Machine) -> Row:
    """Check, time and weigh one workload."""
    everybody = {"suffice": work.ours, **work.peers}
    answers, times = {}, {}
    for name, f in everybody.items():  # also warms up
        start = clock()
        answers[name] = f()
        times[name] = [] if work.repeat else [clock() - start]
    work.check(answers["suffice"], {name: a for name, a in answers.items() if name != "suffice"})
    del answers
    for _ in range(max(3, work.repeat) if work.repeat else 0):
        for name, f in everybody.items():
            gc.collect()
            time.sleep(PAUSE)
            times[name].append(timed(f))
    weights = {name: weigh() for name, weigh in work.peaks.items()}
    if work.memory and not weights:
        weights = {name: peak_megabytes(f) for name, f in everybody.items()}
    return Row(work, {name: statistics.median(t) for name, t in times.items()}, weights, machine.limit(work))


def repeated(f: Callable[[], Any], times: int) -> Callable[[], Any]:
    """Many calls of something too short to time alone."""

    def call() -> Any:
        for _ in range(times - 1):
            f()
        return f()

    return call


def timed(f: Callable[[], Any]) -> float:
    """The seconds that one call takes."""
    start = clock()
    f()
    return clock() - start


def seconds(value: float) -> str:
    """A time in the unit that reads best."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e6:.3g} µs"


def peak_megabytes(f: Callable[[], Any]) -> float:
    """The most memory taken beyond what was in use before, looked at every millisecond."""
    import psutil  # only here: a machine without it can time

    process = psutil.Process()
    gc.collect()
    before = peak = process.memory_info().rss
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.001):
            peak = max(peak, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        f()
    finally:
        done.set()
        watcher.join()
    return (peak - before) / 2**20
