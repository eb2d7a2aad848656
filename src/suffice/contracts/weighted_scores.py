"""Whatever sums rows up to one number counts their weights, wherever they come from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..data import as_source
from ..estimator import Estimator
from ..typing import Labels, Reals
from .results import fresh

_LEARNS = ("fit", "fit_predict", "fit_transform", "partial_fit", "remove")


def weighted_score_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for a class with methods that take rows."""
    if _of_rows(cls):
        yield "weights_count_in_scores", partial(weights_count_in_scores, cls)


def _of_rows(cls: type[Estimator]) -> dict[str, list[str]]:
    """The public methods that take rows and learn nothing, and their arguments."""
    own = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_") and name not in _LEARNS}
    methods = {name: method for name, method in own.items() if inspect.isfunction(method)}
    arguments = {name: list(inspect.signature(method).parameters)[1:] for name, method in methods.items()}
    return {name: names for name, names in arguments.items() if names[:1] == ["X"] and hasattr(cls, name)}


def weights_count_in_scores(cls: type[Estimator]) -> None:
    """A method that gives one number for all rows takes weights: those of repeated rows, and those of a source."""
    rng = np.random.default_rng(17)
    X, y = cls.example(rng, 60)
    weight = rng.integers(0, 4, 60)
    model, again = fresh(cls).fit(X, y), np.repeat(np.arange(60), weight)
    target = None if y is None else y[again]
    source = as_source(X, y, weight.astype(float), needs=model._needs())
    for name, arguments in _of_rows(cls).items():
        asked = getattr(model, name, None)  # some methods are there with other settings only
        if asked is None or not _is_one_number(_said(asked, arguments, X, y)):
            continue
        if _said(asked, arguments, X[:-1], None if y is None else y[:-1]) is None:
            continue  # it judges the rows of the fit, each by what has not learned from it, and no others
        assert "sample_weight" in arguments, f"{cls.__name__}.{name} sums rows up, and takes no sample_weight"
        repeated = _said(asked, arguments, X[again], target)
        np.testing.assert_allclose(_said(asked, arguments, X, y, sample_weight=weight), repeated, rtol=1e-9)
        np.testing.assert_allclose(asked(source), repeated, rtol=1e-9, err_msg=f"{name} of a source")


def _said(asked: Callable[..., object], arguments: list[str], X: Reals, y: Labels | None, **weight: object) -> Any:
    try:
        return asked(X, y, **weight) if "y" in arguments else asked(X, **weight)
    except (TypeError, ValueError):  # it needs something else, such as rows that it made itself
        return None


def _is_one_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
