"""Objects of a fit with labels, and how these weaken a graph of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse

from ...data import Chunk
from ...typing import CSR, Codes
from .fuzzy_graph import united
from .objects import Objects


@dataclass(frozen=True)
class LabelledObjects(Objects):
    """Different rows with the number of their label; −1 where it is not known, or equal rows have several."""

    label: Codes  # (m,)

    @classmethod
    def with_labels(cls, objects: Objects, rows: Chunk, unlabelled: object) -> Self:
        """The objects of rows whose target holds labels, and `unlabelled` for those that have none."""
        y = np.asarray(rows.y)
        known = np.broadcast_to(np.asarray(y != unlabelled), y.shape) & (objects.which >= 0)
        code = np.full(len(y), -1, dtype=np.int64)
        code[known] = np.unique(y[known], return_inverse=True)[1]
        own = objects.which[known]
        least, most = np.full(len(objects), len(y)), np.full(len(objects), -1)
        np.minimum.at(least, own, code[known])
        np.maximum.at(most, own, code[known])
        label = np.where(least == most, most, -1)
        return cls(objects.rows, objects.weight, objects.at, objects.which, label)


def told_apart(graph: CSR, label: Codes, weight: float) -> CSR:
    """Memberships (m, m) of which those of pairs with different labels are 1 − weight of what they were.

    Each row's are then over its largest, so that it is near to something, and united again.
    """
    row = np.repeat(np.arange(len(label)), np.diff(graph.indptr))
    one, other = label[row], label[graph.indices]
    differ = (one >= 0) & (other >= 0) & (one != other)
    own = graph.data * np.where(differ, 1 - weight, 1.0)
    largest = np.zeros(len(label))
    np.maximum.at(largest, row, own)
    share = own / np.maximum(largest[row], 1e-300)
    return united(sparse.csr_array((share, graph.indices, graph.indptr), shape=graph.shape), 1.0)
