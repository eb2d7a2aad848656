"""Pictures as SVG text, drawn from plain numbers; colours are the page's, so that they follow light and dark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

_WIDE = 360  # pictures that a phone has to make smaller
COLOURS = 8  # classes .c0 to .c7 of the page


def short(x: float) -> str:
    """A coordinate with at most one decimal.

    >>> short(3.0), short(2.25), short(-0.01)
    ('3', '2.2', '0')
    """
    text = f"{x:.1f}"
    return {"-0.0": "0"}.get(text, text.removesuffix(".0"))


def tick_text(x: float) -> str:
    """The figure at a tick: short, with k and M for thousands and millions.

    >>> [tick_text(x) for x in (0.25, 1500.0, 2e6, -0.0)]
    ['0.25', '1.5k', '2M', '0']
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size <= abs(x) < 1e12:
            return f"{x / size:.4g}{letter}"
    return f"{x + 0.0:.4g}"


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

    def add(self, tag: str, text: str | None = None, **attributes: Any) -> None:
        """One element; `cls` is its class, and a number is written short."""
        given = {"class" if key == "cls" else key.replace("_", "-"): value for key, value in attributes.items()}
        inside = "".join(
            f' {key}="{short(value) if isinstance(value, float) else escape(str(value))}"'
            for key, value in given.items()
            if value is not None
        )
        self.parts.append(f"<{tag}{inside}/>" if text is None else f"<{tag}{inside}>{escape(text)}</{tag}>")

    def text(self, x: float, y: float, words: str, anchor: str = "start", cls: str = "t", **more: Any) -> None:
        """Words at a place."""
        self.add("text", words, x=float(x), y=float(y), text_anchor=anchor, cls=cls, **more)

    def line(self, points: Iterable[tuple[float, float]], cls: str) -> None:
        """A line through points."""
        d = "L".join(f"{short(x)} {short(y)}" for x, y in points)
        if d:
            self.parts.append(f'<path class="{cls}" d="M{d}"/>')

    def dots(self, points: Iterable[tuple[float, float]], cls: str) -> None:
        """Many dots as one element."""
        d = "".join(f"M{short(x)} {short(y)}h0" for x, y in points)
        if d:
            self.parts.append(f'<path class="dots {cls}" d="{d}"/>')

    def tip(self, words: str) -> None:
        """Words that show when the pointer rests on the last element."""
        last = self.parts.pop()
        tag = last[1:].split(" ")[0].split("/")[0]
        self.parts.append(f"{last.removesuffix('/>')}><title>{escape(words)}</title></{tag}>")

    def __str__(self) -> str:
        size = f"0 0 {short(self.width)} {short(self.height)}"
        look = ' class="wide"' if self.width > _WIDE else ""
        head = f'<svg{look} viewBox="{size}" width="{short(self.width)}" role="img" aria-label="{escape(self.alt)}">'
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
        """The places of rows (x, y)."""
        return [(self.px(float(a)), self.py(float(b))) for a, b in points if a == a and b == b]

    def grid(self, x_name: str = "", y_name: str = "", x_most: int = 5, y_most: int = 4) -> None:
        """Faint lines, figures (none across where `x_most` is 0) and names."""
        left, top, right, bottom = self.box
        for value in ticks(*self.y, y_most):
            self.picture.line([(left, self.py(value)), (right, self.py(value))], "grid")
            self.picture.text(left - 5, self.py(value) + 3.5, tick_text(value), "end")
        for value in ticks(*self.x, x_most) if x_most else ():
            self.picture.text(self.px(value), bottom + 14, tick_text(value), "middle")
        self.picture.line([(left, bottom), (right, bottom)], "axis")
        if x_name:
            self.picture.text((left + right) / 2, bottom + 30, clipped(x_name, 40), "middle", "t name")
        if y_name:
            place = f"translate({short(left - 36)} {short((top + bottom) / 2)}) rotate(-90)"
            self.picture.add("text", clipped(y_name, 40), transform=place, text_anchor="middle", cls="t name")


def span(values: Sequence[Any] | Any, share: float = 0.05) -> tuple[float, float]:
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
    """The class of a group's colour."""
    return f"c{number % COLOURS}"
