"""Mappings of names to columns are tables wherever tables are taken, and what is no table is told in one sentence."""

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.data.columns import tabled
from suffice.errors import InvalidData
from suffice.report import read_rows

COLUMNS = {
    "size": [1.0, 2.0, 3.0, 10.0, 11.0, None] * 4,
    "age": np.arange(24),
    "kind": ["a", "b", None, "a", "b", "a"] * 4,
    "owns": pd.Series([True, False] * 12),
}
Y = np.array(["x", "y"] * 12)


def test_a_mapping_is_the_frame_of_its_columns():
    frame = pd.DataFrame(COLUMNS)
    assert str(sf.describe(COLUMNS)) == str(sf.describe(frame))
    assert read_rows(COLUMNS, target="kind").numeric_names() == read_rows(frame, target="kind").numeric_names()
    model = sf.DecisionTreeClassifier()
    numbers = {name: COLUMNS[name] for name in ("age", "owns")}
    made = model.fit(numbers, Y)
    assert made.feature_names_in_.tolist() == ["age", "owns"]
    np.testing.assert_array_equal(made.predict(numbers), model.fit(frame[["age", "owns"]], Y).predict(numbers))
    with pytest.raises(InvalidData, match="feature names"):
        made.predict({"age": [1], "own": [True]})


def test_models_are_compared_and_searched_on_a_mapping():
    model = sf.prepared(sf.LogisticRegression(), COLUMNS)
    made = sf.compare({"logistic": model}, COLUMNS, Y, splits=2)
    other = sf.compare({"logistic": model}, pd.DataFrame(COLUMNS), Y, splits=2)
    assert made.evaluations["logistic"].value() == other.evaluations["logistic"].value()
    found = sf.search(model, {"logisticregression__C": [0.1, 1.0]}, COLUMNS, Y, splits=2)
    assert found.model.predict(COLUMNS).shape == (24,)
    assert model.fit(COLUMNS, Y).predict(COLUMNS).shape == (24,)


def test_rows_in_lists_are_described_as_they_are():
    assert [column.kind for column in sf.describe([["a", 2], ["b", None]]).columns] == ["categorical", "numeric"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"a": [1, 2], "b": [1]}, r"X: the columns of a table have equally many rows; 'a' has 2, 'b' has 1\."),
        ({"a": 3}, "X: column 'a' must be a list or an array with a cell a row; got int"),
        ({"a": "text"}, "got str"),
        ({"a": np.zeros((2, 2))}, r"one dimension, \(n,\); got an array of shape \(2, 2\)"),
        ({"a": [1, "b"]}, "column 'a' has no single type"),
        ({1: [1], "1": [1]}, "same name as text"),
    ],
)
def test_a_mapping_that_is_no_table_is_refused_in_one_sentence(given, words):
    with pytest.raises(InvalidData, match=words) as caught:
        tabled(given, "X")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", [np.arange(1000.0), list(range(1000)), pd.Series(np.arange(1000.0)), np.float64(3)])
def test_one_line_of_values_is_refused_with_its_shape(given):
    for ask in (sf.KMeans(2).fit, sf.KMeans(2).fit(np.eye(2)).predict):
        with pytest.raises(InvalidData, match=r"KMeans: Expected 2D array, .* Reshape your data: X.reshape") as caught:
            ask(given)
        assert len(str(caught.value)) < 200
        assert "shape (1000,)" in str(caught.value) or np.ndim(given) == 0


def test_a_path_is_no_table_of_a_fit():
    with pytest.raises(InvalidData, match=r"KMeans: X must be a table; got the text 'rows.csv'. A file is opened by"):
        sf.KMeans(2).fit("rows.csv")
