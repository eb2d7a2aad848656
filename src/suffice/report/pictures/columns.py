"""Columns: histograms, frequencies, boxes, missing values, and lines across columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...plots import (
    Box,
    BoxDisplay,
    FrequencyDisplay,
    Histogram,
    HistogramDisplay,
    MissingnessDisplay,
    ParallelDisplay,
)
from ..svg import Axes, Picture, clipped, colour, legend, runs, short, span, tick_text, ticks
from .render import picture

_ACROSS = 3  # panels side by side
_WIDE, _HIGH = 260.0, 84.0  # of a histogram
_SHADES = 8  # of cells that are partly missing


@picture.register
def histogram(display: HistogramDisplay) -> Picture:
    """One small panel a column, groups over one another."""
    panels, title = display.panels(), 16.0 if len(display.panels()) > 1 else 0.0
    rows = -(-len(panels) // _ACROSS)
    across = min(len(panels), _ACROSS)
    made = Picture((_WIDE + 20) * across - 20, (_HIGH + title + 8) * rows - 8, _histogram_alt(panels))
    made.legend = legend(display.groups())
    for i, (name, own) in enumerate(panels.items()):
        left, top = (i % _ACROSS) * (_WIDE + 20), (i // _ACROSS) * (_HIGH + title + 8) + title
        if title:
            made.text(left + 4, top - 3, clipped(name, 30), cls="t name")
        _bins(made, own, left, top)
    return made


def _histogram_alt(panels: dict[str, list[Histogram]]) -> str:
    counted = (f"{name}: {sum(int(each.counts.sum()) for each in own):,} values" for name, own in panels.items())
    return f"Histogram of {', '.join(counted)}"


def _bins(made: Picture, own: Sequence[Histogram], left: float, top: float) -> None:
    edges, highest = own[0].edges, max(float(each.counts.max(initial=0)) for each in own)
    ends = (float(edges[0]), float(edges[-1]))
    axes = Axes(made, ends, (0.0, highest or 1.0), (left + 4, top + 6, left + _WIDE - 4, top + _HIGH - 20))
    with axes.marks():
        for k, each in enumerate(own):
            for n, low, high in zip(each.counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
                if n:
                    tip = f"{each.group} {tick_text(low)} to {tick_text(high)}: {n:,}".strip()
                    axes.bar((low, high), (0.0, n), f"bar {colour(k)}" + " over" * (len(own) > 1), tip)
    bottom = axes.box[3]
    made.line([(left + 4, bottom + 0.5), (left + _WIDE - 4, bottom + 0.5)], "axis")
    least, most = own[0].ends()
    made.text(left + 4, bottom + 16, tick_text(least))
    made.text(left + _WIDE - 4, bottom + 16, tick_text(most), "end")


@picture.register
def frequency(display: FrequencyDisplay) -> Picture:
    """A bar for each of the most frequent values, with its count."""
    counts, shares = display.counts.tolist(), display.shares().tolist()
    shown = ", ".join(f"{value} {n:,}" for value, n in zip(display.values, counts, strict=True))
    made = Picture(260, 18.0 * max(len(counts), 1) + 4, f"Most frequent values of {display.name}: {shown}")
    axes = Axes(made, (0.0, max(display.total, 1.0)), (max(len(counts), 1) - 0.5, -0.5), (100, 2, 210, made.height - 2))
    for y, (value, n, share) in enumerate(zip(display.values, counts, shares, strict=True)):
        with axes.marks():
            axes.bar((0.0, n), (y - 0.3, y + 0.3), "c0", f"{value}: {n:,} ({100 * share:.3g} %)")
        made.text(95, axes.py(y) + 4, clipped(value, 15) or "(empty)", "end")
        made.text(axes.px(n) + 4, axes.py(y) + 4, f"{n:,}")
    return made


@picture.register
def boxes(display: BoxDisplay) -> Picture:
    """All boxes on one scale; where there are groups, a panel a column."""
    panels = display.panels() if display.grouped else {"": list(display.boxes)}
    high = max(len(own) for own in panels.values()) * 20.0 + (52.0 if display.grouped else 34.0)
    rows, across = -(-len(panels) // 2), min(len(panels), 2)
    made = Picture(400.0 * across, high * rows, f"Boxes of {', '.join(dict.fromkeys(b.name for b in display.boxes))}")
    for i, (name, own) in enumerate(panels.items()):
        left, top = 400.0 * (i % 2), high * (i // 2) + (18.0 if display.grouped else 0.0)
        if display.grouped:
            made.text(left + 110, top - 4, clipped(name, 40), cls="t strong")
        _boxes(made, own, display.grouped, left, top)
    return made


def _boxes(made: Picture, own: Sequence[Box], grouped: bool, left: float, top: float) -> None:
    reach = [value for box in own for value in (box.low, box.high, *box.outliers)]
    bottom = top + 20.0 * len(own)
    axes = Axes(made, span(reach), (len(own) - 0.5, -0.5), (left + 110, top, left + 390, bottom))
    _scale_below(axes)
    for y, box in enumerate(own):
        name = (box.group if grouped else box.name) or " "
        made.text(left + 104, axes.py(y) + 4, clipped(name, 15), "end")
        if not box.n:
            made.text(axes.box[0] + 4, axes.py(y) + 4, "no values")
            continue
        look = colour(y) if grouped else "c0"
        with axes.marks():
            axes.line([(box.low, y), (box.q1, y)], f"line {look}")
            axes.line([(box.q3, y), (box.high, y)], f"line {look}")
            axes.bar((box.q1, box.q3), (y - 0.3, y + 0.3), f"pale {look}", _five(box))
            axes.line([(box.median, y - 0.3), (box.median, y + 0.3)], f"line thick {look}")
            axes.dots([(value, y) for value in box.outliers], f"small {look}")


def _five(box: Box) -> str:
    figures = [tick_text(value) for value in (box.low, box.q1, box.median, box.q3, box.high)]
    return f"{box.group or box.name}: {', '.join(figures)}; {len(box.outliers)} beyond"


def _scale_below(axes: Axes) -> None:
    left, top, right, bottom = axes.box
    for value in ticks(*axes.x, 5):
        axes.picture.line([(axes.px(value), top), (axes.px(value), bottom)], "grid")
        axes.picture.text(axes.px(value), bottom + 14, tick_text(value), "middle")
    axes.picture.line([(left, bottom), (right, bottom)], "axis")


@picture.register
def missingness(display: MissingnessDisplay) -> Picture:
    """The table from top to bottom, dark where values are missing; a shape for each shade."""
    d = len(display.names)
    cell = float(np.clip(420 / d, 9, 46))
    made = Picture(56 + cell * d + 40, 280, _missing_alt(display))
    axes = Axes(made, (-0.5, d - 0.5), (float(display.n_rows), 0.0), (56, 26, 56 + cell * d, 226))
    made.add("rect", x=axes.box[0], y=axes.box[1], width=cell * d, height=200.0, cls="panel")
    edges = np.linspace(0, display.n_rows, len(display.blocks) + 1).astype(int)
    shade = np.ceil(display.blocks * _SHADES).astype(int)
    with axes.marks():
        for level in range(1, _SHADES + 1):
            found = [(j, *run) for j in range(d) for run in runs(shade[:, j] == level)]
            shape = "".join(axes.box_path((j - 0.5, j + 0.5), (edges[a], edges[b])) for j, a, b in found)
            if shape:
                made.add("path", cls="area c1", d=shape, fill_opacity=f"{level / _SHADES:.2f}")
    for value in ticks(0.0, float(display.n_rows), 4):
        made.text(51, axes.py(value) + 4, tick_text(value), "end")
    for j, (name, share) in enumerate(zip(display.names, display.share, strict=True)):
        if cell >= 26 or share > 0:
            made.text(axes.px(j), 20, _percent(share), "middle", "t" if cell >= 26 else "t tiny")
        place = f"translate({short(axes.px(j) + 3)} 236) rotate(40)"
        made.add("text", clipped(name, 12), transform=place, cls="t" if cell >= 12 else "t tiny")
    return made


def _missing_alt(display: MissingnessDisplay) -> str:
    gone = [f"{name} {100 * share:.2g} %" for name, share in zip(display.names, display.share, strict=True) if share]
    return f"Where values are missing in {display.n_rows:,} rows: {', '.join(gone) or 'nowhere'}"


def _percent(share: float) -> str:
    return "0" if share == 0 else "<1%" if share < 0.01 else f"{100 * share:.0f}%"


@picture.register
def parallel(display: ParallelDisplay) -> Picture:
    """Every row as a line across the columns."""
    d = len(display.names)
    made = Picture(
        max(300.0, 110.0 * d), 250, f"Lines of {len(display.values):,} rows across {', '.join(display.names)}"
    )
    made.legend = legend(display.groups)
    axes = Axes(made, (-0.4, d - 0.6), (0.0, 1.0), (4, 24, made.width - 4, 206))
    heights, codes = display.heights(), display.row_codes()
    with axes.marks():
        for k in range(len(display.groups)):
            for row in heights[codes == k]:
                axes.line(enumerate(row), f"line thin {colour(k)}")
    for j, (name, low, high) in enumerate(zip(display.names, *display.ends(), strict=True)):
        made.line([(axes.px(j), 24), (axes.px(j), 206)], "axis")
        if display.ticks:
            for height, words in display.marks(j):
                made.text(axes.px(j) + 4, axes.py(height) + 4, clipped(words, 12), cls="t tiny")
        elif np.isfinite(low):
            made.text(axes.px(j), 18, tick_text(high), "middle")
            made.text(axes.px(j), 220, tick_text(low) if low < high else "", "middle")
        made.text(axes.px(j), 238, clipped(name, 16), "middle", "t name")
    return made
