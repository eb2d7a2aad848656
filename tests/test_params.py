"""Declared parameters: what they allow and how they refuse."""

import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest

from suffice import params
from suffice.contracts.discover import estimators
from suffice.errors import InvalidParameter
from suffice.params import param


@dataclass
class Model:
    count: int = param(8, integer=True, at_least=1, doc="How many.")
    share: float = param(0.5, number=True, above=0, below=1)
    kind: str = param("a", choices=("a", "b", None))
    flag: bool = param(True, choices=(True, False))
    start: object = param("a", choices=("a",), types=(np.ndarray,))


@pytest.mark.parametrize(
    "good",
    [
        {"count": 1},
        {"count": np.int64(3)},
        {"share": 0.1},
        {"share": np.float32(0.5)},
        {"kind": None},
        {"flag": False},
        {"flag": np.False_},
        {"start": np.zeros(2)},
    ],
)
def test_allowed(good):
    params.check(Model(**good))


def test_flags_of_numpy_become_pythons_own():
    model = Model(flag=np.False_)
    params.check(model)
    assert model.flag is False


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"count": 0}, "Model: count must be an integer, at least 1; got 0."),
        ({"count": 1.5}, "Model: count must be an integer, at least 1; got 1.5."),
        ({"count": True}, "Model: count must be an integer, at least 1; got True."),
        ({"count": "3"}, "Model: count must be an integer, at least 1; got '3'."),
        ({"share": 1}, "Model: share must be a number, above 0, below 1; got 1."),
        ({"share": float("nan")}, "Model: share must be a number, above 0, below 1; got nan."),
        ({"kind": "c"}, "Model: kind must be 'a' or 'b' or None; got 'c'."),
        ({"flag": 1}, "Model: flag must be True or False; got 1."),
        ({"start": [1, 2]}, "Model: start must be ndarray or 'a'; got [1, 2]."),
    ],
)
def test_refused(bad, message):
    with pytest.raises(InvalidParameter) as error:
        params.check(Model(**bad))
    assert str(error.value) == message


def test_documentation_comes_from_the_declaration():
    assert "count : an integer, at least 1, default 8\n    How many." in params.document(Model)


@pytest.mark.parametrize("cls", estimators(), ids=lambda cls: cls.__name__)
def test_defaults_are_allowed(cls):
    """So that a fit need not look at them again."""
    fields = {field.name: field.default for field in dataclasses.fields(cls)}
    for name, rule in params.declared(cls).items():
        assert fields[name] is dataclasses.MISSING or rule.allows(fields[name]), name
