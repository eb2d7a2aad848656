"""Choosing between models."""

from .choose_k import Selection, select_k
from .components import select_components
from .criteria import CRITERIA, Scores, Trial, criterion

__all__ = ["CRITERIA", "Scores", "Selection", "Trial", "criterion", "select_components", "select_k"]
