"""Numbers and weights near the largest double: a finite answer, or one sentence; never NaN in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..errors import SufficeError
from ..estimator import Estimator
from ..typing import Floats
from .bad_input import Data, good_data, with_cell, with_weights
from .results import Results, fresh, results


def _scaled(factor: float) -> Callable[[Data], Data]:
    return lambda data: Data(data.X * factor, data.y, data.weight)


def _target(data: Data) -> Data:
    return Data(data.X, data.y * 1e200, data.weight)


def _one_column(data: Data) -> Data:
    """A column that is huge and does not vary: its scatter is 0, its squares are not finite."""
    X = np.array(data.X, dtype=np.float64)
    X[:, 0] = 2.0**665  # about 1e200, whose mean is itself without rounding
    return Data(X, data.y, None)


def _one_weight(weight: Floats) -> Floats:
    weight[3] = 1e308
    return weight


HUGE: dict[str, Callable[[Data], Data]] = {
    "cell": with_cell(1e200),
    "cell_of_the_largest_double": with_cell(1.7e308),
    "cells": _scaled(1e200),
    "cells_of_both_signs": _scaled(-1e307),
    "constant_column": _one_column,
    "weights": with_weights(lambda weight: weight * 1e308),
    "weight": with_weights(_one_weight),
}


def overflow_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for every kind of huge number."""
    cases = HUGE | ({"target": _target} if fresh(cls)._needs().target == "numbers" else {})
    for name, enlarge in cases.items():
        yield f"huge_{name}", partial(_check_fit, cls, enlarge)
    yield "huge_rows_of_a_fitted_model", partial(_check_answers, cls)


def _check_fit(cls: type[Estimator], enlarge: Callable[[Data], Data]) -> None:
    """A fit that is not refused learns finite numbers, and answers about good rows without NaN."""
    good = good_data(cls)
    data = enlarge(good)
    try:
        model = fresh(cls).fit(data.X, data.y, sample_weight=data.weight)
        found = results(model, good.X)
    except SufficeError as error:
        assert cls.__name__ in str(error), f"does not name {cls.__name__}: {error}"
        return
    for name, value in _learned(model).items():
        assert np.isfinite(value).all(), f"{cls.__name__} learns {name} = {value}"
    _assert_no_nan(cls, found)


def _check_answers(cls: type[Estimator]) -> None:
    """A model that was fitted to good rows answers about huge ones without NaN, or refuses them."""
    data = good_data(cls)
    model = fresh(cls).fit(data.X, data.y)
    for enlarge in (HUGE["cell"], HUGE["cells"], HUGE["cells_of_both_signs"]):
        try:
            found = results(model, enlarge(data).X)
        except SufficeError as error:
            assert cls.__name__ in str(error), f"does not name {cls.__name__}: {error}"
        else:
            _assert_no_nan(cls, found)


def _assert_no_nan(cls: type[Estimator], found: Results) -> None:
    for name, values in found.items():
        assert values.dtype.kind != "f" or not np.isnan(values).any(), f"{cls.__name__}.{name} gives NaN"


def _learned(model: Estimator) -> dict[str, NDArray[np.float64]]:
    """The public fitted attributes that are numbers."""
    values = {name: value for name, value in vars(model).items() if name.endswith("_") and name[0] != "_"}
    arrays = {
        name: np.asarray(value) for name, value in values.items() if isinstance(value, float | np.floating | np.ndarray)
    }
    return {name: array for name, array in arrays.items() if array.dtype.kind == "f"}
