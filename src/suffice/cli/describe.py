"""`suffice describe`: what the columns of a table look like."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ._json import echo_json
from ._said import as_options
from ._tables import path_of, reading, reads_a_file, use

if TYPE_CHECKING:
    from ..description import Description
    from ..description.text import Section

_COLOURS = {"numbers": "cyan", "ordinal": "blue", "categories": "green", "dates": "magenta"}


@click.command("describe")
@click.argument("data")
@click.option(
    "--top",
    default=3,
    show_default=True,
    type=click.IntRange(min=0),
    help="Most frequent categories to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON with every figure in full.")
@reads_a_file
def command(data: str, top: int, as_json: bool, threads: int | None, progress: bool, **options: object) -> None:
    """Describe the columns of a table.

    DATA is a CSV or Parquet file of any size, a bundled table such as iris or crabs, or - for standard input.
    """
    with ExitStack() as stack:
        use(stack, threads, progress and sys.stderr.isatty())
        from ..description import describe

        table = path_of(stack, data) if data == "-" else data
        found = describe(table, top=top, **reading(options))
        title = "standard input" if data == "-" else found.title
        notes, warnings = (tuple(map(as_options, said)) for said in (found.notes, found.warnings))
        description = replace(found, title=title, notes=notes, warnings=warnings)
    if as_json:
        echo_json(description.to_dict())
    elif sys.stdout.isatty():
        _show(description)
    else:
        click.echo(str(description))


def _show(description: Description) -> None:
    """Print to a terminal, in as much of its width as is needed."""
    from rich.console import Console
    from rich.text import Text

    from ..description.text import headline, notes, sections

    console = Console(highlight=False)
    console.print(Text(headline(description), style="bold"))
    dropped: list[str] = []
    for section in sections(description):
        fitting = section.within(console.width)
        dropped += [title for title in section.header if title not in (*fitting.header, *dropped)]
        console.print()
        console.print(_table(fitting))
    console.print()
    if dropped:
        console.print(Text(f"left out for want of width: {', '.join(dropped)}", style="dim"))
    for note in notes(description):
        console.print(Text(note, style="yellow" if note.startswith("warning") else "dim"))


def _table(section: Section) -> object:
    """The section as a table of rich; only names and words may be shortened, never a figure."""
    from rich.table import Table
    from rich.text import Text

    from ..description.text import SHORTEST

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for j, (title, width) in enumerate(zip(section.header, section.widths(), strict=True)):
        figure = section.right_aligned(j)
        table.add_column(
            Text(title),
            justify="right" if figure else "left",
            min_width=width if figure else min(width, SHORTEST),
            no_wrap=figure,
            style=_COLOURS[section.kind] if j == 0 else None,
        )
    for row in section.rows:
        table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
    return table
