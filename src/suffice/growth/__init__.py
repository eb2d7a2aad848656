"""How any tree is grown: cells are coded, targets made whole numbers, nodes split where their score rises most."""

from ..backend.growth.decoding import class_shares, means
from .cuts import BINS, Cuts, category_counts
from .packing import PackedTrees
from .rows import TreeRows, seeds_of
from .targets import class_targets, medians, number_targets, ranked_targets
from .trees import Trees

__all__ = [
    "BINS", "Cuts", "PackedTrees", "TreeRows", "Trees", "category_counts", "class_shares",
    "class_targets", "means", "medians", "number_targets", "ranked_targets", "seeds_of",
]  # fmt: skip
