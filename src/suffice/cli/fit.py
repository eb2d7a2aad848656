"""`suffice fit MODEL DATA`: fit any model to a table, and keep it in a file."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from ..text import counted
from ._json import echo_json
from ._models import ModelGroup, made
from ._outputs import check_model_path, writes_a_file
from ._tables import Reading, reads_a_table

if TYPE_CHECKING:
    from ..data import Source
    from ..data.file_source import FileSource
    from ..estimator import Estimator
    from ..models.linear.coefficients import CoefficientTable

_IN_TABLE = ("coef_", "intercept_", "standard_errors_", "intercept_standard_error_", "covariance_")
# One number a row or node, or shown elsewhere.
_NOT_SHOWN = ("labels_", "summary_", "feature_names_in_", "sample_weights_", "impurities_")
_RULES = 60  # lines of a tree that are shown at the most
_SHOWN = 200  # numbers of an attribute that are shown at the most


def _options(f: Any) -> Any:
    f = writes_a_file("Where to keep the model, such as model.sff.")(f)
    words = "Give the model the preparation that it needs; by default where there is a target."
    f = click.option("--prepare/--no-prepare", default=None, help=words)(f)
    words = "Keep intervals of new rows, of classes sets, that hold the truth in this share of them, such as 0.9."
    share = click.FloatRange(0, 1, min_open=True, max_open=True)
    f = click.option("--coverage", default=None, type=share, help=words)(f)
    f = click.option("--json", "as_json", is_flag=True, help="Write the summary as JSON.")(f)
    f = click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of random numbers.")(f)
    return reads_a_table(f)


def _run(cls: type[object], parameters: Mapping[str, object], *, output: str | None, as_json: bool, seed: int,
         prepare: bool | None, coverage: float | None, **options: Any) -> None:  # fmt: skip
    if output is not None:
        check_model_path(output)
    model = made(cls, _with_oob_score(cls, parameters), seed)
    with ExitStack() as stack:
        table, needs = Reading(stack, **options), model._needs()
        prepares = needs.target != "none" if prepare is None else prepare
        source = table.source(categories=needs.categories or prepares)
        if prepares:
            model = _prepared(model, source)
        if coverage is not None:
            model = _conformal(model, coverage)
        model.fit(source)
        _say_left_out(source, needs.target != "none")
        if output is not None:
            from ..persist import Training, save

            save(model, output, Training.of(table.described(), source.schema.names, table.target))
    summary = describe(model if coverage is None else model.model_)
    promise = {} if coverage is None else {"guarantee": model.guarantee}
    if as_json:
        for text in ("table", "tree"):
            summary.pop(text, None)
        echo_json({**summary, **promise, "output": output})
    else:
        lines = [_text(summary), *promise.values(), *([f"kept in {output}"] if output else [])]
        click.echo("\n".join(lines))


def _say_left_out(source: FileSource, learns_a_target: bool) -> None:
    gone = source.count_without_target() if learns_a_target else 0
    if gone:
        click.echo(f"{counted(gone, 'row')} without a target {'is' if gone == 1 else 'are'} left out.", err=True)


def _with_oob_score(cls: type[object], parameters: Mapping[str, object]) -> Mapping[str, object]:
    """The parameters, with the score of rows out of bag where a model draws rows and nobody said otherwise."""
    from .. import params

    draws = parameters.get("bootstrap", getattr(cls, "bootstrap", False)) is True
    return {"oob_score": True, **parameters} if draws and "oob_score" in params.declared(cls) else parameters


def _prepared(model: Estimator, source: Source) -> Estimator:
    """The model behind the preparation that it needs for the table, where it needs any."""
    from ..pipeline import prepared

    found = prepared(model, source)
    return found if len(found) > 1 else model


def _conformal(model: Estimator, coverage: float) -> Estimator:
    """The model within one that gives intervals or sets."""
    from sklearn.base import is_classifier, is_regressor

    from ..models.conformal import ConformalClassifier, ConformalRegressor

    if is_classifier(model):
        return ConformalClassifier(model, level=coverage)
    if is_regressor(model):
        return ConformalRegressor(model, level=coverage)
    raise click.ClickException("--coverage is for models that predict numbers or classes; leave it out.")


def describe(model: Any) -> dict[str, Any]:
    """What a fit found, in plain values: figures, of a pipeline those of its last step, and how it came to an end."""
    import numpy as np

    from .. import params
    from ..pipeline import Pipeline

    whole, model = repr(model), model[-1] if isinstance(model, Pipeline) else model
    figures: dict[str, object] = {}
    held = dict(vars(model))
    if getattr(model, "n_features_in_", 0) <= _SHOWN:  # what is computed when it is read takes long for many columns
        held |= {name: getattr(model, name, None) for name in params.attributes(model)}
    for name, value in sorted(held.items()):
        if name.startswith("_") or not name.endswith("_") or name in _NOT_SHOWN:
            continue
        if isinstance(value, bool | int | float | str | np.generic):
            figures[name] = value.item() if isinstance(value, np.generic) else value
        elif isinstance(value, np.ndarray) and value.size <= _SHOWN and value.dtype.kind in "fiubU":
            figures[name] = value.tolist()
    history = model.history_
    finite = {k: v for k, v in figures.items() if not isinstance(v, float) or np.isfinite(v)}
    found: dict[str, object] = {"model": whole, "iterations": len(history), "status": history.status, "figures": finite}
    table = _coefficients(model)
    if table is not None:
        found["coefficients"], found["table"] = table.rows(), str(table)
    return found | _trees(model)


def _coefficients(model: object) -> CoefficientTable | None:
    """The coefficients with their errors, of models that have them and few columns."""
    from ..errors import NotEstimated

    table_of = getattr(model, "coefficients", None)
    if table_of is None or getattr(model, "n_features_in_", 0) > _SHOWN:
        return None
    try:
        table: CoefficientTable = table_of()
    except NotEstimated:
        return None
    return table


def _trees(model: object) -> dict[str, object]:
    """The importances of columns by name, the greatest first, and the rules of a tree that stands alone."""
    import numpy as np

    from ..growth.multiway_rules import MultiwayRules
    from ..growth.rules import Rules

    found: dict[str, object] = {}
    if hasattr(model, "feature_importances_"):
        shares = np.asarray(model.feature_importances_).tolist()
        names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(shares))])
        found["importances"] = dict(sorted(zip(names, shares, strict=True), key=lambda pair: -pair[1])[:_SHOWN])
    rules = model.rules() if hasattr(model, "rules") and hasattr(model, "n_leaves_") else None  # one tree
    if isinstance(rules, MultiwayRules):
        lines = str(rules).splitlines()
        left_out = [f"… and {len(lines) - _RULES:,} more lines"] if len(lines) > _RULES else []
        found["tree"] = "\n".join([*lines[:_RULES], *left_out])
    elif isinstance(rules, Rules) and len(rules.trees) == 1:
        found["tree"] = rules.shown(_RULES)
    return found


def _out_of_bag(figures: Mapping[str, float]) -> list[str]:
    """How wrong a model is about rows that its parts did not see, in words."""
    from ..text import figure

    if "oob_score_" not in figures:
        return []
    score = figures["oob_score_"]
    said = f"error {figure(1 - score, 3)}" if "n_classes_" in figures else f"r2 {figure(score, 3)}"
    return [f"  out of bag: {said}, each row predicted by the models that did not draw it"]


def _text(summary: dict[str, Any]) -> str:
    import numpy as np

    from ..text import aligned, figure

    lines = [summary["model"], f"{summary['status']} after {counted(summary['iterations'], 'iteration')}"]
    shown_below = _IN_TABLE if "table" in summary else ("feature_importances_",) if "importances" in summary else ()
    for name, value in summary["figures"].items():
        if name in shown_below:
            continue
        shown = np.array2string(np.array(value), precision=4, suppress_small=True, prefix=" " * (len(name) + 4))
        lines.append(f"  {name}  {shown}")
    lines += _out_of_bag(summary["figures"])
    if "importances" in summary:
        rows = [(name, figure(share, 3)) for name, share in summary["importances"].items() if share > 0]
        lines += ["", aligned([("column", "importance"), *rows])] if rows else []
    below = (["", summary["tree"]] if "tree" in summary else []) + ([summary["table"]] if "table" in summary else [])
    return "\n".join([*lines, *below])


command = ModelGroup(
    "fit",
    run=_run,
    extra=_options,
    help="""Fit a model to a table: suffice fit MODEL DATA.

    DATA is a CSV or Parquet file of any size, a bundled table such as iris, or - for standard input. A model with a
    target gets the preparation that it needs for the table: categories become columns of 0 and 1, missing values are
    filled by medians, and columns are scaled where their units matter. Trees and forests need none of this.
    Other models leave text out.

    `suffice fit MODEL --help` lists the parameters of a model.""",
)
