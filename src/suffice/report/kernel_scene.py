"""Kernel machines of two classes on two columns: the sides of the decision, its margins, and the support vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..engine.trace import FitTrace
from ..observing import Iteration
from ..text import counted, figure
from ..typing import Floats
from .scenes import Shown, View, letters, number, rounded, thinned

_MOST = 48  # frames, each of which holds a grid of decisions
_POINT, _MISTAKEN = 3, 6  # radii


def is_kernel_machine(fit: FitTrace, view: View | None) -> bool:
    """Whether the decisions of a fit can be seen among the rows."""
    plane = _plane(fit.snapshots[-1])
    if view is None or "values" not in plane or len(plane["codes"]) != view.total or view.rows.shape[1] != 2:
        return False
    nodes = [np.asarray(plane[name]) for name in ("across", "up")]
    return all(
        bool(np.all((own[0] < column) & (column < own[-1])))  # rows as they are before a step that scales them are not
        for own, column in zip(nodes, view.rows.T, strict=True)
    )


def why_unseen(fit: FitTrace) -> str:
    """What a fit says of why it is not shown among its rows; nothing where it says nothing."""
    return str(_plane(fit.snapshots[-1]).get("unseen", "")) if fit.snapshots else ""


def kernel_film(view: View, iterations: Sequence[Iteration], snapshots: Sequence[Shown]) -> dict[str, object]:
    """The nodes of the grid, the classes of rows, decisions and support vectors in each state, and what they cost."""
    plane = _plane(snapshots[-1])
    is_machine = all("gap" in done.metrics for done in iterations)
    states = list(_states(snapshots))
    words = _of_machine if is_machine else _of_perceptron
    frames = [_frame(view, snapshots[i], i, k, words(iterations[i], snapshots[i], k)) for i, k in _few(states)]
    return {
        "kind": "decisions",
        "turn": "iteration" if is_machine else "epoch",
        "nodes": [rounded(np.asarray(plane[name], dtype=np.float64), 6) for name in ("across", "up")],
        "levels": [-1, 0, 1] if is_machine else [0],
        "labels": letters(np.asarray(plane["codes"])[view.numbers]),
        "curves": _bounds(iterations) if is_machine else _mistakes(iterations),
        "frames": frames,
    }


def _plane(snapshot: Shown) -> Shown:
    found = snapshot.get("plane", {})
    return found if isinstance(found, dict) else {}


def _states(snapshots: Sequence[Shown]) -> Iterator[tuple[int, int]]:
    """Each state that is kept: its iteration, and its number there."""
    for i, snapshot in enumerate(snapshots):
        for k in range(len(_plane(snapshot).get("values", ()))):
            yield i, k


def _few(states: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    return [states[at] for at in thinned(len(states), _MOST)]


def _frame(view: View, snapshot: Shown, i: int, k: int, said: str) -> Shown:
    plane = _plane(snapshot)
    support, mistaken = np.asarray(plane["support"])[k][view.numbers], int(np.asarray(plane["mistaken"])[k])
    made = {
        "iteration": i,
        "said": said,
        "decisions": rounded(_known(np.asarray(plane["values"][k], dtype=np.float64)), 3),
        "rings": np.flatnonzero(support).tolist(),
    }
    if mistaken in view.numbers:
        made["sizes"] = np.where(view.numbers == mistaken, _MISTAKEN, _POINT).tolist()
    return made


def _known(values: Floats) -> Floats:
    """Decisions that a picture can hold: of sums that overflow, their side."""
    return np.clip(np.nan_to_num(values), -1e30, 1e30)


def _support(snapshot: Shown, k: int) -> str:
    return counted(int(np.count_nonzero(np.asarray(_plane(snapshot)["support"])[k])), "support vector")


def _of_machine(done: Iteration, snapshot: Shown, k: int) -> str:
    gap = done.metrics["gap"]
    known = f", duality gap {figure(gap, 3)}" if gap is not None and np.isfinite(gap) else ""
    return f"{counted(int(done.metrics['pairs']), 'pair')} of variables moved: {_support(snapshot, k)}{known}"


def _of_perceptron(done: Iteration, snapshot: Shown, k: int) -> str:
    if int(np.asarray(_plane(snapshot)["mistaken"])[k]) >= 0:
        return f"a row on the wrong side is added: {_support(snapshot, k)}"
    return f"{counted(int(done.metrics['mistakes']), 'mistake')}: {_support(snapshot, k)}"


def _bounds(iterations: Sequence[Iteration]) -> list[dict[str, object]]:
    """The objective, which falls, and that of the dual, which rises to meet it."""
    dual = np.array([-done.objective for done in iterations])
    gap = np.array([np.nan if done.metrics["gap"] is None else done.metrics["gap"] for done in iterations])
    return [_curve("primal objective", dual + gap), _curve("dual objective", dual)]


def _mistakes(iterations: Sequence[Iteration]) -> list[dict[str, object]]:
    return [_curve("mistakes in each epoch", np.array([done.metrics["mistakes"] for done in iterations]))]


def _curve(name: str, values: Floats) -> dict[str, object]:
    return {"name": name, "values": [number(value) for value in values.tolist()]}
