"""What all parts of a report share: the rows, what was found so far, and the sentences that say it in short."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..description.text import count
from ..typing import EstimatorLike
from .division import AT_RANDOM, Division
from .rows import Rows, Task
from .svg import COLOURS


@dataclass(eq=False)
class Study:
    """A table under study; `results` holds the library's own objects by name, as the code of the report makes them."""

    rows: Rows
    title: str
    task: Task = "auto"
    models: Mapping[str, EstimatorLike] | None = None
    seconds: float = 10.0
    seed: int = 0
    division: Division = AT_RANDOM  # how rows are divided to compare models
    opening_of_all: str = ""  # the code that reads all rows
    path: str | None = None  # the file or bundled table; None where there is neither
    results: dict[str, Any] = field(default_factory=dict)
    short: list[str] = field(default_factory=list)

    def shown(self, n: int, what: str = "shown") -> str:
        """Such as "2,000 of 100,000 rows shown", or nothing where all are."""
        total = self.rows.description.rows
        return "" if n >= total else f"{count(n)} of {count(total)} rows {what}"

    @cached_property
    def groups(self) -> tuple[NDArray[np.int64], list[str]] | None:
        """The class of each row of the sample and the names, where the target has few enough to be told apart."""
        if self.rows.target is None:
            return None
        values = self.rows.cells[self.rows.target]
        try:
            known, y, kind = self.rows.labelled(self.task)
        except ValueError:
            return None
        names = sorted(set(y.tolist()))
        if kind != "classes" or not 2 <= len(names) <= COLOURS or len(known) < len(values):
            return None
        return np.searchsorted(np.array(names, dtype=object), y), names

    def classes_of(self, some: Rows) -> NDArray[np.generic] | None:
        """The classes of some rows of the sample, to colour them."""
        if self.groups is None:
            return None
        codes, names = self.groups
        return np.array(names)[codes[np.searchsorted(self.rows.places, some.places)]]
