"""Whether classes are separated, so that maximum likelihood has no finite coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data import Chunk
from ...errors import Separated, warn
from ...penalties import NoPenalty
from ...solvers import Coefficients, Problem
from ...statistics.gradient import forth
from ...typing import Floats, Whole

_FAR = 15.0  # log odds that rows of classes that overlap hardly have
_MOST_CELLS = 4_000_000  # of the linear programme that decides
_LONG = 12  # iterations of Newton's method, which a likelihood with a maximum seldom takes
_LOST = 1e-7  # of the information about some direction that the targets' mean alone has


@dataclass(frozen=True)
class _Margins:
    """The smallest log odds of the own class against another, and the largest of any two classes."""

    least: float
    most: float

    def __add__(self, other: _Margins) -> _Margins:
        return _Margins(min(self.least, other.least), max(self.most, other.most))


def warn_if_separated(
    problem: Problem, found: Coefficients, remedy: str = "Set C to a finite number, such as 1."
) -> None:
    """Warn where larger coefficients are always better: a hyperplane has all rows of some classes on its own side."""
    if not isinstance(problem.penalty, NoPenalty):
        return
    margins = problem.source.reduce(lambda chunk: _margins(chunk, found))
    if margins.most < _FAR:
        return
    if margins.least > 0:
        kind = "a plane separates the classes"
    elif (rows := problem.source.in_memory) is not None and _is_separable(rows, problem.classes, problem.fit_intercept):
        kind = "a plane has rows of one class on its own side alone"
    else:
        return
    warn(
        f"{problem.owner}: {kind}, so that no finite coefficients have the largest likelihood; those given are where "
        f"the fit stopped. {remedy}",
        Separated,
    )


def warn_if_runaway(problem: Problem, found: Coefficients, null: Coefficients, iterations: int) -> None:
    """Warn where the likelihood of a family grows with the coefficients for ever: means go to the end of their range.

    There nearly nothing of the information about some direction is left.
    """
    if (
        not hasattr(problem.loss, "link")
        or iterations < _LONG
        or problem.free is not None
        or not isinstance(problem.penalty, NoPenalty)
    ):
        return
    now, before = problem.curved(found).second, problem.curved(null).second
    if not (now.is_finite() and before.is_finite() and before.weight > 0):
        return
    unit = np.sqrt(np.diagonal(before.scatter))
    unit = np.where(unit > 0, unit, 1.0)
    values, vectors = np.linalg.eigh(before.scatter / unit / unit[:, None])
    known = values > 1e-10 * values[-1]
    axes = vectors[:, known] / np.sqrt(values[known]) / unit[:, None]
    left = np.linalg.eigvalsh(axes.T @ now.scatter @ axes)
    if len(left) and left[0] > _LOST:
        return
    warn(
        f"{problem.owner}: larger coefficients are always better, as some columns tell rows apart whose targets are "
        "all at the end of their range, such as 0; those given are where the fit stopped. Take a penalty.",
        Separated,
    )


def _margins(chunk: Chunk, found: Coefficients) -> _Margins:
    eta = forth(chunk.X, found.slope, found.intercept)
    counts = np.ones(len(chunk), bool) if chunk.weight is None else chunk.weight > 0
    if eta.ndim == 1:
        own = (eta * chunk.y)[counts]
        return _Margins(float(own.min(initial=np.inf)), float(np.abs(own).max(initial=0.0)))
    rows = np.arange(len(chunk))
    others = eta[rows, chunk.y][:, None] - eta
    others[rows, chunk.y] = np.inf
    least = others[counts].min(initial=np.inf)
    return _Margins(float(least), float(np.ptp(eta[counts], axis=1).max(initial=0.0)))


def _is_separable(chunk: Chunk, classes: int | None, fit_intercept: bool) -> bool:
    """Whether some direction has no row on its wrong side and some on the right one: a linear programme (Konis)."""
    from scipy.optimize import linprog
    from scipy.sparse import vstack

    some = np.ones(len(chunk), bool) if chunk.weight is None else chunk.weight > 0
    X = chunk.X[some]
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    n, p = dense.shape
    if n * p * (classes or 1) > _MOST_CELLS:
        return False
    spread = dense.std(axis=0)
    dense = (dense - dense.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if fit_intercept:
        dense = np.column_stack([dense, np.ones(n)])
    y = np.asarray(chunk.y)[some]
    sides = dense * y[:, None] if classes is None else vstack(_differences(dense, y, classes), format="csr")
    gain = np.asarray(sides.sum(axis=0)).ravel()
    found = linprog(-gain, A_ub=-sides, b_ub=np.zeros(sides.shape[0]), bounds=(-1, 1), method="highs")
    return bool(found.status == 0 and -found.fun > 1e-6 * n)


def _differences(X: Floats, y: Whole, classes: int) -> list[object]:
    """For each class c the rows of others as x at their own class and −x at c, (n, classes · p)."""
    from scipy.sparse import csr_array

    parts: list[object] = []
    p = X.shape[1]
    for c in range(classes):
        rows = np.flatnonzero(y != c)
        own = y[rows, None] * p + np.arange(p)
        other = np.broadcast_to(c * p + np.arange(p), own.shape)
        values, places = np.hstack([X[rows], -X[rows]]), np.hstack([own, other])
        starts = np.arange(len(rows) + 1) * (2 * p)
        parts.append(csr_array((values.ravel(), places.ravel(), starts), shape=(len(rows), classes * p)))
    return parts
