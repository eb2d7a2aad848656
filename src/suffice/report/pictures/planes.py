"""Planes: rows as dots, with clusters, mixtures, arrows, regions and other rows of the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...plots import (
    BiplotDisplay,
    ClusterDisplay,
    DecisionRegionsDisplay,
    EmbeddingDisplay,
    MixtureDisplay,
    PairsDisplay,
    PredictionErrorDisplay,
    ResidualsDisplay,
    ShepardDisplay,
)
from ...typing import Floats, Labels
from ..svg import Axes, Picture, clipped, colour, legend, runs, span
from .render import picture

_SIZE = (420.0, 330.0)
_BOX = (52.0, 8.0, 412.0, 290.0)
_LETTER, _HEIGHT = 6.5, 12.0  # of a name, about
_SHADES = 4  # strengths of a region's colour
_MIXES = 8  # steps from one colour to another
_SIDE = 90  # steps of a grid of densities


@picture.register
def clusters(display: ClusterDisplay) -> Picture:
    """Rows by cluster, centres with numbers, and their cells."""
    codes = np.unique(display.labels).tolist()
    made = Picture(*_SIZE, f"{len(display.points):,} rows in {sum(k >= 0 for k in codes)} clusters")
    every = display.points if display.centers is None else np.vstack([display.points, display.centers])
    axes = Axes(made, span(every[:, 0]), span(every[:, 1]), _BOX)
    if display.voronoi:
        for k, corners in enumerate(display.cells()):
            made.area(axes.at(_within(corners, axes.x, axes.y)), f"cell {colour(k)}")
    axes.grid(display.names[0], display.names[1])
    with axes.marks():
        if display.responsibilities is None:
            _dots(axes, display.points, display.labels)
        else:
            _mixed_dots(axes, display.points, display.responsibilities)
        for k, centre in enumerate(() if display.centers is None else display.centers):
            x, y = axes.px(float(centre[0])), axes.py(float(centre[1]))
            made.add("circle", cx=x, cy=y, r=8.5, cls=f"centre {colour(k)}")
    for k, centre in enumerate(() if display.centers is None else display.centers):
        made.text(axes.px(float(centre[0])), axes.py(float(centre[1])) + 4, str(k), "middle", "t on")
    made.legend = [(colour(k), "noise" if k < 0 else f"cluster {k}") for k in codes] if len(codes) <= 12 else []
    return made


def _dots(axes: Axes, points: Floats, codes: Labels, halo: bool = False) -> None:
    """The rows of each group in its colour, with a rim where they stand on colours."""
    if halo:
        axes.dots(points, "rim")
    for group in np.unique(codes):
        axes.dots(points[codes == group], colour(int(group)))


def _mixed_dots(axes: Axes, points: Floats, shares: Floats) -> None:
    """Each row in the colours of its two largest shares: the second over the first, as strong as its part of both."""
    order = np.argsort(-shares, axis=1, kind="stable")
    _dots(axes, points, order[:, 0])
    if shares.shape[1] > 1:
        first, second = np.take_along_axis(shares, order[:, :2], axis=1).T
        level = np.rint(_MIXES * second / np.maximum(first + second, 1e-300)).astype(int)
        for k, step in np.unique(np.column_stack([order[:, 1], level])[level > 0], axis=0).tolist():
            own = points[(order[:, 1] == k) & (level == step)]
            axes.dots(own, colour(k), opacity=f"{step / _MIXES:.2f}")


def _within(corners: Floats, x: tuple[float, float], y: tuple[float, float]) -> list[Any]:
    """The part of a convex shape that lies in a rectangle (Sutherland and Hodgman, 1974)."""
    kept = [tuple(corner) for corner in corners]
    for axis, bound, sign in ((0, x[0], 1.0), (0, x[1], -1.0), (1, y[0], 1.0), (1, y[1], -1.0)):
        before, kept = kept, []
        for a, b in zip(before, before[1:] + before[:1], strict=True):
            from_a, from_b = sign * (a[axis] - bound), sign * (b[axis] - bound)
            if from_a >= 0:
                kept.append(a)
            if from_a * from_b < 0:
                t = from_a / (from_a - from_b)
                kept.append(tuple(p + t * (q - p) for p, q in zip(a, b, strict=True)))
    return kept


@picture.register
def mixture(display: MixtureDisplay) -> Picture:
    """Rows in the colours of their likeliest components, ellipses, and shades of the density."""
    points, k = display.points[display.seen()], len(display.weights)
    made = Picture(*_SIZE, f"A mixture of {k} Gaussians over {len(points):,} rows")
    axes = Axes(made, span(points[:, 0], 0.08), span(points[:, 1], 0.08), _BOX)
    if display.contours:
        _density(axes, display)
    axes.grid(display.names[0], display.names[1])
    outlines = {j: display.ellipses(j) for j in range(k) if display.weights[j] > 0}
    with axes.marks():
        _mixed_dots(axes, points, display.responsibilities[display.seen()])
    with axes.marks():
        for j, both in outlines.items():
            for outline in both:
                axes.line(outline, f"ellipse line {colour(j)}")
    made.legend = [(colour(j), f"component {j}: {100 * display.weights[j]:.3g} %") for j in outlines if k <= 12]
    return made


def _density(axes: Axes, display: MixtureDisplay) -> None:
    across, up, density = display.density_grid(axes.x, axes.y, _SIDE)
    for level in display.levels():
        axes.picture.add("path", cls="area density", d=_cells(axes, across, up, density >= level))


def _cells(axes: Axes, across: Floats, up: Floats, inside: NDArray[np.bool_]) -> str:
    """The cells of a grid that are inside, as the path of their runs; rows are heights."""
    half = (across[1] - across[0]) / 2, (up[1] - up[0]) / 2
    shape = []
    for y, row in zip(up, inside, strict=True):
        height = max(y - half[1], axes.y[0]), min(y + half[1], axes.y[1])
        for first, end in runs(row):
            width = max(across[first] - half[0], axes.x[0]), min(across[end - 1] + half[0], axes.x[1])
            shape.append(axes.box_path(width, height))
    return "".join(shape)


@picture.register
def regions(display: DecisionRegionsDisplay) -> Picture:
    """The class that is predicted everywhere, paler where it is less sure, and the rows."""
    made = Picture(*_SIZE, f"Regions of {', '.join(display.classes)} over {' and '.join(display.names)}")
    left, right, bottom, top = display.extent()
    axes = Axes(made, (left, right), (bottom, top), _BOX)
    strength = display.strength()
    shade = np.rint(strength * _SHADES / max(float(strength.max()), 1e-9)).astype(int)
    for k in range(len(display.classes)):
        for level in range(_SHADES + 1):
            shape = _cells(axes, display.x, display.y, (display.codes == k) & (shade == level))
            if shape:
                opacity = f"{max(level, 0.4) / _SHADES * float(strength.max()):.2f}"
                made.add("path", cls=f"area {colour(k)}", d=shape, fill_opacity=opacity)
    axes.grid(display.names[0], display.names[1])
    if display.points is not None and display.truth is not None:
        with axes.marks():
            _dots(axes, display.points, display.truth, halo=True)
            for x, y in () if display.support is None else display.support:
                made.add("circle", cx=axes.px(float(x)), cy=axes.py(float(y)), r=6, cls="ring")
    made.legend = legend(display.classes)
    return made


@picture.register
def prediction_error(display: PredictionErrorDisplay) -> Picture:
    """Predictions against the truth; on the line they agree."""
    made = Picture(420, 380, f"Predicted against true {display.name} of {len(display.truth):,} rows")
    reach = display.limits()
    axes = Axes(made, reach, reach, (60, 8, 412, 340))
    axes.grid(f"true {display.name}", "predicted")
    axes.line([(reach[0], reach[0]), (reach[1], reach[1])], "mark")
    with axes.marks():
        axes.dots(np.column_stack([display.truth, display.predicted]), "c0")
    return made


@picture.register
def residuals(display: ResidualsDisplay) -> Picture:
    """Residuals over the predictions; on the line there are none."""
    made = Picture(420, 380, f"Residuals over predicted {display.name} of {len(display.truth):,} rows")
    axes = Axes(made, span(display.predicted), span([*display.residuals, 0.0]), (60, 8, 412, 340))
    axes.grid(f"predicted {display.name}", "true less predicted")
    axes.line([(axes.x[0], 0.0), (axes.x[1], 0.0)], "mark")
    with axes.marks():
        axes.dots(np.column_stack([display.predicted, display.residuals]), "c0")
    return made


@picture.register
def shepard(display: ShepardDisplay) -> Picture:
    """Distances in a map over dissimilarities, and the line that they are near."""
    made = Picture(420, 340, f"Distances in a map over the dissimilarities of {len(display.distance):,} pairs")
    heights = [*display.distance, *display.disparity, 0.0]
    axes = Axes(made, span(display.dissimilarity), span(heights), (60, 8, 412, 300))
    axes.grid("dissimilarity", "distance in the map")
    with axes.marks():
        axes.dots(np.column_stack([display.dissimilarity, display.distance]), "c0")
        axes.line(np.column_stack([display.dissimilarity, display.disparity]), f"line {colour(1)}")
    return made


@picture.register
def embedding(display: EmbeddingDisplay) -> Picture:
    """Rows where a map puts them, by class or by a column."""
    made = Picture(470, 430, f"A map of {len(display.places):,} rows")
    axes = _equal_units(made, display.places, (52, 8, 462, 390))
    axes.grid(display.names[0], display.names[1])
    with axes.marks():
        if display.values is None:
            _dots(axes, display.places, display.group_codes())
        else:
            shade = display.shades()
            axes.dots(display.places[np.isnan(shade)], colour(-1))
            for step in np.unique(shade[np.isfinite(shade)]).tolist():
                axes.dots(display.places[shade == step], colour(0), opacity=f"{0.15 + 0.85 * step:.2f}")
    _name_dots(axes, display)
    made.legend = legend(display.groups) if display.values is None else []
    made.text(462, 421, display.remark(), "end")
    return made


def _name_dots(axes: Axes, display: EmbeddingDisplay) -> None:
    """Names beside the dots, without those that would cover one that is there."""
    there: list[tuple[float, float, float]] = []  # where names begin and end, and their heights
    for i in display.outermost() if display.labels is not None else ():
        assert display.labels is not None
        name = clipped(display.labels[i], 18)
        x, y = axes.px(float(display.places[i, 0])) + 5, axes.py(float(display.places[i, 1])) + 4
        end = x + _LETTER * len(name)
        if all(x > other[1] or end < other[0] or abs(y - other[2]) > _HEIGHT for other in there):
            there.append((x, end, y))
            axes.picture.text(x, y, name, "start", "t strong halo")


@picture.register
def biplot(display: BiplotDisplay) -> Picture:
    """Rows as dots and columns as arrows, in equal units."""
    alt = f"Biplot: {len(display.scores):,} rows and {len(display.names)} columns on {' and '.join(display.axes)}"
    made, kept = Picture(570, 430, alt), display.longest()
    made.legend = legend(display.groups)
    ends = display.arrows[kept] * display.stretch
    axes = _equal_units(made, np.vstack([display.scores, ends * 1.1, np.zeros((1, 2))]), (52, 8, 562, 390))
    axes.grid(display.axes[0], display.axes[1])
    with axes.marks():
        _dots(axes, display.scores, display.row_codes())
        for end in ends:
            axes.line([(0.0, 0.0), end], "arrow")
    _name_arrows(axes, ends, [display.names[j] for j in kept])
    made.text(562, 421, display.remark(), "end")
    return made


def _equal_units(made: Picture, points: Floats, box: tuple[float, float, float, float]) -> Axes:
    """Axes that hold all points, on which a unit is as long across as it is upwards."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.array([box[2] - box[0], box[3] - box[1]])
    half = 0.53 * float(((high - low) / size).max()) * size
    middle = (low + high) / 2
    (x0, y0), (x1, y1) = middle - half, middle + half
    return Axes(made, (float(x0), float(x1)), (float(y0), float(y1)), box)


def _name_arrows(axes: Axes, ends: Floats, names: list[str]) -> None:
    for right in (True, False):
        side = sorted((j for j in range(len(ends)) if (ends[j, 0] >= 0) == right), key=lambda j: -ends[j, 1])
        heights = _apart([axes.py(float(ends[j, 1])) for j in side], 14.0, 384.0)
        for j, height in zip(side, heights, strict=True):
            x = axes.px(float(ends[j, 0])) + (5 if right else -5)
            axes.picture.text(x, height + 4, clipped(names[j], 18), "start" if right else "end", "t strong halo")


def _apart(heights: list[float], gap: float, bottom: float) -> list[float]:
    """Rising heights, moved as little as possible so that no two are nearer than the gap, and none is too low."""
    if not heights:
        return []
    from sklearn.isotonic import isotonic_regression

    steps = gap * np.arange(len(heights))
    placed = isotonic_regression(np.array(heights) - steps) + steps
    return list(placed - max(0.0, float(placed[-1]) - bottom))


@picture.register
def pairs(display: PairsDisplay) -> Picture:
    """Scatters below the diagonal, histograms on it, correlations above it."""
    d, cell = len(display.names), 118.0
    made = Picture(cell * d + 4, cell * d + 4, f"Every pair of {', '.join(display.names)}, and their correlations")
    made.legend = legend(display.groups)
    for i in range(d):
        for j in range(d):
            left, top = cell * j + 4, cell * i + 4
            made.add("rect", x=left, y=top, width=cell - 6, height=cell - 6, cls="panel")
            box = (left + 3, top + 3, left + cell - 9, top + cell - 9)
            _pair(made, display, i, j, box)
            if i == j:
                made.text(left + 6, top + 14, clipped(display.names[j], 17), cls="t name halo")
    return made


def _pair(made: Picture, display: PairsDisplay, i: int, j: int, box: tuple[float, float, float, float]) -> None:
    if i < j:
        r = float(display.correlation[i, j])
        text = "–" if r != r else f"{r:.2f}".replace("-", "−")
        made.text((box[0] + box[2]) / 2, (box[1] + box[3]) / 2 + 4, text, "middle", f"t r{_tenth(r)}")
        return
    if i == j:
        edges, counts = display.histogram(i)
        axes = Axes(made, display.limits(j), (0.0, 1.25 * float(counts.max(initial=1))), box)
        with axes.marks():
            for n, low, high in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
                if n:
                    axes.bar((low, high), (0.0, n), "bar quiet")
        return
    axes = Axes(made, display.limits(j), display.limits(i), box)
    with axes.marks():
        _dots(axes, display.values[:, [j, i]], display.row_codes())


def _tenth(r: float) -> str:
    """The class of a correlation: the larger it is, the larger its figure, and a colour for its sign."""
    if r != r:
        return "0"
    return f"{round(abs(r) * 2)} {'c0' if r >= 0 else 'c1'}"
