"""`suffice datasets`: the bundled tables."""

from __future__ import annotations

import click

from ._json import echo_json
from ._outputs import TABLES, writes_a_file


@click.command("datasets")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@writes_a_file("Write the table NAME as .csv, .tsv, .parquet or .json.", endings=TABLES)
def command(name: str | None, as_json: bool, output: str | None) -> None:
    """List the bundled tables, or show one.

    NAME is a table such as iris.
    """
    from ..data import datasets

    if name is None:
        tables = [datasets.load(key) for key in datasets.names()]
        if as_json:
            rows = [{"name": t.name, "title": t.title, "rows": t.n_rows, "columns": list(t.names)} for t in tables]
            echo_json(rows)
        else:
            width = max(len(t.name) for t in tables)
            click.echo("\n".join(f"{t.name:<{width}}  {t.n_rows:>5} × {len(t.names):<2}  {t.title}" for t in tables))
        return
    table = datasets.load(name)
    if output is not None:
        from ._tables import write_columns

        write_columns(table.columns, output)
    elif as_json:
        echo_json(table.columns)
    else:
        click.echo(repr(table))
