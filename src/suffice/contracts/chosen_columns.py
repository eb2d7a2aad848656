"""A transformer of chosen columns: they become what they would be alone, and the others stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.base import TransformerMixin

from .. import params
from ..estimator import Estimator
from ..typing import Floats
from .results import fresh

_CHOSEN = [2, 0]


def chosen_column_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """For every transformer with a parameter `columns`."""
    if "columns" in params.declared(cls) and hasattr(cls, "get_feature_names_out"):
        yield chosen_columns.__name__, partial(chosen_columns, cls)


def chosen_columns(cls: type[Estimator]) -> None:
    """Every column that comes out is found by its name: in the fit of the chosen columns alone, or in the table."""
    rng = np.random.default_rng(17)
    X, _ = cls.example(rng, 60)
    weight = rng.integers(1, 4, len(X)).astype(np.float64)
    names = [f"column {j}" for j in range(X.shape[1])]
    model = fresh(cls).set_params(columns=_CHOSEN).fit(X, sample_weight=weight)
    alone = fresh(cls).fit(X[:, _CHOSEN], sample_weight=weight)
    expected = _by_name(alone, X[:, _CHOSEN], [names[j] for j in _CHOSEN])
    others = {names[j]: X[:, j] for j in range(X.shape[1]) if j not in _CHOSEN}
    found = _by_name(model, X, names)
    assert found.keys() == {*expected, *others}, f"{cls.__name__} gives {sorted(found)}"
    for name, cells in {**expected, **others}.items():
        np.testing.assert_allclose(found[name], cells, rtol=1e-10, err_msg=f"{cls.__name__}: {name}")


def _by_name(model: TransformerMixin, X: Floats, names: list[str]) -> dict[str, Floats]:
    """The columns that a model gives, by name; there are as many names as columns, and none twice."""
    made = np.asarray(model.transform(X))
    called = model.get_feature_names_out([f"x{j}" for j in range(X.shape[1])]).tolist()
    assert len(called) == made.shape[1] == len(set(called)), f"{type(model).__name__} names {called}"
    for j in reversed(range(len(names))):
        called = [name.replace(f"x{j}", names[j]) for name in called]
    return dict(zip(called, made.T, strict=True))
