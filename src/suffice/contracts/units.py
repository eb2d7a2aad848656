"""A change of units, or of where they begin, changes nothing that it should not, for estimators that claim so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..estimator import Estimator, Regressor
from ..typing import Floats
from .results import Results, assert_same, fresh

_SAME = ("predict", "predict_proba", "score_samples")  # the last up to the units of a density


def unit_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """For classes that declare `units`: of each column by itself, or of all columns alike."""
    if cls.units is not None:
        for sign in (-1, 1):
            yield "units_do_not_matter", partial(units_do_not_matter, cls, sign)
        yield "shifts_do_not_matter", partial(shifts_do_not_matter, cls)
    if issubclass(cls, Regressor) and cls.in_unit_of_target:
        for power in (-14, 30):
            yield "predictions_are_in_the_unit_of_the_target", partial(predictions_in_unit_of_target, cls, power)


def units_do_not_matter(cls: type[Any], sign: int) -> None:
    """Classes and probabilities are the same, densities go with the units, and imputed values come in the new ones.

    Factors are powers of two, so that no cell is rounded. Columns that have units of their own are far apart, as
    lengths in nanometres and kilometres are.
    """
    X, y = cls.example(np.random.default_rng(41), 120)
    columns = np.arange(X.shape[1])
    powers = np.full(len(columns), 14) if cls.units == "common" else np.where(columns % 2, 20, -20) + columns * 3
    unit = 2.0 ** (sign * powers)
    before, after = _answers(fresh(cls).fit(X, y), X), _answers(fresh(cls).fit(X * unit, y), X * unit)
    if "score_samples" in after:
        after["score_samples"] = after["score_samples"] + np.sum(np.log(unit))
    if "impute" in after:
        after["impute"] = after["impute"] / unit
    assert before, f"{cls.__name__} claims that units do not matter, and has no answer to compare"
    assert_same(after, before, rtol=1e-6)


def predictions_in_unit_of_target(cls: type[Regressor], power: int) -> None:
    """Prices in cents are predicted as those in millions are."""
    X, y = cls.example(np.random.default_rng(43), 120)
    unit = 2.0**power
    before, after = fresh(cls).fit(X, y).predict(X), fresh(cls).fit(X, y * unit).predict(X)
    assert_same({"predict": np.asarray(after) / unit}, {"predict": np.asarray(before)}, rtol=1e-6)


def shifts_do_not_matter(cls: type[Any]) -> None:
    """Neither does a number that is added to all rows, such as to a temperature."""
    X, y = cls.example(np.random.default_rng(42), 120)
    shift = 64.0 + 16.0 * np.arange(X.shape[1])
    before, after = _answers(fresh(cls).fit(X, y), X), _answers(fresh(cls).fit(X + shift, y), X + shift)
    if "impute" in after:
        after["impute"] = after["impute"] - shift
    assert_same(after, before, rtol=1e-6)


def _answers(model: object, X: Floats) -> Results:
    found = {name: np.asarray(getattr(model, name)(X)) for name in _SAME if hasattr(model, name)}
    if hasattr(model, "impute"):
        missing = X.copy()
        missing[::3, 1] = np.nan
        found["impute"] = np.asarray(model.impute(missing))
    return found
