"""Some rows of a table, drawn at random while it is read; the same rows however the table is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.base import Arrays, Statistic
from ..statistics.rows import row_uniforms
from ..typing import Floats

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class DrawnRows(Statistic, saved=False):
    """The `most` rows with the smallest of random numbers, which belong to the number of a row and the seed.

    Rows are in their order; `places` are their numbers among the `seen` rows, from 0.

    >>> import pyarrow as pa
    >>> whole = pa.table({"x": range(100)})
    >>> one, other = (DrawnRows.of(whole[first:first + 50], start=first, most=3) for first in (0, 50))
    >>> bool(np.all((one + other).places == DrawnRows.of(whole, most=3).places))
    True
    """

    rows: pa.Table
    luck: Floats  # (kept,)
    places: NDArray[np.int64]  # (kept,)
    seen: int
    most: int

    @classmethod
    def of(cls, rows: Any, start: Any = 0, most: int = 20, seed: int = 0) -> DrawnRows:
        """Some rows of an Arrow record batch or table; its first row is number `start`, or each has its own number."""
        import pyarrow as pa

        n = rows.num_rows
        numbers = np.arange(start, start + n) if np.ndim(start) == 0 else np.asarray(start)
        luck = row_uniforms(numbers.astype(np.float64)[:, None], seed)
        table = rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])
        return cls._best(table, luck, np.arange(n), n, most)

    def __add__(self, other: DrawnRows) -> DrawnRows:
        import pyarrow as pa

        table = pa.concat_tables([self.rows, other.rows], promote_options="permissive")
        luck, places = np.append(self.luck, other.luck), np.append(self.places, other.places + self.seen)
        return self._best(table, luck, places, self.seen + other.seen, self.most)

    @classmethod
    def _best(cls, table: pa.Table, luck: Floats, places: NDArray[np.int64], seen: int, most: int) -> DrawnRows:
        if len(luck) > most:
            best = np.sort(np.argpartition(luck, most - 1)[:most])
            table, luck, places = table.take(best).combine_chunks(), luck[best], places[best]
        return cls(table, luck, places, seen, most)

    def to_arrays(self) -> Arrays:
        """The rows as the bytes of an Arrow stream."""
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.rows.schema) as stream:
            stream.write_table(self.rows)
        counts = {"seen": np.array(self.seen), "most": np.array(self.most)}
        return {"rows": np.frombuffer(sink.getvalue(), np.uint8), "luck": self.luck, "places": self.places, **counts}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> DrawnRows:
        import pyarrow as pa

        table = pa.ipc.open_stream(pa.py_buffer(arrays["rows"])).read_all()
        return cls(table, arrays["luck"], arrays["places"], int(arrays["seen"]), int(arrays["most"]))

    def comparable(self) -> Arrays:
        """Which rows were drawn, whatever their order."""
        order = np.argsort(self.luck)
        cells = {name: self.rows.column(name).to_numpy()[order] for name in self.rows.schema.names}
        return {"luck": self.luck[order], "seen": np.array(self.seen), **cells}

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        import pyarrow as pa

        return pa.table({"x": rng.normal(size=n), "word": rng.choice(["red", "green"], n)}), np.arange(n)
