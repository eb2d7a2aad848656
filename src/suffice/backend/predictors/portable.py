"""Sums over linear predictors, and Newton's steps: readable, and the definition of what the kernels compute."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...typing import Floats, Reals, Whole
from ..weights import given_or_ones
from .values import DONE, MORE, NO_STEP, SINGULAR, LossTotals, NewtonLimits, NewtonSteps, RowLoss, SoftmaxTotals

_ROUNDING = 8 * float(np.finfo(np.float64).eps)
_HALVINGS = 40
_LEAST_PIVOT = 1e-13

_Place = tuple[Floats, float, Floats, Floats]  # parameters, objective, its gradient, and the curvature of rows
_Evaluate = Callable[[Floats], _Place]


def loss_sums(
    X: Reals, slope: Floats, intercept: float, y: Floats, weight: Floats | None, loss: RowLoss, curved: bool
) -> LossTotals:
    """The sums of a loss at η = X slope + intercept, which kernels know by its kind and all others by its parts."""
    w = given_or_ones(weight, X.shape[0])
    value, gradient, curvature = loss.parts(X.astype(np.float64, copy=False) @ slope + intercept, y)
    own = w * gradient
    along = np.asarray(X.T @ own, dtype=np.float64)
    return LossTotals(float(w.sum()), float(w @ value), float(own.sum()), along, curvature if curved else None)


def row_parts(eta: Floats, y: Floats, weight: Floats | None, loss: RowLoss) -> tuple[float, Floats, Floats]:
    """Σ w ℓ over rows, and the gradient and the curvature of each, (n,)."""
    value, gradient, curvature = loss.parts(eta, y)
    return float(given_or_ones(weight, len(eta)) @ value), gradient, curvature


def class_parts(raw: Floats, y: Floats, weight: Floats | None, loss: RowLoss) -> tuple[float, Floats, Floats]:
    """Σ w ℓ over rows of k classes, numbers `y`, with predictors (k, n), and gradients and curvatures, (k, n) each."""
    value, slopes, share = loss.parts(np.ascontiguousarray(raw.T), y.astype(np.int64))
    gradient, curvature = np.ascontiguousarray(slopes.T), np.ascontiguousarray((share * (1 - share)).T)
    return float(given_or_ones(weight, len(y)) @ value), gradient, curvature


def newton_steps(
    X: Reals, y: Floats, weight: Floats | None, loss: RowLoss, penalty: Floats, fit_intercept: bool, slope: Floats,
    intercept: Floats, limits: NewtonLimits,
) -> NewtonSteps:  # fmt: skip
    """Newton's steps for Σ w ℓ / Σ w + ½ Σ penaltyⱼ slopeⱼ², of few rows."""
    w, rows, own, mean = _centred(X, y, weight, fit_intercept)
    total = float(w.sum())
    if not total > 0:
        return NewtonSteps(slope, intercept, SINGULAR, np.empty((0, 2)), 0.0)

    def evaluate(theta: Floats) -> _Place:
        value, gradient, curvature = loss.parts(rows @ theta[:-1] + theta[-1], own)
        pull = np.append(w * gradient @ rows / total + penalty * theta[:-1], fit_intercept * (w @ gradient) / total)
        return theta, float(w @ value / total + 0.5 * penalty @ theta[:-1] ** 2), pull, w * curvature

    def change(at: _Place) -> Floats | None:
        return _change(rows, at, penalty, fit_intercept, total)

    theta, status, history, first = _stepped(evaluate, change, np.append(slope, intercept + mean @ slope), limits)
    return NewtonSteps(theta[:-1], np.asarray(theta[-1] - mean @ theta[:-1]), status, history, first)


def softmax_steps(
    X: Reals, y: Floats, weight: Floats | None, numbers: tuple[float, float], penalty: Floats, fit_intercept: bool,
    slope: Floats, intercept: Floats, limits: NewtonLimits,
) -> NewtonSteps:  # fmt: skip
    """The same for ℓ = t log Σ_c exp((η_c + m [c ≠ y]) / t) − η_y of codes y, with numbers m and t, slopes (p, k).

    A change of all classes alike changes nothing but the penalty: where there is none, it is held at 0.
    """
    w, rows, own, mean = _centred(X, y, weight, fit_intercept)
    total, (p, k), (margin, heat) = float(w.sum()), slope.shape, numbers
    if not total > 0:
        return NewtonSteps(slope, intercept, SINGULAR, np.empty((0, 2)), 0.0)
    is_own = (own[:, None] == np.arange(k)).astype(np.float64)
    wide, costs = np.column_stack([rows, np.ones(len(rows))]), np.append(penalty, 0.0)[:, None]

    def evaluate(theta: Floats) -> _Place:
        B = theta.reshape(p + 1, k)
        eta = wide @ B
        above = eta + margin * (1 - is_own)
        most = above.max(axis=1, keepdims=True)
        e = np.exp((above - most) / heat)
        share = e / e.sum(axis=1, keepdims=True)
        value = most[:, 0] + heat * np.log(e.sum(axis=1)) - (eta * is_own).sum(axis=1)
        pull = wide.T @ (w[:, None] * (share - is_own)) / total + costs * B
        pull[p] *= fit_intercept
        return theta, float(w @ value / total + 0.5 * (costs * B * B).sum()), pull.ravel(), share

    def change(at: _Place) -> Floats | None:
        bent = np.einsum("ic,ce->ice", at[3], np.eye(k)) - np.einsum("ic,ie->ice", at[3], at[3])
        system = np.einsum("i,ij,il,ice->jcle", w / (heat * total), wide, wide, bent)
        for j in range(p + 1):
            free = j == p or not penalty[j] > 0
            system[j, :, j] += np.trace(system[j, :, j]) / k if free else penalty[j] * np.eye(k)
        if not fit_intercept:
            system[p] = system[:, :, p] = 0.0
            system[p, :, p] = np.eye(k)
        found = _solved(system.reshape(len(at[0]), -1), at[2])
        return None if found is None else -found

    start = np.vstack([slope, intercept + mean @ slope]).ravel()
    theta, status, history, first = _stepped(evaluate, change, start, limits)
    B = theta.reshape(p + 1, k)
    return NewtonSteps(B[:p], B[p] - mean @ B[:p], status, history, first)


def _centred(X: Reals, y: Floats, weight: Floats | None, fit_intercept: bool) -> tuple[Floats, Floats, Floats, Floats]:
    """Weights, rows about their mean, and targets of the rows that weigh something, and that mean, 0 if not wanted."""
    w = given_or_ones(weight, X.shape[0])
    some = w > 0
    w, rows, own = w[some], X.astype(np.float64)[some], np.asarray(y)[some]
    mean = np.asarray(w @ rows / w.sum()) if fit_intercept and len(w) else np.zeros(X.shape[1])
    return w, rows - mean, own, mean


def _stepped(
    evaluate: _Evaluate, change: Callable[[_Place], Floats | None], theta: Floats, limits: NewtonLimits
) -> tuple[Floats, int, Floats, float]:
    """Where the steps lead, how they end, their history, and the first objective."""
    at = evaluate(theta)
    history: list[tuple[float, float]] = []
    first, size = at[1], abs(at[1]) if limits.size < 0 else limits.size
    status = MORE
    while status == MORE and len(history) < limits.most:
        step = change(at) if np.isfinite(at[1]) else None
        gain = np.nan if step is None else -0.5 * float(at[2] @ step)
        if step is None or not np.isfinite(gain):
            status = SINGULAR
        elif gain <= _ROUNDING * abs(at[1]):
            status = DONE
            history.append((at[1], gain))
            if limits.flat == 0:  # nobody sees it in the objective, but in the digits of parameters
                at = at[0] + step, *at[1:]
        else:
            found = _searched(evaluate, at, step, limits.flat) if limits.flat > 0 else _halved(evaluate, at, step)
            status = DONE if gain <= limits.tol * max(abs((found or at)[1]), size) else MORE
            status = NO_STEP if found is None and status == MORE else status
            at = found or at
            history.append((at[1], gain))
    return at[0], status, np.array(history).reshape(len(history), 2), first


def _change(rows: Floats, at: _Place, penalty: Floats, fit_intercept: bool, total: float) -> Floats | None:
    """Newton's step, about the mean of the rows by their curvature; None where its system is nearly singular."""
    bent, gradient = at[3], at[2]
    level = float(bent.sum())
    if fit_intercept and not level > 0 and gradient[-1] != 0:  # slopes by the penalty, the intercept by what rows lose
        return np.append(-gradient[:-1] / penalty, -np.sign(gradient[-1]) * at[1]) if np.all(penalty > 0) else None
    mean = np.asarray(bent @ rows / level) if fit_intercept and level > 0 else np.zeros(rows.shape[1])
    about = rows - mean
    found = _solved((about.T * bent) @ about / total + np.diag(penalty), gradient[:-1] - mean * gradient[-1])
    if found is None:
        return None
    offset = -gradient[-1] * total / level if fit_intercept and level > 0 else 0.0
    return np.append(-found, offset + mean @ found)


def _solved(system: Floats, right: Floats) -> Floats | None:
    """The solution of a symmetric system in units of its diagonal, by Cholesky; None where it is nearly singular."""
    diagonal = np.diagonal(system)
    if not np.all(diagonal > 0):
        return None
    unit = 1 / np.sqrt(diagonal)
    try:
        factor = np.linalg.cholesky(system * unit * unit[:, None])
    except np.linalg.LinAlgError:
        return None
    if not np.all(np.diagonal(factor) ** 2 > _LEAST_PIVOT):
        return None
    return np.asarray(unit * np.linalg.solve(factor.T, np.linalg.solve(factor, unit * right)))


def _halved(evaluate: _Evaluate, at: _Place, change: Floats) -> _Place | None:
    """The farthest of the halved steps that lowers the objective enough."""
    gain, length = -0.5 * float(at[2] @ change), 1.0
    for _ in range(_HALVINGS):
        found = evaluate(at[0] + length * change)
        if found[1] <= at[1] - 1e-4 * length * gain + _ROUNDING * abs(at[1]):
            return found
        length /= 2
    return None


def _searched(evaluate: _Evaluate, at: _Place, change: Floats, flat: float) -> _Place | None:
    """A step at whose end a convex objective is flat along it: the root of a slope that only rises is enclosed."""
    first, highest = float(at[2] @ change), at[1] + _ROUNDING * abs(at[1])
    low, high, low_slope, high_slope, length = 0.0, 0.0, first, 0.0, 1.0
    for _ in range(_HALVINGS):
        found = evaluate(at[0] + length * change)
        slope = float(found[2] @ change)
        if found[1] <= highest and abs(slope) <= -flat * first:
            return found
        if found[1] <= highest and slope < 0:
            low, low_slope = length, slope
        else:
            high, high_slope = length, max(slope, 0.0)
        share = -low_slope / (high_slope - low_slope) if high_slope > 0 else 0.5
        length = low + (high - low) * min(max(share, 0.1), 0.9) if high > 0 else 2 * length
    return found if found[1] <= highest else None


def softmax_sums(
    X: Reals, slope: Floats, intercept: Floats, y: Whole, weight: Floats | None, curved: bool
) -> SoftmaxTotals:
    """The sums of the softmax loss of classes y at η = X slope + intercept, slope (d, k), and the probabilities."""
    w = given_or_ones(weight, X.shape[0])
    eta = X.astype(np.float64, copy=False) @ slope + intercept
    top = eta.max(axis=1, keepdims=True)
    e = np.exp(eta - top)
    total = e.sum(axis=1, keepdims=True)
    rows, share = np.arange(len(y)), e / total
    value = np.log(total[:, 0]) + top[:, 0] - eta[rows, y]
    own = share * w[:, None]
    own[rows, y] -= w
    along = np.asarray(X.T @ own, dtype=np.float64)
    return SoftmaxTotals(float(w.sum()), float(w @ value), own.sum(axis=0), along, share if curved else None)
