"""How any tree is grown: cells are coded, targets made whole numbers, nodes split where their score rises most."""

from ..backend.growth.decoding import class_shares, means
from .cuts import BINS, Cuts, category_counts
from .packing import PackedTrees
from .rows import TreeRows, seeds_of
from .steps import StepWeights, group_quantiles, joined_nodes, step_values
from .targets import class_targets, medians, number_targets, ranked_targets
from .trees import Trees

__all__ = [
    "BINS", "Cuts", "PackedTrees", "StepWeights", "TreeRows", "Trees", "category_counts", "class_shares",
    "class_targets", "group_quantiles", "joined_nodes", "means", "medians", "number_targets", "ranked_targets",
    "seeds_of", "step_values",
]  # fmt: skip
