"""The rows of files as a source that can be read as often as a model wants."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ..backend.arrays import Array
from ..errors import InvalidData
from ..typing import Floats, RecordBatch
from .files import TableFile
from .parts import Open, Parts
from .readahead import ReadAhead
from .rows import gaps, stacked
from .schema import Column, Schema
from .source import Chunk, Needs, S, Source, TargetKind
from .validate import (
    check_chunk,
    check_has_target,
    check_some_weight,
    check_target,
    check_weight,
    positions,
    total_weight,
)

if TYPE_CHECKING:
    from .filling import Filling

READING_BYTES = 128 << 20  # held at the most by all who read parts of files at a time

Names = tuple[str, ...]
R = TypeVar("R")


@dataclass(frozen=True)
class FileSource(Source):
    """Rows of one or more files; make it with `scan`."""

    files: tuple[TableFile, ...]
    schema: Schema
    beside: Schema
    targets: str | Names | None = None
    weight: str | None = None
    needs: Needs = field(default_factory=Needs)
    index: Schema = field(default_factory=lambda: Schema(()))
    """Columns that only name the rows."""
    leaves_out: bool = False
    """Whether rows whose target is unknown are left out, where a model has one; else they are refused."""
    # The categories of the text columns read so far, shared by all copies so that one pass is enough.
    known: dict[str, Names] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """The number of rows, where the files say it."""
        if self._may_leave_out:
            return None
        counts = [file.n_rows for file in self.files]
        return None if None in counts else sum(count or 0 for count in counts)

    @property
    def _may_leave_out(self) -> bool:
        return self.leaves_out and self.needs.target != "none"

    @property
    def notes(self) -> tuple[str, ...]:
        """How the files are read, where that is not obvious."""
        return tuple(dict.fromkeys(note for file in self.files for note in file.notes))

    @property
    def examples(self) -> dict[str, str]:
        """How numbers and dates are written that are written for people, an example for each column."""
        return {name: example for file in self.files for name, example in file.examples.items()}

    @property
    def doubts(self) -> tuple[str, ...]:
        """Columns that look like something else than what they are read as, a sentence each."""
        return tuple(dict.fromkeys(doubt for file in self.files for doubt in file.doubts))

    def chunks(self) -> Generator[Chunk, None, None]:
        total, some = 0.0, False
        with closing(self._alone(0, ahead=True)) as chunks:
            for chunk in chunks:
                total, some = total + total_weight(chunk), True
                yield chunk
        if some:
            self._check_total(total)
        elif self._may_leave_out:
            raise InvalidData(f"{self.needs.owner}: the target {self.targets!r} has no values in {self}.")

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        """The merged summary of all rows, in row order; parts of the files are summed up side by side."""
        parts = self._parts()
        if len(parts) < 2:
            return super().reduce(summarise)
        with closing(self._side_by_side(parts, partial(_total, summarise=summarise))) as results:
            total, weight = functools.reduce(lambda a, b: (a[0] + b[0], a[1] + b[1]), results)
        self._check_total(weight)
        return total

    def reduce_targets(self, summarise: Callable[[Chunk], S]) -> S:
        return dataclasses.replace(self, schema=Schema(())).reduce(summarise)

    def map(self, f: Callable[[Chunk], Array]) -> Array:
        """The per-row results of all chunks, in row order; parts of the files are worked on side by side."""
        parts = self._parts()
        if len(parts) < 2:
            return super().map(f)
        with closing(self._side_by_side(parts, partial(_mapped, f=f))) as results:
            found = list(results)
        self._check_total(sum(weight for _, weight in found))
        return stacked([rows for part, _ in found for rows in part])

    def mapped(self, f: Callable[[Chunk], Chunk], schema: Schema | None = None) -> Source:
        return Source.mapped(self._with_target(), f, schema)

    def filtered(self, keep: Callable[[Chunk], Array]) -> Source:
        return Source.filtered(self._with_target(), keep)

    def _with_target(self) -> FileSource:
        """This source, with the target and the missing values that it has where no model has said yet what it needs."""
        if self.needs != Needs():
            return self
        return dataclasses.replace(self, needs=Needs(target=self.target_kind(), missing=True))

    def _parts(self) -> list[Open]:
        """What can be read by itself, in row order; nothing where the rows of a file are not known before."""
        opened: list[Open] = []
        start = 0
        for part in (part for file in self.files if self.n_rows is not None for part in file.parts()):
            opened.append(partial(dataclasses.replace(self, files=(part,))._alone, start))
            start += part.n_rows or 0
        return opened

    def _side_by_side(self, parts: list[Open], job: Callable[[Iterator[Chunk]], R]) -> Generator[R, None, None]:
        held = max(file.held_bytes(self._columns()) for file in self.files)
        return Parts(parts, job, self.n_rows, most=READING_BYTES // held).results()

    def _alone(self, start: int, ahead: bool) -> Generator[Chunk, None, None]:
        """The chunks, the first row being number `start`."""
        with closing(ReadAhead(self._read()) if ahead else self._read()) as filled:
            yield from self._checked(filled, start)

    def _checked(self, filled: Iterable[Filling], start: int) -> Iterator[Chunk]:
        for filling in filled:
            read = filling.chunk()
            chunk = self._with_known_target(read) if self._may_leave_out else read
            if len(chunk):
                yield self._renumbered(
                    self._check(filling.file.stamp.name, chunk, filling.is_finite), start - read.start
                )
            start += len(read)

    def _with_known_target(self, chunk: Chunk) -> Chunk:
        unknown = gaps(chunk.y)
        return chunk.at(np.flatnonzero(~unknown)) if unknown.any() else chunk

    def _renumbered(self, chunk: Chunk, by: int) -> Chunk:
        """A chunk counted from the first row of its file as one counted from the first row of all."""
        numbers = None if chunk.numbers is None else chunk.numbers + by
        return dataclasses.replace(chunk, start=chunk.start + by, numbers=numbers)

    def _check_total(self, weight: float) -> None:
        if self.weight is not None:
            check_some_weight(weight, self.needs.owner, f"the weight column {self.weight!r} of {self}")

    def _read(self) -> Generator[Filling, None, None]:
        """The chunks not yet checked, each with its file and counted from the file's first row."""
        from .filling import Filling, Layout

        filling: Filling | None = None
        layout: Layout | None = None
        for file, row, batch in batches(self.files, self._columns()):
            if filling is not None and not filling.has_room(file, batch):
                yield filling
                layout = layout if filling.file is file else None
                filling = None
            layout = layout or Layout.of(batch, self.schema.columns)
            filling = filling or Filling(file, row, batch, layout)
            weight = None if self.weight is None else self._numbers(batch, self.weight)
            filling.add(batch, self._target(file, batch), weight)
        if filling is not None:
            yield filling

    def _columns(self) -> Names:
        targets = as_names(self.targets) if self.needs.target != "none" else ()
        return (*self.schema.names, *targets, *as_names(self.weight))

    def _numbers(self, batch: RecordBatch, name: str) -> Floats:
        from .arrow import numbers

        return numbers(batch.column(name)).astype(np.float64, copy=False)

    def _target(self, file: TableFile, batch: RecordBatch) -> object:
        from .arrow import labels

        if self.needs.target == "none" or self.targets is None:
            return None
        if self.needs.target == "classes":
            made = [labels(batch.column(name), name in file.integers) for name in as_names(self.targets)]
        else:
            made = [self._numbers(batch, name) for name in as_names(self.targets)]
        return made[0] if isinstance(self.targets, str) else np.stack(made, axis=1)

    def _check(self, origin: str, chunk: Chunk, is_finite: bool) -> Chunk:
        check_chunk(chunk, self.schema, self.needs, origin, cells=not is_finite)
        weight, y, n, owner = chunk.weight, chunk.y, len(chunk), self.needs.owner
        rows = chunk.start if chunk.numbers is None else chunk.numbers
        if weight is not None:
            weight = check_weight(weight, n, owner, f"the weight column {self.weight!r}", rows, origin)
        if y is not None:
            y = check_target(y, n, self.needs, f"the target {self.targets!r}", rows, origin)
        return dataclasses.replace(chunk, y=y, weight=weight)

    def target_kind(self) -> TargetKind:
        """What its target is: by the needs of the model, or else by its columns."""
        if self.needs.target != "none" or self.targets is None:
            return self.needs.target
        kinds = {column.kind for column in self.beside.columns if column.name in as_names(self.targets)}
        return "numbers" if kinds <= {"numeric"} else "classes"

    def row_bytes(self) -> int:
        """What a row of the chunks takes, which are single precision where all columns are."""
        return (4 if self._is_single() else 8) * len(self.schema) + 8 * (self.weight is not None)

    def _is_single(self) -> bool:
        return all(str(self.files[0].fields.field(name).type) == "float" for name in self.schema.names)

    def about_rows(self) -> int | None:
        counts = [file.about_rows() for file in self.files]
        return None if None in counts else sum(count or 0 for count in counts)

    def target(self) -> Array:
        """The target of every row; only its columns are read."""
        needs = self.needs
        if needs.target == "none":
            kind: TargetKind = "numbers" if self.targets is None else self.target_kind()
            needs = dataclasses.replace(needs, target=kind)
        check_has_target(self.targets is not None, needs)
        alone = dataclasses.replace(self, schema=Schema(()), weight=None, needs=needs)
        return alone.map(lambda chunk: chunk.y)

    def count_without_target(self) -> int:
        """How many rows have no target; only its columns are read."""
        needs = dataclasses.replace(self.needs, target=self.target_kind())
        alone = dataclasses.replace(self, schema=Schema(()), weight=None, needs=needs)
        return sum(int(gaps(filled.chunk().y).sum()) for filled in alone._read())

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
                    f"{self.needs.target_owner}: the target {text!r} of {self} is categorical; numbers are needed. "
                    "Encode it, or use a classifier."
                )

    def _refuse_text(self, name: str) -> None:
        """Refuse a text column where numbers are needed; say which cell makes it one."""
        from .text_cells import first_text

        cell = first_text(self, name)
        missing = f"If {cell.value!r} is a missing value say missing=[{cell.value!r}, …]; if not, e"
        raise InvalidData(
            f"{self.needs.owner}: column {name!r} is categorical ({cell.place} holds {cell.value!r}); numbers are "
            f"needed. {missing if cell.numbers else 'E'}ncode it, or leave it out with columns=…."
        )

    def _with_categories(self) -> FileSource:
        """The source with the values of its text columns, found in one pass over those not yet known."""
        return self._with_values({column.name for column in self.schema.columns if column.kind == "categorical"})

    def with_levels(self) -> FileSource:
        """The source with the levels of its ordered columns, target and weight too."""
        return self._with_values({c.name for c in (*self.schema.columns, *self.beside.columns) if c.ordered})

    def _with_values(self, names: set[str]) -> FileSource:
        both = (self.schema, self.beside)
        unknown = [c for schema in both for c in schema.columns if c.name in names and not c.categories]
        new = [column for column in unknown if column.name not in self.known]
        if new:
            from .file_categories import find_categories

            self.known.update(find_categories(self.files, new, self.needs.owner))
        schema, beside = (Schema(tuple(map(self._with_known, schema.columns))) for schema in both)
        return dataclasses.replace(self, schema=schema, beside=beside)

    def _with_known(self, column: Column) -> Column:
        return dataclasses.replace(column, categories=column.categories or self.known.get(column.name, ()))

    def __str__(self) -> str:
        return named(self.files)


def batches(files: Sequence[TableFile], columns: Names) -> Generator[tuple[TableFile, int, RecordBatch], None, None]:
    """These columns of all files: the file, its rows before the batch, and a pyarrow.RecordBatch that is not empty.

    Every file is looked at before, while and after it is read: one that changed is an error.
    """
    for file in files:
        row = file.first_row
        file.stamp.check()
        for batch in file.batches(columns):
            if batch.num_rows:
                yield file, row, batch
            row += batch.num_rows
        file.stamp.check()


def _total(chunks: Iterator[Chunk], summarise: Callable[[Chunk], S]) -> tuple[S, float]:
    """The merged summary of some chunks, at least one, and their weight."""
    first = next(chunks)
    total, weight = summarise(first), total_weight(first)
    for chunk in chunks:
        total, weight = total + summarise(chunk), weight + total_weight(chunk)
    return total, weight


def _mapped(chunks: Iterator[Chunk], f: Callable[[Chunk], Array]) -> tuple[list[Array], float]:
    found = [(f(chunk), total_weight(chunk)) for chunk in chunks]
    return [rows for rows, _ in found], sum(weight for _, weight in found)


def as_names(names: str | Sequence[str] | None) -> Names:
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def named(files: tuple[TableFile, ...]) -> str:
    names = [file.stamp.name for file in files]
    return ", ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1} more files"
