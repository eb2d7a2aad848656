"""`suffice predict MODEL DATA`: use a model that `fit` kept."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from ._outputs import writes_a_file
from ._tables import Reading, reads_a_table, write_columns


@click.command("predict")
@click.argument("model")
@reads_a_table
@click.option("--proba", is_flag=True, help="Also the probability of each class or component.")
@writes_a_file("Where to write, as .csv, .tsv, .parquet or .json; CSV to standard output.")
def command(model: str, proba: bool, output: str | None, **options: Any) -> None:
    """Predict for the rows of a table with a model that `suffice fit` kept.

    MODEL is a file such as model.sff. DATA is a CSV or Parquet file of any size, a bundled table, or - for standard
    input; columns are found by name.
    """
    from ..persist import load

    fitted = load(model)
    with ExitStack() as stack:
        table = Reading(stack, **options)
        names = tuple(getattr(fitted, "feature_names_in_", ())) or None
        source = table.source(categories=True, columns=names)
        columns = predicted(fitted, source, proba)
    write_columns(columns, output)


def predicted(model: Any, source: Any, proba: bool = False) -> dict[str, Any]:
    """What a model says of every row: a label, a number, or coordinates."""
    if hasattr(model, "predict"):
        columns = {"prediction": model.predict(source)}
        if proba:
            if not hasattr(model, "predict_proba"):
                raise click.ClickException(f"{type(model).__name__} gives no probabilities; leave --proba out.")
            shares = model.predict_proba(source)
            names = getattr(model, "classes_", range(shares.shape[1]))
            columns |= {f"p_{name}": shares[:, j] for j, name in enumerate(names)}
        return columns
    rows = model.transform(source)
    return {str(name): rows[:, j] for j, name in enumerate(model.get_feature_names_out())}
