"""The rows that a target can be learned from, and into how many folds they are cut."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..description.text import count
from ..errors import InvalidData
from ..text import counted, figure, listed, spelled_alike
from ..typing import Labels
from .rows import MOST_FEATURES, Rows, Task

FOLDS = 5  # at least; each class needs as many rows
MORE_FOLDS, FEW_ROWS = 10, 2_000  # with few rows more folds can be afforded, and more is learned from them
FEWEST = 2 * FOLDS  # rows


def learnable(table: Rows, task: Task = "auto") -> tuple[Rows, NDArray[np.generic], str, list[str]]:
    """The rows with a usable target, the target, its kind, and what was left out."""
    rows, y, kind = table.labelled(task)
    if not len(y) and len(table):
        all_ = f"all {counted(len(table), 'cell')} are" if len(table) > 1 else "its one cell is"
        raise InvalidData(f"the target {table.target!r} has no values: {all_} missing.")
    target, said = str(table.target), []
    if kind == "classes":
        names, sizes = np.unique(y, return_counts=True)
        _check_are_classes(table, len(names), len(y))
        rare = names[sizes < FOLDS]
        if len(rare):
            said.append(rare_classes(rare))
            keep = ~np.isin(y, rare)
            rows, y = rows.only(keep), y[keep]
        if len(names) - len(rare) < 2:
            raise InvalidData(too_few(target, dict(zip(names.tolist(), sizes.tolist(), strict=True))))
        said += [*numbers_as_classes(table, task, len(names)), *classes_alike(target, names)]
    elif len(set(y.tolist())) < 2:
        raise InvalidData(f"the target {target!r} has only one value, {figure(float(y[0]))}.")
    if len(y) < FEWEST:
        raise InvalidData(f"the target {target!r} is known in {len(y)} rows; at least {FEWEST} are needed.")
    return rows, y, kind, [*said, *cut_features(rows)]


def _check_are_classes(table: Rows, classes: int, n: int) -> None:
    """Refuse a target that has hardly two rows alike; a doubt about how it was read says why it may be so."""
    if classes <= max(2, n / 3):
        return
    doubts = [doubt for doubt in table.description.warnings if doubt.startswith(f"column {table.target!r} looks like")]
    why = f" In doubt: {doubts[0]}." if doubts else ""
    raise InvalidData(
        f"the target {table.target!r} has {count(classes)} different values in {count(n)} rows, like an id.{why}"
    )


def rare_classes(rare: Labels) -> str:
    """Which classes have too few rows.

    >>> rare_classes(np.array(["a", "b"]))
    'Classes with fewer than 5 rows are left out: a, b.'
    """
    more = f" and {len(rare) - 10} more" if len(rare) > 10 else ""
    return f"Classes with fewer than {FOLDS} rows are left out: {', '.join(map(str, rare[:10]))}{more}."


def too_few(target: str, sizes: Mapping[object, int]) -> str:
    """That there are not two classes to tell apart.

    >>> too_few("fraud", {"0": 361, "1": 2})
    "the target 'fraud' needs two classes with 5 rows each, so that each of 5 folds has one; '1' has 2."
    >>> too_few("y", {"yes": 40})
    "the target 'y' has only one class, 'yes'."
    """
    if len(sizes) == 1 and max(sizes.values()) >= FOLDS:
        return f"the target {target!r} has only one class, {str(next(iter(sizes)))!r}."
    rare = [f"{str(name)!r} has {n}" for name, n in sizes.items() if n < FOLDS]
    return (
        f"the target {target!r} needs two classes with {FOLDS} rows each, so that each of {FOLDS} folds has one; "
        f"{listed(rare)}."
    )


def numbers_as_classes(table: Rows, task: Task, classes: int) -> list[str]:
    """That whole numbers are taken as classes, where there are more than two and nobody asked for it."""
    kind = next(column.kind for column in table.columns if column.name == table.target)
    if task != "auto" or kind != "numeric" or classes <= 2:
        return []
    return [
        f"The {classes} different whole numbers of {table.target!r} are taken as classes; to predict an amount, say "
        "--task numbers or task='numbers'."
    ]


def classes_alike(target: str, names: Labels) -> list[str]:
    """That classes differ only in how they are written.

    >>> classes_alike("returned", np.array(["No", "no", "yes"]))
    ["The classes 'No' and 'no' of 'returned' differ only in case or spaces; write them alike if they are one."]
    """
    return [
        f"The classes {' and '.join(map(repr, alike))} of {target!r} differ only in case or spaces; write them alike "
        "if they are one."
        for alike in spelled_alike(map(str, names.tolist()))
    ]


def cut_features(rows: Rows) -> list[str]:
    """That not all columns are learned from, where that is so."""
    if not rows.is_cut():
        return []
    return [f"No more than the first {MOST_FEATURES} features are used; leave out columns to use others."]


def folds_of(y: Labels, kind: str) -> int:
    """How many folds the rows allow."""
    return MORE_FOLDS if len(y) <= FEW_ROWS and _smallest(y, kind) >= MORE_FOLDS else FOLDS


def fewer_folds(wanted: int, y: Labels, kind: str) -> tuple[int, list[str]]:
    """So many folds, or as many as the rarest class has rows, and a sentence where they are fewer."""
    folds = min(wanted, _smallest(y, kind))
    if folds == wanted:
        return wanted, []
    what = "the rarest class has" if kind == "classes" else "there are"
    return folds, [f"{folds} folds instead of {wanted}, since {what} {counted(folds, 'row')}."]


def _smallest(y: Labels, kind: str) -> int:
    """The rows of the rarest class, or all of them."""
    return int(np.unique(y, return_counts=True)[1].min()) if kind == "classes" else len(y)
