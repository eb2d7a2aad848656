"""Hash tables of rows: rows near each other tend to share a bucket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...holds import floats, instance, integers, require, rises, whole
from ...registry import registered
from ...typing import Floats, Reals, Singles
from ..dense import affine
from ..dispatch import SINGLE, Native, Operation, Portable
from ..followed import Declared, just_made
from ..neighbors.lists import Nearest, Within
from . import native, portable

__all__ = ["MOST_PROJECTIONS", "HashTables", "Hashing", "buckets", "nearest", "within"]

MOST_PROJECTIONS = 32  # of one table
_FARTHEST = np.float32(2**30)  # the numbers of cells, and of those beside them, are 32 bits long
_BLOCK = 1 << 22  # projections computed at once

buckets = Operation(Native(native.buckets, dtypes=(SINGLE,)), Portable(portable.buckets))
nearest = Operation(Native(native.nearest), Portable(portable.nearest))
within = Operation(Native(native.within), Portable(portable.within))


@registered("part/Hashing")
@dataclass(frozen=True)
class Hashing:
    """Random projections of rows, (x − shift) directions + offsets, in units of a cell; or their signs."""

    directions: Floats  # (d, tables projections)
    offsets: Floats  # (tables projections,)
    shift: Floats  # (d,)
    by_sign: bool
    projections: int  # of each table
    bits: int  # 2^bits buckets a table

    holds: ClassVar = {
        "directions": floats("d", "width"),
        "offsets": floats("width"),
        "shift": floats("d"),
        "projections": whole(at_least=1, at_most=MOST_PROJECTIONS),
        "bits": whole(at_least=1, at_most=30),
    }

    def check_loaded(self) -> None:
        """Raise an error unless every bucket that a row may get is one of 2^bits."""
        require(self.n_tables >= 1 and self.directions.shape[1] % self.projections == 0, "directions must be of tables")
        require(not self.by_sign or self.projections == self.bits, "bits must be as many as signs")

    @property
    def n_tables(self) -> int:
        """How many tables."""
        return int(self.directions.shape[1] // self.projections)

    def single(self, X: Reals) -> Singles:
        """The rows about the shift, in single precision."""
        return np.ascontiguousarray(X - self.shift, dtype=np.float32)

    def projected(self, X: Singles) -> Singles:
        """(n, tables projections); what is too far for the number of a cell is in the last one."""
        found: Singles = affine(X, None, self.directions, self.offsets)  # no BLAS: the same bits for any threads
        return np.clip(found, -_FARTHEST, _FARTHEST, out=found)

    def buckets(self, X: Singles) -> NDArray[np.int32]:
        """The bucket of each row in each table, (n, tables)."""
        out = np.empty((len(X), self.n_tables), dtype=np.int32)
        height = max(1, _BLOCK // self.directions.shape[1])
        for start in range(0, len(X), height):
            out[start : start + height] = buckets(self.projected(X[start : start + height]), self)
        return out


@registered("part/HashTables")
@dataclass(frozen=True, eq=False)
class HashTables(Declared):
    """Rows, and for each table the rows in the order of their buckets."""

    hashing: Hashing
    rows: Reals  # (n, d)
    single: Singles  # (n, d), about the shift
    starts: NDArray[np.int32]  # (tables, buckets + 1)
    order: NDArray[np.int32]  # (tables, n)

    holds: ClassVar = {
        "hashing": instance(Hashing, d="d"),
        "rows": floats("n", "d", dtypes=(np.float64, np.float32)),
        "single": floats("n", "d", dtypes=(np.float32,)),
        "starts": integers("tables", None, dtypes=(np.int32,)),
        "order": integers("tables", "n", dtypes=(np.int32,), at_least=0, below="n"),
    }

    def check_loaded(self) -> None:
        """Raise an error unless every bucket is a part of the order."""
        require(len(self.starts) == self.hashing.n_tables, "starts must be of as many tables as there are")
        require(self.starts.shape[1] == (1 << self.hashing.bits) + 1, "starts must be of as many buckets as there are")
        ordered = len(self.rows) and all(rises(own, len(self.rows)) for own in self.starts)
        require(ordered, "starts must rise from 0 to the number of rows")

    @property
    def places(self) -> tuple[NDArray[np.int32], ...]:
        """What the kernels follow."""
        return self.starts, self.order

    @classmethod
    def of(cls, hashing: Hashing, rows: Reals) -> HashTables:
        """The tables of some rows."""
        single = hashing.single(rows)
        buckets = hashing.buckets(single).T
        order = np.stack([np.argsort(own, kind="stable") for own in buckets]).astype(np.int32)
        counts = [np.bincount(own, minlength=1 << hashing.bits) for own in buckets]
        starts = np.stack([np.concatenate([[0], np.cumsum(count)]) for count in counts]).astype(np.int32)
        return just_made(cls(hashing, np.ascontiguousarray(rows), single, starts, order))

    def nearest(self, Q: Floats, k: int, probes: int) -> tuple[Nearest, NDArray[np.int64]]:
        """The nearest of the rows in the `probes` best buckets, and how many these were; lists may not be full."""
        single = self.hashing.single(Q)
        return nearest(Q, single, self.hashing.projected(single), self, k, probes)

    def within(self, Q: Floats, radius: float, probes: int) -> Within:
        """The rows within the radius among those in the best buckets."""
        single = self.hashing.single(Q)
        return within(Q, single, self.hashing.projected(single), self, radius, probes)
