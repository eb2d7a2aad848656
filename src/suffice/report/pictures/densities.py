"""Densities: a mixture over one column, the surface over two, and the replicates of a statistic."""

from __future__ import annotations

import numpy as np

from ...plots import DensityDisplay, ReplicatesDisplay, SurfaceDisplay
from ..svg import Axes, Picture, clipped, colour, tick_text, ticks
from .render import picture

_MOST_NAMED = 12  # components that the legend names
_BEHIND = (150.0, 110.0)  # how far the last line stands to the right of the first, and above it


@picture.register
def density(display: DensityDisplay) -> Picture:
    """A histogram of the rows, the curve of each component, and their sum, dashed."""
    shown = display.shown()
    made = Picture(520, 250, f"Histogram of {display.name}, and the density of {len(shown)} components")
    x = np.concatenate([display.edges, display.x])
    top = max(float(display.heights.max()), float(display.density().max())) or 1.0
    axes = Axes(made, (float(x.min()), float(x.max())), (0.0, 1.04 * top), (62, 8, 512, 210))
    axes.grid(display.name, "probability" if display.whole else "density")
    with axes.marks():
        bins = zip(display.heights.tolist(), display.edges[:-1].tolist(), display.edges[1:].tolist(), strict=True)
        for height, low, high in bins:
            if height > 0:
                axes.bar((low, high), (0.0, height), "bar quiet")
        for j in shown:
            axes.line(np.column_stack([display.x, display.components[j]]), f"line {colour(j)}")
        if len(shown) > 1:
            axes.line(np.column_stack([display.x, display.density()]), "mark")
    made.legend = [(colour(j), display.label(j)) for j in shown if len(shown) <= _MOST_NAMED]
    made.legend += [("dash", "mixture")] * (len(shown) > 1)
    return made


@picture.register
def replicates(display: ReplicatesDisplay) -> Picture:
    """A histogram, a band for the interval, and a dashed line at the value."""
    made = Picture(520, 250, f"Histogram of {int(display.counts.sum())} replicates of the {display.name}")
    interval = np.isfinite([display.low, display.high]).all()
    x = np.array([*display.edges, display.value, display.low, display.high])
    x, top = x[np.isfinite(x)], display.top()
    axes = Axes(made, (float(x.min()), float(x.max())), (0.0, 1.04 * top), (62, 8, 512, 210))
    axes.grid(display.name, "resamples")
    with axes.marks():
        if interval:
            axes.bar((display.low, display.high), (0.0, top), "bar quiet")
        for count, low, high in zip(display.counts.tolist(), display.edges[:-1], display.edges[1:], strict=True):
            if count > 0:
                axes.bar((float(low), float(high)), (0.0, count), f"bar {colour(0)}")
        if np.isfinite(display.value):
            axes.line(np.array([[display.value, 0.0], [display.value, top]]), "mark")
    made.legend = [("quiet", display.label())] * bool(interval) + [("dash", "value")]
    return made


@picture.register
def surface(display: SurfaceDisplay) -> Picture:
    """Lines across the surface, from the back to the front; each hides what is behind it."""
    made = Picture(520, 350, f"The density over {display.names[0]} and {display.names[1]}, as a surface")
    low, high = float(display.y[0]), float(display.y[-1])
    ends, top = (float(display.x[0]), float(display.x[-1])), float(display.density.max()) or 1.0
    for row in reversed(display.ridges()):
        share = (float(display.y[row]) - low) / (high - low)
        left, bottom = 12.0 + share * _BEHIND[0], 310.0 - share * _BEHIND[1]
        axes = Axes(made, ends, (0.0, top), (left, bottom - 180.0, left + 300.0, bottom))
        with axes.marks():
            axes.line(np.column_stack([display.x, display.density[row]]), "ridge")
    _name_axes(axes, display)
    return made


def _name_axes(front: Axes, display: SurfaceDisplay) -> None:
    """Figures below the first line, and beside all of them from the front to the back."""
    made, (left, _, right, bottom) = front.picture, front.box
    for value in ticks(*front.x):
        made.text(front.px(value), bottom + 14, tick_text(value), "middle")
    made.text((left + right) / 2, bottom + 30, clipped(display.names[0], 40), "middle", "t name")
    low, high = float(display.y[0]), float(display.y[-1])
    for value in ticks(low, high):
        share = (value - low) / (high - low)
        made.text(right + 8 + share * _BEHIND[0], bottom + 4 - share * _BEHIND[1], tick_text(value))
    made.text(right + 42 + _BEHIND[0] / 2, bottom + 8 - _BEHIND[1] / 2, clipped(display.names[1], 16), cls="t name")
