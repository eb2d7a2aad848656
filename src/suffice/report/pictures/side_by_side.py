"""Things side by side: scores of models with intervals, silhouettes of clusters, the merges of a tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...plots import Against, DendrogramDisplay, IntervalsDisplay, SilhouetteDisplay
from ...typing import Floats
from ..svg import Axes, Picture, clipped, colour, short, span, tick_text, tick_texts, ticks
from .render import picture

_ROW = 28.0  # of a model
_NAMES, _WIDE = 190.0, 400.0  # the names, and the first panel
_BESIDE = 300.0  # a panel of differences
_WIDTHS = 3.0  # of a usual interval: what lies farther out than so many is cut off
Range = tuple[float, float]


@picture.register
def intervals(display: IntervalsDisplay) -> Picture:
    """A score with its interval for each model, the scores of folds, and differences from another."""
    n = len(display.names)
    alt = f"{display.measure} with intervals of {n} models"
    made = Picture(_NAMES + _WIDE + 10 + (_BESIDE + 20) * len(display.against), _ROW * n + 46, alt)
    folds = [value for scores in display.folds or () for value in scores]
    training = [] if display.training is None else list(display.training)
    middle = [*display.values, *training, *([] if display.reference is None else [display.reference])]
    reach = _reach(middle, display.low, display.high, folds)
    axes = _rows(made, n, (_NAMES, _NAMES + _WIDE), reach, display.measure.replace("_", " "))
    if display.reference is not None:
        made.line([(axes.px(display.reference), 4), (axes.px(display.reference), axes.box[3])], "mark")
    for y, name in enumerate(display.names):
        made.text(_NAMES - 8, axes.py(y) + 4, clipped(name, 26), "end")
    with axes.marks():
        for y, scores in enumerate(display.folds or ()):
            axes.dots([(v, y + 0.25) for v in scores if axes.x[0] <= v <= axes.x[1]], "small noise")
        axes.dots([(value, y - 0.25) for y, value in enumerate(training) if value == value], "small c1")
        _whiskers(axes, display.values, display.low, display.high)
    for i, other in enumerate(display.against):
        _differences(made, n, other, _NAMES + _WIDE + 20 + (_BESIDE + 20) * i)
    return made


def _reach(middle: Sequence[float], low: Sequence[float], high: Sequence[float], more: Sequence[float] = ()) -> Range:
    """From the least to the greatest number to be seen: what is far out by the widths of intervals is cut off.

    >>> _reach([0.8, 0.9, -1.0], [0.7, 0.8, -9e4], [0.9, 1.0, 1.0])[0] > -3
    True
    """
    own, every = _finite(middle), _finite([*middle, *low, *high, *more])
    widths = _finite(np.subtract(high, low))
    if not own.size or not widths.size:
        return span(every)
    room = _WIDTHS * float(np.median(widths))
    return span(every.clip(own.min() - room, own.max() + room))


def _finite(values: object) -> Floats:
    cells = np.asarray(values, dtype=np.float64)
    return cells[np.isfinite(cells)]


def _rows(made: Picture, n: int, x: Range, reach: Range, name: str) -> Axes:
    bottom = _ROW * n + 8
    axes = Axes(made, reach, (n - 0.5, -0.5), (x[0], 4, x[1], bottom))
    places = ticks(*axes.x, 5)
    for value, words in zip(places, tick_texts(places), strict=True):
        made.line([(axes.px(value), 4), (axes.px(value), bottom)], "grid")
        made.text(axes.px(value), bottom + 14, words, "middle")
    made.text((x[0] + x[1]) / 2, bottom + 31, clipped(name, 44), "middle", "t name")
    return axes


def _whiskers(axes: Axes, values: object, low: object, high: object) -> None:
    for y, (value, left, right) in enumerate(np.array([values, low, high], dtype=float).T):
        if value == value:
            ends = np.clip([left, right], *axes.x)
            axes.line([(end, y) for end in ends] if left == left and right == right else [], "whisker wide c0")
            axes.dots([(value, y)], "big c0")


def _differences(made: Picture, n: int, other: Against, left: float) -> None:
    reach = _reach([*other.differences, -other.zone, other.zone], other.low, other.high)
    axes = _rows(made, n, (left, left + _BESIDE), reach, f"difference from {other.name}")
    if other.zone > 0:
        axes.bar((-other.zone, other.zone), axes.y, "zone", f"up to {tick_text(other.zone)} does not matter")
    made.line([(axes.px(0.0), 4), (axes.px(0.0), axes.box[3])], "axis")
    with axes.marks():
        _whiskers(axes, other.differences, other.low, other.high)


@picture.register
def silhouettes(display: SilhouetteDisplay) -> Picture:
    """Rows sorted within clusters; the dashed line is the mean."""
    blocks = display.blocks()
    means = [f"{block.name} {block.values.mean():.2f}" for block in blocks]
    made = Picture(420, 320, f"Silhouettes with the mean {display.mean:.2f}; of clusters {', '.join(means)}")
    low, high = display.height()
    axes = Axes(made, (display.least(), 1.0), (high, low), (62, 20, 412, 280))
    axes.grid("silhouette", "", y_most=0)
    with axes.marks():
        for k, block in enumerate(blocks):
            steps = np.repeat(block.values, 2)
            edges = np.repeat(block.first + np.arange(len(block.values) + 1), 2)[1:-1]
            outline = [(0.0, edges[0]), *zip(steps, edges, strict=True), (0.0, edges[-1])]
            made.area(axes.at(outline), f"strong {colour(k)}")
            made.tip(f"cluster {block.name}: mean {block.values.mean():.3f} of {len(block.values):,} rows")
    made.line([(axes.px(display.mean), 20), (axes.px(display.mean), 280)], "mark")
    made.line([(axes.px(0.0), 20), (axes.px(0.0), 280)], "axis")
    for block in blocks:
        made.text(56, axes.py(block.middle) + 4, clipped(block.name, 8), "end")
    made.text(62, 13, f"mean {display.mean:.2f}".replace("-", "−"), cls="t strong")
    return made


@picture.register
def dendrogram(display: DendrogramDisplay) -> Picture:
    """A tree of merges, upwards or to the right, coloured by the clusters of a cut."""
    n, upright = len(display.ends), display.orientation == "top"
    size = (760.0, 330.0) if upright else (520.0, max(160.0, 16.0 * n + 50))
    made = Picture(*size, f"Dendrogram of {sum(end.count for end in display.ends):,} rows")
    across, up = (-0.7, n - 0.3), (0.0, display.top())
    if upright:
        axes = Axes(made, across, up, (52, 8, 752, 270))
        axes.grid("", "height", x_most=0)
    else:
        axes = Axes(made, up, across[::-1], (110, 8, 512, size[1] - 42))
        axes.grid("height", "", y_most=0)
    with axes.marks():
        for link in display.links:
            corners = link.corners() if upright else [(y, x) for x, y in link.corners()]
            axes.line(corners, f"line {'ink' if link.cluster < 0 else colour(link.cluster)}")
    if display.cut is not None:
        ends = [(across[0], display.cut), (across[1], display.cut)]
        axes.line(ends if upright else [(y, x) for x, y in ends], "mark")
    for i, end in enumerate(display.ends):
        if upright:
            place = f"translate({short(axes.px(i) + 3)} 278) rotate(-90)"
            made.add("text", clipped(end.name, 8), transform=place, text_anchor="end", cls="t tiny")
        else:
            made.text(104, axes.py(i) + 4, clipped(end.name, 15), "end")
    return made
