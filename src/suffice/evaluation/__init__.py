"""Measuring how good an answer is, and how sure that is; the splits, measures and intervals of `suffice.resampling`."""

from ..resampling import (
    MEASURES,
    Answers,
    Bootstrap,
    Fold,
    Folds,
    Forward,
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
from .calibrating import Calibration, ClassCalibration, calibration
from .comparing import Comparison, compare
from .confusion import Confusion, confusion
from .curves import RankingCurve, precision_recall, precision_recall_area, roc, roc_area
from .dependence import PartialDependence, partial_dependence
from .differences import Difference
from .evaluating import evaluate
from .gaps import Gap
from .importance import PermutationImportance, permutation_importance
from .judging import Judgement, SampledPairs, judged_pairs, sample_pairs
from .map_alignment import Procrustes, procrustes
from .map_dimensions import StressByDimension, stress_by_dimension
from .map_measures import (
    Preserved,
    continuity,
    neighbor_preservation,
    residual_variance,
    stress_1,
    trustworthiness,
)
from .results import Evaluation
from .stability import Stability, stability

__all__ = [
    "MEASURES", "Alignment", "Answers", "Bootstrap", "Calibration", "ClassCalibration", "Comparison", "Confusion",
    "Difference", "Evaluation", "Fold", "Folds", "Forward", "Gap", "InSample", "Interval", "Judgement", "LeaveOneOut",
    "Measure", "MonteCarlo", "Pairs", "PartialDependence", "PermutationImportance", "Preserved", "Procrustes",
    "RankingCurve", "SampledPairs", "Stability", "StressByDimension", "align", "bca", "bootstrap", "calibration",
    "compare", "confusion", "continuity", "corrected_t", "detection_cost", "evaluate", "f_beta", "holdout",
    "judged_pairs", "measure", "neighbor_preservation", "partial_dependence", "permutation_importance",
    "precision_recall", "precision_recall_area", "procrustes", "residual_variance", "roc", "roc_area", "sample_pairs",
    "stability", "stress_1", "stress_by_dimension", "trustworthiness", "wald", "wilson",
]  # fmt: skip
