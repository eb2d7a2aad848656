"""`suffice reduce DATA`: few columns in place of many."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from ._outputs import writes_a_file
from ._tables import Reading, reads_a_table, write_columns


@click.command("reduce")
@reads_a_table
@click.option("-k", "--components", default=2, show_default=True, type=click.IntRange(min=1), help="How many columns.")
@click.option("--standardize/--as-is", default=False, show_default=True, help="Bring columns to one scale first.")
@writes_a_file("Where to write, as .csv, .tsv, .parquet or .json; CSV to standard output.")
def command(components: int, standardize: bool, output: str | None, **options: Any) -> None:
    """Project the rows onto their principal components.

    DATA is a CSV or Parquet file of any size, a bundled table, or - for standard input.
    """
    from ..models.prepare import StandardScaler
    from ..models.projection import PCA

    with ExitStack() as stack:
        source = Reading(stack, **options).source(categories=False)
        rows = StandardScaler().fit(source).transform(source) if standardize else source
        model = PCA(components).fit(rows)
        reduced = model.transform(rows)
    shares = ", ".join(f"{share:.1%}" for share in model.explained_variance_ratio_)
    click.echo(f"share of the variance: {shares}", err=True)
    write_columns({name: reduced[:, j] for j, name in enumerate(model.get_feature_names_out())}, output)
