"""The rows that the best model is most wrong about."""

from __future__ import annotations

import numpy as np

from ..data.rows import is_gap
from ..description.text import count, number
from ..evaluation import Evaluation
from ..text import figure
from ..typing import Floats, Labels
from .errors import winner
from .parts import Figures, Part
from .rows import Rows
from .study import Study

_WORST = 10
_WORST_COLUMNS = 8


def worst_part(study: Study) -> Part:
    """The rows that the best model is most wrong about."""
    name, found = winner(study)
    rows, y = study.results["labelled"], study.results["y"]
    loss, truth, said, how = _losses(found, y, study.results["kind"])
    order = np.argsort(-np.nan_to_num(loss, nan=-np.inf), kind="stable")[:_WORST]
    order = order[np.isfinite(loss[order]) & (loss[order] > 0)]
    if not len(order):
        return Part("What it gets wrong", words=[f"Nothing: {name} is right about every row."])
    columns = [c.name for c in rows.columns if c.name != rows.target][:_WORST_COLUMNS]
    listed = [
        (
            count(int(rows.places[i])),
            truth[i],
            said[i],
            figure(float(loss[i]), 3),
            *(_cell(rows, c, i) for c in columns),
        )
        for i in order
    ]
    return Part(
        "What it gets wrong",
        words=[f"The rows that {name} is most wrong about: look whether they are wrong themselves. Rows count from 0."],
        tables=[
            Figures(
                ("row", "true", "said", how, *columns),
                listed,
                "Worst first, as told by a model that did not learn from them",
            )
        ],
        code=_worst_code(how),
    )


def _worst_code(how: str) -> str:
    """How the worst rows are found, by the name of the loss."""
    lines = {
        "off by": ["loss = np.abs(best.predicted - y)"],
        "wrong": ["loss = (best.predicted != y).astype(float)"],
        "1 − p(true)": [
            "own = best.probability[np.arange(len(y)), np.searchsorted(np.array(best.classes, dtype=object), y)]",
            "loss = np.where(best.predicted != y, 1 - own.astype(float), 0.0)",
        ],
    }[how]
    worst = f"worst = np.argsort(-np.nan_to_num(loss, nan=-np.inf), kind='stable')[:{_WORST}]"
    return "\n".join([*lines, worst, "print(labelled.places[worst], loss[worst])"])


def _losses(found: Evaluation, y: Labels, kind: str) -> tuple[Floats, list[str], list[str], str]:
    """How wrong each row is, its truth and its prediction as texts, and the name of the loss."""
    if kind == "numbers":
        said = np.asarray(found.predicted, dtype=np.float64)
        return (
            np.abs(said - y.astype(np.float64)),
            [number(float(v)) for v in y.tolist()],
            [number(v) for v in said],
            "off by",
        )
    called = [str(v) for v in found.predicted]
    wrong = np.array([a != b for a, b in zip(called, y.tolist(), strict=True)], dtype=np.float64)
    wrong[[is_gap(said) for said in found.predicted]] = np.nan  # rows of the first block of time are never told
    if found.probability is None:
        return wrong, list(map(str, y)), called, "wrong"
    code = {c: i for i, c in enumerate(found.classes)}
    own = np.array([found.probability[i, code[c]] for i, c in enumerate(y.tolist())], dtype=np.float64)
    return np.where(wrong > 0, 1 - own, 0.0), list(map(str, y)), called, "1 − p(true)"


def _cell(rows: Rows, name: str, i: int) -> str:
    """A cell as people write it."""
    value = rows.cells[name][i]
    if is_gap(value):
        return ""
    kind = next(column.kind for column in rows.columns if column.name == name)
    if kind == "date":
        return str(np.datetime64(0, "D") + int(value))
    if kind == "boolean":
        return "yes" if value else "no"
    return str(value)[:40] if kind == "categorical" else number(float(value))
