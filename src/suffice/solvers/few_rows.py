"""What some of the rows say of all: a Hessian that all can borrow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..data import Chunk
from ..data.rows import is_sparse
from ..penalties import NoPenalty
from ..statistics import Moments
from ..statistics.gradient import forth
from ..typing import Floats
from .problem import Coefficients, Frame, Problem
from .systems import factored, substituted

_MANY_TIMES = 5  # how many more rows there must be
_ROWS_A_COLUMN, _LEAST, _MOST = 4, 20, 3000  # rows of a borrowed Hessian; fewer columns need none, of more it is slow
_CONDITION = 1e12
_DEAR = 200  # columns whose products take longer than the steps that they save
NEWTON_ROWS_A_COLUMN = 100  # few rows that Newton's method begins with


def few_rows(problem: Problem, wanted: int) -> Chunk | None:
    """About so many rows, where there are many more: every so many-th of those in memory, else a sample, by one pass.

    None where rows are sparse, or most of them weigh nothing.
    """
    rows = problem.source.in_memory
    if rows is None:
        known = problem.source.about_rows()
        return None if known is None or known < _MANY_TIMES * wanted else problem.source.sample(wanted)
    every = len(rows) // wanted
    if every < _MANY_TIMES or is_sparse(rows.X):
        return None
    weight = None if rows.weight is None else rows.weight[::every]
    if weight is not None and not np.count_nonzero(weight) > len(weight) // 2:
        return None
    return Chunk(rows.X[::every], rows.y[::every], weight)


def is_learned_sooner(problem: Problem) -> bool:
    """Whether steps that correct a borrowed Hessian take less time than Hessians of all rows, of many columns.

    A Hessian takes n d² products, a step n d: where some rows lend theirs, and those are too few for Newton's method to
    begin with, about 20 steps take its place. A penalty and a bounded curvature keep the number of steps so small.
    """
    d, loss = problem.columns, problem.loss
    if problem.classes is not None or problem.source.in_memory is None or problem.free is not None:
        return False
    if d < _DEAR or isinstance(problem.penalty, NoPenalty) or loss.majorises or not np.isfinite(loss.steepest()):
        return False
    return few_rows(problem, _ROWS_A_COLUMN * d) is not None and few_rows(problem, NEWTON_ROWS_A_COLUMN * d) is None


def borrowed_inverse(problem: Problem, frame: Frame, start: Coefficients) -> Callable[[Floats], Floats] | None:
    """The inverse of about the Hessian at the start, in a frame, times the gradient as one vector; None for few rows.

    All rows count as if they were curved alike. It is h R + Λ for the products R of columns in the frame, by some of
    the rows, and h for intercepts: each class has the same.
    """
    p = problem.columns
    if not _LEAST <= p <= _MOST or not problem.loss.has_curvature or problem.free is not None:
        return None
    rows = few_rows(problem, _ROWS_A_COLUMN * p)
    level = 0.0 if rows is None else _curved_alike(problem, rows, start)
    if rows is None or not (np.isfinite(level) and level > 0):
        return None
    found = Moments.of(rows.X, rows.weight)
    aside = found.mean - frame.centre
    products = (found.scatter / found.weight + np.outer(aside, aside)) / frame.unit / frame.unit[:, None]
    bent = problem.penalty.curvature(p)
    bent = np.diag(bent) if bent.ndim == 1 else bent
    factor, condition = factored(level * products + bent / frame.unit / frame.unit[:, None])
    if not condition <= _CONDITION:
        return None
    shape = problem.zero().slope.shape

    def times_inverse(gradient: Floats) -> Floats:
        slopes = substituted(factor, gradient[: int(np.prod(shape))].reshape(shape))
        return np.concatenate([slopes.ravel(), gradient[slopes.size :] / level])

    return times_inverse


def _curved_alike(problem: Problem, rows: Chunk, at: Coefficients) -> float:
    """The mean curvature of rows, and of classes."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        curvature = problem.loss.curvature(forth(rows.X, at.slope, at.intercept), rows.y)
        each = curvature * (1.0 - curvature) if problem.loss.target == "classes" else curvature
    by_row = each if each.ndim == 1 else each.mean(axis=1)
    return float(np.average(by_row, weights=rows.weight))
