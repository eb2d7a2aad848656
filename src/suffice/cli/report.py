"""`suffice report DATA`: a table from end to end, as one page."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from ._json import echo_json
from ._outputs import FileOption, keeps_the_best, writes_a_file
from ._said import as_options
from ._tables import columns_of, divides_rows, path_of, reading, reads_a_file, use

if TYPE_CHECKING:
    from ..report.page import Report


def _beside(data: str) -> str:
    """A name for the page, in the folder where the command runs."""
    stem = os.path.basename(data.rstrip("/\\")).partition(".")[0]
    kept = "".join(letter for letter in stem if letter.isalnum() or letter in "-_")
    return f"{kept or 'table'}-report.html"


@click.command("report")
@click.argument("data")
@click.option("--target", help="The column to predict.")
@keeps_the_best
@writes_a_file("Where to write the page; DATA-report.html by default.", _beside)
@click.option("--drop", help="Columns that nothing is learned from, with commas between.")
@divides_rows
@click.option(
    "--costs", cls=FileOption, help="A file of costs, CSV, JSON or YAML: classes by actions; says what to do."
)
@click.option("--doubt", type=click.FloatRange(min=0), help="With --costs: what it costs to leave a row to a person.")
@click.option("--task", type=click.Choice(["auto", "classes", "numbers"]), default="auto", show_default=True,
              help="What the target holds.")  # fmt: skip
@click.option("--rows", default=10_000, show_default=True, type=click.IntRange(min=1),
              help="The most rows to look at closely; the description is of all.")  # fmt: skip
@click.option("--seconds", default=10.0, show_default=True, type=click.FloatRange(min=0, min_open=True),
              help="About how long all models together may be fitted.")  # fmt: skip
@click.option("--title", help="The heading; the name of the table by default.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of random numbers.")
@click.option("--json", "as_json", is_flag=True, help="Write the summary as JSON.")
@reads_a_file
def command(data: str, target: str | None, output: str, save: str | None, drop: str | None, time: str | None,
            groups: str | None, costs: str | None, doubt: float | None, task: Any, rows: int, seconds: float,
            title: str | None, seed: int, as_json: bool, threads: int | None, progress: bool,
            **options: object) -> None:  # fmt: skip
    """Report on a table: what it holds, its structure, and how well a target can be told.

    DATA is a CSV or Parquet file of any size, a bundled table such as crabs, or - for standard input. The page is one
    file that needs no network.
    """
    if save is not None and target is None:
        raise click.UsageError("--save keeps the best model for a target; name the column with --target.")
    if time is not None and target is None:
        raise click.UsageError("--time says how a target is predicted; name the column with --target.")
    if groups is not None and target is None:
        raise click.UsageError("--groups says how a target is predicted; name the column with --target.")
    if (costs is not None or doubt is not None) and target is None:
        raise click.UsageError("--costs and --doubt say what to do by a target; name the column with --target.")
    with ExitStack() as stack:
        use(stack, threads, progress and sys.stderr.isatty())
        from ..report.page import report

        table = path_of(stack, data) if data == "-" else data
        name = title or ("standard input" if data == "-" else None)
        read = reading(options)
        made = report(table, target, task=task, leave_out=columns_of(drop, table, read), time=time,
                      groups=groups, costs=costs, doubt=doubt, rows=rows,
                      seconds=seconds, title=name, random_state=seed, **read)  # fmt: skip
        made.save(output)
        kept = made.winner.keep(save) if save is not None and made.winner is not None else ""
    _say(made, output, save if kept else None, kept, as_json)
    if save is not None and not kept:
        raise click.ClickException(f"there is no model to save: {as_options(' '.join(made.short[-1:]))}")


def _say(made: Report, output: str, save: str | None, kept: str, as_json: bool) -> None:
    """What was found, and what was written where."""
    size = os.path.getsize(output)
    if as_json:
        short = list(map(as_options, made.short))
        echo_json({"path": output, "bytes": size, "title": made.title, "summary": short, "save": save})
        return
    click.echo(as_options(str(made)))
    click.echo(f"written: {output} ({size / 1024:,.0f} kB)")
    if kept:
        click.echo(f"kept in {save}: {kept}")
