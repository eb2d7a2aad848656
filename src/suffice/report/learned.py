"""What the best model has learned: how its predictions move with each column, and its coefficients where it has any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from ..evaluation import PartialDependence, partial_dependence
from ..evaluation.dependence import Predicting
from ..models.linear.coefficients import CoefficientTable
from ..text import figure
from .parts import Figures, Part, Shown
from .pictures import picture
from .study import Study

if TYPE_CHECKING:
    import pyarrow as pa

TITLE = "What the best model has learned"
_TRIED, _SHOWN = 12, 4  # columns
_GRID, _ROWS = 15, 200
_CLASSES = 6  # lines in a picture
_TERMS = 30  # coefficients in a table


@runtime_checkable
class Inferred(Protocol):
    """A fitted linear model that says how sure its coefficients are."""

    def coefficients(self) -> CoefficientTable:
        """The table of coefficients."""


def learned_part(study: Study) -> Part:
    """The columns that move the predictions most, each with a curve; and the coefficients of a linear model."""
    made = study.results["comparison"]
    name, table = made.winner, study.results["table"]
    model = study.results["best"] = made.fitted(name)
    if study.results["kind"] == "classes" and not hasattr(model, "predict_proba"):
        words = f"{name} gives no probabilities, so there is nothing that could move with a column."
        return Part(TITLE, words=[words], hidden=_coefficients(model[-1]))
    found = [_dependence(model, table, column) for column in _likely(study, table.column_names)]
    ranked = sorted(filter(_is_drawn, found), key=lambda one: -moved(one))
    part = Part(TITLE, code=_code([one.names[0] for one in ranked[:_SHOWN]], name))
    part.words = [said(name, ranked)]
    part.pictures = [Shown(picture(one.plot(ax=False)), _caption(one)) for one in ranked[:_SHOWN] if moved(one) > 0]
    if len(table.column_names) > _TRIED:
        part.notes.append(
            f"{_TRIED} of {len(table.column_names)} columns tried: those that have most to do with the target."
        )
    part.hidden = _coefficients(model[-1])
    return part


def _dependence(model: Predicting, table: pa.Table, column: str) -> PartialDependence:
    return partial_dependence(model, table, column, grid=_GRID, max_rows=_ROWS)


def _likely(study: Study, columns: list[str]) -> list[str]:
    """The columns that have most to do with the target, as far as that is known, in the order of the table."""
    found, target = study.results.get("associations"), study.rows.target
    if len(columns) <= _TRIED or found is None or target not in found.names:
        return columns[:_TRIED]
    strength = dict(zip(found.names, found.strength[found.names.index(target)], strict=True))
    ranked = sorted(columns, key=lambda name: -float(np.nan_to_num(strength.get(name, 0.0))))[:_TRIED]
    return [name for name in columns if name in ranked]


def moved(one: PartialDependence) -> float:
    """How far the mean prediction goes from its least to its greatest value, of the class where it goes farthest.

    >>> moved(PartialDependence(("a",), (np.array([1.0, 2.0]),), np.array([[0.1, 0.9], [0.4, 0.6]]), ("no", "yes")))
    0.30000000000000004
    """
    return float(np.max(np.ptp(one.values, axis=0)))


def _is_drawn(one: PartialDependence) -> bool:
    return bool(np.isfinite(one.values).all()) and len(one.outputs) <= _CLASSES


def said(name: str, ranked: Sequence[PartialDependence]) -> str:
    """Which column moves the predictions most, and how far; or that none does."""
    if not ranked or moved(ranked[0]) == 0:
        return f"No single column moves the mean prediction of {name} between the 5 and 95 % quantiles of its values."
    first = ranked[0]
    lines = np.atleast_2d(first.values.T)  # (outputs, grid)
    at = int(np.argmax(np.ptp(lines, axis=1)))
    what = f"mean probability of {first.outputs[at]!r}" if first.outputs else "mean prediction"
    return (
        f"With all other columns as they are, {first.names[0]!r} moves the {what} by {name} most: from "
        f"{figure(float(lines[at].min()), 3)} to {figure(float(lines[at].max()), 3)}. That is what the model does with "
        "the column, not what changing the column would do in the world."
    )


def _caption(one: PartialDependence) -> str:
    return f"Mean prediction with {one.names[0]} set to each value, the other columns as they are."


def _code(columns: list[str], name: str) -> str:
    lines = [f"best = comparison.fitted({name!r})", f"for column in {columns!r}:"]
    lines.append(f"    moves = sf.partial_dependence(best, table, column, grid={_GRID}, max_rows={_ROWS})")
    return "\n".join([*lines, "    print(column, moves.values.round(3))"])


def _coefficients(model: object) -> list[Figures]:
    """The coefficients of a linear model with their intervals, where it gives any, largest first without intervals."""
    coef = getattr(model, "coef_", None)
    names = list(map(str, getattr(model, "feature_names_in_", ())))
    if coef is None or np.ndim(coef) > 2 or not names:
        return []
    if isinstance(model, Inferred) and np.ndim(coef) == 1 and len(names) <= _TERMS:
        return [_with_intervals(model)]
    rows = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    if rows.shape[1] != len(names) or len(rows) > _CLASSES:
        return []
    order = np.argsort(-np.abs(rows).max(axis=0), kind="stable")[:_TERMS]
    heads = [str(c) for c in getattr(model, "classes_", ())] if len(rows) > 1 else ["coefficient"]
    listed = [(names[j], *(figure(float(x)) for x in rows[:, j])) for j in order]
    cut = f", {len(order)} of {len(names)}" if len(order) < len(names) else ""
    return [Figures(("column, as prepared", *heads), listed, f"Coefficients, largest first{cut}")]


def _with_intervals(model: Inferred) -> Figures:
    table = model.coefficients()
    keys = ("estimate", "standard_error", "low", "high", "p")
    cells = [np.asarray(getattr(table, key), dtype=np.float64)[:, 0] for key in keys]
    rows = [(term, *(figure(float(x)) for x in own)) for term, *own in zip(table.terms, *cells, strict=True)]
    percent = f"{100 * table.level:g} %"
    header = ("term", "estimate", "std. error", f"low {percent}", f"high {percent}", "p")
    return Figures(header, rows, "Coefficients; they and their errors take the model to be true")
