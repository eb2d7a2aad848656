"""`suffice report DATA`: a table from end to end, as one page."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from typing import Any

import click

from ._outputs import writes_a_file
from ._tables import columns_of, path_of, reading, reads_a_file, use


def _beside(data: str) -> str:
    """A name for the page, in the folder where the command runs."""
    stem = os.path.basename(data.rstrip("/\\")).partition(".")[0]
    kept = "".join(letter for letter in stem if letter.isalnum() or letter in "-_")
    return f"{kept or 'table'}-report.html"


@click.command("report")
@click.argument("data")
@click.option("--target", help="The column to predict.")
@writes_a_file("Where to write the page; DATA-report.html by default.", _beside)
@click.option("--drop", help="Columns that nothing is learned from, with commas between.")
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
def command(data: str, target: str | None, output: str, drop: str | None, task: Any, rows: int, seconds: float,
            title: str | None, seed: int, as_json: bool, threads: int | None, progress: bool,
            **options: object) -> None:  # fmt: skip
    """Report on a table: what it holds, its structure, and how well a target can be told.

    DATA is a CSV or Parquet file of any size, a bundled table such as crabs, or - for standard input. The page is one
    file that needs no network.
    """
    with ExitStack() as stack:
        use(stack, threads, progress and sys.stderr.isatty())
        from ..report.page import report

        table = path_of(stack, data) if data == "-" else data
        name = title or ("standard input" if data == "-" else None)
        read = reading(options)
        made = report(table, target, task=task, leave_out=columns_of(drop, table, read), rows=rows, seconds=seconds,
                      title=name, random_state=seed, **read)  # fmt: skip
    made.save(output)
    size = os.path.getsize(output)
    if as_json:
        click.echo(json.dumps({"path": output, "bytes": size, "title": made.title, "summary": made.short}, indent=2))
        return
    click.echo(str(made))
    click.echo(f"written: {output} ({size / 1024:,.0f} kB)")
