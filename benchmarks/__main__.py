"""Run the benchmarks and write benchmarks/RESULTS.md; `python -m benchmarks linear` runs and rewrites one part.

`logistic --lines 2,5 --share 0.1` tries two of its lines with a tenth of the rows, and writes nothing. `--alone` keeps
to one core and counts processor time, for machines that do other work as well.
`sweep` goes over all estimators, methods and shapes, `cores` over numbers of threads, `growth` over sizes.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

import benchmarks

from . import harness
from .harness import Row, describe_machine, measure_machine, run, seconds

HERE = Path(__file__).parent
COMMANDS = ("sweep", "cores", "growth")  # modules with a `main` of their own


def main(wanted: list[str]) -> int:
    """Run the wanted files (all by default); the exit status is 1 if a floor was missed."""
    warnings.simplefilter("ignore")
    if wanted and wanted[0] in COMMANDS:
        return int(importlib.import_module(f"benchmarks.{wanted[0]}").main(wanted[1:]))
    asked = _asked(wanted)
    harness.share, wanted = asked.share, asked.names
    if asked.alone:
        _keep_to_one_core()
    machine = measure_machine()
    lines = describe_machine(machine)
    if asked.alone:
        lines.append("- seconds of processor time, everybody on one core")
    print("\n".join(lines), flush=True)
    parts, missed = read(), 0
    names = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if has_workloads(m.name))
    for name in wanted or names:
        module = importlib.import_module(f"benchmarks.{name}")
        rows = []
        for place, make in enumerate(module.WORKLOADS, 1):
            if asked.lines and place not in asked.lines:
                continue
            row = run(make(), machine)
            missed += row.missed
            rows.append(table_row(row))
            print(rows[-1], flush=True)
        parts[name] = part(module.__doc__ or name, lines, rows)
    if not asked.lines and asked.share == 1:
        write(parts)
    return 1 if missed else 0


def _asked(arguments: list[str]) -> argparse.Namespace:
    """The files to run, which of their lines, and the share of the rows."""
    parser = argparse.ArgumentParser("benchmarks")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--lines", type=lambda text: [int(place) for place in text.split(",")])
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--alone", action="store_true")
    return parser.parse_args(arguments)


def _keep_to_one_core() -> None:
    """Every library has one thread, and waiting for others costs nobody time."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    threadpool_limits(1)
    harness.clock = time.process_time


def has_workloads(name: str) -> bool:
    """Whether a file of this folder is a benchmark; read, not imported, as its peers may not be installed."""
    path = HERE / f"{name}.py"
    return path.exists() and "\nWORKLOADS = " in path.read_text(encoding="utf-8")


def table_row(row: Row) -> str:
    """One line of the table."""
    work = row.workload
    ours = row.seconds["suffice"]
    peers = "; ".join(f"{name} {seconds(s)}" for name, s in row.seconds.items() if name != "suffice") or "–"
    ratios = "; ".join(
        f"{row.ratio(peer):.1f}× {peer}" + (f" (floor {work.floor[peer]:.2g}×)" if peer in work.floor else "")
        for peer in work.peers
    )
    limit = f"{seconds(row.limit)}, {ours / row.limit:.1f}× it" if row.limit > 0 else "–"
    memory = "; ".join(f"{name} {mb:.0f}" for name, mb in row.megabytes.items()) or "–"
    if np.isfinite(work.most_megabytes):
        memory += f" (at most {work.most_megabytes:.0f})"
    return f"| {work.name} | {work.size} | {seconds(ours)} | {peers} | {ratios or '–'} | {limit} | {memory} |"


HEAD = """# Results

Made by `make bench`. Every row is one run on one machine: the libraries take turns on the same data, and medians are
given. Equal quality of the answers is asserted before anything is timed. *Peers* are the other libraries; *faster* is
their time divided by ours, with the floor that we promise. *Limit* is what the machine could do at best: the bytes that
must be read once, divided by its memory bandwidth, or the operations of the best known algorithm, divided by its peak.
"""
COLUMNS = """| work | size | Suffice | peers | faster | limit, and our multiple of it | extra memory, MB |
|---|---|---|---|---|---|---|"""


def part(title: str, machine: list[str], rows: list[str]) -> str:
    """The results of one file: its table, and the machine they were made on."""
    made = [*machine, f"- {time.strftime('%Y-%m-%d')}"]
    return "\n".join([title.splitlines()[0], "", *made, "", COLUMNS, *rows, ""])


def read() -> dict[str, str]:
    """The parts written before, by the name of the file that made them."""
    path = HERE / "RESULTS.md"
    if not path.exists():
        return {}
    found = path.read_text(encoding="utf-8").split("\n## ")[1:]
    return dict(piece.split(": ", 1) for piece in found if ": " in piece.splitlines()[0])


def write(parts: dict[str, str]) -> None:
    """The results as Markdown, a section for each benchmark file."""
    sections = [f"## {name}: {parts[name].strip()}\n" for name in sorted(parts)]
    (HERE / "RESULTS.md").write_text("\n".join([HEAD, *sections]), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
