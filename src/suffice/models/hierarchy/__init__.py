"""Hierarchies: trees of clusters, from the bottom or from the top."""

from ...renamed import names_in, with_former_names
from .agglomerative import AgglomerativeClustering
from .divisive import Divisive
from .tree import Hierarchy

__getattr__ = with_former_names(__name__, names_in(__name__, globals()))
__all__ = ["AgglomerativeClustering", "Divisive", "Hierarchy"]
