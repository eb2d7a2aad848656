"""Models that explain themselves: contributions sum up, stages end at the model, ways of rows in their leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol, cast

import numpy as np
from scipy.sparse import csr_matrix

from ..estimator import Estimator
from ..growth.contributions import Contributions
from ..typing import Reals, Whole
from .results import fresh

_EXPLAINED = ("decision_function", "predict_proba", "predict")  # one of which contributions sum up to


def explanation_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for a class with such methods."""
    model = fresh(cls)
    if hasattr(model, "contributions"):
        yield "contributions_sum_up", partial(contributions_sum_up, cls)
    if hasattr(model, "staged_predict"):
        yield "stages_end_at_the_model", partial(stages_end_at_the_model, cls)
    if hasattr(model, "decision_path"):
        yield "ways_end_in_leaves", partial(ways_end_in_leaves, cls)


class _Read(Protocol):
    def contributions(self, X: Reals) -> Contributions: ...
    def decision_path(self, X: Reals) -> csr_matrix | tuple[csr_matrix, Whole]: ...
    def apply(self, X: Reals) -> Whole: ...


def _fitted(cls: type[Estimator]) -> tuple[_Read, Reals]:
    X, y = cls.example(np.random.default_rng(71), 60)
    return cast(_Read, fresh(cls).fit(X, y)), X


def contributions_sum_up(cls: type[Estimator]) -> None:
    """With the base value they are what the model says, or what it says is a rising function of them."""
    model, X = _fitted(cls)
    found = model.contributions(X)
    sums = found.predictions
    assert found.values.shape == (len(X), X.shape[1], *sums.shape[1:]), found.values.shape
    said = [np.asarray(getattr(model, name)(X)) for name in _EXPLAINED if hasattr(model, name)]
    same = any(own.shape == sums.shape and np.allclose(own, sums, atol=1e-9) for own in said if own.dtype.kind == "f")
    order = np.argsort(sums, kind="stable") if sums.ndim == 1 else None
    rising = order is not None and any(own.ndim == 1 and np.all(np.diff(own[order]) >= -1e-9) for own in said[:1])
    assert same or rising, f"{cls.__name__}: contributions do not sum up to what it says"
    alone = model.contributions(X[:1]).values
    np.testing.assert_allclose(alone, found.values[:1], atol=1e-12, err_msg=cls.__name__)


def stages_end_at_the_model(cls: type[Estimator]) -> None:
    """The last of the staged answers is that of the model."""
    model, X = _fitted(cls)
    for name in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, f"staged_{name}"):
            *_, last = getattr(model, f"staged_{name}")(X)
            wanted = getattr(model, name)(X)
            assert np.shape(last) == np.shape(wanted), f"{cls.__name__}.staged_{name}"
            if np.asarray(last).dtype.kind == "f":
                np.testing.assert_allclose(last, wanted, rtol=1e-12, atol=1e-12, err_msg=f"{cls.__name__}.{name}")
            else:
                assert np.array_equal(last, wanted), f"{cls.__name__}.staged_{name}"


def ways_end_in_leaves(cls: type[Estimator]) -> None:
    """A row passes the root of each tree and the leaf of `apply`."""
    model, X = _fitted(cls)
    found, leaves = model.decision_path(X), model.apply(X)
    nodes, starts = found if isinstance(found, tuple) else (found, np.array([0, found.shape[1]]))
    passed, leaves = nodes.toarray(), leaves.reshape(len(X), -1)
    assert nodes.shape == (len(X), starts[-1]), nodes.shape
    for t, start in enumerate(starts[:-1]):
        assert np.all(passed[:, start] == 1), f"{cls.__name__}: a row does not pass the root of tree {t}"
        assert np.all(passed[np.arange(len(X)), start + leaves[:, t]] > 0), f"{cls.__name__}: tree {t}"
