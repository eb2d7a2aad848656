"""What stands before a model of distances or variances: missing cells filled, and columns of other units scaled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..description import ColumnDescription, Description
    from ..estimator import Estimator

_DIFFER = 10.0  # times the smallest standard deviation: from here on units differ

SCALE = click.option("--scale/--no-scale", "--standardize/--as-is", "scale", default=None,
                     help="Bring columns to one scale first; by default where their units differ.")  # fmt: skip


def behind(model: Estimator, described: Description, names: Sequence[str], scale: bool | None) -> Estimator:
    """The model behind what the columns ask for, which is said on stderr."""
    from ..models.impute import SimpleImputer
    from ..models.prepare import StandardScaler
    from ..pipeline import make_pipeline

    columns = [column for column in described.columns if column.name in names]
    steps: list[object] = []
    if any(column.missing for column in columns) and not model._needs().missing:
        steps.append(SimpleImputer(strategy="median", keep_empty_features=True))
        click.echo("missing cells are filled by medians", err=True)
    ratio = _ratio(columns)
    by_units = model._needs().scaled or not hasattr(model, "metric")  # some distances bring columns to one scale
    if ratio >= _DIFFER and by_units if scale is None else scale:
        steps.append(StandardScaler())
        if scale is None:
            click.echo(
                f"columns are scaled, as standard deviations differ {ratio:,.0f} times; or say --no-scale", err=True
            )
    return make_pipeline(*steps, model) if steps else model


def _ratio(columns: list[ColumnDescription]) -> float:
    """How many times the smallest standard deviation of columns that vary the greatest is."""
    found = [getattr(column, "deviation", 0.0) for column in columns]  # columns of text have none
    spreads = [deviation for deviation in found if deviation > 0]
    return max(spreads) / min(spreads) if spreads else 1.0
