"""Measuring how good an answer is, and how sure that is; the splits, measures and intervals of `suffice.resampling`."""

from ..resampling import (
    MEASURES,
    Answers,
    Bootstrap,
    Fold,
    Folds,
    InSample,
    Interval,
    LeaveOneOut,
    Measure,
    MonteCarlo,
    Pairs,
    bca,
    bootstrap,
    corrected_t,
    detection_cost,
    f_beta,
    holdout,
    measure,
    wald,
    wilson,
)
from .alignment import Alignment, align
from .comparing import Comparison, compare
from .confusion import Confusion, confusion
from .curves import RankingCurve, precision_recall, precision_recall_area, roc, roc_area
from .dependence import PartialDependence, partial_dependence
from .differences import Difference
from .evaluating import evaluate
from .gaps import Gap
from .importance import PermutationImportance, permutation_importance
from .judging import Judgement, SampledPairs, judged_pairs, sample_pairs
from .results import Evaluation
from .stability import Stability, stability

__all__ = [
    "MEASURES", "Alignment", "Answers", "Bootstrap", "Comparison", "Confusion", "Difference", "Evaluation", "Fold",
    "Folds", "Gap", "InSample", "Interval", "Judgement", "LeaveOneOut", "Measure", "MonteCarlo", "Pairs",
    "PartialDependence", "PermutationImportance", "RankingCurve", "SampledPairs", "Stability", "align", "bca",
    "bootstrap", "compare", "confusion", "corrected_t", "detection_cost", "evaluate", "f_beta", "holdout",
    "judged_pairs", "measure", "partial_dependence", "permutation_importance", "precision_recall",
    "precision_recall_area", "roc", "roc_area", "sample_pairs", "stability", "wald", "wilson",
]  # fmt: skip
