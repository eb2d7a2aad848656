"""Penalties, one a file: what slopes cost by themselves, with proximal maps, gradients where smooth, and priors.

>>> import numpy as np
>>> from suffice.penalties import L1, as_penalty
>>> L1(0.5).prox(np.array([2.0, -0.3]), 1.0)
array([ 1.5, -0. ])
"""

from .base import PENALTIES, Penalty, as_penalty
from .elastic_net import ElasticNetPenalty
from .group_lasso import GroupLasso
from .l1 import L1
from .l2 import L2
from .l2_matrix import L2Matrix
from .mcp import MCP
from .non_negative import NonNegative
from .none import NoPenalty
from .scad import SCAD

__all__ = [
    "L1", "L2", "MCP", "PENALTIES", "SCAD", "ElasticNetPenalty", "GroupLasso", "L2Matrix", "NoPenalty", "NonNegative",
    "Penalty", "as_penalty",
]  # fmt: skip
