"""Curves: what a model does over thresholds, probabilities, iterations, components, clusters and bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...plots import (
    BandsDisplay,
    CalibrationDisplay,
    ConvergenceDisplay,
    CriteriaDisplay,
    Curve,
    DependenceDisplay,
    PathDisplay,
    PrecisionRecallDisplay,
    ProcessDisplay,
    PruningDisplay,
    RateDistortionDisplay,
    RocDisplay,
    ScreeDisplay,
)
from ...plots.ranking import RankingDisplay
from ...typing import Floats
from ..svg import Axes, Picture, clipped, colour, legend, span, tick_text
from .render import picture

_SQUARE = (52.0, 26.0, 352.0, 326.0)
_PANEL = (270.0, 176.0)
_BANDS = 7  # curves with a band; more would hide one another


@picture.register
def roc(display: RocDisplay) -> Picture:
    """True positives over false positives."""
    return _ranking(display, "ROC curve")


@picture.register
def precision_recall(display: PrecisionRecallDisplay) -> Picture:
    """Precision over recall."""
    return _ranking(display, "Precision over recall")


def _ranking(display: RankingDisplay, what: str) -> Picture:
    areas = [curve.area_text(curve.name) for curve in display.curves]
    made = Picture(362, 366, f"{what}: {display.area_name} {', '.join(areas)}")
    axes = _unit_square(made, display.x_name, display.y_name)
    for line in display.chances():
        axes.line(line, "mark")
    with axes.marks():
        for k, curve in enumerate(display.curves):
            if curve.low is not None and curve.high is not None and len(display.curves) <= _BANDS:
                _band(axes, curve.x, curve.low, curve.high, colour(k))
            axes.line(display.path(curve), f"line {colour(k)}")
    _titled(made, display.curves[0].area_text(display.area_name), areas)
    return made


@picture.register
def calibration(display: CalibrationDisplay) -> Picture:
    """The share that came true over the probability."""
    scores = [f"{curve.name}: Brier score {curve.brier:.3f}" for curve in display.curves]
    made = Picture(362, 366, f"Calibration. {', '.join(scores)}")
    axes = _unit_square(made, "probability said", "share that came true")
    axes.line([(0.0, 0.0), (1.0, 1.0)], "mark")
    with axes.marks():
        for k, curve in enumerate(display.curves):
            points = np.column_stack([curve.said, curve.came_true])
            if len(display.curves) <= 3:
                for x, low, high in zip(curve.said, curve.low, curve.high, strict=True):
                    axes.line([(x, low), (x, high)], f"line thin {colour(k)}")
            axes.line(points, f"line {colour(k)}")
            axes.dots(points, colour(k))
    first = display.curves[0]
    _titled(made, f"Brier score {first.brier:.3f}, error {first.error:.3f}", scores)
    return made


def _unit_square(made: Picture, x: str, y: str) -> Axes:
    axes = Axes(made, (-0.02, 1.02), (-0.02, 1.02), _SQUARE)
    axes.grid(x, y)
    return axes


def _titled(made: Picture, title: str, names: Sequence[str]) -> None:
    """The title of one curve, or a legend of several."""
    if len(names) == 1:
        made.text(_SQUARE[0], 16, title, cls="t strong")
    else:
        made.legend = legend(names)


def _band(axes: Axes, x: Floats, low: Floats, high: Floats, look: str) -> None:
    corners = [*zip(x, low, strict=True), *zip(x[::-1], high[::-1], strict=True)]
    axes.picture.area(axes.at(corners), f"faint {look}")


@picture.register
def convergence(display: ConvergenceDisplay) -> Picture:
    """The objective over iterations or seconds."""
    endings = [f"{course.name}: {course.ending}".removeprefix(": ") for course in display.courses]
    made = Picture(440, 260, f"Convergence: {', '.join(endings)}")
    lines = [(x, np.log10(y) if display.logarithmic else y) for x, y in display.lines()]
    x, y = (np.concatenate([line[i] for line in lines]) for i in (0, 1))
    axes = Axes(made, span(x), span(y), (68, 24, 432, 220))
    axes.grid(display.over, "objective − best" if display.gap else "objective", log=display.logarithmic)
    with axes.marks():
        for k, line in enumerate(lines):
            points = np.column_stack(line)
            axes.line(points, f"line {colour(k)}")
            axes.dots(points if len(points) <= 50 else [], f"small {colour(k)}")
    if len(endings) == 1:
        made.text(68, 14, endings[0], cls="t strong")
    else:
        made.legend = legend(endings)
    return made


@picture.register
def criteria(display: CriteriaDisplay) -> Picture:
    """One panel a criterion, up to three side by side."""
    wide, high = _PANEL
    across, n = min(len(display.curves), 3), len(display.curves)
    made = Picture(wide * across, high * -(-n // across), _criteria_alt(display))
    for i, curve in enumerate(display.curves):
        _criterion(made, display.k, curve, wide * (i % across), high * (i // across))
    return made


def _criteria_alt(display: CriteriaDisplay) -> str:
    told = [each.name if each.best is None else f"{each.name} (chooses {each.best})" for each in display.curves]
    return f"{', '.join(told)} for {display.k[0]} to {display.k[-1]} clusters"


def _criterion(made: Picture, k: Sequence[int], curve: Curve, left: float, top: float) -> None:
    values = np.where(np.isfinite(curve.values), curve.values, np.nan)
    spread = np.zeros(len(values)) if curve.spread is None else np.asarray(curve.spread, dtype=float)
    around = np.concatenate([values - spread, values + spread])
    box = (left + 48, top + 24, left + 262, top + 150)
    axes = Axes(made, (k[0] - 0.4, k[-1] + 0.4), span(around, 0.1), box)
    axes.grid(y_most=3, x_most=len(k))
    title = curve.name if curve.best is None else f"{curve.name}: k = {curve.best}"
    made.text(left + 8, top + 14, clipped(title, 40), cls="t strong")
    points = list(zip(k, values.tolist(), strict=True))
    if curve.best is not None:
        made.line([(axes.px(curve.best), box[1]), (axes.px(curve.best), box[3])], "mark")
    with axes.marks():
        for (at, value), wide in zip(points, spread.tolist(), strict=True):
            if curve.spread is not None:
                axes.line([(at, value - wide), (at, value + wide)], "whisker")
        axes.line(points, "line c0")
        axes.dots(points, "c0")
        axes.dots([point for point in points if point[0] == curve.best], "big c1")


@picture.register
def scree(display: ScreeDisplay) -> Picture:
    """The share of the variance along each axis, their sum so far, and a broken stick."""
    columns = display.table()
    at, share = columns["component"].tolist(), columns["share"].tolist()
    made = Picture(420, 250, f"Share of the variance by axis: {', '.join(f'{100 * s:.3g} %' for s in share)}")
    axes = Axes(made, (0.4, len(at) + 0.6), (0.0, 1.05), (52, 10, 412, 210))
    axes.grid("principal axis", "share of the variance", min(len(at) + 1, 9))
    with axes.marks():
        for k, value in zip(at, share, strict=True):
            axes.bar((k - 0.35, k + 0.35), (0.0, value), "c0", f"axis {k}: {100 * value:.3g} %")
        sums = list(zip(at, columns["cumulative"].tolist(), strict=True))
        axes.line(sums, "line c1")
        axes.dots(sums, "c1")
        if "broken_stick" in columns:
            axes.line(zip(at, columns["broken_stick"].tolist(), strict=True), "line dashed ink")
    made.legend = [("c0", "share"), ("c1", "sum so far")]
    if "broken_stick" in columns:
        made.legend.append(("dash", "broken stick: what chance would give"))
    return made


@picture.register
def regularisation_path(display: PathDisplay) -> Picture:
    """Coefficients over the strength of a penalty."""
    made = Picture(440, 280, f"Coefficients over −log₁₀ λ of {', '.join(map(str, display.names))}")
    coef = np.asarray(display.coef, dtype=float)
    axes = Axes(made, span(display.places), span(coef), (68, 14, 432, 236))
    axes.grid("−log₁₀ λ", "coefficient")
    with axes.marks():
        for k, values in enumerate(coef.T):
            axes.line(np.column_stack([display.places, values]), f"line {colour(k)}")
    made.legend = legend([str(name) for name in display.names])
    return made


@picture.register
def dependence(display: DependenceDisplay) -> Picture:
    """Mean predictions over the values of a column."""
    made = Picture(440, 280, f"{display.words} over {display.column}")
    axes = Axes(made, span(display.places), span(display.values), (68, 14, 432, 236))
    axes.grid(display.column, display.words, x_most=0 if display.is_named else 5)
    with axes.marks():
        for k, values in enumerate(display.values.T):
            points = np.column_stack([display.places, values])
            if display.is_named:
                axes.dots(points, f"big {colour(k)}")
            else:
                axes.line(points, f"line {colour(k)}")
    for at, value in zip(display.places, display.grid.tolist(), strict=True):
        if display.is_named:
            made.text(axes.px(at), 250, clipped(str(value), 10), "middle", "t tiny")
    made.legend = legend([str(name) for name in display.names])
    return made


@picture.register
def process(display: ProcessDisplay) -> Picture:
    """The mean of a Gaussian process, the ends of its band, draws, and the rows."""
    made = Picture(440, 280, f"Mean, band and draws of a Gaussian process over {display.name}")
    rows = np.empty((0, 2)) if display.points is None else display.points
    heights = np.concatenate([*display.lines(), rows[:, 1]])
    axes = Axes(made, span(np.concatenate([display.x, rows[:, 0]])), span(heights), (68, 14, 432, 236))
    axes.grid(display.name, "f(x)")
    with axes.marks():
        for k, values in enumerate(display.lines()):
            axes.line(np.column_stack([display.x, values]), f"line {colour(0 if k == 0 else 2 if k < 3 else 3)}")
        axes.dots(rows, colour(1))
    made.legend = legend(["mean", "rows", f"{display.level:.0%} band", "draws"])
    return made


@picture.register
def pruning(display: PruningDisplay) -> Picture:
    """Errors of trees over log₂ of their leaves."""
    lines = display.lines()
    made = Picture(440, 280, f"Errors of trees over log₂ of their leaves: {', '.join(lines)}")
    axes = Axes(made, span(display.places), span(np.concatenate(list(lines.values()))), (68, 14, 432, 236))
    axes.grid("log₂ leaves", "error")
    with axes.marks():
        for k, values in enumerate(lines.values()):
            axes.line(np.column_stack([display.places, values]), f"line {colour(k)}")
    made.legend = legend(list(lines))
    return made


@picture.register
def rate_distortion(display: RateDistortionDisplay) -> Picture:
    """PSNR over bits per pixel; what loses nothing stands at the top."""
    made = Picture(440, 300, f"Quality over rate of {', '.join(curve.name for curve in display.curves)}")
    made.legend = legend([curve.name for curve in display.curves])
    psnr = np.concatenate([np.asarray(curve.psnr, dtype=float) for curve in display.curves])
    bits = np.concatenate([np.log2(curve.bits_per_pixel) for curve in display.curves])
    axes = Axes(made, span(bits, 0.08), span(psnr, 0.1), (56, 24, 432, 250))
    axes.grid("", "PSNR in dB", x_most=0)
    for power in range(int(np.ceil(axes.x[0])), int(np.floor(axes.x[1])) + 1):
        made.text(axes.px(power), 264, tick_text(2.0**power), "middle")
    made.text(244, 284, "bits per pixel, codebook included", "middle", "t name")
    for k, curve in enumerate(display.curves):
        rate, quality = np.log2(curve.bits_per_pixel), np.asarray(curve.psnr, dtype=float)
        points = np.column_stack([rate, quality])[np.isfinite(quality)]
        with axes.marks():
            axes.line(points, f"line {colour(k)}")
            axes.dots(points, colour(k))
        for x in rate[~np.isfinite(quality)]:
            made.text(axes.px(float(x)), 20, "▲", "middle", "t name")
    if not np.isfinite(psnr).all():
        made.text(60, 14, "▲ nothing lost")
    return made


@picture.register
def bands(display: BandsDisplay) -> Picture:
    """Lines with bands over one axis."""
    names = [band.name for band in display.bands]
    made = Picture(440, 280, f"{display.y_name} over {display.x_name}: {', '.join(names)}")
    heights = [np.asarray(band.y, dtype=float) for band in display.bands]
    heights += [end for _, _, low, high in display.ends() for end in (low, high)]
    across = np.concatenate([display.places(band.x) for band in display.bands])
    axes = Axes(made, span(across), span(np.concatenate(heights)), (68, 24, 432, 236))
    axes.grid(display.x_words, display.y_name, x_most=0 if display.ticks else 5)
    for at, words in enumerate(display.ticks):
        made.text(axes.px(at), 250, clipped(words, 12), "middle", "t tiny")
    if display.marked is not None:
        place = axes.px(float(display.places(display.marked)))
        made.line([(place, 24), (place, 236)], "mark")
    with axes.marks():
        for k, band, low, high in display.ends():
            known = np.isfinite(low) & np.isfinite(high)
            _band(axes, display.places(band.x)[known], low[known], high[known], colour(k))
        for k, band in enumerate(display.bands):
            points = np.column_stack([display.places(band.x), np.asarray(band.y, dtype=float)])
            axes.line(points, f"line {'dashed ' if band.dashed else ''}{colour(k)}")
            axes.dots(points if len(points) <= 30 else [], f"small {colour(k)}")
    if display.note:
        made.text(68, 14, clipped(display.note, 60), cls="t strong")
    made.legend = legend(names) if len(names) > 1 else []
    return made
