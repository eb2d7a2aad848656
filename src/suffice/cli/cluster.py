"""`suffice cluster DATA`: groups of rows."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from ..text import counted
from ._keeping import KEEP, kept_names
from ._outputs import writes_a_table
from ._scaling import SCALE, behind
from ._tables import Reading, reads_a_table, write_columns


@click.command("cluster")
@reads_a_table
@click.option("-k", "--clusters", default=3, show_default=True, type=click.IntRange(min=1), help="How many groups.")
@click.option("--model", "name", default="KMeans", show_default=True, help="Any clusterer or mixture; see models.")
@SCALE
@KEEP
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of random numbers.")
@writes_a_table
def command(clusters: int, name: str, scale: bool | None, keep: str | None, seed: int, output: str | None,
            **options: Any) -> None:  # fmt: skip
    """Find groups of rows, and write the group of each.

    DATA is a CSV or Parquet file of any size, a bundled table, or - for standard input.
    """
    from ..models.registry import estimator_named
    from ._models import made
    from .fit import describe

    cls = estimator_named(name, "clusterer", "density")
    key = next((key for key in ("n_clusters", "n_components") if key in cls.__dataclass_fields__), None)
    model = made(cls, {} if key is None else {key: clusters}, seed)
    with ExitStack() as stack:
        table = Reading(stack, **options)
        source, described = table.for_model(model)
        kept = table.columns(kept_names(keep, described, ()) if keep else [])
        whole = behind(model, described, source.schema.names, scale).fit(source)
        labels = whole.predict(source) if hasattr(whole, "predict") else model.labels_
    summary = describe(model)
    ended = f"{summary['status']} after {counted(summary['iterations'], 'iteration')}"
    click.echo(f"{summary['model']}: {ended}", err=True)
    write_columns(kept | {"cluster": labels}, output)
