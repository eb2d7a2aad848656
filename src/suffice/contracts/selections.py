"""Selections of columns: what they say, what they give, and what they must not leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ..estimator import Estimator
from ..models.select import FeatureSelector, SelectionPath
from ..typing import Labels
from .results import fresh


def selection_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for every selection of columns."""
    if issubclass(cls, FeatureSelector):
        yield "support_says_what_transform_gives", partial(support_says_what_transform_gives, cls)
        yield "what_matters_is_chosen", partial(what_matters_is_chosen, cls)


def support_says_what_transform_gives(cls: type[Estimator]) -> None:
    """`get_support` in both forms, `transform`, `inverse_transform` and names of columns tell of the same columns."""
    X, y = cls.example(np.random.default_rng(61), 80)
    model = fresh(cls).fit(X, y)
    chosen = model.get_support(indices=True)
    np.testing.assert_array_equal(np.flatnonzero(model.get_support()), chosen)
    assert 1 <= len(chosen) <= X.shape[1]
    np.testing.assert_array_equal(model.transform(X), X[:, chosen])
    names = [f"column {j}" for j in range(X.shape[1])]
    assert model.get_feature_names_out(names).tolist() == [names[j] for j in chosen]
    back = model.inverse_transform(X[:, chosen])
    np.testing.assert_array_equal(back, np.where(model.support_, X, 0.0))
    path = getattr(model, "path_", None)
    if isinstance(path, SelectionPath):
        np.testing.assert_array_equal(path.columns(), chosen)
        assert path.sizes[path.chosen] == len(chosen) == model.n_features_to_select_
        assert len({len(column) for column in path.table.values()}) == 1
        assert str(path).count("\n") == len(path.steps)


def what_matters_is_chosen(cls: type[Estimator]) -> None:
    """Two columns that y is the sum of are among those chosen, or all that are, whatever their units."""
    rng = np.random.default_rng(62)
    X = rng.normal(size=(400, 6)) * 2.0 ** np.array([0, 9, -9, 3, -3, 0])
    made = X[:, 1] / 2.0**9 + X[:, 4] * 2.0**3 + 0.3 * rng.normal(size=400)
    classes = fresh(cls)._needs().target == "classes"
    y: Labels = np.where(made > np.median(made), "more", "less") if classes else made
    model = fresh(cls).fit(X, y)
    chosen = set(model.get_support(indices=True).tolist())
    assert {1, 4} <= chosen or chosen <= {1, 4}, f"{cls.__name__} left out what y is made of"
