"""The laws of displays: one table of numbers, the same in every picture of it."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ..plots import Display
from ..report.pictures import picture
from ..typing import Floats
from .display_examples import EXAMPLES
from .display_numbers import NUMBERS, Drawn, Panel

Scale = tuple[float, ...]

_PIXEL = 0.06  # how far the one decimal of a place may be off
_STEP = re.compile(r"([MLHV])([-\d.]+)(?: ([-\d.]+))?")


def displays() -> list[type[Display]]:
    """Every display of Suffice that can be made, by name."""
    from .. import plots

    own = (cls for cls in Display.members if cls.__module__.startswith(plots.__name__))
    return sorted((cls for cls in own if not cls.__abstractmethods__), key=lambda cls: cls.__name__)


def example_of(cls: type[Display]) -> Display:
    """A display of the class from a bundled table, not drawn."""
    assert cls in EXAMPLES, f"{cls.__name__} has no example in contracts/display_examples.py"
    return EXAMPLES[cls]()


def check_table(display: Display) -> None:
    """The numbers are arrays of one length, and `ax=False` drew nothing."""
    columns = display.table()
    assert all(isinstance(column, np.ndarray) for column in columns.values())
    assert len({len(column) for column in columns.values()}) == 1
    assert not hasattr(display, "figure_"), "ax=False must not draw"


def check_svg(display: Display) -> None:
    """The SVG draws the numbers of the display, all of them and no others."""
    root = ElementTree.fromstring(str(picture(display)))
    expected = NUMBERS[type(display)](display)
    found = [_numbers(group) for group in root.iter("g") if "data-scale" in group.attrib]
    assert len(found) == len(expected.panels), f"{len(found)} panels, {len(expected.panels)} expected"
    for (x, y, scale), panel in zip(found, expected.panels, strict=True):
        left, top, right, bottom = scale[4:]
        _same(x, _along_x(panel), _PIXEL * abs((scale[1] - scale[0]) / (right - left)))
        _same(y, _along_y(panel), _PIXEL * abs((scale[3] - scale[2]) / (bottom - top)))
    _check_cells(root, expected)


def _along_x(panel: Panel) -> Floats | None:
    return None if panel.x is None else np.log2(panel.x) if panel.log2_x else panel.x


def _along_y(panel: Panel) -> Floats | None:
    return None if panel.y is None else np.log10(panel.y) if panel.log10_y else panel.y


def _numbers(group: Any) -> tuple[Floats, Floats, Scale]:
    """What the marks of a panel stand for, by their places and its scale."""
    scale = tuple(map(float, group.attrib["data-scale"].split()))
    x0, x1, y0, y1, left, top, right, bottom = scale
    across, up = (np.array(places) for places in _places(group))
    x = x0 + (across - left) / (right - left) * (x1 - x0)
    y = y0 + (bottom - up) / (bottom - top) * (y1 - y0)
    return x, y, scale


def _places(group: Any) -> tuple[list[float], list[float]]:
    across: list[float] = []
    up: list[float] = []
    for mark in group:
        if mark.tag == "rect":
            x, y, width, height = (float(mark.attrib[name]) for name in ("x", "y", "width", "height"))
            across, up = [*across, x, x + width], [*up, y, y + height]
        elif mark.tag == "circle":
            across, up = [*across, float(mark.attrib["cx"])], [*up, float(mark.attrib["cy"])]
        else:
            for command, first, second in _STEP.findall(mark.attrib["d"]):
                across += [] if command == "V" else [float(first)]
                up += [float(second)] if second else [float(first)] if command == "V" else []
    return across, up


def _same(found: Floats, expected: Floats | None, near: float) -> None:
    """Each number that was found is near one that is expected, and the other way round."""
    if expected is not None:
        assert _farthest(expected, found) <= 2 * near, "a number of the display is not drawn"
        assert _farthest(found, expected) <= 2 * near, "a number is drawn that the display does not have"


def _farthest(numbers: Floats, among: Floats) -> float:
    """How far the number that is farthest from all of the others is from them."""
    ordered = np.sort(among)
    at = np.clip(np.searchsorted(ordered, numbers), 1, max(len(ordered) - 1, 1))
    near = np.minimum(np.abs(numbers - ordered[at - 1]), np.abs(numbers - ordered[np.minimum(at, len(ordered) - 1)]))
    return float(near.max(initial=0.0))


def _check_cells(root: Any, expected: Drawn) -> None:
    if expected.cells is None or expected.shades is None:
        return
    cells = [mark for mark in root.iter("rect") if mark.find("title") is not None]
    said = [mark.find("title").text.rpartition(": ")[2].replace(",", "").replace("−", "-") for mark in cells]
    np.testing.assert_allclose(np.array(said, dtype=float), expected.cells, rtol=6e-3, atol=6e-3)
    dark = [float(mark.attrib["fill-opacity"]) for mark in cells]
    np.testing.assert_allclose(dark, expected.shades, atol=6e-3)


def check_plot(display: Display) -> None:
    """matplotlib draws the same numbers."""
    expected = NUMBERS[type(display)](display)
    shown = display.plot()
    plotted = _plotted(shown.figure_)
    shared = [] if expected.faces else expected.panels
    panels = [numbers for panel in shared for numbers in (panel.x, panel.y) if numbers is not None]
    for numbers in (*panels, *([] if expected.image is None else [expected.image])):
        near = 1e-9 * float(np.abs(numbers).max(initial=1e-300))
        assert _farthest(numbers, plotted) <= near, "a number of the display is not plotted"


def _plotted(figure: Any) -> Floats:
    """Every number that the artists of a figure hold."""
    found: list[object] = [[0.0]]
    for ax in figure.axes:
        found += [line.get_xydata() for line in ax.lines]
        found += [text.xy for text in ax.texts if hasattr(text, "xy")]
        for image in ax.images:
            found += [image.get_array().filled(0.0), image.get_extent()]
        for patch in ax.patches:
            found.append(patch.get_data()[:2] if hasattr(patch, "get_data") else _corners(patch))
        for collection in ax.collections:
            found.append(collection.get_offsets())
            found += [path.vertices for path in collection.get_paths()]
            found += [] if collection.get_array() is None else [np.ma.filled(collection.get_array(), 0.0)]
    numbers = np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in _flat(found)])
    return np.asarray(numbers[np.isfinite(numbers)])


def _flat(found: list[object]) -> list[object]:
    return [piece for part in found for piece in (part if isinstance(part, tuple) else (part,))]


def _corners(patch: Any) -> object:
    """The corners of a patch in the units of the data."""
    if hasattr(patch, "get_bbox"):
        return np.asarray(patch.get_bbox())
    return patch.get_path().vertices if not hasattr(patch, "get_xy") else patch.get_xy()
