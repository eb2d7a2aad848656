"""The laws of strategies of asking: a finite score a row, the same again, whatever the order of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..active import Pool, Query
from ..active.different import as_points
from ..active.query import quiet
from ..models.bayes import GaussianNB
from ..models.linear import Ridge
from ..typing import Floats, Labels, Whole


def check_query(query: Query, n: int = 40, seed: int = 0) -> None:
    """Scores, repetition, few candidates and labels of text of one strategy, for each kind of model that it is for."""
    for task in query.tasks:
        X, y, model = _example(task, n, seed)
        one, other = (_scores(query, model, X, y, np.arange(12)) for _ in range(2))
        assert one.shape == (n - 12,), f"{query}: scores have shape {one.shape}"
        assert np.isfinite(one).all(), f"{query}: scores are not finite"
        assert one.min() >= 0, f"{query}: scores are below 0"
        assert one.max() > 0, f"{query}: no row is worth anything"
        np.testing.assert_array_equal(one, other, err_msg=f"{query}: the same seed, other scores")
        last = _scores(query, model, X[:13], y[:13], np.arange(12))
        assert last.shape == (1,), f"{query}: scores of one row have shape {last.shape}"


def _example(task: str, n: int, seed: int) -> tuple[Floats, Labels, object]:
    """Rows with classes or numbers, and a model of these."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    X = rng.normal(size=(n, 2)) + 1.5 * codes[:, None]
    if task == "numbers":
        return X, X[:, 0] ** 2, Ridge()
    return X, np.array(["ant", "bee", "cat"])[codes], GaussianNB()


def _scores(query: Query, model: Any, X: Floats, y: Labels, labelled: Whole) -> Floats:
    others = np.setdiff1d(np.arange(len(X)), labelled)
    fits = lambda copy, rows, told: quiet(lambda: copy.fit(X[rows], told))  # noqa: E731
    pool = Pool(model, X, labelled, y[labelled], others, np.random.default_rng(0), lambda: as_points(X), fits)
    return np.asarray(quiet(lambda: query.scores(pool)), dtype=np.float64)
