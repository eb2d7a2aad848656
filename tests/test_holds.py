"""What objects may hold: kinds of values, dimensions that agree, contents within bounds."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import sparse

from suffice import holds
from suffice.errors import InvalidData


def of(kind):
    """A class with one attribute of a kind, and another by which k is 2."""

    @dataclass
    class Owner:
        value: Any
        two: Any
        holds: ClassVar = {"value": kind, "two": holds.floats("k")}

    return Owner


def check(kind, value):
    return holds.check(of(kind), {"value": value, "two": np.zeros(2)})


GOOD = [
    (holds.floats("n", "k"), np.zeros((5, 2))),
    (holds.floats("k+1"), np.zeros(3)),
    (holds.floats("k-1", None), np.zeros((1, 9))),
    (holds.floats(2, at_least=0, at_most=1), np.array([0.0, 1.0])),
    (holds.floats(None, finite=False, above=0), np.array([np.nan, np.inf, 1.0])),
    (holds.floats(2, dtypes=(np.float32,)), np.zeros(2, np.float32)),
    (holds.floats(1, 2, lists=True), [[1, 2]]),
    (holds.integers("n", at_least=0, below="k"), np.array([0, 1, 1])),
    (holds.integers(0, below="k"), np.empty(0, np.int64)),
    (holds.flags(3), np.array([True, False, True])),
    (holds.label_array("k", distinct=True), np.array(["a", "b"])),
    (holds.label_array(2), np.array(["a", None], dtype=object)),
    (holds.covariances("k", "k"), np.eye(2)),
    (holds.covariances("k", "k"), np.ones((2, 2))),
    (holds.row_array("n", "k"), np.array([[np.nan, 1.0]], np.float32)),
    (holds.row_array("n", 3), sparse.csr_array(np.eye(3))),
    (holds.array_like("k"), [1, 2.5]),
    (holds.number(above=0), np.float32(2)),
    (holds.number(finite=False), float("inf")),
    (holds.whole("k"), 2),
    (holds.flag(), np.bool_(True)),
    (holds.choice("x", "y"), "y"),
    (holds.optional(holds.whole()), None),
    (holds.either(holds.text(), holds.floats("k")), np.zeros(2)),
    (holds.tuples(holds.floats("k"), 3), (np.zeros(2),) * 3),
    (holds.lists(holds.text()), ["a"]),
    (holds.record(holds.text(), holds.whole()), ("a", 1)),
    (holds.mapping(holds.text(), holds.number()), {"a": 1}),
]
BAD = [
    (holds.floats("n", "k"), np.zeros((5, 3)), "value must have k = 3|two must have k = 3"),
    (holds.floats("k+1"), np.zeros(2), "k = 1"),
    (holds.floats("k"), np.zeros((2, 1)), "1 dimensions; got shape"),
    (holds.floats("k"), np.zeros(2, ">f8"), "float64; got >f8"),
    (holds.floats("k"), np.zeros(2, np.float32), "float64; got float32"),
    (holds.floats("k"), np.array([1, None], dtype=object), "float64; got object"),
    (holds.floats("k"), [0.0, 1.0], "float64; got list"),
    (holds.floats("k"), np.array([0, np.nan]), "finite"),
    (holds.floats("k", at_least=0), np.array([0, -1.0]), r"at least 0; got -1\.0"),
    (holds.floats(None, finite=False, above=0), np.array([np.nan, 0.0]), "above 0; got 0"),
    (holds.floats(1, 2, lists=True), [[1, "x"]], "float64"),
    (holds.integers("n", below="k"), np.array([0, 2]), "below k = 2; got 2"),
    (holds.integers("n", below="m"), np.array([0, 2]), "nothing is known"),
    (holds.integers("n"), np.array([0, 2], np.int32), "int64; got int32"),
    (holds.label_array("k", distinct=True), np.array(["b", "a"]), "sorted"),
    (holds.label_array("k"), np.array([[], {}], dtype=object), "text or numbers"),
    (holds.covariances("k", "k"), np.diag([1.0, -1.0]), "no negative eigenvalue"),
    (holds.covariances("k", "k"), np.array([[1.0, 0.5], [0.2, 1.0]]), "symmetric"),
    (holds.row_array("n", "k"), np.array([[np.inf, 1.0]]), "infinity"),
    (holds.row_array("n", "k", complete=True), np.array([[np.nan, 1.0]]), "NaN"),
    (holds.array_like("k"), ["a", "b"], "numbers"),
    (holds.array_like("k"), [[1], [1, 2]], "numbers"),
    (holds.number(), True, "a number; got True"),
    (holds.number(), 10**30, "64 bits"),
    (holds.number(), float("nan"), "finite"),
    (holds.whole(), 2.0, "an integer; got 2.0"),
    (holds.whole(), -1, "at least 0"),
    (holds.whole(), 10**30, "64 bits"),
    (holds.flag(), 1, "bool"),
    (holds.choice("x", "y"), "z", "'x' or 'y'; got 'z'"),
    (holds.optional(holds.whole()), "a", "NoneType.* or must be an integer"),
    (holds.tuples(holds.floats("k"), 3), (np.zeros(2),) * 2, "length of 3; got 2"),
    (holds.tuples(holds.floats("k")), (np.zeros(2), np.zeros(1)), r"value\[1\] must have k"),
    (holds.tuples(holds.text()), ["a"], "a tuple; got list"),
    (holds.record(holds.text(), holds.whole()), ("a", "b"), r"value\[1\] must be an integer"),
    (holds.mapping(holds.text(), holds.number()), {"a": "b"}, r"value\['a'\] must be a number"),
    (holds.instance(np.dtype), 3, "of class dtype; got 3"),
]


@pytest.mark.parametrize(("kind", "value"), GOOD, ids=range(len(GOOD)))
def test_what_may_be_held(kind, value):
    assert check(kind, value)["k"] == 2


@pytest.mark.parametrize(("kind", "value", "words"), BAD, ids=range(len(BAD)))
def test_what_may_not_be_held(kind, value, words):
    with pytest.raises(InvalidData, match=words):
        check(kind, value)


def test_dimensions_of_an_object_inside():
    kind, inner = holds.instance(np.dtype, d="k"), np.dtype("f8")
    owner, state = of(kind), {"value": inner, "two": np.zeros(2)}
    assert holds.check(owner, state, {id(inner): {"d": 2}}) == {"k": 2}
    with pytest.raises(InvalidData, match="k = 3"):
        holds.check(owner, state, {id(inner): {"d": 3}})


def test_attributes_are_neither_missing_nor_unknown():
    owner = of(holds.sometimes(holds.text()))
    assert holds.check(owner, {"two": np.zeros(2)}) == {"k": 2}
    with pytest.raises(InvalidData, match="two is missing"):
        holds.check(owner, {"value": "a"})
    with pytest.raises(InvalidData, match="predict is no attribute of Owner"):
        holds.check(owner, {"two": np.zeros(2), "predict": 3})
    assert holds.check(owner, {"two": np.zeros(2), "more": 3}, strict=False) == {"k": 2}
