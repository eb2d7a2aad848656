"""`suffice compare DATA --target NAME`: models side by side, with intervals."""

from __future__ import annotations

import json
import math
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from ._outputs import FileOption, writes_a_file
from ._tables import columns_of, names_in, path_of, reading, reads_a_file, use

if TYPE_CHECKING:
    from ..typing import EstimatorLike


@click.command("compare")
@click.argument("data")
@click.option("--target", required=True, help="The column to predict.")
@click.option("--models", help="Models to compare, with commas between; by default all that are quick enough.")
@click.option("--drop", help="Columns that nothing is learned from, with commas between.")
@click.option("--folds", default=10, show_default=True, type=click.IntRange(min=2), help="Parts of the table.")
@click.option("--measure", help="What decides, such as accuracy, log_loss or r2.")
@click.option("--train", is_flag=True, help="Set training error beside, and say who over- or underfits.")
@click.option("--seconds", default=10.0, show_default=True, type=click.FloatRange(min=0, min_open=True),
              help="About how long all models together may be fitted.")  # fmt: skip
@click.option(
    "--journal", cls=FileOption, help="A file that keeps finished folds, so that a run that was stopped goes on."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of random numbers.")
@writes_a_file("Where to write the table, as .csv, .tsv, .parquet or .json.")
@click.option("--json", "as_json", is_flag=True, help="Write the table as JSON.")
@reads_a_file
def command(data: str, target: str, models: str | None, drop: str | None, folds: int, measure: str | None,
            train: bool, seconds: float, journal: str | None, seed: int, output: str | None, as_json: bool,
            threads: int | None, progress: bool, **options: object) -> None:  # fmt: skip
    """Compare models on a table by cross-validation: scores, and differences to the best and to a dummy.

    DATA is a CSV or Parquet file, a bundled table such as crabs, or - for standard input. Each model gets the
    preparation that it needs, each time by the rows that are learned from: categories become columns of 0 and 1,
    missing values are filled by medians, and columns are scaled. Trees and forests take the table as it is.
    """
    with ExitStack() as stack:
        use(stack, threads, progress and sys.stderr.isatty())
        from ..evaluation import compare
        from ..pipeline import prepared
        from ..report.model_choice import candidates
        from ..report.rows import read_rows

        table = path_of(stack, data) if data == "-" else data
        rows = read_rows(table, target, leave_out=columns_of(drop, table, reading(options)), **reading(options))
        rows, y, kind = rows.labelled()
        X = rows.table()
        chosen = _named(models) if models else candidates(X, y, kind, seconds=seconds, folds=folds).models
        made = {name: prepared(model, X) for name, model in chosen.items()}
        found = compare(made, X, y, splits=folds, measures=measure, train=train, journal=journal, random_state=seed)
    if as_json:
        figures = [{key: _plain(value) for key, value in row.items()} for row in found.table()]
        click.echo(json.dumps(figures, indent=2, allow_nan=False))
    else:
        click.echo(str(found))
    if output is not None:
        from ._tables import write_columns

        write_columns({key: [row[key] for row in found.table()] for key in found.table()[0]}, output)


def _plain(value: object) -> object:
    """A figure as JSON holds it: null where it is not known."""
    if isinstance(value, str) or value is None:
        return value
    number = float(value)  # type: ignore[arg-type]
    return number if math.isfinite(number) else None


def _named(text: str) -> dict[str, EstimatorLike]:
    from ..models.registry import estimator_named

    chosen = (estimator_named(name) for name in names_in(text) or ())
    return {cls.__name__: cls() for cls in chosen}
