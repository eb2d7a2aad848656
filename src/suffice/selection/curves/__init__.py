"""Curves: what more rows or a more flexible model do to training error and to future error, and of what it consists."""

from .decomposing import Decomposition, DecompositionCurve, decompose, decompose_over
from .learning import LearningCurve, learning_curve
from .validation import ValidationCurve, validation_curve

__all__ = [
    "Decomposition", "DecompositionCurve", "LearningCurve", "ValidationCurve", "decompose", "decompose_over",
    "learning_curve", "validation_curve",
]  # fmt: skip
