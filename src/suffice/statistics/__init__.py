"""Statistics: small immutable values with a zero and `+`, computed on pieces of the data and merged."""

from .affine import Affine
from .base import Statistic
from .category_counts import CategoryCounts
from .cluster_sums import ClusterSums
from .column_sums import ColumnSums
from .counts import Counts
from .frequent import Frequent
from .gradient import CurvedSums, GradientSums
from .joint import JointMoments
from .moments import DiagonalMoments, Moments, RootMoments
from .nearest_rows import NearestRows
from .per_class import PerClass
from .quantiles import Quantiles
from .rows import RowSample, row_uniforms
from .sorted_values import ColumnValues, SortedValues
from .sparse_rows import SparseRows

__all__ = [
    "Affine", "CategoryCounts", "ClusterSums", "ColumnSums", "ColumnValues", "Counts", "CurvedSums",
    "DiagonalMoments", "Frequent", "GradientSums", "JointMoments", "Moments", "NearestRows", "PerClass",
    "Quantiles", "RootMoments", "RowSample", "SortedValues", "SparseRows", "Statistic", "row_uniforms",
]  # fmt: skip
