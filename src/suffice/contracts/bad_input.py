"""The bad-input table: each row gives a right answer, or one sentence that names the place and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from .. import params
from ..data import Needs, validate
from ..errors import InvalidData, InvalidParameter, SufficeError
from ..estimator import Estimator
from ..typing import Floats
from .results import METHODS, fresh, results


@dataclass(frozen=True)
class Data:
    """Arguments of fit."""

    X: Any
    y: Any
    weight: Any


@dataclass(frozen=True)
class Case:
    """How good data are spoilt, and the words the refusal must hold; `allowed` says who may accept them."""

    spoil: Callable[[Data], Data]
    words: tuple[str, ...]
    allowed: Callable[[Needs], bool] = lambda needs: False
    applies: Callable[[Needs], bool] = lambda needs: True


def with_cell(value: object) -> Callable[[Data], Data]:
    def spoil(data: Data) -> Data:
        X = data.X.astype(object) if isinstance(value, str) else data.X.copy()
        X[7, 2] = value
        return replace(data, X=X)

    return spoil


def _column(value: float) -> Callable[[Data], Data]:
    def spoil(data: Data) -> Data:
        X = data.X.copy()
        X[:, 1] = value
        return replace(data, X=X)

    return spoil


def with_weights(change: Callable[[Any], object]) -> Callable[[Data], Data]:
    return lambda data: replace(data, weight=change(np.ones(len(data.X))))


def _set(values: Floats, at: int, value: float) -> object:
    values[at] = value
    return values


def _bad_target(data: Data) -> Data:
    y = data.y.astype(object) if data.y.dtype.kind in "OU" else data.y.copy()
    y[5] = np.nan
    return replace(data, y=y)


def _mixed_target(data: Data) -> Data:
    y = data.y.astype(str).astype(object)
    y[5] = 1
    return replace(data, y=y)


def _rows(take: slice) -> Callable[[Data], Data]:
    return lambda data: Data(data.X[take], None if data.y is None else data.y[take], None)


def _supervised(needs: Needs) -> bool:
    return needs.target != "none"


def _classifies(needs: Needs) -> bool:
    return needs.target == "classes"


def _anyone(needs: Needs) -> bool:
    return True


CASES = {
    "infinity": Case(with_cell(np.inf), ("column 2", "row 7", "inf")),
    "minus_infinity": Case(with_cell(-np.inf), ("column 2", "row 7", "inf")),
    "missing_value": Case(with_cell(np.nan), ("column 2", "row 7", "NaN"), allowed=lambda needs: needs.missing),
    "missing_column": Case(_column(np.nan), ("column 1",), allowed=lambda needs: needs.missing),
    "text": Case(with_cell("admin."), ("column 2", "row 7", "'admin.'")),
    "no_rows": Case(_rows(slice(0, 0)), ("no rows",)),
    "no_columns": Case(lambda data: replace(data, X=data.X[:, :0]), ("no columns",)),
    "one_dimension": Case(lambda data: replace(data, X=data.X[:, 0]), ("2D",)),
    "complex_numbers": Case(lambda data: replace(data, X=data.X + 1j), ("[Cc]omplex",)),
    "weights_negative": Case(with_weights(lambda w: _set(w, 3, -1)), ("sample_weight", "row 3", "-1")),
    "weights_nan": Case(with_weights(lambda w: _set(w, 3, np.nan)), ("sample_weight", "row 3", "nan")),
    "weights_all_zero": Case(with_weights(lambda w: 0 * w), ("sample_weight", "zero")),
    "weights_too_few": Case(with_weights(lambda w: w[:-1]), ("sample_weight", "shape")),
    "weights_text": Case(with_weights(lambda w: ["x"] * len(w)), ("sample_weight", "numbers")),
    "target_absent": Case(lambda data: replace(data, y=None), ("requires y",), applies=_supervised),
    "target_too_short": Case(lambda data: replace(data, y=data.y[:-1]), ("rows",), applies=_supervised),
    "target_missing": Case(_bad_target, ("row 5", "NaN"), applies=_supervised),
    "target_mixed": Case(_mixed_target, ("row 5", "all labels as text"), applies=_classifies),
    "one_row": Case(_rows(slice(0, 1)), (), allowed=_anyone),
    "two_rows": Case(_rows(slice(0, 2)), (), allowed=_anyone),
    "constant_column": Case(_column(3.0), (), allowed=_anyone),
    "large_constant_column": Case(_column(0.1e9), (), allowed=_anyone),
    "equal_rows": Case(lambda data: replace(data, X=np.ones_like(data.X)), (), allowed=_anyone),
}


def bad_input_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for every row of the table that applies to the class."""
    for name, case in CASES.items():
        if case.applies(fresh(cls)._needs()):
            yield f"bad_input_{name}", partial(_check_case, cls, case)
    for parameter in params.declared(cls):
        yield f"bad_parameter_{parameter}", partial(_check_parameter, cls, parameter)
    yield "bad_cells_of_large_tables", partial(_check_bad_cells_of_large_tables, cls)
    yield "not_fitted", partial(_check_not_fitted, cls)
    yield "failed_fit_changes_nothing", partial(_check_failed_fit, cls)


def good_data(cls: type[Estimator]) -> Data:
    X, y = cls.example(np.random.default_rng(21), 30)
    return Data(X, y, None)


def _check_case(cls: type[Estimator], case: Case) -> None:
    data = case.spoil(good_data(cls))
    try:
        model = fresh(cls).fit(data.X, data.y, sample_weight=data.weight)
    except (SufficeError, TypeError) as error:
        message = str(error)
        assert cls.__name__ in message or isinstance(error, TypeError), f"does not name {cls.__name__}: {message}"
        missing = [word for word in case.words if not re.search(word, message)]
        assert not missing, f"{message!r} does not say {missing}"
        return
    assert case.allowed(fresh(cls)._needs()), f"{cls.__name__} accepted bad data"
    for name, values in results(model, good_data(cls).X).items():
        assert values.dtype.kind != "f" or not np.isnan(values).any(), f"{name} gives NaN for good rows"


def _check_parameter(cls: type[Estimator], name: str) -> None:
    data = good_data(cls)
    nonsense = object()
    try:
        fresh(cls).set_params(**{name: nonsense}).fit(data.X, data.y)
    except InvalidParameter as error:
        assert re.fullmatch(rf"{cls.__name__}: {name} must be .+; got .+\.", str(error)), str(error)
        return
    raise AssertionError(f"{cls.__name__} accepted {name}={nonsense!r}")


def _check_bad_cells_of_large_tables(cls: type[Estimator]) -> None:
    """An infinite cell, or a missing one where none may be, is refused also where only results are looked at first."""
    data = good_data(cls)
    model, before = fresh(cls).fit(data.X, data.y), validate.LATE_CELLS
    values = [np.inf, -np.inf, *([] if model._needs().missing else [np.nan])]
    validate.LATE_CELLS = 0
    try:
        for value in values:
            X = data.X.copy()
            X[5, 1] = value
            _check_refused(lambda rows: fresh(cls).fit(rows, data.y), X, f"{cls.__name__}.fit accepts {value}")
        for name, value, column in product(METHODS, values, range(data.X.shape[1])):
            if hasattr(model, name):
                X = data.X[:8].copy()
                X[5, column] = value
                _check_refused(getattr(model, name), X, f"{cls.__name__}.{name} accepts {value} in column {column}")
    finally:
        validate.LATE_CELLS = before


def _check_refused(call: Callable[[Floats], object], X: Floats, otherwise: str) -> None:
    try:
        call(X)
    except SufficeError:
        return
    raise AssertionError(otherwise)


def _check_not_fitted(cls: type[Estimator]) -> None:
    X = good_data(cls).X
    try:
        found = results(fresh(cls), X)
    except NotFittedError:
        return
    assert not found, f"{cls.__name__} answers before it was fitted"


def _check_failed_fit(cls: type[Estimator]) -> None:
    data = good_data(cls)
    model = fresh(cls).fit(data.X, data.y)
    before = results(model, data.X)
    for spoilt in (with_cell(np.inf)(data).X, np.full((30, data.X.shape[1] + 1), np.inf)):
        with suppress(InvalidData):
            model.fit(spoilt, data.y)
    for name, values in results(model, data.X).items():
        np.testing.assert_array_equal(values, before[name])
