"""Probabilities sum to 1 in any precision, however far a row is from everything that the fit has seen."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..errors import InvalidData
from ..estimator import Estimator
from .results import fresh

_SUMS: dict[type[np.floating], float] = {np.float64: 1e-12, np.float32: 1e-6}
_FAR = (1e3, 1e6, 1e18, 1e30)
_MANY, _VERY_MANY = 100, 2000


def probability_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for a class that gives probabilities."""
    if hasattr(fresh(cls), "predict_proba"):
        yield "probabilities_sum_to_one", partial(probabilities_sum_to_one, cls)
        yield "probabilities_of_wide_rows", partial(probabilities_of_wide_rows, cls)


def probabilities_sum_to_one(cls: type[Estimator]) -> None:
    """Of rows of the fit, of outliers in a column or in all, and where squares overflow."""
    X, y = cls.example(np.random.default_rng(31), 60)
    for dtype in _SUMS:
        model = fresh(cls).fit(X.astype(dtype), y)
        _check(model, X.astype(dtype))
        for far in (*_FAR, float(np.finfo(dtype).max) / 2):
            for size in (far, -far):
                one = X.astype(dtype)
                one[:, 1] = size
                _check(model, one)
                _check(model, np.full_like(one, size))


def probabilities_of_wide_rows(cls: type[Estimator]) -> None:
    """Of so many columns that the densities of all classes underflow."""
    X, y = cls.example(np.random.default_rng(32), 40)
    for d, dtype in ((_MANY, np.float64), (_MANY, np.float32), (_VERY_MANY, np.float32)):
        wide = np.tile(X, -(-d // X.shape[1]))[:, :d].astype(dtype)
        model = fresh(cls).fit(wide, y)
        _check(model, wide)
        _check(model, wide[::-1, ::-1].copy())
        if dtype == np.float32 and len(pickle.dumps(model)) > 8 * _MANY**2:
            break  # it keeps columns × columns: twenty times as many take long


def _check(model: Any, rows: Any) -> None:
    try:
        found = np.asarray(model.predict_proba(rows))
    except InvalidData:  # cells that the model has no use for, such as counts below 0
        return
    assert found.dtype == rows.dtype, f"{found.dtype} for rows of {rows.dtype}"
    sums, allowed = found.astype(np.float64).sum(axis=1), _SUMS[rows.dtype.type]
    worst = int(np.argmax(np.abs(sums - 1)))
    place = f"{type(model).__name__}, {rows.dtype}, row {rows[worst, :4]}"
    assert np.all(np.abs(sums - 1) <= allowed), f"{place}: probabilities sum to {sums[worst]}"
    assert found.min() >= 0
    if hasattr(model, "classes_"):
        best = model.classes_[np.argmax(found, axis=1)]
        unclear = (found >= found.max(axis=1, keepdims=True) * (1 - 1e-6)).sum(axis=1) > 1
        same = np.asarray(model.predict(rows)) == best
        assert np.all(same | unclear), f"{place}: predict is not the class of the largest probability"
