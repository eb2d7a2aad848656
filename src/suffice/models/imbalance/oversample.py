"""Rows of small classes repeated, a little beside themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...choices import check_number
from ...typing import Codes, Reals
from .sampler import Rows, Sampler, drawn_places


@dataclass(frozen=True)
class Oversample(Sampler):
    """Rows of small classes are drawn again until each has `ratio` of the weight of the largest class.

    A repeated row is moved by a normal draw of `perturbation` standard deviations of its class in each column of
    numbers; 0 repeats it as it is. Categories stay.

    >>> X, y, weight = Oversample().resample([[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 0, 1, 1], random_state=0)
    >>> np.bincount(y, weight).tolist()
    [3.0, 3.0]
    """

    perturbation: float = 0.1
    names = ("oversample",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "perturbation", 0.0)

    def drawn(self, rows: Rows, rng: np.random.Generator) -> Rows:
        totals = rows.totals()
        for c in np.flatnonzero((totals > 0) & (totals < self.ratio * totals.max())):
            missing = self.ratio * totals.max() - totals[c]
            rows = rows.and_also(self._more(rows, int(c), missing, rng))
        return rows

    def _more(self, rows: Rows, c: int, missing: float, rng: np.random.Generator) -> Rows:
        """New rows of a class of this weight in all: 1 each, and the rest."""
        own = np.flatnonzero(rows.codes == c)
        count = int(np.ceil(missing))
        weight = np.ones(count)
        weight[-1] = missing - (count - 1)
        drawn = drawn_places(own, rows.weight, count, rng)
        return rows.like(drawn, self._made(rows, own, drawn, rng), weight)

    def _made(self, rows: Rows, own: Codes, drawn: Codes, rng: np.random.Generator) -> Reals:
        """The cells of new rows, which come from the drawn ones among those of their class."""
        numeric = np.setdiff1d(np.arange(rows.X.shape[1]), rows.categories)
        X = rows.X[drawn]
        spread = np.nanstd(rows.X[np.ix_(own, numeric)], axis=0)
        X[:, numeric] += (self.perturbation * spread * rng.normal(size=(len(drawn), len(numeric)))).astype(X.dtype)
        return X
