"""Measuring how good an answer is."""

from .alignment import Alignment, Pairs, align

__all__ = ["Alignment", "Pairs", "align"]
