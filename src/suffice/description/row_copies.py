"""How many rows of a table are copies of others: a hash for each row, counted in bounded memory.

Rows that are equal have equal hashes, so where there are too many to keep, those whose hash is divisible by 2, by 4, …
are kept: a sample of different rows that has every copy of each of them, whatever the order and the merges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..data.digest import mixed
from ..statistics.base import Arrays, Statistic
from ..typing import Whole

if TYPE_CHECKING:
    import pyarrow as pa

Hashes = NDArray[np.uint64]
MOST = 1 << 21  # hashes that are kept: 16 MB
_BASE = 0x9E3779B97F4A7C15  # odd, so that its powers never vanish
_MISSING = np.uint64(0x7FF8DEAD00000001)
_LETTERS = 1 << 15  # bytes of texts that are hashed at once
_LARGEST_WHOLE = 2.0**53  # up to which floats hold every integer


@dataclass(frozen=True)
class RowCopies(Statistic, saved=False):
    """The hashes of rows, each as often as it occurs; beyond two million different ones, of one row in 2^`level`.

    >>> import pyarrow as pa
    >>> both = RowCopies.of(pa.table({"x": [1, 2]})) + RowCopies.of(pa.table({"x": [2, 2]}))
    >>> both.rows, both.copies, both.exact
    (4, 2, True)
    """

    rows: int
    level: int
    hashes: tuple[Hashes, ...]
    counts: tuple[Whole, ...]

    @classmethod
    def zero(cls) -> RowCopies:
        """Of no rows."""
        return cls(0, 0, (), ())

    @classmethod
    def of(cls, table: pa.Table) -> RowCopies:
        """Of an Arrow record batch or table."""
        hashes = row_hashes(table)
        if not len(hashes):
            return cls.zero()
        return cls(len(hashes), 0, (hashes,), (np.broadcast_to(np.int64(1), len(hashes)),))._settled()

    def __add__(self, other: RowCopies) -> RowCopies:
        level = max(self.level, other.level)
        one, more = self._at(level), other._at(level)
        both = RowCopies(one.rows + more.rows, level, one.hashes + more.hashes, one.counts + more.counts)
        return both._settled()

    def _settled(self) -> RowCopies:
        """The same within bounds: equal hashes are put together once there are too many, then every other one goes."""
        found = self
        if sum(map(len, self.hashes)) > MOST:
            found = self._joined()
            while len(found.hashes[0]) > MOST // 2:
                found = found._at(found.level + 1)
        return found

    def _joined(self) -> RowCopies:
        """The same with each hash once, in order."""
        if not self.hashes:
            return self
        hashes, at = np.unique(np.concatenate(self.hashes), return_inverse=True)
        counts = np.bincount(at, np.concatenate(self.counts)).astype(np.int64)
        return RowCopies(self.rows, self.level, (hashes,), (counts,))

    def _at(self, level: int) -> RowCopies:
        if level == self.level:
            return self
        kept = [(hashes & np.uint64((1 << level) - 1)) == 0 for hashes in self.hashes]
        hashes = tuple(values[mask] for values, mask in zip(self.hashes, kept, strict=True))
        counts = tuple(values[mask] for values, mask in zip(self.counts, kept, strict=True))
        return RowCopies(self.rows, level, hashes, counts)

    @property
    def exact(self) -> bool:
        """Whether every row was looked at."""
        return self.level == 0

    @property
    def copies(self) -> int:
        """How many rows, of those whose hashes are kept, are copies of an earlier one: at least so many there are."""
        return self.checked - len(np.unique(np.concatenate(self.hashes))) if self.hashes else 0

    @property
    def equal_pairs(self) -> float:
        """How many pairs of rows are equal."""
        if not self.copies:
            return 0.0
        joined = self._joined()
        counts = joined.counts[0].astype(np.float64) if joined.counts else np.empty(0)
        return float((counts * (counts - 1)).sum() / 2)

    @property
    def checked(self) -> int:
        """How many rows were compared with all others."""
        return int(sum(counts.sum() for counts in self.counts))

    def comparable(self) -> Arrays:
        """The different hashes in order, and how often each occurs."""
        joined = self._joined()
        none = np.empty(0)
        pair = (joined.hashes[0], joined.counts[0]) if joined.hashes else (none, none)
        return {"rows": np.array([self.rows, self.level]), "hashes": pair[0].astype(np.float64), "counts": pair[1]}

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[pa.Table, ...]:
        import pyarrow as pa

        return (pa.table({"size": rng.integers(0, 3, n), "colour": rng.choice(["red", "green"], n)}),)


def row_hashes(table: pa.Table) -> Hashes:
    """One number (n,) for each row of an Arrow table or record batch, equal for equal rows."""
    total = np.zeros(table.num_rows, dtype=np.uint64)
    for column in table.columns:
        total = mixed((total ^ cell_hashes(column)) * np.uint64(_BASE))
    return total


def cell_hashes(column: pa.Array) -> Hashes:
    """One number (n,) for each cell of an Arrow column: the bits of a number, the hash of a text."""
    import pyarrow as pa

    cells = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = cells.type
    if pa.types.is_dictionary(kind):
        return _by_code(cells)
    if pa.types.is_temporal(kind):
        cells = cells.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    if pa.types.is_boolean(kind):
        cells = cells.cast(pa.uint8())
    if pa.types.is_integer(cells.type):
        return _of_integers(cells)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return _of_floats(cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    text = cells if pa.types.is_string(kind) else cells.cast(pa.string())
    return _by_code(text.dictionary_encode())


def _of_integers(cells: pa.Array) -> Hashes:
    """As of equal floats; those that no float holds by their own bits."""
    whole = cells.fill_null(0).to_numpy(zero_copy_only=False)
    values = whole.astype(np.float64)
    large = np.abs(values) > _LARGEST_WHOLE
    if cells.null_count:
        values[~cells.is_valid().to_numpy(zero_copy_only=False)] = np.nan
    hashes = _of_floats(values)
    return np.where(large, mixed(whole.astype(np.uint64)), hashes) if large.any() else hashes


def _of_floats(values: NDArray[np.float64]) -> Hashes:
    bits = (values + 0.0).view(np.uint64)  # −0 becomes 0
    return mixed(np.where(np.isnan(values), _MISSING, bits))


def _by_code(cells: pa.Array) -> Hashes:
    """Of a dictionary of texts: each different one is hashed once."""
    import pyarrow as pa

    hashes = np.append(_of_texts(cells.dictionary.cast(pa.large_string())), _MISSING)
    return np.asarray(hashes[cells.indices.cast(pa.int64()).fill_null(-1).to_numpy()])


def _of_texts(texts: pa.Array) -> Hashes:
    """Of plain texts: Σ byte · b^place, the place from the front, and the length; some kilobytes at a time."""
    if not len(texts):
        return np.empty(0, np.uint64)
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    letters = np.frombuffer(data or b"", np.uint8)
    found = np.empty(len(texts), np.uint64)
    first = 0
    while first < len(texts):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + _LETTERS, side="right")) - 1)
        own = ends[first : last + 1]
        found[first:last] = _of_letters(letters[own[0] : own[-1]], own - own[0])
        first = last
    return found


def _of_letters(letters: NDArray[np.uint8], ends: NDArray[np.int64]) -> Hashes:
    lengths = np.diff(ends)
    if not len(letters):
        return mixed(lengths.astype(np.uint64))
    powers = np.cumprod(np.full(int(lengths.max()), _BASE, np.uint64), dtype=np.uint64)
    place = np.arange(len(letters)) - np.repeat(ends[:-1], lengths)
    sums = np.append(np.uint64(0), np.cumsum((letters + np.uint64(1)) * powers[place], dtype=np.uint64))
    return mixed((sums[ends[1:]] - sums[ends[:-1]]) ^ lengths.astype(np.uint64))
