"""The tables of the sweep: the lines that want work first, then all ratios, a column for each shape."""

from __future__ import annotations

import numpy as np

from .sweep_lines import NEAR, Line

COLUMNS = "| work | table | Suffice | best peer | faster | remark |\n|---|---|---|---|---|---|"


def summary(lines: list[Line]) -> str:
    """How many lines there are of each kind."""
    timed = [line for line in lines if not np.isnan(line.ratio)]
    losing, near = sum(line.loses for line in lines), sum(line.wants_work and not line.loses for line in lines)
    limit = sum(line.at_limit and line.ratio < NEAR for line in timed)
    middle = np.median([line.ratio for line in timed]) if timed else np.nan
    return (
        f"{len(timed)} lines were timed: a peer wins {losing}, {near} more are below {NEAR}×, {limit} of the slower "
        f"ones are at the limit of the machine; the median is {middle:.1f}×."
    )


def detail(lines: list[Line]) -> str:
    """The lines that are slower than they should be or have a remark, the worst first."""
    chosen = [line for line in lines if line.wants_work or line.remark]
    return "\n".join([COLUMNS, *map(str, sorted(chosen, key=lambda line: line.order))]) if chosen else "No line loses."


def matrix(lines: list[Line]) -> str:
    """A row for each method and a column for each table that most families share; cut shapes stand under `other`."""
    from .families.tables import GRID

    columns = [str(cell) for cell in GRID]
    rows: dict[str, dict[str, list[str]]] = {}
    for line in lines:
        if not np.isnan(line.ratio):
            row = rows.setdefault(f"{line.contest}.{line.method}", {})
            own = line.cell in columns
            row.setdefault(line.cell if own else "other", []).append(
                f"{line.ratio:.1f}" + ("" if own else f" ({line.cell})")
            )
    head = ["work", *columns, "other"]
    body = [[name, *(", ".join(row.get(column, ["–"])) for column in head[1:])] for name, row in rows.items()]
    return "\n".join(
        ["", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"] + [f"| {' | '.join(r)} |" for r in body]
    )
