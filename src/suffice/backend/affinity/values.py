"""The messages of affinity propagation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals


@dataclass(frozen=True)
class Messages:
    """Similarities, availabilities and responsibilities (n, n), and what the last sweep found for each row (n,).

    `responsibility` is a step ahead of `availability`: a sweep ends one iteration and begins the next. `support` is
    Σᵢ max(r_ik, 0) with r_kk as it is; `evidence` is a_kk + r_kk and `choice` the similarity to the k of the largest
    a_ik + r_ik, both of the iteration that ended.
    """

    similarity: Reals
    availability: Reals
    responsibility: Reals
    support: Floats | None
    evidence: Floats
    choice: Floats

    @classmethod
    def zero(cls, similarity: Reals) -> Messages:
        """No messages yet; the first sweep only begins an iteration."""
        n, S = len(similarity), np.ascontiguousarray(similarity)
        return cls(S, np.zeros_like(S), np.zeros_like(S), None, np.zeros(n), np.zeros(n))

    def comparable(self) -> dict[str, NDArray[np.generic]]:
        """All of it in the precision of the matrices, in which messages are rounded."""
        parts = vars(self) | {"support": np.empty(0) if self.support is None else self.support}
        return {name: part.astype(self.similarity.dtype) for name, part in parts.items()}
