"""Run every benchmark file and write benchmarks/RESULTS.md; `python -m benchmarks linear` runs one, prints only."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import time
import warnings
from pathlib import Path

import benchmarks

from .harness import Row, describe_machine, measure_machine, run

HERE = Path(__file__).parent
NOT_BENCHMARKS = {"harness", "__main__"}


def main(wanted: list[str]) -> int:
    """Run the wanted files (all by default); the exit status is 1 if a floor was missed."""
    warnings.simplefilter("ignore")
    machine = measure_machine()
    lines = describe_machine(machine)
    print("\n".join(lines), flush=True)
    tables, missed = [], 0
    names = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name not in NOT_BENCHMARKS)
    for name in wanted or names:
        module = importlib.import_module(f"benchmarks.{name}")
        rows = []
        for make in module.WORKLOADS:
            row = run(make(), machine)
            missed += sum(row.ratio(peer) < floor for peer, floor in row.workload.floor.items())
            rows.append(table_row(row))
            print(rows[-1], flush=True)
        tables.append((module.__doc__ or name, rows))
    if not wanted:
        write(lines, tables)
    return 1 if missed else 0


def table_row(row: Row) -> str:
    """One line of the table."""
    work = row.workload
    ours = row.seconds["suffice"]
    peers = "; ".join(f"{name} {seconds(s)}" for name, s in row.seconds.items() if name != "suffice") or "–"
    ratios = "; ".join(
        f"{row.ratio(peer):.1f}× {peer}" + (f" (floor {work.floor[peer]:g}×)" if peer in work.floor else "")
        for peer in work.peers
    )
    limit = f"{seconds(row.limit)}, {ours / row.limit:.1f}× it" if row.limit > 0 else "–"
    memory = "; ".join(f"{name} {mb:.0f}" for name, mb in row.megabytes.items()) or "–"
    return f"| {work.name} | {work.size} | {seconds(ours)} | {peers} | {ratios or '–'} | {limit} | {memory} |"


def seconds(value: float) -> str:
    """A time in the unit that reads best."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e6:.3g} µs"


def write(machine: list[str], tables: list[tuple[str, list[str]]]) -> None:
    """The results as Markdown."""
    head = [
        "# Results",
        "",
        "Made by `make bench`; every line is one run on one machine, alternating between the libraries, medians. "
        "Equal quality is asserted before anything is timed. *Limit* is what the machine could do at best: the bytes "
        "that must be read once over its bandwidth, or the operations of the best known algorithm over its peak.",
        "",
        *machine,
        f"- {time.strftime('%Y-%m-%d')}",
        "",
    ]
    columns = "| work | size | Suffice | peers | faster | limit, and our gap | extra memory, MB |"
    for title, rows in tables:
        head += [f"## {title.splitlines()[0]}", "", columns, "|---|---|---|---|---|---|---|", *rows, ""]
    (HERE / "RESULTS.md").write_text("\n".join(head), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
