"""A comparison as text: the cells of its table, and what stands below."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..text import figure
from .gaps import FITS

if TYPE_CHECKING:
    from .comparing import Comparison


Row = Mapping[str, Any]  # of `Comparison.table`


def table_rows(made: Comparison) -> list[tuple[str, ...]]:
    """The header and a row a model, best first; the dummy's columns only where another model is the best."""
    percent = f"{100 * made.level:g} %"
    header = ("model", made.measure.name, percent, f"less {made.best}", percent, "", "less dummy", percent, "")
    table = made.table()
    rows = [(row["model"], *_shown(row, "value", "low", "high"), *_against(row)) for row in table]
    kept = len(header) if made.to_dummy and made.best != "dummy" else 6
    more: list[tuple[str, ...]] = [()] * (1 + len(rows))
    if made.has_training:
        more = [("training", "fit"), *((figure(row["training"]), row["fit"]) for row in table)]
    return [line[:kept] + own for line, own in zip([header, *rows], more, strict=True)]


def notes(made: Comparison) -> list[str]:
    """How to read it, who over- or underfits, which folds failed, and who was left out."""
    better = "larger" if made.measure.larger else "smaller"
    said = [f"{better} is better; differences up to {figure(made.zone, 3)} do not matter"]
    if made.has_training:
        said += [words.format(best=made.best) for words in FITS if words.split(":")[0] in made.fits.values()]
        said.append(f"{made.best}: {made.gaps[made.best]}")
    said += [f"{name}: fold {k} failed: {why}" for name, e in made.evaluations.items() for k, why in e.failed.items()]
    return said + [f"{name} is left out: {why}" for name, why in made.left_out.items()]


def _shown(row: Row, value: str, low: str, high: str) -> tuple[str, str]:
    if row[value] is None:
        return "", ""
    ends = "" if math.isnan(row[low]) else f"[{figure(row[low])}, {figure(row[high])}]"
    return figure(row[value]), ends


def _against(row: Row) -> tuple[str, ...]:
    parts: tuple[str, ...] = ()
    for to in ("best", "dummy"):
        shown = _shown(row, f"difference_to_{to}", f"low_to_{to}", f"high_to_{to}")
        parts += (*shown, row[f"verdict_to_{to}"] or "")
    return parts
