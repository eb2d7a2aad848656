"""Distances of rows, one a file: all pairs, half of them, or in pieces of bounded memory.

>>> from suffice.distances import Euclidean, as_distance
>>> Euclidean().pairwise([[0.0, 0.0], [3.0, 4.0]])
array([[0., 5.],
       [5., 0.]])
>>> as_distance("minkowski", p=3)
Minkowski(p=3)
"""

from .base import DISTANCES, Distance
from .by_scipy import BySciPy
from .chebyshev import Chebyshev
from .correlation import Correlation
from .cosine import Cosine
from .euclidean import Euclidean
from .function import Function
from .given import Dissimilarities, from_pairs, from_similarities
from .gower import Gower
from .hamming import Hamming
from .haversine import Haversine
from .jaccard import Jaccard
from .jensen_shannon import JensenShannon
from .kullback_leibler import KullbackLeibler
from .mahalanobis import Mahalanobis
from .manhattan import Manhattan
from .minkowski import Minkowski
from .named import as_distance, asymmetry, is_distance, is_function, names, require_metric
from .squared_euclidean import SquaredEuclidean
from .standardized import StandardizedEuclidean

__all__ = [
    "DISTANCES", "BySciPy", "Chebyshev", "Correlation", "Cosine", "Dissimilarities", "Distance", "Euclidean",
    "Function", "Gower", "Hamming", "Haversine", "Jaccard", "JensenShannon", "KullbackLeibler", "Mahalanobis",
    "Manhattan", "Minkowski", "SquaredEuclidean", "StandardizedEuclidean", "as_distance", "asymmetry", "from_pairs",
    "from_similarities", "is_distance", "is_function", "names", "require_metric",
]  # fmt: skip
