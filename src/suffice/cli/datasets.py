"""`suffice datasets`: the bundled tables."""

from __future__ import annotations

import json

import click

from ._outputs import writes_a_file


@click.command("datasets")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@writes_a_file("Write the table NAME as .csv, .tsv, .parquet or .json.")
def command(name: str | None, as_json: bool, output: str | None) -> None:
    """List the bundled tables, or show one.

    NAME is a table such as iris.
    """
    from ..data import datasets

    if name is None:
        tables = [datasets.load(key) for key in datasets.names()]
        if as_json:
            rows = [{"name": t.name, "title": t.title, "rows": t.n_rows, "columns": list(t.names)} for t in tables]
            click.echo(json.dumps(rows, indent=2))
        else:
            width = max(len(t.name) for t in tables)
            click.echo("\n".join(f"{t.name:<{width}}  {t.n_rows:>5} × {len(t.names):<2}  {t.title}" for t in tables))
        return
    table = datasets.load(name)
    if output is not None:
        from ._tables import write_columns

        write_columns(table.columns, output)
    elif as_json:
        click.echo(json.dumps({key: values.tolist() for key, values in table.columns.items()}))
    else:
        click.echo(repr(table))
