"""`suffice compare DATA --target NAME`: models side by side, with intervals."""

from __future__ import annotations

import sys
import warnings
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from ._json import echo_json
from ._outputs import TABLES, FileOption, keeps_the_best, writes_a_file
from ._said import counted_once
from ._tables import (
    columns_of,
    divides_rows,
    names_in,
    path_of,
    reading,
    reads_a_file,
    say_how_read,
    use,
)

if TYPE_CHECKING:
    from ..evaluation import Comparison
    from ..report.rows import Task
    from ..typing import EstimatorLike


@click.command("compare")
@click.argument("data")
@click.option("--target", required=True, help="The column to predict.")
@click.option("--models", help="Models to compare, with commas between; by default all that suit the table.")
@click.option("--drop", help="Columns that nothing is learned from, with commas between.")
@divides_rows
@click.option("--task", type=click.Choice(["auto", "classes", "numbers"]), default="auto", show_default=True,
              help="What the target holds.")  # fmt: skip
@click.option("--folds", default=10, show_default=True, type=click.IntRange(min=2), help="Parts of the table.")
@click.option("--measure", help="What decides, such as accuracy, log_loss or r2.")
@click.option("--train", is_flag=True, help="Set training error beside, and say who over- or underfits.")
@click.option("--seconds", default=10.0, show_default=True, type=click.FloatRange(min=0, min_open=True),
              help="About how long all models together may be fitted.")  # fmt: skip
@click.option(
    "--journal", cls=FileOption, help="A file that keeps finished folds, so that a run that was stopped goes on."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of random numbers.")
@keeps_the_best
@writes_a_file("Where to write the table, as .csv, .tsv, .parquet or .json.", endings=TABLES)
@click.option("--json", "as_json", is_flag=True, help="Write the table as JSON.")
@reads_a_file
def command(data: str, target: str, models: str | None, drop: str | None, time: str | None, groups: str | None,
            task: Task, folds: int, measure: str | None, train: bool, seconds: float, journal: str | None, seed: int,
            output: str | None, save: str | None, as_json: bool, threads: int | None, progress: bool,
            **options: object) -> None:  # fmt: skip
    """Compare models on a table by cross-validation: scores, and differences to the best and to a dummy.

    DATA is a CSV or Parquet file, a bundled table such as crabs, or - for standard input. Each model gets the
    preparation that it needs, each time by the rows that are learned from: categories become columns of 0 and 1,
    missing values are filled by medians, and columns are scaled. Trees and forests take the table as it is. Without
    --models, all that suit the table are tried, the quick ones first, until the seconds are over.
    """
    with ExitStack() as stack:
        use(stack, threads, progress and sys.stderr.isatty())
        from ..evaluation import compare
        from ..pipeline import prepared
        from ..report.division import division
        from ..report.keeping import Winner, described_in_full
        from ..report.learnable import learnable
        from ..report.measuring import measures_of, rare_class, why_measured
        from ..report.model_choice import candidates
        from ..report.rows import read_rows

        table = path_of(stack, data) if data == "-" else data
        divided, unused = division(time, groups), columns_of(drop, table, reading(options))
        settings: dict[str, Any] = {"leave_out": (*unused, *divided.unused), **reading(options)}
        every = read_rows(table, target, **settings)
        say_how_read(every.description.notes, ())
        rows, y, kind, notes = learnable(every, task)
        divided.check(every)
        said = click.get_current_context().get_parameter_source("folds") is not click.core.ParameterSource.DEFAULT
        parts = divided.divide(rows, y, kind, None if time is not None and not said else folds)
        rows, y = parts.rows, parts.y
        X = rows.table()
        own = {name: prepared(model, X) for name, model in _named(models).items()} if models else None
        made = candidates(X, kind).pipelines if own is None else own
        measures = measures_of(y, kind, made.values()) if measure is None else (measure,)
        notes += parts.notes + (why_measured(y, kind, measures) if measure is None else [])
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            found = compare(made, X, y, **parts.arguments, measures=measures, positive=rare_class(y, kind),
                            train=train, journal=journal, random_state=seed,
                            seconds=seconds if own is None else None)  # fmt: skip
        if save is not None:
            whole = lambda: read_rows(table, target, **settings, **described_in_full())  # noqa: E731
            kept = Winner(found, every, task, tuple(X.column_names), whole).keep(save)
            click.echo(f"kept in {save}: {kept}", err=True)
    if as_json:
        echo_json(found.table())
    else:
        click.echo(str(found))
        click.echo(_other_measures(found), nl=False)
    for line in [*notes, *counted_once([str(one.message) for one in given])]:
        click.echo(line, err=True)
    if output is not None:
        from ._tables import write_columns

        write_columns({key: [row[key] for row in found.table()] for key in found.table()[0]}, output)


def _other_measures(found: Comparison) -> str:
    """What else was measured, best first by the measure that decides; nothing where nothing was."""
    from ..text import aligned, figure

    names = [one.name for one in found.evaluations[found.best].measures if one.name != found.measure.name]
    if not names:
        return ""
    values = ((name, found.evaluations[name].intervals) for name in found.ranking)
    rows = [(name, *(figure(own[key].value) for key in names)) for name, own in values]
    return "\n" + aligned([("beside it", *names), *rows]) + "\n"


def _named(text: str) -> dict[str, EstimatorLike]:
    from ..models.registry import estimator_named

    chosen = (estimator_named(name) for name in names_in(text) or ())
    return {cls.__name__: cls() for cls in chosen}
