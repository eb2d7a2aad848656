"""A change of units changes nothing that it should not, for estimators that claim so."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ..estimator import Estimator
from .results import assert_same, fresh

_SAME = ("predict", "predict_proba")  # what answers in no unit


def unit_checks(cls: type[Estimator]) -> Iterator[tuple[str, Any]]:
    """For classes that declare `units`: of each column by itself, or of all columns alike."""
    if cls.units is not None:
        for exponent in (-14, 14):
            yield "units_do_not_matter", partial(units_do_not_matter, cls, exponent)


def units_do_not_matter(cls: type[Any], exponent: int) -> None:
    """Classes and probabilities are the same, densities go with the units, and imputed values come in the new ones.

    Factors are powers of two, so that no cell is rounded.
    """
    X, y = cls.example(np.random.default_rng(41), 120)
    powers = np.full(X.shape[1], exponent) if cls.units == "common" else exponent + np.arange(X.shape[1]) * 3
    unit = 2.0**powers
    old, new = fresh(cls).fit(X, y), fresh(cls).fit(X * unit, y)
    before = {name: getattr(old, name)(X) for name in _SAME if hasattr(old, name)}
    after = {name: getattr(new, name)(X * unit) for name in before}
    if hasattr(old, "score_samples"):
        before["score_samples"] = old.score_samples(X) - np.sum(np.log(unit))
        after["score_samples"] = new.score_samples(X * unit)
    if hasattr(old, "impute"):
        missing = X.copy()
        missing[::3, 1] = np.nan
        before["impute"], after["impute"] = old.impute(missing), new.impute(missing * unit) / unit
    assert before, f"{cls.__name__} claims that units do not matter, and has no answer to compare"
    assert_same(after, before, rtol=1e-6)
