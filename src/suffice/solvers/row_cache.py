"""Rows of a kernel matrix that were made already, the ones used longest ago given up for new ones."""

from __future__ import annotations

import numpy as np

from ..typing import Reals, Whole
from .similarity import Fill


class RowCache:
    """Rows of a matrix (n, n) in as many slots as the buffer holds."""

    def __init__(self, fill: Fill, n: int, buffer: Reals) -> None:
        slots = min(n, len(buffer) // max(1, n))
        self.fill = fill
        self.rows = buffer[: slots * n].reshape(slots, n)
        self._slot = np.full(n, -1)  # of each row
        self._row = np.full(slots, -1)  # in each slot
        self._used = np.arange(-slots, 0)  # when; those never used from the first on, so that fewer pages are touched
        self._now = 0
        self.made = 0

    def slots(self, places: Whole) -> Whole:
        """The slots of some rows, no more than there are, made where they are not there."""
        self._now += 1
        known = self._slot[places]
        self._used[known[known >= 0]] = self._now
        missing = places[known < 0]
        if len(missing):
            self._make(missing)
        return self._slot[places]

    def known(self, places: Whole) -> int:
        """How many of some rows are there."""
        return int(np.count_nonzero(self._slot[places] >= 0))

    def _make(self, missing: Whole) -> None:
        oldest = np.argpartition(self._used, len(missing) - 1)[: len(missing)]
        given_up = self._row[oldest]
        self._slot[given_up[given_up >= 0]] = -1
        self._row[oldest] = -1
        self.fill(missing, oldest, self.rows)
        self._row[oldest], self._slot[missing], self._used[oldest] = missing, oldest, self._now
        self.made += len(missing)
