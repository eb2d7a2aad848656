"""Statistics: small immutable values with a zero and `+`, computed on pieces of the data and merged."""

from .base import Statistic
from .counts import Counts
from .joint import JointMoments
from .moments import DiagonalMoments, Moments, RootMoments
from .per_class import PerClass

__all__ = ["Counts", "DiagonalMoments", "JointMoments", "Moments", "PerClass", "RootMoments", "Statistic"]
