"""Pictures made of plain numbers: each Display holds what it shows and draws itself on an axes."""

from .association import AssociationDisplay
from .bands import Band, BandsDisplay
from .biplot import BiplotDisplay
from .box import Box, BoxDisplay
from .calibration import CalibrationDisplay, Reliability
from .clusters import ClusterDisplay
from .confusion import ConfusionDisplay
from .convergence import ConvergenceDisplay, Course
from .criteria import CriteriaDisplay, Curve
from .dendrogram import DendrogramDisplay, End, Link
from .density import DensityDisplay
from .dependence import DependenceDisplay
from .display import Display
from .embedding import EmbeddingDisplay
from .frequency import FrequencyDisplay
from .gram import GramDisplay
from .heat_map import HeatMapDisplay
from .histogram import Histogram, HistogramDisplay
from .intervals import Against, IntervalsDisplay
from .loadings import LoadingsDisplay
from .missingness import MissingnessDisplay
from .mixture import MixtureDisplay
from .pairs import PairsDisplay
from .parallel import ParallelDisplay
from .path import PathDisplay
from .precision_recall import PrecisionRecallDisplay
from .prediction_error import PredictionErrorDisplay
from .process import ProcessDisplay
from .pruning import PruningDisplay
from .ranking import Ranking
from .rate_distortion import RateCurve, RateDistortionDisplay
from .regions import DecisionRegionsDisplay
from .replicates import ReplicatesDisplay
from .residuals import ResidualsDisplay
from .roc import RocDisplay
from .scree import ScreeDisplay
from .shepard import ShepardDisplay
from .silhouette import SilhouetteDisplay
from .surface import SurfaceDisplay
from .tree import TreeDisplay, TreeNode

__all__ = [
    "Against",
    "AssociationDisplay",
    "Band",
    "BandsDisplay",
    "BiplotDisplay",
    "Box",
    "BoxDisplay",
    "CalibrationDisplay",
    "ClusterDisplay",
    "ConfusionDisplay",
    "ConvergenceDisplay",
    "Course",
    "CriteriaDisplay",
    "Curve",
    "DecisionRegionsDisplay",
    "DendrogramDisplay",
    "DensityDisplay",
    "DependenceDisplay",
    "Display",
    "EmbeddingDisplay",
    "End",
    "FrequencyDisplay",
    "GramDisplay",
    "HeatMapDisplay",
    "Histogram",
    "HistogramDisplay",
    "IntervalsDisplay",
    "Link",
    "LoadingsDisplay",
    "MissingnessDisplay",
    "MixtureDisplay",
    "PairsDisplay",
    "ParallelDisplay",
    "PathDisplay",
    "PrecisionRecallDisplay",
    "PredictionErrorDisplay",
    "ProcessDisplay",
    "PruningDisplay",
    "Ranking",
    "RateCurve",
    "RateDistortionDisplay",
    "Reliability",
    "ReplicatesDisplay",
    "ResidualsDisplay",
    "RocDisplay",
    "ScreeDisplay",
    "ShepardDisplay",
    "SilhouetteDisplay",
    "SurfaceDisplay",
    "TreeDisplay",
    "TreeNode",
]
