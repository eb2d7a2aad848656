"""Pictures as SVG text, drawn from plain numbers; colours are the page's, so that they follow light and dark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WIDE = 360  # pictures that a phone has to make smaller
COLOURS = 8  # classes .c0 to .c7 of the page
_LONGEST_ALT = 400  # characters
_LETTER = 6.8  # pixels of a figure at a tick


def short(x: float) -> str:
    """A coordinate with at most one decimal.

    >>> short(3.0), short(2.25), short(-0.01)
    ('3', '2.2', '0')
    """
    text = f"{x:.1f}"
    return {"-0.0": "0"}.get(text, text.removesuffix(".0"))


def tick_text(x: float, largest: float | None = None) -> str:
    """The figure at a tick: short, with k and M for thousands and millions on an axis that goes beyond 9,999.

    >>> [tick_text(x) for x in (0.25, 2007.0, 25_000.0, 2e6, -0.0)], tick_text(5e3, largest=2e4)
    (['0.25', '2007', '25k', '2M', '0'], '5k')
    """
    if abs(x) >= 1e4 or (largest is not None and largest >= 1e4):
        for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if size <= abs(x) < 1e12:
                return f"{x / size:.4g}{letter}"
    return f"{x + 0.0:.4g}"


def tick_texts(values: Sequence[float]) -> list[str]:
    """The figures of one axis, all thousands or none.

    >>> tick_texts([1990.0, 2000.0]), tick_texts([5000.0, 10_000.0])
    (['1990', '2000'], ['5k', '10k'])
    """
    largest = max(map(abs, values), default=0.0)
    return [tick_text(value, largest) for value in values]


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers within a range.

    >>> ticks(0.0, 1.0), ticks(3.2, 17.9, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [5.0, 10.0, 15.0])
    """
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * unit for unit in (1, 2, 5, 10) if power * unit >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


@dataclass
class Picture:
    """A drawing with a description for those who do not see it."""

    width: float
    height: float
    alt: str
    parts: list[str] = field(default_factory=list)
    legend: list[tuple[str, str]] = field(default_factory=list)
    """The class of each colour and what it stands for; the page writes them beside the picture."""

    def add(self, tag: str, text: str | None = None, **attributes: object) -> None:
        """One element; `cls` is its class, and a number is written short."""
        given = {"class" if key == "cls" else key.replace("_", "-"): value for key, value in attributes.items()}
        inside = "".join(
            f' {key}="{short(value) if isinstance(value, float) else escape(str(value))}"'
            for key, value in given.items()
            if value is not None
        )
        self.parts.append(f"<{tag}{inside}/>" if text is None else f"<{tag}{inside}>{escape(text)}</{tag}>")

    def text(self, x: float, y: float, words: str, anchor: str = "start", cls: str = "t", **more: object) -> None:
        """Words at a place."""
        self.add("text", words, x=float(x), y=float(y), text_anchor=anchor, cls=cls, **more)

    def line(self, points: Iterable[tuple[float, float]], cls: str) -> None:
        """A line through points."""
        d = "L".join(f"{short(x)} {short(y)}" for x, y in points)
        if d:
            self.parts.append(f'<path class="{cls}" d="M{d}"/>')

    def dots(self, points: Iterable[tuple[float, float]], cls: str, **more: Any) -> None:
        """Many dots as one element."""
        d = "".join(f"M{short(x)} {short(y)}h0" for x, y in points)
        if d:
            self.add("path", cls=f"dots {cls}", d=d, **more)

    def area(self, points: Iterable[tuple[float, float]], cls: str, **more: Any) -> None:
        """A filled shape with these corners."""
        d = "L".join(f"{short(x)} {short(y)}" for x, y in points)
        if d:
            self.add("path", cls=f"area {cls}", d=f"M{d}z", **more)

    def tip(self, words: str) -> None:
        """Words that show when the pointer rests on the last element."""
        last = self.parts.pop()
        tag = last[1:].split(" ")[0].split("/")[0]
        self.parts.append(f"{last.removesuffix('/>')}><title>{escape(words)}</title></{tag}>")

    def __str__(self) -> str:
        size = f"0 0 {short(self.width)} {short(self.height)}"
        look = ' class="wide"' if self.width > _WIDE else ""
        words = escape(clipped(self.alt, _LONGEST_ALT))
        head = f'<svg{look} viewBox="{size}" width="{short(self.width)}" role="img" aria-label="{words}">'
        return head + "".join(self.parts) + "</svg>"


@dataclass
class Axes:
    """A frame within a picture that turns numbers into places."""

    picture: Picture
    x: tuple[float, float]
    y: tuple[float, float]
    box: tuple[float, float, float, float]  # left, top, right, bottom

    def px(self, value: float) -> float:
        """Where a number stands across."""
        left, _, right, _ = self.box
        return left + (value - self.x[0]) / (self.x[1] - self.x[0]) * (right - left)

    def py(self, value: float) -> float:
        """Where a number stands upwards."""
        _, top, _, bottom = self.box
        return bottom - (value - self.y[0]) / (self.y[1] - self.y[0]) * (bottom - top)

    def at(self, points: Any) -> list[tuple[float, float]]:
        """The places of rows (x, y); those with a missing number have none."""
        return [(self.px(float(a)), self.py(float(b))) for a, b in points if a == a and b == b]

    @contextmanager
    def marks(self) -> Iterator[Axes]:
        """What is drawn meanwhile stands for numbers, which its places and this scale give back."""
        scale = " ".join(f"{number:.10g}" for number in (*self.x, *self.y, *self.box))
        self.picture.parts.append(f'<g data-scale="{scale}">')
        yield self
        self.picture.parts.append("</g>")

    def dots(self, points: object, cls: str, **more: object) -> None:
        """Rows (x, y) as dots."""
        self.picture.dots(self.at(points), cls, **more)

    def line(self, points: Any, cls: str) -> None:
        """A line through rows (x, y), broken where a number is missing."""
        run: list[object] = []
        for a, b in (*points, (math.nan, math.nan)):
            if a == a and b == b:
                run.append((a, b))
            elif run:
                self.picture.line(self.at(run), cls)
                run = []

    def bar(self, x: tuple[float, float], y: tuple[float, float], cls: str, tip: str = "", **more: Any) -> None:
        """A rectangle from x[0] to x[1] and from y[0] to y[1]."""
        (left, right), (top, bottom) = sorted(map(self.px, x)), sorted(map(self.py, y))
        self.picture.add("rect", x=left, y=top, width=right - left, height=bottom - top, cls=cls, **more)
        if tip:
            self.picture.tip(tip)

    def box_path(self, x: tuple[float, float], y: tuple[float, float]) -> str:
        """A rectangle as a piece of a path, of which one element holds many."""
        left, right, first, last = self.px(x[0]), self.px(x[1]), self.py(y[0]), self.py(y[1])
        return f"M{short(left)} {short(first)}H{short(right)}V{short(last)}H{short(left)}z"

    def grid(self, x_name: str = "", y_name: str = "", x_most: int = 5, y_most: int = 4, log: bool = False) -> None:
        """Faint lines, figures (none on an axis of which there are at most 0) and names; `log`: heights are powers."""
        left, top, right, bottom = self.box
        longest = 0
        heights = ticks(*self.y, y_most) if y_most else []
        figures = [tick_text(10**value) for value in heights] if log else tick_texts(heights)
        for value, words in zip(heights, figures, strict=True):
            longest = max(longest, len(words))
            self.picture.line([(left, self.py(value)), (right, self.py(value))], "grid")
            self.picture.text(left - 5, self.py(value) + 3.5, words, "end")
        places = ticks(*self.x, x_most) if x_most else []
        for value, words in zip(places, tick_texts(places), strict=True):
            self.picture.text(self.px(value), bottom + 14, words, "middle")
        self.picture.line([(left, bottom), (right, bottom)], "axis")
        if x_name:
            self.picture.text((left + right) / 2, bottom + 30, clipped(x_name, 40), "middle", "t name")
        if y_name:
            across = max(11.0, left - max(36.0, 13 + _LETTER * longest))
            place = f"translate({short(across)} {short((top + bottom) / 2)}) rotate(-90)"
            self.picture.add("text", clipped(y_name, 40), transform=place, text_anchor="middle", cls="t name")


def span(values: Sequence[object] | object, share: float = 0.05) -> tuple[float, float]:
    """The range of the finite values with some room on both sides.

    >>> span([0.0, 10.0]), span([2.0, 2.0])
    ((-0.5, 10.5), (1.0, 3.0))
    """
    cells = np.asarray(values, dtype=np.float64).ravel()
    cells = cells[np.isfinite(cells)]
    if not cells.size:
        return 0.0, 1.0
    low, high = float(cells.min()), float(cells.max())
    room = (high - low) * share
    if not math.isfinite(room) or room <= 1e-12 * max(abs(low), abs(high)):
        room = max(1e-6, abs(low)) if abs(low) > 1e6 or not low else min(1.0, abs(low))
    return low - room, high + room


def clipped(text: str, most: int) -> str:
    """The text, or its beginning."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def colour(number: int) -> str:
    """The class of a group's colour; below 0 is noise."""
    return "noise" if number < 0 else f"c{number % COLOURS}"


def legend(names: Sequence[str]) -> list[tuple[str, str]]:
    """The colours of groups and their names; nothing where there is one group without a name."""
    return [] if list(names) in ([], [""]) else [(colour(k), name) for k, name in enumerate(names)]


def runs(here: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where runs of True begin and end.

    >>> runs(np.array([True, True, False, True]))
    [(0, 2), (3, 4)]
    """
    steps = np.flatnonzero(np.diff(np.concatenate([[False], here, [False]]).astype(int))).tolist()
    return list(zip(steps[::2], steps[1::2], strict=True))
