"""`suffice decide MODEL DATA --costs FILE`: the action of least expected cost for every row, with its reason."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from ._asked import Asked
from ._keeping import KEEP
from ._outputs import writes_a_table
from ._tables import reads_a_table, write_columns

if TYPE_CHECKING:
    from ..resampling.costs import Costs
    from ..typing import Floats, Labels


@click.command("decide")
@click.argument("model")
@reads_a_table
@click.option("--costs", required=True, help="A file of costs, CSV, JSON or YAML: classes by actions.")
@click.option("--doubt", type=click.FloatRange(min=0), default=None, help="What it costs to leave a row to a person.")
@KEEP
@writes_a_table
def command(model: str, costs: str, doubt: float | None, keep: str | None, output: str | None, **options: Any) -> None:
    """Decide for the rows of a table what to do, by the probabilities of a classifier and what actions cost.

    MODEL is a file that `suffice fit`, `report` or `compare` kept. The file of costs has a line for each class, its
    name first, and a column for each action; a cell is what the action costs where the class is true. Where the
    target is among the columns, what the actions cost in truth is shown.
    """
    import numpy as np

    from ..resampling.costs import Costs
    from ..resampling.named_costs import NamedCosts
    from ..text import rounded

    owner = "suffice decide"
    with ExitStack() as stack:
        told = NamedCosts.of(costs, owner)  # a file that is none is known before all work
        asked = Asked.of(stack, model, keep, options)
        fitted: Any = asked.model
        if not hasattr(fitted, "predict_proba") or not hasattr(fitted, "classes_"):
            last = fitted[-1] if hasattr(fitted, "steps") else fitted
            raise click.ClickException(f"{type(last).__name__} gives no probabilities of classes; fit a classifier.")
        table = Costs.of(told, fitted.classes_, owner=owner)
        if doubt is not None and "doubt" in map(str, table.actions.tolist()):
            raise click.ClickException(f"{costs} has an action called 'doubt'; rename it, or leave --doubt out.")
        chances = np.asarray(fitted.predict_proba(asked.rows), dtype=float)
    paid = table.with_doubt(doubt)
    actions = [*map(str, table.actions.tolist()), *([] if doubt is None else ["doubt"])]
    expected = table.expected(chances, doubt)
    if asked.target is not None:
        _say_cost(expected, asked.beside[asked.target].to_pylist(), table, paid)
    best = expected.argmin(axis=1)
    columns = {"action": np.array(actions, dtype=object)[best], "expected_cost": rounded(expected.min(axis=1))}
    columns["reason"] = _reasons(chances, expected, best, actions, table)
    write_columns(asked.named | columns, output)


def _say_cost(expected: Floats, truth: list[object], table: Costs, paid: Floats) -> None:
    """What the actions cost in truth, of rows whose class is known, on stderr."""
    import numpy as np

    from ..data.labels import Spellings
    from ..resampling.cost_results import cost_result

    classes = Spellings(table.classes.tolist())
    places = {value: classes.place(value) for value in dict.fromkeys(truth)}
    known = np.array([places[value] is not None for value in truth])
    if known.any():
        codes = np.array([place for place in (places[value] for value in truth) if place is not None])
        click.echo(cost_result(expected[known], codes, table, paid, None, 0.95), err=True)


def _reasons(chances: Floats, expected: Floats, best: Labels, actions: list[str], table: Costs) -> Labels:
    """Why each action was taken: the likeliest class, and the next action and its expected cost."""
    import numpy as np

    from ..text import figure

    likeliest = chances.argmax(axis=1)
    others = expected.copy()
    others[np.arange(len(others)), best] = np.inf
    second = others.argmin(axis=1)
    names = list(map(str, table.classes.tolist()))
    said = [
        f"{names[c]} with {figure(chances[i, c])}; {actions[a]} costs {figure(expected[i, a])}"
        + (f", {actions[b]} {figure(expected[i, b])}" if len(actions) > 1 else "")
        for i, (c, a, b) in enumerate(zip(likeliest, best, second, strict=True))
    ]
    return np.array(said, dtype=object)
