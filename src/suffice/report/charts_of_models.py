"""Charts of what models found: criteria, trees, scores, errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .charts import draw_dots
from .svg import Axes, Picture, clipped, colour, short, span, tick_text, ticks

Floats = NDArray[np.float64]


def criterion(name: str, ks: Sequence[int], values: Floats, spread: Any, best: int | None) -> Picture:
    """A criterion over the number of clusters, its choice marked."""
    chosen = "" if best is None else f", which chooses {best}"
    made = Picture(270, 176, f"{name} for {ks[0]} to {ks[-1]} clusters{chosen}")
    values = np.where(np.isfinite(values), values, np.nan)
    around = values if spread is None else np.concatenate([values - spread, values + spread])
    axes = Axes(made, (ks[0] - 0.4, ks[-1] + 0.4), span(around, 0.1), (48, 24, 262, 150))
    axes.grid(y_most=3, x_most=len(ks))
    made.text(8, 14, name if best is None else f"{name}: k = {best}", cls="t strong")
    points = list(zip(ks, values.tolist(), strict=True))
    if spread is not None:
        for k, value, wide in zip(ks, values, spread, strict=True):
            made.line(axes.at([(k, value - wide), (k, value + wide)]), "whisker")
    made.line(axes.at(points), "line c0")
    made.dots(axes.at(points), "c0")
    if best is not None:
        made.line([(axes.px(best), 24), (axes.px(best), 150)], "mark")
        made.dots(axes.at([point for point in points if point[0] == best]), "big c1")
    return made


def dendrogram(links: Sequence[Any], ends: Sequence[Any], cut: float | None, alt: str) -> Picture:
    """A tree of merges, coloured by the clusters of a cut."""
    made = Picture(760, 320, alt)
    top = 1.05 * max([link.height for link in links], default=1.0) or 1.0
    axes = Axes(made, (-0.7, len(ends) - 0.3), (0.0, top), (52, 8, 752, 270))
    axes.grid("", "height", x_most=0)
    for link in links:
        (left, right), (low, other) = link.at, link.foot
        corners = [(left, low), (left, link.height), (right, link.height), (right, other)]
        made.line(axes.at(corners), f"line {'ink' if link.cluster < 0 else colour(link.cluster)}")
    if cut is not None:
        made.line([(52, axes.py(cut)), (752, axes.py(cut))], "mark")
    for i, end in enumerate(ends):
        place = f"translate({short(axes.px(i) + 3)} 278) rotate(-90)"
        made.add("text", clipped(end.name, 8), transform=place, text_anchor="end", cls="t tiny")
    return made


def intervals(rows: Sequence[tuple[str, float, float, float]], x: str, reference: float | None = None) -> Picture:
    """A score with its interval for each model, one line each; `reference` is a dashed line."""
    made = Picture(600, 28.0 * len(rows) + 46, f"{x} with intervals of {len(rows)} models")
    bottom = 28.0 * len(rows) + 8
    cells = [value for row in rows for value in row[1:]] + ([] if reference is None else [reference])
    axes = Axes(made, span(cells), (0.0, 1.0), (190, 4, 592, bottom))
    for value in ticks(*axes.x, 6):
        made.line([(axes.px(value), 4), (axes.px(value), bottom)], "grid")
        made.text(axes.px(value), bottom + 14, tick_text(value), "middle")
    made.text(391, bottom + 31, x, "middle", "t name")
    if reference is not None:
        made.line([(axes.px(reference), 4), (axes.px(reference), bottom)], "mark")
    for i, (name, value, low, high) in enumerate(rows):
        y = 28.0 * i + 20
        made.text(182, y + 4, clipped(name, 26), "end")
        if low == low and high == high:
            made.line([(axes.px(low), y), (axes.px(high), y)], "whisker wide c0")
        if value == value:
            made.dots([(axes.px(value), y)], "big c0")
    return made


def confusion(table: NDArray[Any], names: Sequence[str]) -> Picture:
    """How often each class was taken for each: rows are true, columns are said."""
    k, cell = len(names), 58.0 if len(names) <= 6 else 40.0
    made = Picture(
        110 + cell * k + 50, 74 + cell * k, "Confusion matrix: rows are the true class, columns the predicted"
    )
    made.text(110, 14, "predicted", cls="t name")
    made.text(104, 60, "true", "end", "t name")
    turned = max(map(len, names)) > cell / 7
    share = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    for i, name in enumerate(names):
        made.text(104, 68 + cell * (i + 0.5) + 4, clipped(name, 14), "end")
        place = f"translate({short(110 + cell * (i + 0.5))} 62)" + (" rotate(-35)" if turned else "")
        made.add("text", clipped(name, 12), transform=place, cls="t", text_anchor="start" if turned else "middle")
        for j in range(k):
            x, y, n = 110 + cell * j, 68 + cell * i, int(table[i, j])
            look, strength = ("c2" if i == j else "c1"), f"{share[i, j]:.2f}"
            made.add("rect", x=x, y=y, width=cell - 1, height=cell - 1, cls="panel")
            made.add("rect", x=x, y=y, width=cell - 1, height=cell - 1, cls=look, fill_opacity=strength)
            made.tip(f"true {name}, predicted {names[j]}: {n:,}")
            made.text(
                x + cell / 2,
                y + cell / 2 + 4,
                f"{n:,}" if n < 1e5 else tick_text(n),
                "middle",
                "t on" if share[i, j] > 0.6 else "t",
            )
    return made


def _cases(n: int) -> str:
    return f"{n:,}" if n < 100_000 else tick_text(n)


def agreement(truth: Floats, predicted: Floats, name: str) -> Picture:
    """Predictions against the truth; on the line they agree."""
    made = Picture(420, 380, f"Predicted against true {name} of {len(truth):,} rows")
    reach = span(np.concatenate([truth, predicted]))
    axes = Axes(made, reach, reach, (60, 8, 412, 340))
    axes.grid(f"true {name}", "predicted")
    made.line(axes.at([(reach[0], reach[0]), (reach[1], reach[1])]), "mark")
    draw_dots(axes, np.column_stack([truth, predicted]))
    return made
