"""What a model says of each row after a fit to all others, where a formula says it from one fit to all rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..typing import Flags

TOLERANCE = 1e-9  # of answers, relative: where a formula may be farther off, a row is left out by refitting


@dataclass(frozen=True, eq=False)
class LeftOutRows:
    """Columns of answers, (n, …) each, by the names that a `Fold` has for them, and of which rows they are sure."""

    columns: Mapping[str, object]
    sure: Flags
