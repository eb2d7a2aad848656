"""Categories that are listed, one list a column, instead of learned."""

import numpy as np
import pandas as pd
import pytest
from sklearn import preprocessing

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

ROWS = pd.DataFrame({"size": ["S", "L", "S", "M", "L", "S"], "rooms": [1.0, 2.0, 2.0, 4.0, 1.0, 1.0]})
LISTS = [["S", "M", "L", "XL"], [1, 2, 3, 4]]
NEW = pd.DataFrame({"size": ["XL", "XXL", "M"], "rooms": [3.0, 9.0, 1.0]})


@pytest.mark.parametrize("drop", [None, "first", "if_binary", ["XL", 3]])
@pytest.mark.parametrize("rare", [{}, {"min_frequency": 2}, {"max_categories": 3}, {"min_frequency": 0.4}])
@pytest.mark.parametrize("handle_unknown", ["error", "ignore", "infrequent_if_exist"])
def test_equals_scikit_learn(drop, rare, handle_unknown):
    if isinstance(drop, list) and rare:
        return  # what is left out would be infrequent
    theirs_drop = np.array(drop, dtype=object) if isinstance(drop, list) else drop
    options = {"categories": LISTS, "handle_unknown": handle_unknown, "sparse_output": False, **rare}
    ours = sf.OneHotEncoder(drop=drop, **options).fit(ROWS)
    theirs = preprocessing.OneHotEncoder(drop=theirs_drop, **options).fit(ROWS)
    np.testing.assert_array_equal(ours.transform(ROWS), theirs.transform(ROWS))
    np.testing.assert_array_equal(ours.transform(NEW.iloc[[0, 2]]), theirs.transform(NEW.iloc[[0, 2]]))
    for mine, other, listed in zip(ours.categories_, theirs.categories_, LISTS, strict=True):
        assert mine.tolist() == other.tolist() == listed
    if handle_unknown == "error":
        with pytest.raises(InvalidData, match="column 'size' holds a category that was not seen in the fit"):
            ours.transform(NEW)
    elif drop is None:
        np.testing.assert_array_equal(ours.transform(NEW), theirs.transform(NEW))


def test_names_stand_in_the_order_of_the_lists(tmp_path):
    model = sf.OneHotEncoder(categories=LISTS, handle_unknown="own_column").fit(ROWS)
    names = ["size_S", "size_M", "size_L", "size_XL", "size_unknown"]
    assert model.get_feature_names_out()[:5].tolist() == names
    found = model.transform(NEW)
    assert found[:, :5].argmax(axis=1).tolist() == [3, 4, 1]
    assert model.inverse_transform(found)[:, 0].tolist() == ["XL", None, "M"]
    sf.save(model, tmp_path / "model.sff")
    again = sf.load(tmp_path / "model.sff")
    np.testing.assert_array_equal(again.transform(NEW), found)


def test_lists_for_chosen_columns_with_missing_values_from_a_file(tmp_path):
    rows = ROWS.assign(size=["S", None, "S", "M", "L", "S"])
    rows.to_csv(tmp_path / "rows.csv", index=False)
    model = sf.OneHotEncoder(columns=["size"], categories=[["L", None, "M", "S"]]).fit(sf.scan(tmp_path / "rows.csv"))
    assert model.get_feature_names_out().tolist() == ["size_L", "size_nan", "size_M", "size_S", "rooms"]
    np.testing.assert_array_equal(model.transform(rows)[:, 1], [0, 1, 0, 0, 0, 0])


def test_numbers_in_any_order_and_missing_ones():
    model = sf.OneHotEncoder(categories=np.array([[5.0, np.nan, 1.0]])).fit([[1.0], [np.nan]])
    np.testing.assert_array_equal(model.transform([[5.0], [1.0], [np.nan]]), np.eye(3)[[0, 2, 1]])


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        ([["S", "M"], [1, 2, 4]], "column 'size' holds 'L', which is not among its categories; add it, or say"),
        ([["S", "M", "L"], [1, 2]], "column 'rooms' holds 4.0, which is not among"),
        ([["S", "M", "L"]], "categories must have one list for each of the 2 encoded columns; got 1"),
        ([["S", "M", 3], [1]], "categories of column 'size', which holds text, must be text; got 3"),
        (
            [["S", "M", "L"], ["1"]],
            "categories of column 'rooms', which holds numbers, must be finite numbers; got '1'",
        ),
        ([["S", "M", "L"], [1, np.inf]], "must be finite numbers; got inf"),
        ([["S", "M", "L", "S"], [1]], "categories of column 'size' must all be different"),
        ([[], [1]], "column 'size' holds '.*', which is not among its categories"),
        ("sorted", "categories must be 'auto'"),
    ],
)
def test_refusals(lists, words):
    with pytest.raises((InvalidData, InvalidParameter), match=rf"OneHotEncoder: .*{words}"):
        sf.OneHotEncoder(categories=lists).fit(ROWS)
