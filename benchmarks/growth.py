"""How time and memory grow with the rows, the columns and the number of groups.

`python -m benchmarks growth` draws a picture for each family into docs/images/growth, and the exponents beside them;
`growth mixture` draws one family. A series ends at the point that takes longer than `--seconds`.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from threadpoolctl import threadpool_limits

import suffice as sf

from .families import contests, position
from .families.contest import Contest
from .families.tables import Cell
from .growth_pictures import PICTURES, draw, exponents
from .harness import peak_megabytes
from .processes import Died, Send, Silent, messages, start

MEASURED = Path(__file__).parent / "data" / "growth.json"  # so that pictures can be drawn again
SIZES: dict[str, list[int]] = {
    "rows": [*(round(10 ** (half / 2)) for half in range(6, 13)), 10_000_000],
    "columns": [2**i for i in range(1, 11)],
    "groups": [2**i for i in range(1, 9)],
}
FIXED = {"rows": 10_000, "columns": 4, "groups": 8}  # what does not grow
PATIENCE = 60.0  # seconds for one point
LONG = 0.05  # seconds: a fit that takes longer is timed twice only
Series = dict[str, list["Point"]]  # by the axis


@dataclass(frozen=True)
class Point:
    """The seconds of a fit on one thread, and the megabytes that it takes beside the table, at one size."""

    size: int
    seconds: float
    megabytes: float


def main(arguments: list[str]) -> int:
    """Measure the wanted families, all by default, and draw them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks growth", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *contests()], help="families; all if none is named")
    parser.add_argument("--seconds", type=float, default=0.2, help="a fit that takes longer is the last of its series")
    parser.add_argument("--draw", action="store_true", help="only draw again what was measured last")
    options = parser.parse_args(arguments)
    measured = _read()
    start()
    for family in options.names or contests():
        if not options.draw:
            grown = {c.name: {axis: series(c, axis, options.seconds) for axis in c.axes} for c in contests()[family]}
            measured[family] = {name: axes for name, axes in grown.items() if axes}
            _write(measured)
        if measured.get(family):
            draw(PICTURES / f"{family}.svg", measured[family])
    (PICTURES / "exponents.txt").write_text(exponents(measured), encoding="utf-8")
    return 0


def series(contest: Contest, axis: str, seconds: float) -> list[Point]:
    """The points along one axis, each in a process of its own, until one takes too long or is refused."""
    points: list[Point] = []
    rows, columns = contest.shape(FIXED["rows"], FIXED["columns"])
    for size in SIZES[axis]:
        sizes = {"rows": rows, "columns": columns, "groups": FIXED["groups"], axis: size}
        try:
            points += messages(_measure, (*position(contest), sizes, size), PATIENCE)
        except (Silent, Died):
            break
        if len(points) == 0 or points[-1].size != size or points[-1].seconds > seconds:
            break
    print(f"{contest.name}, {axis}: {len(points)} points", flush=True)
    return points


def _measure(send: Send, family: str, place: int, sizes: dict[str, int], size: int) -> None:
    """In its own process: the memory of the first fit, and the least processor time of the next ones, on one thread."""
    warnings.simplefilter("ignore")
    contest = replace(contests()[family][place], k=sizes["groups"])
    table = contest.table(Cell(sizes["rows"], sizes["columns"]))
    new = partial(contest.ours, **contest.options(table))
    few = max(50, 20 * table.k)
    new().fit(*(part[:few] for part in (table.X, *table.target)))  # what is loaded late is loaded now
    try:
        megabytes = peak_megabytes(lambda: new().fit(table.X, *table.target))
    except (ValueError, MemoryError):  # refused with the reason; the series ends here
        return
    fit = partial(new().fit, table.X, *table.target)
    with sf.threads(1), threadpool_limits(1):
        first = _spent(fit)
        send(Point(size, min([first, *(_spent(fit) for _ in range(1 if first > LONG else 4))]), megabytes))


def _spent(f: Callable[[], object]) -> float:
    """The seconds of processor time of one call."""
    start = time.process_time()
    f()
    return time.process_time() - start


def _read() -> dict[str, dict[str, Series]]:
    if not MEASURED.exists():
        return {}
    stored = json.loads(MEASURED.read_text(encoding="utf-8"))
    return {
        family: {name: {axis: [Point(**p) for p in ps] for axis, ps in axes.items()} for name, axes in members.items()}
        for family, members in stored.items()
    }


def _write(measured: dict[str, dict[str, Series]]) -> None:
    MEASURED.parent.mkdir(exist_ok=True)
    MEASURED.write_text(json.dumps(measured, default=asdict), encoding="utf-8")
