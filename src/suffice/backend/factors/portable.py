"""Factorisations in plain array code: readable, and the definition of what the kernels compute.

The known cells of row i stand at `starts[i]` to `starts[i + 1]` of `columns` and of what goes with them.
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma

from ...typing import Flags, Floats, Whole
from .values import Equations, Ratios

_LOST = 1e-12  # a pivot below this part of its diagonal is rounding: the unknown stays 0
_FLAT = 1e-10  # slopes below this part of the largest are 0
_EXCHANGES = 8  # of unknowns above 0 with those at 0
_MOST = 2048  # sweeps of coordinate descent
_LEAST = 1e-300  # what a cell that no topic has is expected to be, in logarithms


def row_equations(
    matrix: Floats, starts: Whole, columns: Whole, right: Floats, weight: Floats | None = None
) -> Equations:
    """The equations of each row over its known cells: Σ w v vᵀ and Σ b v, with v the rows of a matrix (m, p)."""
    n, p = len(starts) - 1, matrix.shape[1]
    grams, rights = np.zeros((n, p, p)), np.zeros((n, p))
    for i in range(n):
        own = slice(starts[i], starts[i + 1])
        rows = matrix[columns[own]]
        grams[i] = (rows if weight is None else rows * weight[own, None]).T @ rows
        rights[i] = right[own] @ rows
    return Equations(grams, rights)


def solve_rows(
    rights: Floats, grams: Floats, ridge: Floats, nonnegative: bool = False, start: Floats | None = None
) -> Floats:
    """The solutions (n, p) of the equations of each row, with `ridge` (n,) more on the diagonals.

    `grams` are those of each row, (n, p, p), or common to all, (1, p, p). Unknowns that the others determine are 0;
    with `nonnegative` none is below 0, and they are sought from `start`.
    """
    answers = np.zeros(rights.shape) if start is None else np.array(start, dtype=np.float64)
    for i, right in enumerate(rights):
        full = grams[i if len(grams) > 1 else 0] + ridge[i] * np.eye(len(right))
        answers[i] = _descended(full, right, answers[i]) if nonnegative else _solved(full, right)
    return answers


def _solved(full: Floats, right: Floats) -> Floats:
    """By Cholesky's factors, whose lost pivots leave their unknown at 0."""
    root, b = np.triu(full), right.astype(np.float64)
    for j in range(len(b)):
        if not root[j, j] > _LOST * full[j, j]:
            root[j], b[j] = 0.0, 0.0
            continue
        scale = 1 / np.sqrt(root[j, j])
        root[j, j:] *= scale
        b[j] *= scale
        for i in range(j + 1, len(b)):
            root[i, i:] -= root[j, i] * root[j, i:]
            b[i] -= root[j, i] * b[j]
    answer = np.zeros(len(b))
    for j in reversed(range(len(b))):
        answer[j] = (b[j] - root[j, j + 1 :] @ answer[j + 1 :]) / root[j, j] if root[j, j] > 0 else 0.0
    return answer


def _descended(full: Floats, right: Floats, answer: Floats) -> Floats:
    """Exchanges of unknowns above 0 with those at 0 (Kim and Park, 2011), or where these go in circles descent."""
    largest, curve = float(np.abs(right).max(initial=0.0)), np.diagonal(full)
    answer = np.where(curve > 0, answer, 0.0)
    if largest == 0:
        return np.zeros(len(right))
    active = answer > 0 if np.any(answer > 0) else (curve > 0) & (right > 0)
    for _ in range(_EXCHANGES):
        own, wrong = _settled(full, right, largest, active)
        if not wrong.any():
            return own
        active = np.where(wrong, ~active & (curve > 0), active)
    return _swept(full, right, largest, answer)


def _settled(full: Floats, right: Floats, largest: float, active: Flags) -> tuple[Floats, Flags]:
    """The solution for the active unknowns, the others at 0, and which are on the wrong side there."""
    some, own = np.flatnonzero(active), np.zeros(len(right))
    own[some] = _solved(full[np.ix_(some, some)], right[some])
    return own, (own < 0) | (full @ own - right < -_FLAT * largest)


def _swept(full: Floats, right: Floats, largest: float, answer: Floats) -> Floats:
    """Coordinate descent finds which unknowns are above 0; then their equations are solved exactly."""
    slope, turn = full @ answer - right, 4
    for sweep in range(_MOST):
        if sweep == turn:
            own, wrong = _settled(full, right, largest, answer > 0)
            if not wrong.any():
                return own
            turn *= 2
        for j, curve in enumerate(np.diagonal(full)):
            if curve > 0:
                after = max(0.0, answer[j] - slope[j] / curve)
                slope += (after - answer[j]) * full[j]
                answer[j] = after
    return answer


def mix_rows(
    topics: Floats, starts: Whole, columns: Whole, values: Floats, shares: Floats, prior: Floats | None = None,
    less: Floats | None = None, most: int = 1, tolerance: float = 0.0,
) -> Floats:  # fmt: skip
    """The shares (n, k) of topics (m, k) in each row after some sweeps of expectation and maximisation.

    A sweep makes them w ∘ Σⱼ xⱼ / (w·bⱼ) bⱼ, divided by `less` (n, k); with the parameters of a Dirichlet prior (k,)
    they are those of the posterior, prior + e ∘ Σⱼ xⱼ / (e·bⱼ) bⱼ with e = exp ψ(w). A row ends when its change is at
    most `tolerance` of its sum.
    """
    out = np.array(shares, dtype=np.float64)
    for i, w in enumerate(out):
        own = slice(starts[i], starts[i + 1])
        B, x = topics[columns[own]], values[own]
        for _ in range(most):
            e = w if prior is None else np.exp(digamma(w))
            expected = B @ e
            now = e * (np.divide(x, expected, out=np.zeros(len(x)), where=expected > 0) @ B)
            if prior is not None:
                now = now + prior
            elif less is not None:
                now = np.divide(now, less[i], out=np.zeros(len(now)), where=less[i] > 0)
            change = float(np.abs(now - w).sum())
            w[:] = now
            if change <= tolerance * now.sum():
                break
    return out


def ratio_sums(own: Floats, other: Floats, starts: Whole, columns: Whole, values: Floats) -> Ratios:
    """What the cells of each row are of what is expected of them, e = aᵢ·bⱼ, by topic, and how far from that."""
    sums, figures = np.zeros(own.shape), np.zeros((3, len(own)))
    for i, a in enumerate(own):
        at = slice(starts[i], starts[i + 1])
        B, x = other[columns[at]], values[at]
        expected = B @ a
        sums[i] = np.divide(x, expected, out=np.zeros(len(x)), where=(expected > 0) & (x != 0)) @ B
        sure = np.maximum(expected, _LEAST)
        logs = x * np.log(sure)
        apart = x * np.log(np.where(x > 0, x, 1.0)) - logs - x + expected
        figures[:, i] = logs.sum(), apart.sum(), expected.sum()
    return Ratios(sums, *figures)


def cell_products(own: Floats, other: Floats, starts: Whole, columns: Whole) -> Floats:
    """The products a·b of the rows of (n, p) with those of (m, p) for some cells of each row."""
    rows = np.repeat(np.arange(len(own)), np.diff(starts))
    return np.asarray(np.einsum("cp,cp->c", np.asarray(own)[rows], other[columns]))


def descend_cells(
    values: Floats, rows: Whole, columns: Whole, weight: Floats | None, order: Whole, mean: float, rate: float,
    row_ridge: Floats, column_ridge: Floats, biased: bool, U: Floats, V: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """The factors (n, p) and (m, p) after one step along the gradient of each cell, in the order given.

    The ridge of rows (n,) and columns (m,) is what one cell has of it. With `biased` the last two factors of a row are
    its bias and 1, those of a column 1 and its bias.
    """
    U, V = np.array(U, dtype=np.float64), np.array(V, dtype=np.float64)
    k = U.shape[1] - 2 * biased
    for cell in order:
        u, v = U[rows[cell]], V[columns[cell]]
        w = 1.0 if weight is None else weight[cell]
        error = w * (values[cell] - mean - u @ v)
        own, other = w * row_ridge[rows[cell]], w * column_ridge[columns[cell]]
        before = u[:k].copy()
        u[:k] += rate * (error * v[:k] - own * before)
        v[:k] += rate * (error * before - other * v[:k])
        if biased:
            u[k] += rate * (error - own * u[k])
            v[k + 1] += rate * (error - other * v[k + 1])
    return U, V
