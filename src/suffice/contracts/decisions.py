"""Classifiers: `decision_function` and `predict` decide alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..errors import InvalidData
from ..estimator import Classifier, Estimator
from ..typing import Floats, Labels, Reals
from .results import fresh

_FAR = (1.0, 1e3, 1e6)


def decision_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for a classifier; one by Bayes' rule must have decisions."""
    if hasattr(cls, "predict_joint_log_proba"):
        yield "decisions_are_log_odds", partial(decisions_are_log_odds, cls)
    if issubclass(cls, Classifier) and hasattr(fresh(cls), "decision_function"):
        yield "decisions_are_predictions", partial(decisions_are_predictions, cls)


def decisions_are_predictions(cls: type[Estimator]) -> None:
    """Above 0 is the second of two classes, the largest the class of more; in either precision, also far away."""
    for X, y in _tables(cls):
        for dtype in (np.float64, np.float32):
            model = fresh(cls).fit(X.astype(dtype), y)
            for far in _FAR:
                _check(model, (X * far).astype(dtype))


def decisions_are_log_odds(cls: type[Estimator]) -> None:
    """Two classes: log P(second | x) − log P(first | x), (n,); more: what classes differ by are their log odds."""
    for X, y in _tables(cls):
        model = fresh(cls).fit(X, y)
        found, joint = model.decision_function(X), model.predict_joint_log_proba(X)
        if len(model.classes_) == 2:
            odds, wanted = found, joint[:, 1] - joint[:, 0]
        else:
            odds, wanted = found - found[:, :1], joint - joint[:, :1]
        assert found.shape == ((len(X),) if len(model.classes_) == 2 else joint.shape), found.shape
        np.testing.assert_allclose(odds, wanted, rtol=1e-7, atol=1e-7, err_msg=cls.__name__)


def _tables(cls: type[Estimator]) -> Iterator[tuple[Floats, Labels]]:
    """A table with all classes, and its rows of two of them."""
    X, y = cls.example(np.random.default_rng(45), 60)
    yield X, y
    two = np.isin(y, np.unique(y)[:2])
    yield X[two], y[two]


def _check(model: Any, rows: Reals) -> None:
    try:
        found = np.asarray(model.decision_function(rows))
    except InvalidData:  # cells that the model has no use for, such as fractions where counts are needed
        return
    assert found.dtype == rows.dtype, f"{found.dtype} for rows of {rows.dtype}"
    if found.ndim == 1:
        best, unclear = (found > 0).astype(int), found == 0
    else:
        top, size = found.max(axis=1, keepdims=True), np.abs(found).max(axis=1, keepdims=True)
        near = np.finfo(found.dtype).eps * np.where(np.isfinite(size), size, 0.0)
        best, unclear = np.argmax(found, axis=1), (found >= top - near).sum(axis=1) > 1
    same = np.asarray(model.predict(rows)) == model.classes_[best]
    assert np.all(same | unclear), f"{type(model).__name__}: predict is not what decision_function decides"
