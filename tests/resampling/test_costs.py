"""What acting costs, as mappings, matrices, frames and files have it: however they write it, and what is refused."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from suffice.errors import InvalidData, InvalidParameter
from suffice.resampling.costs import Costs
from suffice.resampling.named_costs import NamedCosts

ANIMALS = ["ant", "bee", "cat"]
COSTS = {"ant": {"act": 0, "wait": 2.5}, "bee": {"act": 7, "wait": 1}, "cat": {"act": 1, "wait": 3}}
MATRIX = [[0, 2.5], [7, 1], [1, 3]]


def written(folder, name, text, encoding="utf-8"):
    (folder / name).write_bytes(text.encode(encoding))
    return folder / name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain.csv", "truth,act,wait\nant,0,2.5\nbee,7,1\ncat,1,3\n"),
        ("other_order.csv", "truth,act,wait\ncat,1,3\nbee,7,1\nant,0,2.5\n"),
        ("spreadsheet.csv", "\ufefftruth;act ; wait\r\nant;0;2,5\r\n\r\n bee ;7;1\r\ncat;1;3\r\n"),
        ("separator.csv", "sep=;\ntruth;act;wait\nant;0;2,5\nbee;7;1\ncat;1;3\n"),
        ("tabs.tsv", "truth\tact\twait\nant\t0\t2.5\nbee\t7\t1\ncat\t1\t3\n"),
        ("said.csv", "# what an hour of waiting costs\ntruth,act,wait\nant,0,2.5\nbee,7,1\ncat,1,3\n"),
        ("nested.json", json.dumps(COSTS)),
        ("text.json", json.dumps({name: {a: str(c) for a, c in own.items()} for name, own in COSTS.items()})),
        ("nested.yaml", "ant: {act: 0, wait: 2.5}\nbee: &b {act: 7, wait: 1}\ncat: {act: 1, wait: 3}\n"),
    ],
)
def test_files_however_they_are_written(tmp_path, name, text):
    if name.endswith("yaml"):
        pytest.importorskip("yaml")
    found = Costs.of(str(written(tmp_path, name, text)), ANIMALS)
    assert_array_equal(found.costs, MATRIX)
    assert found.actions.tolist() == ["act", "wait"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(MATRIX, index=ANIMALS, columns=["act", "wait"]),
        pd.DataFrame({"truth": ANIMALS, "act": [0, 7, 1], "wait": [2.5, 1, 3]}),
        pl.DataFrame({"truth": ANIMALS, "act": [0, 7, 1], "wait": [2.5, 1.0, 3.0]}),
    ],
)
def test_frames_name_classes_by_their_index_or_their_first_column(frame):
    found = Costs.of(frame, ANIMALS)
    assert_array_equal(found.costs, MATRIX)
    assert found.actions.tolist() == ["act", "wait"]


@pytest.mark.parametrize(
    ("classes", "names"),
    [
        ([0, 1], "0,1"), ([0.0, 1.0], "0,1"), ([1, 2], "1.0,2.0"), ([False, True], "false,TRUE"), (["0", "1"], "0,1"),
        (["no", "yes"], "no,yes"), (["a", "b "], "a,b"), (["1", "01"], "1,01"),
    ],
)  # fmt: skip
def test_classes_are_known_by_what_people_write_for_them(tmp_path, classes, names):
    first, second = names.split(",")
    file = written(tmp_path, "costs.csv", f"truth,{names}\n{second},9,0\n{first},0,1\n")
    found = Costs.of(file, classes)
    assert_array_equal(found.costs, [[0, 1], [9, 0]])
    assert found.actions.tolist() == found.classes.tolist() == classes
    pytest.importorskip("yaml")
    file = written(tmp_path, "costs.yaml", f"{first}: {{act: 0, wait: 1}}\n{second}: {{act: 9, wait: 0}}\n")
    assert_array_equal(Costs.of(file, classes).costs, [[0, 1], [9, 0]])  # `no` is a name there, not False


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "a,b\n", "a line for each class"),
        ("a.csv", "", "a line for each class"),
        ("a.csv", "a,b\nx\n", "equally many cells"),
        ("a.csv", "a,b,\nx,1,2\n", "no name for action 2"),
        ("a.csv", "\0\n" * 9, "equally many cells"),
        ("a.json", "{", "no JSON: .* in line 1"),
        ("a.json", "[[0, 1], [1, 0]]", "must map each class to a mapping"),
        ("a.json", "[" * 100_000, "must map each class to a mapping"),
        ("a.yaml", "- 1\n", "must map each class to a mapping"),
        ("a.yaml", "x:\n\ty: 1\n", "no YAML"),
        ("a.yaml", "x: {y: {z: 1}}\n", "costs must be numbers; got None"),
        ("big.csv", "a,b\n" + "x,1\n" * 300_000, "larger than 1 MB"),
    ],
)
def test_files_that_are_refused(tmp_path, name, text, words):
    if name.endswith("yaml"):
        pytest.importorskip("yaml")
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        Costs.of(written(tmp_path, name, text), ["x", "y"])


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidData, match="cannot be read"):
        Costs.of(tmp_path / "none.csv", ANIMALS)
    with pytest.raises(InvalidData, match="not written in UTF-8"):
        Costs.of(written(tmp_path, "a.csv", "truth,für\nant,1\n", "cp1252"), ANIMALS)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({**COSTS, "ant ": COSTS["ant"]}, "name the class 'ant ' twice"),
        ({**COSTS, "Cow": COSTS["ant"]}, "the class 'Cow', which is none of 'ant'"),
        ({**COSTS, "cat": {"act": 1, "wait": True}}, "must be numbers; got True for action 'wait' where 'cat' is true"),
        ({**COSTS, "cat": {"act": 1, "wait": 1e200}}, "at most 1e\\+150"),
        (pd.DataFrame(MATRIX, index=["ant", "bee", "bee"], columns=["act", "wait"]), "name the class 'bee' twice"),
        (pd.DataFrame(MATRIX, index=ANIMALS, columns=["act", "act"]), "name an action twice"),
        (pd.DataFrame(MATRIX, columns=["act", "wait"]), "the class '0', which is none of 'ant'"),
    ],
)
def test_names_are_checked(value, words):
    with pytest.raises(InvalidParameter, match=words):
        Costs.of(value, ANIMALS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"ant": {"act": 1}, "ant": {"act": 2}}', "name the class 'ant' twice"),
        ('{"ant": {"act": 1, "act": 2}}', "costs of the class 'ant' name the action 'act' twice"),
        ('{"ant": {"act": false}}', "must be numbers; got False"),
        ('{"ant": {"act": NaN}}', "finite and at least 0; that of action 'act' where 'ant' is true is nan"),
        ('{"ant": {"act": "1,000"}}', "must be numbers; got '1,000'"),
        ('{"ant": {}}', "costs name no action"),
    ],
)
def test_what_files_say_twice_or_wrong_is_no_dictionary(tmp_path, text, words):
    file = written(tmp_path, "costs.json", text)
    with pytest.raises(InvalidParameter, match=words):
        NamedCosts.of(file, "Costs")


def test_actions_may_be_of_several_kinds():
    found = Costs.of(np.ones((2, 3)), [0, 1], actions=["a", 1, 2.5])
    assert found.actions.tolist() == ["a", 1, 2.5]
