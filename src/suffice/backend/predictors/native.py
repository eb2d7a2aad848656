"""The kernels of linear predictors; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Reals, Whole
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import KINDS, LossTotals, NewtonLimits, NewtonSteps, RowLoss, SoftmaxTotals


def loss_sums(
    X: Reals, slope: Floats, intercept: float, y: Floats, weight: Floats | None, loss: RowLoss, curved: bool
) -> LossTotals:
    """The sums of a loss that the kernel knows."""
    totals, gradient = np.zeros(3), np.zeros(X.shape[1])
    curvature = np.empty(X.shape[0]) if curved else None
    own = np.ascontiguousarray(slope, dtype=np.float64)
    kernels().loss_sums(
        X, own, float(intercept), doubles(y), doubles(weight), KINDS.index(loss.kind), np.array(loss.numbers),
        thread_count(), totals, gradient, curvature,
    )  # fmt: skip
    return LossTotals(float(totals[0]), float(totals[1]), float(totals[2]), gradient, curvature)


def row_parts(eta: Floats, y: Floats, weight: Floats | None, loss: RowLoss) -> tuple[float, Floats, Floats]:
    """The parts of a loss that the kernel knows."""
    gradient, curvature = np.empty_like(eta), np.empty_like(eta)
    total = kernels().row_parts(
        eta, y, weight, KINDS.index(loss.kind), np.array(loss.numbers), gradient, curvature, thread_count()
    )
    return total, gradient, curvature


def class_parts(raw: Floats, y: Floats, weight: Floats | None, loss: RowLoss) -> tuple[float, Floats, Floats]:
    """The parts of the deviance of classes."""
    gradient, curvature = np.empty_like(raw), np.empty_like(raw)
    total = kernels().class_parts(np.ascontiguousarray(raw), y, weight, gradient, curvature, thread_count())
    return total, gradient, curvature


def newton_steps(
    X: Reals, y: Floats, weight: Floats | None, loss: RowLoss, penalty: Floats, fit_intercept: bool, slope: Floats,
    intercept: Floats, limits: NewtonLimits,
) -> NewtonSteps:  # fmt: skip
    """Newton's steps for few rows."""
    theta, history = np.empty(len(slope) + 1), np.empty((limits.most, 2))
    theta[:-1], theta[-1] = slope, intercept
    status, steps, first = kernels().newton_steps(
        X, doubles(y), doubles(weight), KINDS.index(loss.kind), np.array(loss.numbers), doubles(penalty),
        fit_intercept, np.array(limits[:3]), limits.most, thread_count(), theta, history,
    )  # fmt: skip
    return NewtonSteps(theta[:-1], np.asarray(theta[-1]), status, history[:steps], first)


def softmax_steps(
    X: Reals, y: Floats, weight: Floats | None, numbers: tuple[float, float], penalty: Floats, fit_intercept: bool,
    slope: Floats, intercept: Floats, limits: NewtonLimits,
) -> NewtonSteps:  # fmt: skip
    """Newton's steps for few rows of several classes."""
    p, k = slope.shape
    theta, history = np.empty((p + 1, k)), np.empty((limits.most, 2))
    theta[:p], theta[p] = slope, intercept
    status, steps, first = kernels().softmax_steps(
        X, doubles(y), doubles(weight), k, np.array([*numbers, *limits[:3]]), doubles(penalty), fit_intercept,
        limits.most, thread_count(), theta, history,
    )  # fmt: skip
    return NewtonSteps(theta[:p], theta[p], status, history[:steps], first)


def softmax_sums(
    X: Reals, slope: Floats, intercept: Floats, y: Whole, weight: Floats | None, curved: bool
) -> SoftmaxTotals:
    """The sums of the softmax loss."""
    k = len(intercept)
    totals, offset, gradient = np.zeros(2), np.zeros(k), np.zeros((k, X.shape[1]))
    share = np.empty((X.shape[0], k)) if curved else None
    own = np.ascontiguousarray(slope.T, dtype=np.float64)
    codes = np.ascontiguousarray(y, dtype=np.int64)
    kernels().softmax_sums(
        X, own, doubles(intercept), codes, doubles(weight), thread_count(), totals, offset, gradient, share
    )
    return SoftmaxTotals(float(totals[0]), float(totals[1]), offset, np.ascontiguousarray(gradient.T), share)
