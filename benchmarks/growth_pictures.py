"""The pictures and the exponents of growth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.plots.style import COLOURS, FAINT, INK, MARKERS, QUIET, SMALL, TEXT, pyplot

from .harness import seconds

if TYPE_CHECKING:
    from .growth import Point, Series

PICTURES = Path(__file__).parents[1] / "docs" / "images" / "growth"
AXES = ("rows", "columns", "groups")
WHAT = {"seconds": "processor time of a fit", "megabytes": "megabytes beside the table"}
FEW = 4  # the exponent is the slope of so many last points, where constant costs no longer count
LEAST = {"seconds": 1e-4, "megabytes": 4.0}  # below is the noise of the clock and of the allocator
APART = 0.075  # of the height of a panel, between the exponents beside the lines
MOST = 12  # exponents that fit beside a panel; where there are more, the table has them


def exponent(points: list[Point], what: str) -> float:
    """The slope of the last points in logarithms; not a number where too few are above the noise."""
    known = [(p.size, getattr(p, what)) for p in points if getattr(p, what) >= LEAST[what]][-FEW:]
    if len(known) < 3:
        return float("nan")
    sizes, values = np.log(np.array(known, dtype=float)).T
    return float(np.polyfit(sizes, values, 1)[0])


def exponents(measured: dict[str, dict[str, Series]]) -> str:
    """A table in Markdown of all exponents, time and memory."""
    lines = ["| estimator | " + " | ".join(f"{axis}: time | memory" for axis in AXES) + " |", "|---" * 7 + "|"]
    for members in measured.values():
        for name, series in members.items():
            cells = [_figure(exponent(series.get(axis, []), what)) for axis in AXES for what in WHAT]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw(path: Path, members: dict[str, Series]) -> None:
    """One picture into a file: time above, memory below, a column for each axis, a line for each estimator."""
    plt = pyplot()
    axes = [axis for axis in AXES if any(series.get(axis) for series in members.values())]
    width = 3.1 * len(axes) + 0.3  # inches
    columns = min(len(members), int(width / (0.5 + 0.07 * max(map(len, members)))))  # of the legend
    head = 0.22 * -(-len(members) // columns)
    size = (width, 4.6 + head)
    look = {"font.size": TEXT, "svg.fonttype": "none", "svg.hashsalt": path.stem, "axes.edgecolor": QUIET}
    with plt.rc_context(look):
        figure, panels = plt.subplots(2, len(axes), figsize=size, squeeze=False, sharex="col", sharey="row")
        for row, what in zip(panels, WHAT, strict=True):
            for panel, axis in zip(row, axes, strict=True):
                points = {name: series.get(axis, []) for name, series in members.items()}
                _panel(panel, what, axis, points)
                _beside(panel, what, points, _limits(what, members))
            row[0].set_ylabel(WHAT[what])
        handles = [_line(panels[0, 0], i, [], []) for i in range(len(members))]
        figure.legend(handles, list(members), loc="upper center", ncols=columns, frameon=False, fontsize=SMALL)
        figure.tight_layout(rect=(0, 0, 1, 1 - head / size[1]), w_pad=1.5)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
        plt.close(figure)


def _limits(what: str, members: dict[str, Series]) -> tuple[float, float]:
    """Whole decades around all values."""
    values = [getattr(p, what) for series in members.values() for points in series.values() for p in points]
    low = np.floor(np.log10(max(min(values), LEAST[what]))) if what == "seconds" else 0.0
    return 10**low, 10 ** max(low + 2, np.ceil(np.log10(max(values))))


def _panel(panel: Any, what: str, axis: str, members: dict[str, list[Point]]) -> None:
    """The lines of one axis."""
    panel.set_xscale("log", base=10 if axis == "rows" else 2)
    panel.set_yscale("log")
    panel.yaxis.set_major_formatter(lambda value, _: seconds(value) if what == "seconds" else f"{value:,.0f}")
    panel.minorticks_off()
    panel.grid(True, color=FAINT, linewidth=0.6)
    panel.spines[["top", "right"]].set_visible(False)
    panel.tick_params(labelsize=SMALL, color=QUIET)
    for i, points in enumerate(members.values()):
        _line(panel, i, [p.size for p in points], [max(getattr(p, what), LEAST[what] / 3) for p in points])
    if what == "megabytes":
        panel.set_xlabel(axis)
        panel.axhspan(1.0, LEAST[what], color=FAINT, alpha=0.6, linewidth=0)


def _line(panel: Any, i: int, x: list[int], y: list[float]) -> Any:
    style = {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[(i // len(COLOURS) + i) % len(MARKERS)]}
    dashes = "-" if i < len(COLOURS) else "--"  # when the colours are used up
    return panel.plot(x, y, dashes, linewidth=1.3, markersize=3.2, **style)[0]


def _beside(panel: Any, what: str, members: dict[str, list[Point]], limits: tuple[float, float]) -> None:
    """The exponent of each line to the right of the panel, at the height of its end or where there is room."""
    panel.set_ylim(*limits)
    low, high = np.log10(limits)
    slopes = {i: exponent(points, what) for i, points in enumerate(members.values())}
    ends = [
        ((np.log10(getattr(points[-1], what)) - low) / (high - low), i)
        for i, points in enumerate(members.values())
        if not np.isnan(slopes[i])
    ]
    if not 0 < len(ends) <= MOST:
        return
    lowest = max(0.02, 0.95 - APART * len(ends))
    height = min(min(ends)[0], lowest) - APART
    for place, (at, i) in enumerate(sorted(ends)):
        height = max(min(at, lowest + APART * place), height + APART)
        text = {"color": COLOURS[i % len(COLOURS)], "va": "center", "fontsize": SMALL}
        panel.text(1.02, height, _figure(slopes[i]), transform=panel.transAxes, **text)
    panel.text(1.02, 1.03, "slope", color=INK, transform=panel.transAxes, va="center", fontsize=SMALL)


def _figure(slope: float) -> str:
    return "–" if np.isnan(slope) else f"{round(slope, 1) + 0.0:.1f}"  # no minus zero
