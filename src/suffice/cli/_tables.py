"""What the commands that read a table have in common: its options, the reading, and the writing of results."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..replacing import replacing

if TYPE_CHECKING:
    from ..data.file_source import FileSource

F = TypeVar("F", bound=Callable[..., Any])


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
        click.option("--decimal", help="CSV: the decimal point."),
        click.option("--encoding", help="CSV: how the text is encoded, such as latin-1."),
        click.option("--missing", multiple=True, help="CSV: one more text that means a missing value."),
        click.option("--type", "types", multiple=True, help="A column's kind, or its levels in order: size=S,M,L."),
        click.option("--threads", type=click.IntRange(min=1), help="Threads to use; all cores by default."),
        click.option("--progress/--no-progress", default=True, help="A progress bar, where stderr is a terminal."),
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

    def source(self, categories: bool, columns: tuple[str, ...] | None = None) -> Any:
        """The rows; columns of text are left out, and named, for a model that cannot use them."""
        from ..data.scan import scan

        whole = scan(self._path, target=self.target, weight=self.weight, **self._options)
        known = [*whole.schema.names, *whole.beside.names]
        chosen, drop = columns_in(self._columns, known), columns_in(self._drop, known) or ()
        _check_known([*(chosen or ()), *drop], whole)
        names = [name for name in columns or chosen or whole.schema.names if name not in drop]
        if columns is None and chosen is None:
            names = _usable(whole, names, categories)
        return scan(self._path, target=self.target, weight=self.weight, columns=names, **self._options)


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
    """The options of `scan` that were given; one more spelling of a missing value is added to the usual ones."""
    given = {name: value for name, value in options.items() if value not in (None, ())}
    if "missing" in given:
        from ..data.scan import MISSING

        given["missing"] = (*MISSING, *given["missing"])
    if "types" in given:
        given["types"] = dict(map(_type_in, given["types"]))
    return given


def _type_in(text: str) -> tuple[str, str | tuple[str, ...]]:
    """A column and its kind or its levels.

    >>> _type_in("zip=categorical"), _type_in("size=S,M,L")
    (('zip', 'categorical'), ('size', ('S', 'M', 'L')))
    """
    name, equals, wanted = text.rpartition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} has no =; write COLUMN=KIND or COLUMN=LEVEL,LEVEL.", param_hint="--type")
    return name, names_in(wanted) or () if "," in wanted else wanted


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


def columns_of(text: str | None, data: str, options: Mapping[str, Any]) -> tuple[str, ...]:
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


def _check_known(names: list[str], source: Any) -> None:
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

    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    if output is None:
        sys.stdout.flush()
        csv.write_csv(table, sys.stdout.buffer)
        return
    ending = os.path.splitext(output)[1].lower()
    if ending not in (".csv", ".tsv", ".parquet", ".json"):
        raise click.ClickException(
            f"{output!r} ends in {ending!r}; results are written as .csv, .tsv, .parquet or .json."
        )
    with replacing(output) as file:
        if ending == ".json":
            file.write(json.dumps(table.to_pylist(), ensure_ascii=False).encode())
        elif ending == ".parquet":
            parquet.write_table(table, file)
        else:
            csv.write_csv(table, file, csv.WriteOptions(delimiter="\t" if ending == ".tsv" else ","))
