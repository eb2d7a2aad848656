"""Matrices: cells as strong as their numbers, with the figures in them."""

from __future__ import annotations

import numpy as np

from ...plots import AssociationDisplay, ConfusionDisplay, GramDisplay, HeatMapDisplay, LoadingsDisplay
from ...plots.association import hundredths
from ...text import figure
from ..svg import Picture, clipped, short, tick_text
from .render import picture

_LEGIBLE = 30.0  # pixels of a cell with a figure in it


@picture.register
def association(display: AssociationDisplay) -> Picture:
    """A square of strengths from 0 to 1."""
    names, d = display.names, len(display.names)
    cell = 34.0 if d <= 14 else 24.0
    made = Picture(130 + cell * d + 60, 80 + cell * d, f"Strength of association between {d} columns, from 0 to 1")
    for i, name in enumerate(names):
        made.text(124, 80 + cell * (i + 0.5) + 4, clipped(name, 18), "end")
        _turned(made, 134 + cell * (i + 0.5), 74, clipped(name, 14), -45)
    for i, j, value in display.cells():
        tip = f"{names[i]} and {names[j]}: {value:.2f}"
        _cell(made, 130 + cell * j, 80 + cell * i, cell, value, "c0", tip, hundredths(value))
    return made


@picture.register
def confusion(display: ConfusionDisplay) -> Picture:
    """How often each class was taken for each: rows are true, columns are predicted."""
    names, k, shares = display.classes, len(display.classes), display.shares()
    cell = 58.0 if k <= 6 else 40.0 if k <= 12 else 24.0
    alt = f"Confusion matrix: rows are the true class, columns the predicted; accuracy {display.accuracy:.3f}"
    made = Picture(110 + cell * k + 50, 74 + cell * k, alt)
    made.text(110, 14, "predicted", cls="t name")
    made.text(104, 60, "true", "end", "t name")
    turned = max(map(len, names)) > cell / 7
    for i, name in enumerate(names):
        made.text(104, 68 + cell * (i + 0.5) + 4, clipped(name, 14), "end")
        _turned(made, 110 + cell * (i + 0.5), 62, clipped(name, 12), -35 if turned else 0)
    for (i, j), n in np.ndenumerate(display.counts):
        tip = f"true {names[i]}, predicted {names[j]}: {n:,.10g}"
        text = f"{n:,.6g}" if n < 1e5 else tick_text(float(n))
        look = "c2" if i == j else "c1"
        _cell(made, 110 + cell * j, 68 + cell * i, cell, float(shares[i, j]), look, tip, text)
    return made


@picture.register
def gram(display: GramDisplay) -> Picture:
    """Blue above zero, vermilion below; the names of the groups beside their rows."""
    m = len(display.values)
    cell = float(np.clip(420 / m, 4.0, 24.0))
    made = Picture(130 + cell * m + 10, 20 + cell * m, f"Gram matrix, {m} cells a side")
    top = float(np.abs(display.values).max(initial=0.0)) or 1.0
    last = -np.inf
    for name, (begin, end) in zip(display.names, display.spans(), strict=False):
        middle = 10 + cell * (begin + end) / 2 + 4
        if middle - last >= 14:  # pixels of a line
            made.text(124, middle, clipped(name, 18), "end")
            last = middle
    for (i, j), value in np.ndenumerate(display.values):
        tip = f"{i}, {j}: {value:.3g}"
        _cell(made, 130 + cell * j, 10 + cell * i, cell, abs(value) / top, "c0" if value >= 0 else "c1", tip, "")
    return made


@picture.register
def loadings(display: LoadingsDisplay) -> Picture:
    """Blue above zero, vermilion below."""
    d, k = display.loadings.shape
    cell = 44.0 if k <= 15 else 24.0
    made = Picture(130 + cell * k + 10, 40 + 24.0 * d, f"Loadings of {d} columns on {k} axes")
    top = float(np.nanmax(np.abs(display.loadings), initial=0.0)) or 1.0
    for j, axis in enumerate(display.axis_names()):
        made.text(130 + cell * (j + 0.5), 30, clipped(axis if k <= 8 else axis.removeprefix("axis "), 8), "middle")
    for i, name in enumerate(display.names):
        made.text(124, 40 + 24.0 * i + 16, clipped(name, 18), "end")
        for j, value in enumerate(display.loadings[i].tolist()):
            tip = f"{name}, {display.axis_names()[j]}: {value:.3g}"
            look = "c0" if value >= 0 else "c1"
            text = f"{value:.2f}".replace("-", "−") if cell >= _LEGIBLE else ""
            _cell(made, 130 + cell * j, 40 + 24.0 * i, cell, abs(value) / top, look, tip, text, 24.0)
    return made


@picture.register
def heat_map(display: HeatMapDisplay) -> Picture:
    """Cells as dark as they are good, a frame about the one that was chosen."""
    rows, columns = display.values.shape
    cell = 46.0 if columns <= 12 else 24.0
    better = "larger" if display.larger else "smaller"
    title = f"{display.measure} over {display.names[0]} and {display.names[1]}, {better} is better"
    made = Picture(130 + cell * columns + 10, 60 + 30.0 * rows + 20, title)
    made.text(130, 14, f"{display.measure}, {better} is better", cls="t strong")
    top = 24 + 30.0 * (rows - 1)
    for i, name in enumerate(display.up):
        made.text(124, top - 30.0 * i + 19, clipped(name, 18), "end")
    for j, name in enumerate(display.across):
        made.text(130 + cell * (j + 0.5), top + 48, clipped(name, 8), "middle", "t tiny")
    dark = display.shades()
    for i, j, value in display.cells():
        tip = f"{display.names[0]} {display.across[j]}, {display.names[1]} {display.up[i]}: {value:,.6g}"
        text = figure(value, 3) if cell >= _LEGIBLE else ""
        _cell(made, 130 + cell * j, top - 30.0 * i, cell, float(dark[i, j]), "c0", tip, text, 30.0)
    if display.chosen is not None:
        row, column = display.chosen
        made.add("rect", x=130 + cell * column, y=top - 30.0 * row, width=cell - 1, height=29.0, cls="frame")
    made.text(124, top + 48, clipped(display.names[1], 18), "end", "t name")
    made.text(130 + cell * columns / 2, top + 66, clipped(display.names[0], 40), "middle", "t name")
    return made


def _cell(
    made: Picture, x: float, y: float, wide: float, strength: float, look: str, tip: str, text: str, high: float = 0.0
) -> None:
    """A cell as dark as its strength, from 0 to 1, with a figure where there is room."""
    high = high or wide
    made.add("rect", x=x, y=y, width=wide - 1, height=high - 1, cls="panel")
    opacity = f"{strength if strength == strength else 0.0:.2f}"
    made.add("rect", x=x, y=y, width=wide - 1, height=high - 1, cls=look, fill_opacity=opacity)
    made.tip(tip)
    if wide >= _LEGIBLE:
        made.text(x + wide / 2, y + high / 2 + 4, text, "middle", "t on" if strength > 0.6 else "t")


def _turned(made: Picture, x: float, y: float, words: str, degrees: int) -> None:
    place = f"translate({short(x)} {short(y)})" + (f" rotate({degrees})" if degrees else "")
    made.add("text", words, transform=place, cls="t", text_anchor="start" if degrees else "middle")
