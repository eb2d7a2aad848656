"""Choosing between models: numbers of clusters and components, and hyperparameters."""

from .choose_k import Selection, select_k
from .complexity import Knob, knob_of
from .components import select_components
from .criteria import CRITERIA, Scores, Trial, criterion
from .curves import (
    Decomposition,
    DecompositionCurve,
    LearningCurve,
    ValidationCurve,
    decompose,
    decompose_over,
    learning_curve,
    validation_curve,
)
from .searching import (
    BayesianSearch,
    Between,
    Candidate,
    GridSearch,
    HalvingSearch,
    RandomSearch,
    SearchResult,
    Strategy,
    search,
)

__all__ = [
    "CRITERIA", "BayesianSearch", "Between", "Candidate", "Decomposition", "DecompositionCurve", "GridSearch",
    "HalvingSearch", "Knob", "LearningCurve", "RandomSearch", "Scores", "SearchResult", "Selection", "Strategy",
    "Trial", "ValidationCurve", "criterion", "decompose", "decompose_over", "knob_of", "learning_curve", "search",
    "select_components", "select_k", "validation_curve",
]  # fmt: skip
