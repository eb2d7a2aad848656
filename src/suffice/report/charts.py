"""Charts of columns and of rows: each takes numbers and gives a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .svg import Axes, Picture, clipped, colour, short, span, tick_text

Floats = NDArray[np.float64]
_BINS = 24
_MOST_ARROWS = 12


def histogram(values: Any, name: str) -> Picture:
    """How often values stand in a column, in up to 24 bins of equal width."""
    cells = np.asarray(values, dtype=np.float64)
    cells = cells[np.isfinite(cells)]
    counts, edges = np.histogram(cells, bins=_bins(cells), range=_range(cells))
    made = Picture(260, 84, f"Histogram of {name}: {len(cells):,} values")
    axes = Axes(made, (float(edges[0]), float(edges[-1])), (0.0, float(counts.max(initial=1))), (4, 6, 256, 64))
    for n, low, high in zip(counts.tolist(), edges[:-1], edges[1:], strict=True):
        if n:
            top = axes.py(n)
            left, right = axes.px(float(low)), axes.px(float(high))
            made.add("rect", x=left + 0.5, y=top, width=max(right - left - 1, 0.8), height=64.0 - top, cls="c0")
            made.tip(f"{tick_text(float(low))} to {tick_text(float(high))}: {n:,}")
    made.line([(4, 64.5), (256, 64.5)], "axis")
    made.text(4, 80, tick_text(float(edges[0])))
    made.text(256, 80, tick_text(float(edges[-1])), "end")
    return made


def _bins(cells: Floats) -> int:
    different = len(np.unique(cells[:5000]))
    return max(1, min(_BINS, different if different <= 12 else _BINS, int(2 * np.sqrt(len(cells))) or 1))


def _range(cells: Floats) -> tuple[float, float]:
    low, high = (float(cells.min()), float(cells.max())) if len(cells) else (0.0, 1.0)
    return (low, high) if high - low > 1e-9 * max(abs(low), abs(high), 1e-300) else span([low, high])


def category_bars(shares: Sequence[tuple[str, int, float]], name: str) -> Picture:
    """The most frequent values, each with its count and its share of those present."""
    shown = ", ".join(f"{value} {n:,}" for value, n, _ in shares)
    made = Picture(260, 18.0 * max(len(shares), 1) + 4, f"Most frequent values of {name}: {shown}")
    for i, (value, n, share) in enumerate(shares):
        y = 18.0 * i + 2
        made.add("rect", x=100.0, y=y + 2, width=max(110 * share, 1.0), height=11.0, cls="c0")
        made.tip(f"{value}: {n:,} ({100 * share:.3g} %)")
        made.text(95, y + 11, clipped(value, 15) or "(empty)", "end")
        made.text(104 + 110 * share, y + 11, f"{n:,}")
    return made


def heat(strength: Floats, names: Sequence[str]) -> Picture:
    """A square of strengths from 0 to 1, the figure in each cell."""
    d = len(names)
    cell = 34.0 if d <= 14 else 24.0
    made = Picture(130 + cell * d + 60, 80 + cell * d, f"Strength of association between {d} columns, from 0 to 1")
    for i, name in enumerate(names):
        made.text(124, 80 + cell * (i + 0.5) + 4, clipped(name, 18), "end")
        place = f"translate({short(134 + cell * (i + 0.5))} 74) rotate(-45)"
        made.add("text", clipped(name, 14), transform=place, cls="t")
        for j in range(d):
            value = float(strength[i, j])
            if i == j or value != value:
                continue
            x, y = 130 + cell * j, 80 + cell * i
            made.add("rect", x=x, y=y, width=cell - 1, height=cell - 1, cls="c0", fill_opacity=f"{value:.2f}")
            made.tip(f"{name} and {names[j]}: {value:.2f}")
            if cell > 30:
                made.text(x + cell / 2, y + cell / 2 + 4, f"{value:.2f}"[1:] if value < 0.995 else "1", "middle",
                          "t on" if value > 0.55 else "t")  # fmt: skip
    return made


def scatter(
    points: Floats,
    labels: Any = None,
    *,
    alt: str,
    x: str,
    y: str,
    centres: Any = None,
    ellipses: Sequence[tuple[Floats, Floats]] = (),
    size: tuple[float, float] = (420, 330),
) -> Picture:
    """Rows as dots, coloured by their group; crosses at centres, ellipses at one and two deviations."""
    made = Picture(*size, alt)
    axes = Axes(made, span(points[:, 0]), span(points[:, 1]), (52, 8, size[0] - 8, size[1] - 40))
    axes.grid(x, y)
    draw_dots(axes, points, labels)
    for j, (mean, covariance) in enumerate(ellipses):
        for reach in (1.0, 2.0):
            made.line(axes.at(ellipse(mean, covariance, reach)), f"ellipse line {colour(j)}")
    for j, centre in enumerate(() if centres is None else centres):
        across, up = axes.px(float(centre[0])), axes.py(float(centre[1]))
        made.add("circle", cx=across, cy=up, r=7.0, cls=f"centre {colour(j)}")
    return made


def draw_dots(axes: Axes, points: Floats, labels: Any = None) -> None:
    """The dots of each group."""
    groups = np.zeros(len(points), dtype=int) if labels is None else np.asarray(labels)
    for group in np.unique(groups):
        axes.picture.dots(axes.at(points[groups == group]), colour(int(group)))


def ellipse(mean: Floats, covariance: Floats, reach: float, corners: int = 48) -> Floats:
    """Points at so many standard deviations from the mean, (corners + 1, 2)."""
    values, axes = np.linalg.eigh(covariance)
    angle = np.linspace(0, 2 * np.pi, corners + 1)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.asarray(mean + reach * (circle * np.sqrt(np.maximum(values, 0.0))) @ axes.T)


def pairs(values: Floats, names: Sequence[str], labels: Any = None) -> Picture:
    """Every pair of a few columns as dots; histograms stand on the diagonal."""
    d, cell = len(names), 118.0
    made = Picture(cell * d + 4, cell * d + 22, f"Scatter plots of every pair of {', '.join(names)}")
    for i in range(d):
        for j in range(d):
            left, top = cell * j + 4, cell * i + 4
            box = (left + 3, top + 3, left + cell - 9, top + cell - 9)
            made.add("rect", x=left, y=top, width=cell - 6, height=cell - 6, cls="panel")
            if i == j:
                _pair_histogram(made, values[:, j], box)
                made.text(left + 6, top + 14, clipped(names[j], 17), cls="t name")
                continue
            axes = Axes(made, span(values[:, j]), span(values[:, i]), box)
            draw_dots(axes, values[:, [j, i]], labels)
    return made


def _pair_histogram(made: Picture, cells: Floats, box: tuple[float, float, float, float]) -> None:
    counts, edges = np.histogram(cells, bins=16, range=_range(cells))
    axes = Axes(made, span(cells), (0.0, 1.25 * float(counts.max(initial=1))), box)
    for n, low, high in zip(counts.tolist(), edges[:-1], edges[1:], strict=True):
        top, left = axes.py(n), axes.px(float(low))
        made.add("rect", x=left, y=top, width=max(axes.px(float(high)) - left - 0.5, 0.5), height=box[3] - top,
                 cls="quiet")  # fmt: skip


def scree(ratios: Floats) -> Picture:
    """The share of the variance that each component explains, and their running sum."""
    shown = ratios[:15]
    made = Picture(420, 250, f"Share of variance by component: {', '.join(f'{100 * r:.3g} %' for r in shown)}")
    axes = Axes(made, (0.4, len(shown) + 0.6), (0.0, 1.05), (52, 10, 412, 210))
    axes.grid("component", "share of variance", min(len(shown) + 1, 9))
    for k, ratio in enumerate(shown.tolist(), start=1):
        top, left = axes.py(ratio), axes.px(k - 0.35)
        made.add("rect", x=left, y=top, width=axes.px(k + 0.35) - left, height=210 - top, cls="c0")
        made.tip(f"component {k}: {100 * ratio:.3g} %")
    sums = list(enumerate(np.cumsum(shown), start=1))
    made.line(axes.at(sums), "line c1")
    made.dots(axes.at(sums), "c1")
    made.text(axes.px(1) + 10, axes.py(float(np.cumsum(shown)[0])) - 8, "running sum", cls="t")
    return made


def biplot(scores: Floats, loadings: Floats, names: Sequence[str], labels: Any, shares: Floats) -> Picture:
    """Rows by their first two components, each of variance 1, and the correlation of each column with both."""
    titles = [f"component {k + 1} ({100 * shares[k]:.3g} % of variance)" for k in range(2)]
    alt = f"Biplot: {len(scores):,} rows and {len(names)} columns on the first two components"
    made = Picture(570, 430, alt)
    reach = 1.05 * float(np.abs(scores).max(initial=1.0))
    axes = Axes(made, (-reach, reach), (-reach, reach), (52, 8, 562, 390))
    axes.grid(titles[0], titles[1])
    draw_dots(axes, scores, labels)
    length = np.sqrt(np.sum(loadings**2, axis=1))
    tips = loadings * (0.72 * reach / float(length.max(initial=1e-300)))
    order = np.argsort(-length)[:_MOST_ARROWS]
    for j in order:
        made.line(axes.at([(0.0, 0.0), tips[j]]), "arrow")
    for right in (True, False):
        side = [j for j in order if (tips[j, 0] >= 0) == right]
        side.sort(key=lambda j: -tips[j, 1])
        heights = _apart([axes.py(float(tips[j, 1])) for j in side], 14.0, 384.0)
        for j, height in zip(side, heights, strict=True):
            x = axes.px(float(tips[j, 0])) + (5 if right else -5)
            made.text(x, height + 4, clipped(names[j], 18), "start" if right else "end", "t strong halo")
    return made


def _apart(heights: list[float], gap: float, bottom: float) -> list[float]:
    """The heights, in falling order of place, moved so that no two are nearer than the gap."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + gap) if placed else height)
    over = max(0.0, placed[-1] - bottom) if placed else 0.0
    return [height - over for height in placed]
