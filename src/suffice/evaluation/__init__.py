"""Measuring how good an answer is, and how sure that is."""

from .alignment import Alignment, Pairs, align
from .answers import Answers
from .comparing import Comparison, Difference, compare
from .confusion import Confusion, confusion
from .curves import RankingCurve, precision_recall, precision_recall_area, roc, roc_area
from .evaluating import evaluate
from .fitting import Fold
from .intervals import Interval, bca, bootstrap, corrected_t, wald, wilson
from .measures import detection_cost, f_beta
from .measuring import MEASURES, Measure, measure
from .results import Evaluation
from .splits import Folds, InSample, LeaveOneOut, MonteCarlo, holdout
from .stability import Stability, stability

__all__ = [
    "MEASURES", "Alignment", "Answers", "Comparison", "Confusion", "Difference", "Evaluation", "Fold", "Folds",
    "InSample", "Interval", "LeaveOneOut", "Measure", "MonteCarlo", "Pairs", "RankingCurve", "Stability", "align",
    "bca", "bootstrap", "compare", "confusion", "corrected_t", "detection_cost", "evaluate", "f_beta", "holdout",
    "measure", "precision_recall", "precision_recall_area", "roc", "roc_area", "stability", "wald", "wilson",
]  # fmt: skip
