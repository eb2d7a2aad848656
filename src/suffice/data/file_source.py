"""The rows of files as a source that can be read as often as a model wants."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InvalidData
from .files import TableFile
from .readahead import ReadAhead
from .schema import Schema
from .source import Chunk, Needs, Source
from .validate import check_chunk, check_has_target, check_some_weight, check_target, check_weight, positions

MOST_CATEGORIES = 100_000  # a text column with more values is an id, not a category

Names = tuple[str, ...]


@dataclass(frozen=True)
class FileSource(Source):
    """Rows of one or more files; make it with `scan`."""

    files: tuple[TableFile, ...]
    schema: Schema
    beside: Schema
    targets: str | Names | None = None
    weight: str | None = None
    needs: Needs = field(default_factory=Needs)
    # The categories of the text columns read so far, shared by all copies so that one pass is enough.
    known: dict[str, Names] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """The number of rows, where the files say it."""
        counts = [file.n_rows for file in self.files]
        return None if None in counts else sum(count or 0 for count in counts)

    def chunks(self) -> Generator[Chunk, None, None]:
        start, total = 0, 0.0
        with closing(ReadAhead(self._read())) as parts:
            for file, chunk in parts:
                checked = self._check(file.stamp.name, chunk)
                total += 0.0 if checked.weight is None else float(checked.weight.sum())
                yield dataclasses.replace(checked, start=start)
                start += len(chunk)
        if self.weight is not None and start:
            check_some_weight(total, self.needs.owner, f"the weight column {self.weight!r} of {self}")

    def _read(self) -> Iterator[tuple[TableFile, Chunk]]:
        """The chunks not yet checked, each with its file and counted from the file's first row."""
        from .arrow import matrix

        for file, row, batch in batches(self.files, self._columns()):
            weight = None if self.weight is None else self._numbers(batch, self.weight)
            yield file, Chunk(matrix(batch, self.schema.columns), self._target(file, batch), weight, row)

    def _columns(self) -> Names:
        targets = as_names(self.targets) if self.needs.target != "none" else ()
        return (*self.schema.names, *targets, *as_names(self.weight))

    def _numbers(self, batch: Any, name: str) -> Any:
        from .arrow import numbers

        return numbers(batch.column(name)).astype(np.float64, copy=False)

    def _target(self, file: TableFile, batch: Any) -> Any:
        from .arrow import labels

        if self.needs.target == "none" or self.targets is None:
            return None
        if self.needs.target == "classes":
            made = [labels(batch.column(name), name in file.integers) for name in as_names(self.targets)]
        else:
            made = [self._numbers(batch, name) for name in as_names(self.targets)]
        return made[0] if isinstance(self.targets, str) else np.stack(made, axis=1)

    def _check(self, origin: str, chunk: Chunk) -> Chunk:
        check_chunk(chunk, self.schema, self.needs, origin)
        weight, y, n, owner = chunk.weight, chunk.y, len(chunk), self.needs.owner
        if weight is not None:
            weight = check_weight(weight, n, owner, f"the weight column {self.weight!r}", chunk.start, origin)
        if y is not None:
            y = check_target(y, n, self.needs, f"the target {self.targets!r}", chunk.start, origin)
        return Chunk(chunk.X, y, weight, chunk.start)

    def target(self) -> Any:
        """The target of every row; only its columns are read."""
        needs = self.needs
        if needs.target == "none":
            kinds = {column.kind for column in self.beside.columns if column.name in as_names(self.targets)}
            needs = dataclasses.replace(needs, target="numbers" if kinds <= {"numeric"} else "classes")
        check_has_target(self.targets is not None, needs)
        alone = dataclasses.replace(self, schema=Schema(()), weight=None, needs=needs)
        return alone.map(lambda chunk: chunk.y)

    def suited_to(self, needs: Needs, columns: Names | None = None) -> FileSource:
        schema = self.schema
        if columns is not None:
            schema = Schema(tuple(schema.columns[j] for j in positions(schema, columns, needs.owner, str(self))))
        source = dataclasses.replace(self, schema=schema, needs=needs)
        source._refuse_target()
        text = next((column.name for column in schema.columns if column.kind == "categorical"), None)
        if text is not None and not needs.categories:
            source._refuse_text(text)
        check_chunk(Chunk(np.empty((0, len(schema))), y=self.targets), schema, needs, str(self))
        return source if text is None else source._with_categories()

    def _refuse_target(self) -> None:
        """Refuse a target that the model cannot use, before anything is read."""
        check_has_target(self.targets is not None, self.needs)
        if self.needs.target == "numbers":
            text = next((c.name for c in self.beside.columns if c.kind == "categorical"), None)
            if text is not None:
                raise InvalidData(
                    f"{self.needs.owner}: the target {text!r} of {self} is categorical; numbers are needed. "
                    "Encode it, or use a classifier."
                )

    def _refuse_text(self, name: str) -> None:
        """Refuse a text column where numbers are needed; say which cell makes it one."""
        from .arrow import is_number, text

        for file, row, batch in batches(self.files, (name,)):
            cells = text(batch.column(name)).to_pylist()
            at = next((i for i, cell in enumerate(cells) if cell is not None and not is_number(cell)), 0)
            mixed = any(cell is not None and is_number(cell) for cell in cells)
            remedy = f"If {cells[at]!r} is a missing value say missing=[{cells[at]!r}, …]; if not, e" if mixed else "E"
            raise InvalidData(
                f"{self.needs.owner}: column {name!r} is categorical (row {row + at + 1} of {file.stamp} holds "
                f"{cells[at]!r}); numbers are needed. {remedy}ncode it, or leave it out with columns=…."
            )

    def _with_categories(self) -> FileSource:
        """The source with the values of its text columns, found in one pass over those not yet known."""
        new = [c.name for c in self.schema.columns if c.kind == "categorical" and c.name not in self.known]
        if new:
            self.known.update(find_categories(self.files, tuple(new), self.needs.owner))
        columns = (dataclasses.replace(c, categories=self.known.get(c.name, ())) for c in self.schema.columns)
        return dataclasses.replace(self, schema=Schema(tuple(columns)))

    def __str__(self) -> str:
        return named(self.files)


def batches(files: Sequence[TableFile], columns: Names) -> Iterator[tuple[TableFile, int, Any]]:
    """These columns of all files: the file, its rows before the batch, and a pyarrow.RecordBatch that is not empty.

    Every file is looked at before, while and after it is read: one that changed is an error.
    """
    for file in files:
        row = 0
        file.stamp.check()
        for batch in file.batches(columns):
            if batch.num_rows:
                yield file, row, batch
            row += batch.num_rows
        file.stamp.check()


def find_categories(files: Sequence[TableFile], columns: Names, owner: str) -> dict[str, Names]:
    """The sorted distinct values of text columns, in one pass."""
    from .arrow import distinct

    found: dict[str, set[str]] = {name: set() for name in columns}
    with closing(ReadAhead(batches(files, columns))) as parts:
        for file, _, batch in parts:
            for name, values in found.items():
                values |= distinct(batch.column(name))
                if len(values) > MOST_CATEGORIES:
                    raise InvalidData(
                        f"{owner}: column {name!r} of {file.stamp} has more than {MOST_CATEGORIES:,} different "
                        "texts, as an id has; leave it out with columns=…."
                    )
    return {name: tuple(sorted(values)) for name, values in found.items()}


def as_names(names: str | Sequence[str] | None) -> Names:
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def named(files: tuple[TableFile, ...]) -> str:
    names = [file.stamp.name for file in files]
    return ", ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1} more files"
