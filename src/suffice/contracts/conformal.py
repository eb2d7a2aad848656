"""Conformal intervals and sets: they hold the truth as often as they promise, and nest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np

from ..estimator import Estimator
from ..models.conformal import ConformalClassifier, ConformalRegressor
from ..models.conformal.base import METHODS, Conformal
from ..typing import Floats
from .results import fresh

_TABLES = 12
_SURE = 4.0  # standard errors


def conformal_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for every class that promises a coverage."""
    if issubclass(cls, Conformal):
        for method in METHODS:
            yield "new_rows_are_covered", partial(new_rows_are_covered, cls, method)
        yield "higher_levels_hold_more", partial(higher_levels_hold_more, cls)
        yield "few_rows_leave_nothing_out", partial(few_rows_leave_nothing_out, cls)


def _model(cls: type[Estimator], **given: object) -> ConformalRegressor | ConformalClassifier:
    made: ConformalRegressor | ConformalClassifier = fresh(cls).set_params(**given)
    return made


def new_rows_are_covered(cls: type[Estimator], method: str) -> None:
    """Over tables drawn anew, by four standard errors at most less often than promised."""
    shares, promised, size = [], 0.0, 24 if method == "jackknife+" else 60
    for seed in range(_TABLES):
        X, y = cls.example(np.random.default_rng([63, seed]), size + 200)
        model = _model(cls, method=method, level=0.8).fit(X[:size], y[:size])
        shares.append(model.coverage(X[size:], y[size:]).inside.value)
        promised = model.guarantee_
    error = np.std(shares, ddof=1) / np.sqrt(_TABLES)
    assert np.mean(shares) >= promised - _SURE * error, f"{np.mean(shares):.3f} of new rows, {promised:.3f} promised"


def _inside(model: ConformalRegressor | ConformalClassifier, X: Floats, level: float) -> tuple[Floats, Floats]:
    """Minus the lower ends, and the upper ones, or twice the sets: what may only rise with the level."""
    if isinstance(model, ConformalRegressor):
        ends = model.predict_interval(X, level).astype(np.float64)
        return -ends[:, 0], ends[:, 1]
    held = model.predict_set(X, level).astype(np.float64)
    return held, held


def higher_levels_hold_more(cls: type[Estimator]) -> None:
    """What is inside at one level is inside at a higher one; everything is at a level that rows are too few for."""
    X, y = cls.example(np.random.default_rng(64), 120)
    for method in ("split", "cross"):
        model = _model(cls, method=method).fit(X, y)
        levels = [_inside(model, X, level) for level in (0.5, 0.8, 0.9, 0.9999)]
        for (a, b), (wider, above) in pairwise(levels):
            assert np.all(wider >= a)
            assert np.all(above >= b)
        assert np.all(np.isinf(levels[-1][1]) | (levels[-1][1] == 1))


def few_rows_leave_nothing_out(cls: type[Estimator]) -> None:
    """With fewer rows left out than a level needs, intervals have no end, and sets hold all classes."""
    X, y = cls.example(np.random.default_rng(65), 20)
    model = _model(cls, level=0.95).fit(X, y)
    low, high = _inside(model, X, 0.95)
    assert np.all(np.isinf(high) | (high == 1))
    assert np.all(np.isinf(low) | (low == 1))
