"""What a pass over all pairs of a map gives."""

from __future__ import annotations

from typing import NamedTuple

from ...typing import Floats


class Products(NamedTuple):
    """Σⱼ wᵢⱼ tᵢⱼ / dᵢⱼ (zᵢ − zⱼ) of each point, (m, k), and over the pairs i < j the stress Σ w (t − d)² and Σ w d²."""

    product: Floats
    stress: float
    squares: float
