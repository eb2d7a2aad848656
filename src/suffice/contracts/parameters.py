"""Parameters that are arrays or functions: nonsense is refused with a sentence, wherever it comes in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy import sparse

from .. import params
from ..errors import InvalidParameter, SufficeError
from ..estimator import Estimator
from ..typing import TableLike, TargetLike
from .refused_parameters import arguments
from .results import fresh

ROWS = 30


def parameter_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check for every parameter that is not refused by its declaration alone."""
    for name in params.declared(cls):
        yield f"nonsense_parameter_{name}", partial(_check_nonsense, cls, name)
        if is_start(name):
            yield f"nonsense_start_{name}", partial(_check_start, cls, name)


def is_start(name: str) -> bool:
    """Whether a parameter says where a fit begins: init, means_init, …; n_init is a number."""
    return name != "n_init" and (name == "init" or name.endswith("_init"))


def _nonsense(k: int, d: int) -> Iterator[object]:
    """Arrays that no parameter can mean: shapes that fit nothing, and what are no finite numbers."""
    for shape in ((0, d), (k, 0), (k + 7,), (k, d + 7), (k + 7, d), (k + 7, d, d), (k, d, d, d)):
        yield np.ones(shape)
    yield from ([[1.0, 2.0], [3.0]], [[], []], [None, "x"], {"a": 1}, b"ab", sparse.csr_array(np.eye(k, d)))
    for shape in ((ROWS,), (k,), (k, d), (k, d, d)):
        yield from (np.full(shape, value) for value in (np.nan, np.inf, 1j, "text", None, 10**400))
        yield np.full(shape, np.datetime64("2024-01-01"))
        yield np.ma.masked_array(np.ones(shape), mask=True)
        yield np.full(shape, 1.0, dtype=[("a", float)])


def _check_nonsense(cls: type[Estimator], name: str) -> None:
    X, y = cls.example(np.random.default_rng(21), ROWS)
    huge = [np.full((_clusters(cls), X.shape[1]), 1e200)] if is_start(name) else []
    for value in (*_nonsense(_clusters(cls), X.shape[1]), *huge):
        for method in _fits(cls):
            _refused(cls, name, value, method, X, y)


def _check_start(cls: type[Estimator], name: str) -> None:
    """A function that gives nonsense, or does not take what it gets, where a function is allowed."""
    X, y = cls.example(np.random.default_rng(21), ROWS)
    values = [lambda X, k, random_state, value=value: value for value in _nonsense(_clusters(cls), X.shape[1])]
    for function in (*values, lambda: X, lambda X, k, random_state: None):
        for method in _fits(cls):
            _refused(cls, name, function, method, X, y)


def _fits(cls: type[Estimator]) -> list[str]:
    return [method for method in ("fit", "partial_fit", "path") if hasattr(cls, method)]


def _clusters(cls: type[Estimator]) -> int:
    model = fresh(cls)
    return int(getattr(model, "n_clusters", None) or getattr(model, "n_components", None) or 2)


def _refused(cls: type[Estimator], name: str, value: object, method: str, X: TableLike, y: TargetLike) -> None:
    model = fresh(cls).set_params(**{name: value})
    try:
        getattr(model, method)(X, **arguments(model, method, y))
    except SufficeError as error:
        assert str(error).startswith(cls.__name__), str(error)
        assert re.search(rf"\b{name}\b", str(error)) or not isinstance(error, InvalidParameter), str(error)
        return
    raise AssertionError(f"{cls.__name__}.{method} accepted {name}={value!r}")
