"""`suffice cluster DATA`: groups of rows."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from ..text import counted
from ._outputs import writes_a_file
from ._tables import Reading, reads_a_table, write_columns


@click.command("cluster")
@reads_a_table
@click.option("-k", "--clusters", default=3, show_default=True, type=click.IntRange(min=1), help="How many groups.")
@click.option("--model", "name", default="KMeans", show_default=True, help="Any clusterer or mixture; see models.")
@click.option("--standardize/--as-is", default=False, show_default=True, help="Bring columns to one scale first.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of random numbers.")
@writes_a_file("Where to write, as .csv, .tsv, .parquet or .json; CSV to standard output.")
def command(clusters: int, name: str, standardize: bool, seed: int, output: str | None, **options: Any) -> None:
    """Find groups of rows, and write the group of each.

    DATA is a CSV or Parquet file of any size, a bundled table, or - for standard input.
    """
    from ..models.prepare import StandardScaler
    from ..models.registry import estimator_named
    from ._models import made
    from .fit import describe

    cls = estimator_named(name, "clusterer", "density")
    key = next((key for key in ("n_clusters", "n_components") if key in cls.__dataclass_fields__), None)
    model = made(cls, {} if key is None else {key: clusters}, seed)
    with ExitStack() as stack:
        source = Reading(stack, **options).source(categories=model._needs().categories)
        rows = StandardScaler().fit(source).transform(source) if standardize else source
        labels = model.fit(rows).predict(rows) if hasattr(model, "predict") else model.fit(rows).labels_
    summary = describe(model)
    ended = f"{summary['status']} after {counted(summary['iterations'], 'iteration')}"
    click.echo(f"{summary['model']}: {ended}", err=True)
    write_columns({"cluster": labels}, output)
