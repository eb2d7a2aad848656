"""Statistics: small immutable values with a zero and `+`, computed on pieces of the data and merged."""

from .base import Statistic
from .counts import Counts
from .frequent import Frequent
from .joint import JointMoments
from .moments import DiagonalMoments, Moments, RootMoments
from .per_class import PerClass
from .quantiles import Quantiles

__all__ = [
    "Counts", "DiagonalMoments", "Frequent", "JointMoments", "Moments", "PerClass", "Quantiles", "RootMoments",
    "Statistic",
]  # fmt: skip
