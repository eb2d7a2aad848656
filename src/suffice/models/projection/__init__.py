"""Linear projections: rows written in fewer, or better, coordinates."""

from .pca import PCA
from .whiten import Whiten

__all__ = ["PCA", "Whiten"]
