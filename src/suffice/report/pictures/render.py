"""The table of renderers, by the class of a display."""

from __future__ import annotations

from functools import singledispatch

from ...plots import Display
from ..svg import Picture


@singledispatch
def picture(display: Display) -> Picture:
    """The display as SVG."""
    raise TypeError(f"{type(display).__name__} cannot be drawn as SVG; give it a renderer with picture.register.")
