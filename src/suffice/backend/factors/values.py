"""What the operations of factorisations give."""

from __future__ import annotations

from typing import NamedTuple

from ...typing import Floats


class Equations(NamedTuple):
    """Of each row Σ w v vᵀ over its known cells, (n, p, p), and Σ b v, (n, p)."""

    grams: Floats
    rights: Floats


class Ratios(NamedTuple):
    """Of each row Σⱼ xⱼ / eⱼ bⱼ, (n, k), and over its cells Σ x log e, Σ (x log(x / e) − x + e) and Σ e, (n,) each."""

    sums: Floats
    logs: Floats
    apart: Floats
    expected: Floats
