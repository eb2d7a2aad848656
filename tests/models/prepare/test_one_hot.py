"""Categories as columns of 0 and 1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import preprocessing

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded

RNG = np.random.default_rng(0)
TOWNS = np.array(["York", "Bath", "Ely", "Hull", "Deal"], dtype=object)
FRAME = pd.DataFrame(
    {
        "town": RNG.choice(TOWNS, 120, p=[0.4, 0.3, 0.2, 0.05, 0.05]),
        "pets": RNG.choice([0.0, 1.0, 2.5, np.nan], 120),
        "sex": RNG.choice(np.array(["f", "m"], dtype=object), 120),
    }
)
FRAME.loc[[3, 7], "town"] = None
NEW = pd.DataFrame({"town": ["Rome", "Ely", None], "pets": [9.0, 1.0, np.nan], "sex": ["x", "f", "m"]})


def plain(names: object) -> list[str]:
    return [str(name).replace("_infrequent_sklearn", "_infrequent").replace("None", "nan") for name in names]


@pytest.mark.parametrize("drop", [None, "first", "if_binary"])
@pytest.mark.parametrize(
    "rare",
    [
        {},
        {"min_frequency": 10},
        {"min_frequency": 0.2},
        {"max_categories": 3},
        {"min_frequency": 3, "max_categories": 2},
        {"max_categories": 1},
        {"max_categories": 5},
    ],
)
@pytest.mark.parametrize("handle_unknown", ["error", "ignore", "infrequent_if_exist"])
def test_equals_scikit_learn(drop, rare, handle_unknown) -> None:
    options = {"drop": drop, "handle_unknown": handle_unknown, "sparse_output": False, **rare}
    ours, theirs = (module.OneHotEncoder(**options).fit(FRAME) for module in (sf, preprocessing))
    np.testing.assert_array_equal(ours.transform(FRAME), theirs.transform(FRAME))
    assert plain(ours.get_feature_names_out()) == plain(theirs.get_feature_names_out())
    for mine, other in zip(ours.categories_, theirs.categories_, strict=True):
        assert plain(mine) == plain(other)
    for mine, other in zip(ours.infrequent_categories_, getattr(theirs, "infrequent_categories_", ()), strict=False):
        assert (mine is None) == (other is None)
        assert mine is None or plain(mine) == plain(other)
    if handle_unknown == "error":
        with pytest.raises(InvalidData, match=r"column 'town' holds a category that was not seen in the fit"):
            ours.transform(NEW)
        return
    with pytest.warns(UserWarning, match="unknown categories") if drop else _quiet():
        expected = theirs.transform(NEW)
    np.testing.assert_array_equal(ours.transform(NEW), expected)


def _quiet():
    from contextlib import nullcontext

    return nullcontext()


def test_unknown_categories_have_a_column() -> None:
    model = sf.OneHotEncoder(handle_unknown="own_column", drop="first").fit(FRAME.drop(columns="pets"))
    names = model.get_feature_names_out().tolist()
    assert names == [
        "town_Deal",
        "town_Ely",
        "town_Hull",
        "town_York",
        "town_nan",
        "town_unknown",
        "sex_m",
        "sex_unknown",
    ]
    found = model.transform(NEW.drop(columns="pets"))
    assert found[0].tolist() == [0, 0, 0, 0, 0, 1, 0, 1]
    assert found[:, 5].tolist() == [1, 0, 0]
    model = sf.OneHotEncoder().fit([[1.0], [2.0]])
    with pytest.raises(InvalidData, match=r"column 0 holds 3 that was not seen"):
        model.transform([[3.0]])
    with pytest.raises(InvalidData, match=r"column 0 holds a missing value that was not seen"):
        model.transform([[np.nan]])


@pytest.mark.parametrize("options", [{}, {"drop": "first"}, {"min_frequency": 20}, {"columns": ["town", "sex"]}])
@pytest.mark.parametrize("sparse_output", [False, True])
def test_there_and_back(options: dict, sparse_output: bool) -> None:
    model = sf.OneHotEncoder(sparse_output=sparse_output, **options).fit(FRAME)
    made = model.transform(FRAME)
    assert sparse.issparse(made) == sparse_output
    back = pd.DataFrame(model.inverse_transform(made), columns=FRAME.columns)
    rare = FRAME["town"].map(FRAME["town"].value_counts()).fillna(2) < options.get("min_frequency", 0)
    expected = FRAME.astype(object).where(FRAME.notna(), None)
    same = (back.where(back.notna(), None) == expected) | (back.isna() & expected.isna())
    assert same.loc[~rare, "town"].all()
    assert back.loc[rare, "town"].isna().all()
    assert same["sex"].all()


def test_sparse_from_every_source(tmp_path: Path) -> None:
    import dask.dataframe as dd

    frame = FRAME.fillna({"town": "Ely"})
    expected = sf.OneHotEncoder().fit_transform(frame)
    model = sf.OneHotEncoder(sparse_output=True)
    np.testing.assert_array_equal(model.fit_transform(frame).toarray(), expected)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=13)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for name in ("rows.parquet", "rows.csv"):
        source = sf.scan(tmp_path / name)
        np.testing.assert_array_equal(model.fit(source).transform(source).toarray(), expected)
    many = dd.from_pandas(frame, npartitions=5)
    np.testing.assert_array_equal(model.fit(many).transform(many).compute().toarray(), expected)


def test_files_equal_frames_with_weights(tmp_path: Path) -> None:
    frame = FRAME.assign(weight=RNG.integers(0, 4, len(FRAME)).astype(float))
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=17)
    model = sf.OneHotEncoder(min_frequency=0.15, handle_unknown="infrequent_if_exist")
    expected = model.fit(FRAME, sample_weight=frame["weight"]).transform(FRAME)
    source = sf.scan(tmp_path / "rows.parquet", weight="weight")
    np.testing.assert_array_equal(model.fit(source).transform(source), expected)


def test_ordered_levels_are_passed_as_their_ranks() -> None:
    sizes = pd.Categorical(["M", "S", "L", None], ["S", "M", "L"], ordered=True)
    frame = pd.DataFrame({"size": sizes, "town": ["Ely", "York", "Ely", "Ely"]})
    model = sf.OneHotEncoder(columns="categorical").fit(frame)
    assert model.get_feature_names_out().tolist() == ["town_Ely", "town_York", "size"]
    np.testing.assert_array_equal(model.transform(frame)[:, 2], [1, 0, 2, np.nan])
    assert model.inverse_transform(model.transform(frame))[:, 0].tolist() == ["M", "S", "L", None]


def test_text_that_is_not_encoded_is_refused() -> None:
    with pytest.raises(InvalidData, match="column 'sex' holds text and is not among `columns`"):
        sf.OneHotEncoder(columns=["town"]).fit(FRAME)


def test_no_categories_pass_all_columns_on() -> None:
    X = RNG.normal(size=(5, 2))
    np.testing.assert_array_equal(sf.OneHotEncoder(columns="categorical").fit_transform(X), X)


def test_before_a_model_in_a_pipeline(tmp_path: Path) -> None:
    """Reference coding leaves no dependent columns, and text from a file meets the coefficients of the frame."""
    y = (FRAME["town"] == "Ely") * 2.0 + (FRAME["sex"] == "m") - 1
    frame = FRAME.drop(columns="pets").fillna({"town": "Ely"}).assign(y=y)
    model = sf.make_pipeline(sf.OneHotEncoder(columns="categorical", drop="first"), sf.LinearRegression())
    model.fit(frame.drop(columns="y"), frame["y"])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    again = sf.make_pipeline(sf.OneHotEncoder(columns="categorical", drop="first"), sf.LinearRegression())
    again.fit(sf.scan(tmp_path / "rows.csv", target="y"))
    np.testing.assert_allclose(again[1].coef_, model[1].coef_, atol=1e-9)
    assert model[1].feature_names_in_.tolist() == ["town_Deal", "town_Ely", "town_Hull", "town_York", "sex_m"]
    sf.save(again, tmp_path / "model.sff")
    rows = frame.drop(columns="y")[:9]
    np.testing.assert_array_equal(sf.load(tmp_path / "model.sff").predict(rows), again.predict(rows))


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, 3.0, np.nan]), min_size=2, max_size=2), min_size=1, max_size=30))
@settings(deadline=None, max_examples=50)
def test_every_row_is_in_one_category_of_each_column(rows: list) -> None:
    model = sf.OneHotEncoder().fit(rows)
    found = model.transform(rows)
    assert np.all(found[:, : model.widths_[0]].sum(axis=1) == 1)
    assert np.all(found.sum(axis=1) == 2)


def test_more_columns_than_memory_holds_are_refused() -> None:
    rows = np.arange(60_000.0)[:, None]
    model = sf.OneHotEncoder().fit(rows)
    with pytest.raises(
        MemoryNeeded, match=r"60,000 features of 60,000 rows take 28,800,000,000 bytes.*sparse_output=True"
    ):
        model.transform(rows)
    assert model.set_params(sparse_output=True).transform(rows).nnz == 60_000


def test_a_sparse_matrix_with_places_outside_it_is_refused():
    encoder = sf.OneHotEncoder().fit(np.array([[0.0], [1.0]]))
    broken = sparse.csr_matrix((np.ones(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
    broken.indices[1] = 1_000_000  # SciPy would write there
    with pytest.raises(InvalidData, match="OneHotEncoder"):
        encoder.inverse_transform(broken)


# ---- categories that are left out by name ----

PETS = pd.DataFrame({"pet": ["cat", "dog", "cow", "cat"], "colour": ["red", "blue", "red", "green"]})


@pytest.mark.parametrize("drop", [["cow", "red"], ("cat", "green"), np.array(["cow", "blue"], object)])
def test_a_category_of_each_column_is_left_out(drop):
    ours = sf.OneHotEncoder(drop=drop).fit(PETS)
    theirs = preprocessing.OneHotEncoder(drop=np.array(drop, dtype=object), sparse_output=False).fit(PETS)
    np.testing.assert_array_equal(ours.transform(PETS), theirs.transform(PETS))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    np.testing.assert_array_equal(ours.inverse_transform(ours.transform(PETS)), PETS)


def test_nothing_is_left_out_of_a_column_by_none():
    model = sf.OneHotEncoder(drop=["dog", None]).fit(PETS)
    assert model.get_feature_names_out().tolist() == ["pet_cat", "pet_cow", "colour_blue", "colour_green", "colour_red"]


def test_numbers_and_missing_values_are_left_out():
    X = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 6.0]])
    model = sf.OneHotEncoder(drop=[2.0, np.nan]).fit(X)
    assert model.get_feature_names_out().tolist() == ["x0_1.0", "x0_3.0", "x1_5.0", "x1_6.0"]
    np.testing.assert_array_equal(model.inverse_transform(model.transform(X)), X)


def test_infrequent_ones_stay_beside_one_that_is_left_out():
    X = np.array([[0.0]] * 5 + [[1.0]] * 4 + [[2.0]] + [[3.0]])
    model = sf.OneHotEncoder(drop=[1.0], min_frequency=2).fit(X)
    assert model.get_feature_names_out().tolist() == ["x0_0.0", "x0_infrequent"]
    np.testing.assert_array_equal(model.transform([[0.0], [1.0], [3.0]]), [[1, 0], [0, 0], [0, 1]])
    with pytest.raises(InvalidParameter, match=r"drop names 2.0 for .*, which is infrequent; it has 0.0, 1.0"):
        sf.OneHotEncoder(drop=[2.0], min_frequency=2).fit(X)


def test_a_category_that_is_not_there_cannot_be_left_out():
    with pytest.raises(InvalidParameter, match=r"drop names 'pig' for .*, which is not one of its categories"):
        sf.OneHotEncoder(drop=["pig", None]).fit(PETS)
    with pytest.raises(InvalidParameter, match="one category for each of the 2 encoded columns; got 1"):
        sf.OneHotEncoder(drop=["cat"]).fit(PETS)
    with pytest.raises(InvalidParameter, match="drop must be"):
        sf.OneHotEncoder(drop="last").fit(PETS)


def test_a_frequency_beyond_every_count_is_refused_in_a_sentence():
    with pytest.raises(InvalidParameter, match="OneHotEncoder: min_frequency must be"):
        sf.OneHotEncoder(min_frequency=10**400).fit(PETS)
