"""Displays as SVG, drawn from their numbers alone: one function a display, found by its class.

`picture(display)` computes nothing that the display does not hold. A display of your own gets a function here by
`picture.register`.
"""

from . import columns, curves, densities, matrices, planes, side_by_side, trees
from .render import picture

__all__ = ["columns", "curves", "densities", "matrices", "picture", "planes", "side_by_side", "trees"]
