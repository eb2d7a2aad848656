"""Hierarchies: trees of clusters, from the bottom or from the top."""

from .agglomerative import AgglomerativeClustering
from .divisive import Divisive
from .tree import Hierarchy

__all__ = ["AgglomerativeClustering", "Divisive", "Hierarchy"]
