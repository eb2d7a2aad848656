"""What an object may hold: declared once for each class, checked when a model file is loaded.

A class says it in a dictionary `holds` of its attributes, or where it declares them: `learned(doc, holds=…)`. Fields of
plain type (`int`, `float`, `bool`, `str`, also with `| None`) say it by their annotation, in classes of Suffice.
Dimensions have names that must agree within the object: `floats("k", "d")` and `integers("n", below="k")` share k.
`instance(Mixture, d="d")` compares them with those of an object inside. What shapes and ranges cannot say, a method
`check_loaded()` does.

>>> import numpy as np
>>> from dataclasses import dataclass
>>> from typing import ClassVar
>>> @dataclass
... class Clusters:
...     centres: np.ndarray
...     labels: np.ndarray
...     inertia: float
...     holds: ClassVar = {"centres": floats("k", "d"), "labels": integers("n", at_least=0, below="k")}
>>> centres = np.zeros((2, 3))
>>> check(Clusters, {"centres": centres, "labels": np.array([0, 1, 1]), "inertia": 0.5})
{'k': 2, 'd': 3, 'n': 3}
>>> check(Clusters, {"centres": centres, "labels": np.array([0, 1, 7]), "inertia": 0.5})
Traceback (most recent call last):
...
suffice.errors.InvalidData: labels must be below k = 2; got 7.
"""

from .arrays import array_like, covariances, flags, floats, integers, label_array, rises, row_array
from .checking import check, declared
from .kinds import (
    Kind,
    Sizes,
    anything,
    choice,
    either,
    flag,
    instance,
    lists,
    mapping,
    number,
    optional,
    record,
    require,
    sometimes,
    text,
    tuples,
    whole,
)

__all__ = [
    "Kind", "Sizes", "anything", "array_like", "check", "choice", "covariances", "declared", "either", "flag", "flags",
    "floats", "instance", "integers", "label_array", "lists", "mapping", "number", "optional", "record", "require",
    "rises", "row_array", "sometimes", "text", "tuples", "whole",
]  # fmt: skip
