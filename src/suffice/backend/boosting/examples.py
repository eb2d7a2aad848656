"""Arguments to try the rounds of boosting with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...typing import Floats
from ..examples import Arguments, Case
from ..growth import Coded, Limits
from ..predictors import RowLoss
from ..predictors.examples import softmax_parts
from .steps import StepWeights
from .values import SOFTMAX, Boosting

_MOST = 100  # rows


def _squared(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    rest = eta - y
    return rest * rest / 2, rest, np.ones_like(eta)


def _absolute(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    return np.abs(y - eta), np.sign(eta - y), np.zeros_like(eta)


def _logistic(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    other = 1 / (1 + np.exp(y * eta))
    return np.logaddexp(0, -y * eta), -y * other, other * (1 - other)


def boost_rounds(case: Case) -> Iterator[Arguments]:
    """Losses of one predictor and of several, with and without weights, rows left out and rows drawn."""
    if not (0 < case.n <= _MOST and case.d > 0 and case.dtype == np.float64 and case.layout is np.ascontiguousarray):
        return
    rng, n = case.rng(), case.n
    codes = rng.integers(0, 9, (case.d, n)).astype(np.uint8)
    table = Coded(codes, np.arange(case.d) == 0, np.tile(np.arange(256.0), (case.d, 1)))
    number = codes[-1] + rng.normal(size=n).round(1)
    sign, code = np.where(number > 4, 1.0, -1.0), rng.integers(0, 3, n).astype(np.float64)
    limits = Limits(case.d, most_leaves=5, least_leaf=2.0, best_first=True)
    learned = (rng.random(n) < 0.8).astype(np.int32)
    learned[0] = 1
    squared = Boosting(
        table, number, StepWeights(None, n), None, RowLoss("squared", _squared), 1.0, False, None, limits, 0.0, 0.3
    )
    repeated = case.weight(rng) + (np.arange(n) == 0)
    fractions = StepWeights(rng.random(n) + 0.1, n)
    there = (repeated > 0).astype(np.int32)
    known = replace(squared, weights=StepWeights(repeated, n), learned=there, judged=np.arange(0, n, 2))
    logistic = replace(known, y=sign, loss=RowLoss("logistic", _logistic), curvature=None, bounded=True, l2=0.5)
    absolute = replace(squared, loss=RowLoss("pinball", _absolute, (1.0, 1.0)), share=0.5, learned=learned)
    softmax = replace(logistic, y=code, loss=RowLoss(SOFTMAX, softmax_parts), weights=fractions, learned=learned)
    drawn = replace(squared, drawn=n // 2 + 1, weights=fractions)
    way = np.where(np.arange(case.d) > 0, 1 - 2 * (np.arange(case.d) % 2), 0).astype(np.int8)  # the first: categories
    rising = replace(squared, monotone=way, limits=replace(limits, most_leaves=12), l2=0.1)
    unknown = replace(rising, loss=RowLoss("", _squared))
    for plan in (
        squared,
        known,
        logistic,
        absolute,
        replace(absolute, weights=fractions),
        softmax,
        drawn,
        rising,
        unknown,
    ):
        k = 3 if plan is softmax else 1
        yield plan.parts(np.zeros((k, n)))[1], plan, np.arange(7, 7 + 2 * k)
