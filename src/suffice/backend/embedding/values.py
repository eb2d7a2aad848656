"""A smooth function of places in a map."""

from __future__ import annotations

from typing import NamedTuple

from ...typing import Floats


class Field(NamedTuple):
    """A function at places (q, k): its value (q,), slope (q, k), and curvature (q, k, k) if it was asked for."""

    value: Floats
    slope: Floats
    curve: Floats | None = None
