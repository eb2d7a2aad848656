"""Files to scan, and a small summary of their rows."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from suffice.data import Chunk, Needs
from suffice.data.scan import FileSource

GAPS = Needs(owner="PCA", missing=True)
CLASSES = Needs(owner="Lda", target="classes")
NUMBERS = Needs(owner="Ols", target="numbers")
CATEGORIES = Needs(owner="Tree", categories=True, missing=True)


@dataclass(frozen=True)
class Sums:
    """A small summary: rows, sums and sums of squares of the cells."""

    n: int
    first: Any
    second: Any

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.n + other.n, self.first + other.first, self.second + other.second)


def summarise(chunk: Chunk) -> Sums:
    return Sums(len(chunk), chunk.X.sum(axis=0), chunk.X.T @ chunk.X)


def with_blocks(source: FileSource, size: int) -> FileSource:
    """The source with other sizes of blocks, in bytes."""
    name = "block_bytes" if hasattr(source.files[0], "block_bytes") else "batch_bytes"
    files = tuple(dataclasses.replace(file, **{name: size, "batches_a_chunk": 1}) for file in source.files)  # type: ignore[type-var]
    return dataclasses.replace(source, files=files)


def cells(source: FileSource) -> Any:
    return source.map(lambda chunk: chunk.X)


def write(path: Path, columns: dict[str, Any]) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    else:
        pd.DataFrame(columns).to_csv(path, index=False)
    return path
