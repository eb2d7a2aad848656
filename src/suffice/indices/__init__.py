"""Indices of rows that find neighbours: all compared, a k-d tree, inverted lists, hash tables, rows in files.

Every index but `LSH` gives the same answers: the nearest rows, of equally near ones those that come first.

>>> from suffice.indices import KDTree, choose
>>> index = KDTree().built([[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]])
>>> index.kneighbors([[0.9, 0.9]], 2).rows
array([[1, 0]])
>>> choose([[0.0, 0.0], [1.0, 1.0]], "euclidean").reason
'all rows are compared: with 2 rows of 2 columns a tree would not pay'
"""

from .base import Index
from .brute import Brute
from .choice import as_index, choose
from .graph import NeighborGraph
from .inverted_lists import InvertedLists
from .kd_tree import KDTree
from .lsh import LSH
from .scanned import Scanned

__all__ = ["LSH", "Brute", "Index", "InvertedLists", "KDTree", "NeighborGraph", "Scanned", "as_index", "choose"]
