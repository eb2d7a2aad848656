"""Functions, and what a journal knows of them."""

from functools import partial

import numpy as np
import pytest

import suffice as sf
from suffice.errors import InvalidData
from suffice.evaluation.fingerprint import fingerprint


def _scaled_by(factor):
    return lambda X: factor * X


def _defaulted(factor):
    def scaled(X, factor=factor, *, shift=0):
        return factor * X + shift

    return scaled


class _Scaling:
    def __init__(self, factor):
        self.factor = factor

    def apply(self, X):
        return self.factor * X


def _repeated(times):
    def repeat(X):
        return X if times == 0 else repeat(X)  # closes over itself

    return repeat


@pytest.mark.parametrize(
    "make",
    [
        _scaled_by,
        _defaulted,
        lambda factor: partial(np.multiply, factor),
        lambda factor: _Scaling(factor).apply,
        lambda factor: lambda X: _scaled_by(factor)(X),
        _repeated,
    ],
    ids=["closure", "default", "partial", "method", "nested", "recursive"],
)
def test_functions_are_told_apart_by_all_that_they_hold(make):
    assert fingerprint(make(2)) == fingerprint(make(2))
    assert fingerprint(make(2)) != fingerprint(make(3))


def test_functions_are_told_apart_by_the_names_in_their_code():
    assert fingerprint(lambda X: X.real) != fingerprint(lambda X: X.imag)
    assert fingerprint(lambda X: [x + 1 for x in X]) != fingerprint(lambda X: [x + 2 for x in X])


def test_a_journal_of_another_function_is_not_gone_on_with(tmp_path, rng):
    X, y = rng.normal(size=(60, 2)), np.repeat(["a", "b"], 30)
    path = tmp_path / "journal"
    sf.evaluate(sf.KNeighborsClassifier(3, weights=_scaled_by(1.0)), X, y, splits=3, journal=path)
    with pytest.raises(
        InvalidData,
        match="holds folds of 'model' with another class, other parameters, or other answers",
    ):
        sf.evaluate(sf.KNeighborsClassifier(3, weights=_scaled_by(2.0)), X, y, splits=3, journal=path)
