"""Locality-sensitive hashing: few rows are looked at, and some neighbours are missed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..backend.arrays import Array
from ..backend.hashing import MOST_PROJECTIONS, Hashing, HashTables
from ..backend.neighbors import Nearest, Within
from ..distances import Distance
from ..errors import InvalidData, InvalidParameter, squares_overflow
from ..holds import instance, number, optional, require, row_array, whole
from ..typing import Floats
from .base import Index
from .brute import Brute

_SAMPLE = 200  # rows whose neighbours are searched exactly, to measure the recall
_NEIGHBOURS = 10
_MOST_PROBES = 4096  # of each table
_MOST_TABLES = 4096
_LARGEST = 1e18  # the squares of larger numbers overflow in single precision
_CELL = 4.0  # the width of a cell in units of the distance to the tenth neighbour


@dataclass(frozen=True, eq=False)
class LSH(Index):
    """Hash tables in which near rows tend to meet: approximate, the share of true neighbours found (recall) measured.

    For cosine and correlation a bucket is the signs of random projections (Charikar, 2002), for Euclidean distances
    the cells they fall in (Datar et al., 2004). When it is built, the ten nearest rows of a sample are searched
    exactly, and as many buckets are looked into as it takes to find the share `recall` of them; `measured_recall` is
    the share found. Queries with too few candidates are compared with all rows.

    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> index = LSH(recall=0.9).built(X)
    >>> index.measured_recall >= 0.9
    True
    """

    recall: float = 0.9
    n_tables: int = 16
    seed: int = 0
    probes: int = 0  # buckets looked into for each query; found when it is built
    measured_recall: float = math.nan
    tables: HashTables | None = None

    name: ClassVar = "lsh"
    is_exact: ClassVar = False
    holds: ClassVar = {
        "rows": optional(row_array("n", "d", complete=True)),
        "measured_recall": number(finite=False),
        "tables": optional(instance(HashTables, n="n", d="d", tables="tables")),
        "n_tables": whole("tables", at_least=1),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        require((self.rows is None) == (self.tables is None), "tables must be there where rows are")
        most = self.n_tables * 2 * _MOST_PROBES
        require(self.probes <= most, f"probes must be at most {most}; got {self.probes}")

    def __post_init__(self) -> None:
        if isinstance(self.recall, bool) or not isinstance(self.recall, int | float) or not 0 < self.recall <= 1:
            raise InvalidParameter(f"LSH: recall must be a number, above 0, at most 1; got {self.recall!r}.")
        for name, least, most in (("n_tables", 1, _MOST_TABLES), ("seed", 0, np.inf)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                limit = "" if most == np.inf else f", at most {most}"
                raise InvalidParameter(f"LSH: {name} must be an integer, at least {least}{limit}; got {value!r}.")

    @classmethod
    def refusal(cls, measure: Distance, is_sparse: bool) -> str | None:
        if is_sparse:
            return "hash tables need dense rows"
        if not measure.has_kernel or measure.term().kind != "squared":
            return f"there are hash tables for angles and Euclidean distances, not for {measure!r}"
        return None

    # ---- building ----

    def _ready(self) -> Self:
        if sparse.issparse(self.rows) or np.isnan(self.rows).any():
            raise InvalidParameter(
                "LSH: some rows have missing values, and hash tables need whole rows. Fill them, or use Brute()."
            )
        n = len(self.rows)
        if n == 0:
            raise InvalidData("LSH: no rows are left; at least one must stay.")
        largest = float(np.abs(self.rows).max())
        if largest > _LARGEST:
            raise squares_overflow("LSH", largest=largest)
        at = np.random.default_rng(self.seed).permutation(n)[:_SAMPLE]
        sample = np.ascontiguousarray(self.rows[at], dtype=np.float64)
        exact = Brute(self.measure, self.rows)._nearest(sample, min(_NEIGHBOURS + 1, n))
        tables = HashTables.of(self._hashing(float(np.median(exact.distances[:, -1]))), self.rows)
        return replace(self, tables=tables)._tuned(sample, exact, at)

    def _hashing(self, squared: float) -> Hashing:
        """Projections for rows whose tenth neighbour is typically at this squared distance."""
        n, d = self.rows.shape
        by_sign = self.measure.centre == "direction"
        shift = np.zeros(d) if by_sign else self.rows.mean(axis=0, dtype=np.float64)
        spread = math.sqrt(float(np.sum(self.rows.var(axis=0, dtype=np.float64)))) or 1.0
        width = min(_CELL * math.sqrt(squared), 2 * spread) or spread
        bits = max(1, min(26, math.ceil(math.log2(max(n, 4) / 2))))
        entropy = 1.0 if by_sign else math.log2(4.13 * spread / width)  # bits of a cell of a normal projection
        projections = max(1, min(MOST_PROJECTIONS, math.ceil(bits / entropy)))
        rng = np.random.default_rng(self.seed)
        count = self.n_tables * projections
        directions = rng.normal(size=(d, count)) / (1.0 if by_sign else width)
        offsets = np.zeros(count) if by_sign else rng.random(count)
        return Hashing(
            directions, offsets, shift, by_sign, projections,
            projections if by_sign else bits,
        )  # fmt: skip

    def _tuned(self, sample: Floats, exact: Nearest, at: NDArray[np.int64]) -> Self:
        """With as many probes as the recall needs, raised until it is there or most rows are looked at."""
        probes, most = self.n_tables, self.n_tables * _MOST_PROBES
        while True:
            found, compared = self._tables.nearest(sample, exact.rows.shape[1], probes)
            share = _recall(found, exact, at)
            if share >= self.recall or probes >= most or compared.mean() > len(self.rows) / 2:
                return replace(self, probes=probes, measured_recall=share)
            probes += max(1, probes // 4)

    # ---- queries ----

    def _nearest(self, Q: Array, k: int) -> Nearest:
        odd = ~(np.abs(Q).max(axis=1) <= _LARGEST)  # far away, or with missing values
        found, _ = self._tables.nearest(np.where(odd[:, None], 0.0, Q) if odd.any() else Q, k, self.probes)
        short = np.flatnonzero((found.rows[:, -1] < 0) | odd)
        if short.size:
            full = Brute(self.measure, self.rows)._nearest(np.ascontiguousarray(Q[short]), k)
            found.distances[short], found.rows[short] = full
        return found

    def _within(self, Q: Array, radius: float) -> Within:
        if not np.abs(Q).max(initial=0.0) <= _LARGEST:
            return Brute(self.measure, self.rows)._within(Q, radius)
        return self._tables.within(Q, radius, self.probes)

    @property
    def _tables(self) -> HashTables:
        assert self.tables is not None
        return self.tables


def _recall(found: Nearest, exact: Nearest, own: NDArray[np.int64]) -> float:
    """The share of the exact neighbours that were found, the rows themselves not counted."""
    hits = total = 0
    for mine, theirs, row in zip(found.rows, exact.rows, own, strict=True):
        wanted = set(theirs.tolist()) - {int(row)}
        hits += len(wanted & set(mine.tolist()))
        total += len(wanted)
    return hits / total if total else 1.0
