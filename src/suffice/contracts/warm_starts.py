"""A fit that goes on from its own result, by `warm_start` or by what it is given to begin with, stays there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from .. import params
from ..estimator import Estimator
from .parameters import is_start
from .results import fresh


def warm_start_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """For classes that have `warm_start`, or a parameter for what each fitted attribute begins with."""
    rules = params.declared(cls)
    shapes = rules["covariance_type"].choices if "covariance_type" in rules else (None,)
    for shape in shapes if "warm_start" in rules or _starts(cls) else ():
        yield "goes_on_from_its_own_result", partial(goes_on_from_its_own_result, cls, shape)


def _starts(cls: type[Estimator]) -> dict[str, str]:
    """Parameters that are given where attributes begin: {"means_init": "means_"}."""
    pairs = {name: f"{name.removesuffix('_init')}_" for name in params.declared(cls) if is_start(name)}
    return {name: attribute for name, attribute in pairs.items() if attribute in params.attributes(cls)}


def goes_on_from_its_own_result(cls: type[Any], shape: object) -> None:
    """The objective of a fit that begins at the result of another is no worse, and hardly better, with weights too."""
    X, y = cls.example(np.random.default_rng(11), 150)
    if cls.needs.missing:
        X[::9, 1] = np.nan
    weight = np.random.default_rng(12).integers(0, 3, len(X)).astype(np.float64)
    wanted = {"n_components": 2, "max_iter": 2000, "covariance_type": shape}
    given = {name: value for name, value in wanted.items() if name in params.declared(cls)}
    for w in (None, weight):
        model = fresh(cls).set_params(**given).fit(X, y, sample_weight=w)
        assert model.history_.status == "converged"
        reached, starts = model.history_.objective[-1], _starts(cls)
        if starts:
            begun = {name: getattr(model, attribute) for name, attribute in starts.items()}
            _check(fresh(cls).set_params(**given, **begun).fit(X, y, sample_weight=w), reached, "init")
        if "warm_start" in params.declared(cls):
            _check(model.set_params(warm_start=True).fit(X, y, sample_weight=w), reached, "warm_start")


def _check(model: Any, reached: float, how: str) -> None:
    better = (model.history_.objective[-1] - reached) * (1 if model.maximises else -1)
    assert better >= -1e-9, f"{type(model).__name__}, {how}: from {reached} it goes down by {-better}"
    tol = getattr(model, "tol", 0.0)
    assert better <= 10 * tol + 1e-9, f"{type(model).__name__}, {how}: from {reached} it goes on by {better}"
