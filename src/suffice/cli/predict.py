"""`suffice predict MODEL DATA`: use a model that `fit`, `report` or `compare` kept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from ._asked import Asked
from ._keeping import KEEP
from ._outputs import writes_a_table
from ._tables import reads_a_table, write_columns

if TYPE_CHECKING:
    from ..models.conformal import ConformalClassifier, ConformalRegressor
    from ..typing import EstimatorLike, TableLike


@click.command("predict")
@click.argument("model")
@reads_a_table
@click.option("--proba/--no-proba", default=None, help="The probability of each class; by default of classifiers.")
@KEEP
@writes_a_table
def command(model: str, proba: bool | None, keep: str | None, output: str | None, **options: Any) -> None:
    """Predict for the rows of a table with a model that `suffice fit`, `report` or `compare` kept.

    MODEL is a file such as model.sff. DATA is a CSV or Parquet file of any size, a bundled table, or - for standard
    input; columns are found by name. Columns that name each row stand before the predictions. Where the target is among
    the columns, the score is shown; where the rows differ from those of the fit, a warning says how. A model that was
    fitted with --coverage writes intervals, low and high, or the set of classes, with | between them.
    """
    with ExitStack() as stack:
        asked = Asked.of(stack, model, keep, options)
        columns = predicted(asked.model, asked.rows, proba)
    about = asked.about
    if about is not None and about.within is not None:
        columns |= {"low": columns["prediction"] - about.within, "high": columns["prediction"] + about.within}
    if asked.target is not None and "prediction" in columns:
        _say_score(asked.model, asked.target, asked.beside[asked.target], columns["prediction"])
        _say_inside(asked.beside[asked.target].to_pylist(), columns)
    write_columns(asked.named | columns, output)


def predicted(model: Any, rows: Any, proba: bool | None = False) -> dict[str, Any]:
    """What a model says of every row: a label, a number, or coordinates."""
    if not hasattr(model, "predict"):
        made = model.transform(rows)
        return {str(name): made[:, j] for j, name in enumerate(model.get_feature_names_out())}
    columns = {"prediction": model.predict(rows)}
    if hasattr(model, "guarantee_"):
        columns |= _promised(model, rows)
    gives = hasattr(model, "predict_proba")
    if proba and not gives:
        raise click.ClickException(f"{type(model).__name__} gives no probabilities; leave --proba out.")
    if gives and (proba or (proba is None and hasattr(model, "classes_"))):
        shares = model.predict_proba(rows)
        names = getattr(model, "classes_", range(shares.shape[1]))
        columns |= {f"p_{name}": shares[:, j] for j, name in enumerate(names)}
    return columns


def _promised(model: ConformalClassifier | ConformalRegressor, rows: TableLike) -> dict[str, object]:
    """The intervals or sets of a conformal model."""
    named_sets = getattr(model, "named_sets", None)
    if named_sets is not None:
        return {"set": ["|".join(map(str, held)) for held in named_sets(rows)]}
    low, high = model.predict_interval(rows).T
    return {"low": low, "high": high}


def _say_inside(truth: list[object], columns: Mapping[str, Any]) -> None:
    """In how many intervals or sets the truth is, of rows that have one, on stderr."""
    from ..resampling.intervals import wilson
    from ..text import counted

    known = [i for i, value in enumerate(truth) if value is not None and value == value]
    if "set" in columns:
        inside = [str(truth[i]) in columns["set"][i].split("|") for i in known]
    elif "low" in columns:
        inside = [bool(columns["low"][i] <= float(str(truth[i])) <= columns["high"][i]) for i in known]
    else:
        return
    if known:
        click.echo(f"inside: {wilson(sum(inside), len(known))} of {counted(len(known), 'row')}", err=True)


def _say_score(model: EstimatorLike, target: str, truth: Any, said: Any) -> None:
    """How good the predictions are of rows whose target is there, on stderr."""
    import numpy as np

    from ..text import counted, figure

    there = np.array([value is not None and value == value for value in truth.to_pylist()], dtype=bool)
    known, said = (
        [value for value in truth.to_pylist() if value is not None and value == value],
        np.asarray(said)[there],
    )
    if not known:
        return
    if hasattr(model, "classes_"):
        right = sum(_same(one, other) for one, other in zip(known, said.tolist(), strict=True))
        click.echo(f"accuracy for {target}: {figure(right / len(known))} of {counted(len(known), 'row')}", err=True)
        return
    y = np.array(known, dtype=np.float64)
    off, spread = float(np.sum((y - said) ** 2)), float(np.sum((y - y.mean()) ** 2))
    r2 = f"r2 {figure(1 - off / spread)}, " if spread > 0 else ""
    click.echo(f"{r2}rmse {figure((off / len(y)) ** 0.5)} for {target} of {counted(len(y), 'row')}", err=True)


def _same(one: object, other: object) -> bool:
    """Whether two cells are one class, which is a number in one table and its text in another."""
    try:
        return float(one) == float(other)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(one).lower() == str(other).lower() if isinstance(one, bool) else str(one) == str(other)
