"""Choosing columns: greedily by cross-validation, by an L1 penalty, or by how often halves of the rows agree."""

from .backward_selection import BackwardSelection
from .base import FeatureSelector
from .forward_selection import ForwardSelection
from .l1_selection import L1Selection
from .path import SelectionPath
from .stability_selection import StabilitySelection

__all__ = [
    "BackwardSelection", "FeatureSelector", "ForwardSelection", "L1Selection", "SelectionPath", "StabilitySelection",
]  # fmt: skip
