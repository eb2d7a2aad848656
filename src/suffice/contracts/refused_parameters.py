"""Every public method that takes rows looks at the parameters first: what `fit` refuses, all of them refuse."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from .. import params
from ..data import as_source
from ..errors import InvalidParameter
from ..estimator import Estimator
from ..typing import Labels, TableLike, TargetLike
from .results import fresh

ROWS = 30
# What users write by mistake, and a word that nobody registers.
_MISTAKES: tuple[object, ...] = (
    None, True, 0, -1, 5, 0.5, -1.5, np.nan, np.inf, 1j, "no such word", b"ab", (), [], {}, [1.0, 2.0], object(),
)  # fmt: skip


def refused_parameter_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """One check for each method that takes rows."""
    for method in methods_of_rows(cls):
        yield f"{method}_checks_parameters", partial(_check_method, cls, method)


def methods_of_rows(cls: type[Estimator]) -> list[str]:
    """The public methods of an estimator whose first argument is a table, or a source of rows."""
    return [name for name in dir(cls) if not name.startswith("_") and _takes_rows(cls, name)]


def _takes_rows(cls: type[Estimator], name: str) -> bool:
    found = inspect.getattr_static(cls, name)
    if isinstance(found, property | classmethod | staticmethod):
        return False
    method = getattr(cls, name)
    arguments = list(inspect.signature(method).parameters)[1:2] if inspect.isfunction(method) else []
    return arguments in (["X"], ["source"])


def _check_method(cls: type[Estimator], method: str) -> None:
    X, y = cls.example(np.random.default_rng(21), ROWS)
    model = fresh(cls).fit(X, y)
    table = as_source(X, y, needs=model._fit_needs()) if method == "fit_source" else X
    before = model.get_params(deep=False)
    for name, rule in params.declared(cls).items():
        for value in _MISTAKES:
            if not rule.allows(value):
                model.set_params(**{name: value})
                _check_refused(model, method, name, value, table, y)
                model.set_params(**{name: before[name]})


def _check_refused(model: Estimator, method: str, name: str, value: object, X: TableLike, y: TargetLike) -> None:
    owner = type(model).__name__
    if not hasattr(model, method):  # it depends on the parameter whether the method is there
        return
    try:
        getattr(model, method)(X, **arguments(model, method, y))
    except InvalidParameter as error:
        assert re.match(rf"{owner}: {name} must be .+; got ", str(error)), str(error)
        return
    raise AssertionError(f"{owner}.{method} accepted {name}={value!r}")


def arguments(model: Estimator, method: str, y: TargetLike) -> dict[str, TargetLike | Labels]:
    """What a method needs beside the rows: the target, and all classes for the first call of a `partial_fit`."""
    known = inspect.signature(getattr(model, method)).parameters
    given: dict[str, TargetLike | Labels] = {"y": y} if "y" in known else {}
    return given | ({"classes": np.unique(np.asarray(y))} if "classes" in known else {})
