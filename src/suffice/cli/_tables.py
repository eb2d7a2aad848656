"""What the commands that read a table have in common: its options, the reading, and the writing of results."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..replacing import replacing
from ..text import counted
from ._json import as_json
from ._said import as_options

if TYPE_CHECKING:
    from ..data.file_source import FileSource
    from ..description import Description
    from ..estimator import Estimator

F = TypeVar("F", bound=Callable[..., object])


def reads_a_table(f: F) -> F:
    """The argument DATA and the options that say how it is read and what its columns are for."""
    options = [
        click.argument("data"),
        click.option("--target", help="The column to predict."),
        click.option("--weight", help="The column that holds the weights of the rows."),
        click.option("--columns", help="The columns to use, with commas between; all others by default."),
        click.option("--drop", help="Columns to leave out, with commas between."),
    ]
    return _with(options, reads_a_file(f))


def reads_a_file(f: F) -> F:
    """The options that say how a file is read, on how many threads, and whether there is a progress bar."""
    options = [
        click.option("--delimiter", help="CSV: what stands between two cells."),
        click.option("--decimal", help="CSV: the decimal mark, where , or . can be read in two ways."),
        click.option("--thousands", help="CSV: what sets thousands apart, where , or . can be read in two ways."),
        click.option("--encoding", help="CSV: how the text is encoded, such as latin-1."),
        click.option("--missing", multiple=True, help="CSV: one more text that means a missing value."),
        click.option("--present", multiple=True, help="CSV: a text that is a value, though it may mean none."),
        click.option(
            "--type",
            "--types",
            "types",
            multiple=True,
            help="A column's kind, its levels in order, or how it is written: size=S,M,L, day=dd/mm/yyyy.",
        ),
        click.option("--threads", type=click.IntRange(min=1), help="Threads to use; all cores by default."),
        click.option("--progress/--no-progress", default=True, help="A progress bar, where stderr is a terminal."),
    ]
    return _with(options, f)


def divides_rows(f: F) -> F:
    """The options that say which rows models learn from when others are predicted, where folds at random flatter."""
    options = [
        click.option("--time", help="A column of dates or numbers: every row is predicted from earlier ones alone."),
        click.option("--groups", help="A column that says which rows belong together: they are in one fold."),
    ]
    return _with(options, f)


def _with(options: list[Any], f: F) -> F:
    for option in reversed(options):
        f = option(f)
    return f


class Reading:
    """A table that a command was asked to read, and the context that its work runs in."""

    def __init__(self, stack: ExitStack, data: str, **options: Any) -> None:
        use(stack, options.pop("threads", None), options.pop("progress", True) and sys.stderr.isatty())
        self.target, self.weight = options.pop("target", None), options.pop("weight", None)
        self._columns, self._drop = options.pop("columns", None), options.pop("drop", None)
        self._path, self.name = path_of(stack, data), data
        self._options = reading(options)

    def source(self, categories: bool, columns: tuple[str, ...] | None = None) -> FileSource:
        """The rows; columns of text are left out, and named, for a model that cannot use them."""
        whole = self._scanned(None)
        known = [*whole.schema.names, *whole.beside.names]
        chosen, drop = columns_in(self._columns, known), columns_in(self._drop, known) or ()
        _check_known([*(chosen or ()), *drop], whole)
        names = [name for name in columns or chosen or whole.schema.names if name not in drop]
        if columns is None and chosen is None:
            names = _without_row_numbers(whole, _usable(whole, names, categories))
        say_how_read(whole.notes, whole.doubts)
        return self._scanned(names)

    def _scanned(self, columns: Sequence[str] | None) -> FileSource:
        from ..data.scan import scan

        asked = {"target": self.target, "weight": self.weight, "columns": columns, "without_target": "leave_out"}
        return scan(self._path, **asked, **self._options)

    def for_model(self, model: Estimator) -> tuple[FileSource, Description]:
        """The rows for a model, and what all columns hold; those without any value are left out, and named."""
        source, described = self.source(categories=model._needs().categories), self.described()
        empty = {column.name for column in described.columns if column.missing == described.rows}
        left = [name for name in source.schema.names if name in empty]
        rest = tuple(name for name in source.schema.names if name not in empty)
        if left and rest and self._columns is None:
            click.echo(f"left out, as they have no values: {', '.join(left)}", err=True)
            source = self._scanned(rest)
        return source, described

    def described(self) -> Description:
        """All columns of the table, with every category."""
        from ..description import describe
        from ..persist.training import MOST_VALUES

        return describe(self._path, top=MOST_VALUES, **self._options)

    def check_holds(self, names: Sequence[str], model: str) -> None:
        """Refuse a table that lacks columns which a model learned from."""
        from ..data.table import as_table
        from ..errors import InvalidData, did_you_mean
        from ..text import listed

        known = list(as_table(self._path, **self._options).schema.names)
        lacking = [name for name in names if name not in known]
        if lacking:
            hint = did_you_mean(lacking[0], known) if len(lacking) == 1 else ""
            raise InvalidData(
                f"{self.name} lacks {counted(len(lacking), 'column')} that {model} learned from: "
                f"{listed(list(map(repr, lacking)))}.{hint} Its columns: {listed(known)}."
            )

    def expect(self, types: Mapping[str, object]) -> None:
        """Read columns as what they were elsewhere, but for those whose kind was given."""
        self._options["types"] = {**types, **self._options.get("types", {})}

    def columns(self, names: Sequence[str]) -> dict[str, Any]:
        """Some columns as they are, in memory."""
        import pyarrow as pa

        from ..data.table import as_table

        if not names:
            return {}
        parts = [chunk.X.select(list(names)) for chunk in as_table(self._path, **self._options).chunks()]
        whole = pa.concat_tables([pa.Table.from_batches([p]) if isinstance(p, pa.RecordBatch) else p for p in parts])
        return {name: whole.column(name) for name in names}

    def rows(self, names: Sequence[str]) -> object:
        """Some columns in memory, dates as days since 1970: as `suffice report` learns from them."""
        from ..report.rows import read_rows

        return read_rows(self._path, rows=None, **self._options).table(names)


def use(stack: ExitStack, threads: int | None, progress: bool) -> None:
    """Put the wanted number of threads and the progress bar in force."""
    if threads is not None:
        import pyarrow

        from .. import backend

        pyarrow.set_cpu_count(threads)
        stack.enter_context(backend.threads(threads))
    if progress:
        from ..engine import progress as bar

        stack.enter_context(bar())


def reading(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `scan` that were given; texts for missing values are added to the usual ones, or taken off."""
    given = {name: value for name, value in options.items() if value not in (None, ())}
    if given.keys() & {"missing", "present"}:
        from ..data.scan import MISSING

        present = given.pop("present", ())
        given["missing"] = (*(text for text in MISSING if text not in present), *given.get("missing", ()))
    if "types" in given:
        given["types"] = dict(map(_type_in, given["types"]))
    return given


def say_how_read(notes: Sequence[str], doubts: Sequence[str]) -> None:
    """What is not obvious about how a table was read, on stderr."""
    for words in (*notes, *(f"suffice: warning: {doubt}" for doubt in doubts)):
        click.echo(as_options(words), err=True)


def _type_in(text: str) -> tuple[str, str | tuple[str, ...]]:
    """A column and its kind or its levels.

    >>> _type_in("zip=categorical"), _type_in("size=S,M,L")
    (('zip', 'categorical'), ('size', ('S', 'M', 'L')))
    >>> _type_in("price=1,234.5")
    ('price', '1,234.5')
    """
    from ..data.written import written_like

    name, equals, wanted = text.rpartition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} has no =; write COLUMN=KIND or COLUMN=LEVEL,LEVEL.", param_hint="--type")
    return name, names_in(wanted) or () if "," in wanted and written_like(wanted) is None else wanted


def names_in(text: str | None) -> tuple[str, ...] | None:
    """The names in a text with commas between."""
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def columns_in(text: str | None, known: Sequence[str]) -> tuple[str, ...] | None:
    """The columns that a text with commas between names: as the table writes them, else without the spaces around.

    >>> columns_in("Age , Sex", ["Age ", "Sex"])
    ('Age ', 'Sex')
    """
    if text is None:
        return None
    given = [name for name in text.split(",") if name.strip()]
    spellings = {name.strip(): name for name in reversed(known)} | {name: name for name in known}
    return tuple(spellings.get(name, spellings.get(name.strip(), name.strip())) for name in given)


def columns_of(text: str | None, data: str, options: Mapping[str, object]) -> tuple[str, ...]:
    """The columns of a table, not yet opened, that a text names."""
    from ..data.table import as_table

    return columns_in(text, as_table(data, **options).schema.names) or () if text else ()


def path_of(stack: ExitStack, data: str) -> str:
    """A file, a bundled table, or - for standard input, which is kept in a file for as long as the command runs."""
    from ..data import datasets

    if data == "-":
        kept = tempfile.NamedTemporaryFile(suffix=".csv")  # noqa: SIM115 (closed with the stack)
        stack.enter_context(kept)
        for block in iter(lambda: sys.stdin.buffer.read(1 << 20), b""):
            kept.write(block)
        kept.flush()
        return kept.name
    if not os.path.exists(data) and data in datasets.names():
        return datasets.path(data)
    if not os.path.exists(data) and not any(letter in data for letter in "*?[/\\."):
        datasets.load(data)  # raises the sentence that names the bundled tables
    return data


def _check_known(names: list[str], source: FileSource) -> None:
    from ..errors import InvalidData, did_you_mean

    known = [*source.schema.names, *source.beside.names]
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise InvalidData(
            f"{source} has no column {unknown!r}.{did_you_mean(unknown, known)} Its columns: {', '.join(known)}."
        )


def _usable(source: FileSource, names: list[str], categories: bool) -> list[str]:
    """The columns a model can use; what is left out is said on stderr, with the cell that made numbers text."""
    kinds = {column.name: column.kind for column in source.schema.columns}
    refused = {"date"} if categories else {"date", "categorical"}
    left = [name for name in names if kinds[name] in refused]
    for name in names if categories else ():
        why = _why_text(source, name) if kinds[name] == "categorical" else ""
        if why:
            click.echo(f"taken as categories: {name}{why}", err=True)
    if left and len(left) < len(names):
        shown = [name + (_why_text(source, name) if kinds[name] == "categorical" else "") for name in left]
        click.echo(f"left out, as this model needs numbers: {', '.join(shown)}", err=True)
        return [name for name in names if name not in left]
    return names


def _without_row_numbers(source: FileSource, names: list[str]) -> list[str]:
    """The columns without those of numbers that only name the rows, as far as the first ones tell; that is said."""
    import numpy as np

    from ..data.arrow import numbers
    from ..data.file_source import batches
    from ..data.row_numbers import is_called_id, number_rows

    whole = [c.name for c in source.schema.columns if c.kind == "numeric" and c.name in names]
    found = []
    first = [batch for _, _, batch in islice(batches(source.files, tuple(whole)), 1)] if whole else []
    for name in whole if first else ():
        cells = np.asarray(numbers(first[0].column(name)), dtype=np.float64)
        rises = bool((cells[1:] > cells[:-1]).all()) and not is_called_id(name)
        if not rises and number_rows(name, cells, len(cells), cells.min(), cells.max()):
            found.append(name)
    if not found or len(found) == len(names):
        return names
    click.echo(f"left out, as they only number the rows (--columns uses them): {', '.join(found)}", err=True)
    return [name for name in names if name not in found]


def _why_text(source: FileSource, name: str) -> str:
    from ..data.text_cells import first_text

    cell = first_text(source, name)
    if not cell.among_numbers:
        return ""
    return f" ({cell.place} holds {cell.value!r} among numbers; if it is a missing value: --missing {cell.value!r})"


def write_columns(columns: Mapping[str, object], output: str | None) -> None:
    """Write columns of equal length as CSV, Parquet or JSON, by the ending of the file; CSV on standard output."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    table = pa.table({k: v if isinstance(v, pa.ChunkedArray) else pa.array(v) for k, v in columns.items()})
    if output is None:
        sys.stdout.flush()
        csv.write_csv(table, sys.stdout.buffer)
        return
    ending = os.path.splitext(output)[1].lower()
    with replacing(output) as file:
        if ending == ".json":
            file.write(as_json(table.to_pylist()).encode())
        elif ending == ".parquet":
            parquet.write_table(table, file)
        else:
            csv.write_csv(table, file, csv.WriteOptions(delimiter="\t" if ending == ".tsv" else ","))
