"""Which numbers a picture of each display must draw, whoever draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import plots
from ..plots import Display
from ..typing import Floats


@dataclass(frozen=True, eq=False)
class Panel:
    """The numbers along x and along y of one panel; None where places are a matter of layout."""

    x: Floats | None = None
    y: Floats | None = None
    log2_x: bool = False
    log10_y: bool = False


@dataclass(frozen=True, eq=False)
class Drawn:
    """Panels in the order of drawing; for cells of a matrix their numbers, how dark they are, and those of an image."""

    panels: list[Panel] = field(default_factory=list)
    cells: Floats | None = None
    shades: Floats | None = None
    image: Floats | None = None
    faces: bool = False  # whether matplotlib gives back the image only: of a surface it keeps the projection


NUMBERS: dict[type[Display], Callable[[object], Drawn]] = {}


def _drawn_by(cls: type[Display]) -> Callable[[Callable[[Any], Drawn]], Callable[[Any], Drawn]]:
    def register(f: Callable[[object], Drawn]) -> Callable[[object], Drawn]:
        NUMBERS[cls] = f
        return f

    return register


def _all(*parts: object) -> Floats:
    """The finite numbers of all parts."""
    every = np.concatenate([np.asarray(part, dtype=float).ravel() for part in parts])
    return np.asarray(every[np.isfinite(every)])


def _points(*parts: object, **scale: bool) -> Panel:
    """Rows (x, y), those with a missing number left out."""
    rows = np.vstack([np.asarray(part, dtype=float).reshape(-1, 2) for part in parts])
    rows = rows[np.isfinite(rows).all(axis=1)]
    return Panel(rows[:, 0], rows[:, 1], **scale)


def _bins(edges: Floats, *counts: NDArray[Any]) -> Panel:
    full = [count > 0 for count in counts]
    x = [side[here] for here in full for side in (edges[:-1], edges[1:])]
    return Panel(_all(*x), _all([0.0], *(count[here] for count, here in zip(counts, full, strict=True))))


@_drawn_by(plots.HistogramDisplay)
def _histogram(display: plots.HistogramDisplay) -> Drawn:
    return Drawn([_bins(own[0].edges, *(each.counts for each in own)) for own in display.panels().values()])


@_drawn_by(plots.FrequencyDisplay)
def _frequency(display: plots.FrequencyDisplay) -> Drawn:
    return Drawn([Panel(_all([0.0, count])) for count in display.counts])


@_drawn_by(plots.BoxDisplay)
def _box(display: plots.BoxDisplay) -> Drawn:
    five = ("low", "q1", "median", "q3", "high")
    full = [box for box in display.boxes if box.n]
    return Drawn([Panel(_all([getattr(box, name) for name in five], box.outliers)) for box in full])


@_drawn_by(plots.PairsDisplay)
def _pairs(display: plots.PairsDisplay) -> Drawn:
    panels = []
    for i in range(len(display.names)):
        panels += [_points(display.values[:, [j, i]]) for j in range(i)]
        panels.append(_bins(*display.histogram(i)))
    return Drawn(panels)


@_drawn_by(plots.ParallelDisplay)
def _parallel(display: plots.ParallelDisplay) -> Drawn:
    return Drawn([Panel(np.arange(len(display.names), dtype=float), _all(display.heights()))])


@_drawn_by(plots.MissingnessDisplay)
def _missingness(display: plots.MissingnessDisplay) -> Drawn:
    here = np.flatnonzero((display.blocks > 0).any(axis=0))
    return Drawn([Panel(_all(here - 0.5, here + 0.5))], image=_all(display.blocks))


@_drawn_by(plots.AssociationDisplay)
def _association(display: plots.AssociationDisplay) -> Drawn:
    strength = _all([value for _, _, value in display.cells()])
    return Drawn(cells=strength, shades=strength, image=strength)


@_drawn_by(plots.ConfusionDisplay)
def _confusion(display: plots.ConfusionDisplay) -> Drawn:
    return Drawn(cells=_all(display.counts), shades=_all(display.shares()), image=_all(display.shares()))


@_drawn_by(plots.GramDisplay)
def _gram(display: plots.GramDisplay) -> Drawn:
    cells = _all(display.values)
    return Drawn(shades=np.abs(cells) / np.abs(cells).max(), image=cells)


@_drawn_by(plots.HeatMapDisplay)
def _heat_map(display: plots.HeatMapDisplay) -> Drawn:
    dark = display.shades()
    shades = _all([dark[i, j] for i, j, _ in display.cells()])
    return Drawn(cells=_all([value for _, _, value in display.cells()]), shades=shades, image=_all(dark))


@_drawn_by(plots.LoadingsDisplay)
def _loadings(display: plots.LoadingsDisplay) -> Drawn:
    cells = _all(display.loadings)
    return Drawn(cells=cells, shades=np.abs(cells) / np.abs(cells).max(), image=cells)


@_drawn_by(plots.ScreeDisplay)
def _scree(display: plots.ScreeDisplay) -> Drawn:
    table = display.table()
    at = table.pop("component")
    return Drawn([Panel(_all(at, at - 0.35, at + 0.35), _all([0.0], *table.values()))])


@_drawn_by(plots.BiplotDisplay)
def _biplot(display: plots.BiplotDisplay) -> Drawn:
    return Drawn([_points(display.scores, display.arrows[display.longest()] * display.stretch, [[0.0, 0.0]])])


@_drawn_by(plots.ClusterDisplay)
def _clusters(display: plots.ClusterDisplay) -> Drawn:
    return Drawn([_points(display.points, [] if display.centers is None else display.centers)])


@_drawn_by(plots.EmbeddingDisplay)
def _embedding(display: plots.EmbeddingDisplay) -> Drawn:
    return Drawn([_points(display.places)])


@_drawn_by(plots.ShepardDisplay)
def _shepard(display: plots.ShepardDisplay) -> Drawn:
    pairs = (np.column_stack([display.dissimilarity, heights]) for heights in (display.distance, display.disparity))
    return Drawn([_points(*pairs)])


@_drawn_by(plots.SilhouetteDisplay)
def _silhouette(display: plots.SilhouetteDisplay) -> Drawn:
    edges = [block.first + np.arange(len(block.values) + 1) for block in display.blocks()]
    return Drawn([Panel(_all([0.0], display.values), _all(*edges))])


@_drawn_by(plots.CriteriaDisplay)
def _criteria(display: plots.CriteriaDisplay) -> Drawn:
    panels = []
    for curve in display.curves:
        y = np.asarray(curve.values, dtype=float)
        spread = 0.0 if curve.spread is None else np.asarray(curve.spread, dtype=float)
        panels.append(_points(*(np.column_stack([display.k, each]) for each in (y, y - spread, y + spread))))
    return Drawn(panels)


@_drawn_by(plots.DendrogramDisplay)
def _dendrogram(display: plots.DendrogramDisplay) -> Drawn:
    return Drawn([_points([corner for link in display.links for corner in link.corners()])])


@_drawn_by(plots.DependenceDisplay)
def _dependence(display: plots.DependenceDisplay) -> Drawn:
    return Drawn([_points(*(np.column_stack([display.places, line]) for line in display.values.T))])


@_drawn_by(plots.ProcessDisplay)
def _process(display: plots.ProcessDisplay) -> Drawn:
    assert display.points is not None
    lines = (np.column_stack([display.x, line]) for line in display.lines())
    return Drawn([_points(*lines, display.points)])


@_drawn_by(plots.TreeDisplay)
def _tree(display: plots.TreeDisplay) -> Drawn:
    return Drawn([_points([end for start, stop, _ in display.edges() for end in (start, stop)])])


@_drawn_by(plots.MixtureDisplay)
def _mixture(display: plots.MixtureDisplay) -> Drawn:
    outlines = [outline for j, weight in enumerate(display.weights) if weight > 0 for outline in display.ellipses(j)]
    return Drawn([_points(display.points), _points(*outlines)])


@_drawn_by(plots.DensityDisplay)
def _density(display: plots.DensityDisplay) -> Drawn:
    curves = [display.components[j] for j in display.shown()]
    bins = _bins(display.edges, display.heights)
    return Drawn([Panel(_all(display.x, bins.x), _all(bins.y, display.density(), *curves))])


@_drawn_by(plots.ReplicatesDisplay)
def _replicates(display: plots.ReplicatesDisplay) -> Drawn:
    bins = _bins(display.edges, display.counts)
    return Drawn([Panel(_all(bins.x, [display.value, display.low, display.high]), _all(bins.y, [display.top()]))])


@_drawn_by(plots.SurfaceDisplay)
def _surface(display: plots.SurfaceDisplay) -> Drawn:
    behind_first = [Panel(display.x, display.density[row]) for row in reversed(display.ridges())]
    return Drawn(behind_first, image=_all(display.cells()), faces=True)


@_drawn_by(plots.PathDisplay)
def _path(display: plots.PathDisplay) -> Drawn:
    return Drawn([_points(*(np.column_stack([display.places, line]) for line in np.asarray(display.coef, float).T))])


@_drawn_by(plots.BandsDisplay)
def _bands(display: plots.BandsDisplay) -> Drawn:
    lines = [(display.places(band.x), band.y) for band in display.bands]
    for _, band, low, high in display.ends():
        lines += [(display.places(band.x), low), (display.places(band.x), high)]
    return Drawn([_points(*(np.column_stack([x, y]) for x, y in lines))])


@_drawn_by(plots.PruningDisplay)
def _pruning(display: plots.PruningDisplay) -> Drawn:
    return Drawn([_points(*(np.column_stack([display.places, line]) for line in display.lines().values()))])


@_drawn_by(plots.ConvergenceDisplay)
def _convergence(display: plots.ConvergenceDisplay) -> Drawn:
    return Drawn([_points(*map(np.column_stack, display.lines()), log10_y=display.logarithmic)])


@_drawn_by(plots.DecisionRegionsDisplay)
def _regions(display: plots.DecisionRegionsDisplay) -> Drawn:
    return Drawn([] if display.points is None else [_points(display.points)])


@_drawn_by(plots.RocDisplay)
@_drawn_by(plots.PrecisionRecallDisplay)
def _ranking(display: plots.RocDisplay | plots.PrecisionRecallDisplay) -> Drawn:
    parts = [display.path(curve) for curve in display.curves]
    for curve in display.curves:
        if curve.low is not None and curve.high is not None:
            parts += [np.column_stack([curve.x, curve.low]), np.column_stack([curve.x, curve.high])]
    return Drawn([_points(*parts)])


@_drawn_by(plots.CalibrationDisplay)
def _calibration(display: plots.CalibrationDisplay) -> Drawn:
    table = display.table()
    return Drawn([Panel(_all(table["said"]), _all(table["came_true"], table["low"], table["high"]))])


@_drawn_by(plots.IntervalsDisplay)
def _intervals(display: plots.IntervalsDisplay) -> Drawn:
    training = () if display.training is None else display.training
    first = _all(display.values, display.low, display.high, training, *(display.folds or ()))
    return Drawn([Panel(first), *(Panel(_all(each.differences, each.low, each.high)) for each in display.against)])


@_drawn_by(plots.PredictionErrorDisplay)
def _prediction_error(display: plots.PredictionErrorDisplay) -> Drawn:
    return Drawn([_points(np.column_stack([display.truth, display.predicted]))])


@_drawn_by(plots.ResidualsDisplay)
def _residuals(display: plots.ResidualsDisplay) -> Drawn:
    return Drawn([_points(np.column_stack([display.predicted, display.residuals]))])


@_drawn_by(plots.RateDistortionDisplay)
def _rate_distortion(display: plots.RateDistortionDisplay) -> Drawn:
    curves = [np.column_stack([curve.bits_per_pixel, curve.psnr]) for curve in display.curves]
    return Drawn([_points(curve, log2_x=True) for curve in curves])
