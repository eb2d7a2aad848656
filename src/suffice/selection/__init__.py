"""Choosing between models."""

from .choose_k import Selection, select_k
from .criteria import CRITERIA, Scores, Trial, criterion

__all__ = ["CRITERIA", "Scores", "Selection", "Trial", "criterion", "select_k"]
