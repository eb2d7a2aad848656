"""Partial dependence and permutation importance, of any model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import partial_dependence as theirs
from sklearn.inspection import permutation_importance as their_importance
from sklearn.linear_model import LinearRegression

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter


def table(n=200):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a b": rng.normal(size=n), "kind": rng.choice(["u", "v", "w"], n), "z": rng.normal(size=n)})
    y = 2 * X["a b"] + X["z"] * (X["kind"] == "v") + rng.normal(size=n) / 4
    return X.set_index(np.arange(n) * 3), np.asarray(y)


def test_one_column_is_that_of_scikit_learn():
    X, y = table()
    X = X[["a b", "z"]].to_numpy()
    model = sf.DecisionTreeRegressor(max_depth=4).fit(X, y)
    found = sf.partial_dependence(model, X, 0, grid=15)
    expected = theirs(model, X, [0], custom_values={0: found.grids[0]}, method="brute")
    np.testing.assert_allclose(found.values, expected["average"][0])
    assert np.isin(found.grids[0], X[:, 0]).all()
    assert len(found.grids[0]) == 15


def test_two_columns_are_those_of_scikit_learn():
    X, y = table()
    X = X[["a b", "z"]].to_numpy()
    model = sf.DecisionTreeClassifier(max_depth=4).fit(X, np.digitize(y, [-1, 1]))
    found = sf.partial_dependence(model, X, [1, 0], grid=6)
    expected = theirs(
        model, X, [1, 0], custom_values={1: found.grids[0], 0: found.grids[1]}, method="brute",
        response_method="predict_proba",
    )  # fmt: skip
    np.testing.assert_allclose(found.values, np.moveaxis(expected["average"], 0, -1))
    assert found.outputs == ("0", "1", "2")
    assert found.values.shape == (6, 6, 3)


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "polars"])
def test_frames_of_any_library(kind):
    X, y = table()
    model = sf.DecisionTreeRegressor(max_depth=4).fit(X, y)
    frame = X
    if kind == "pyarrow":
        frame = pytest.importorskip("pyarrow").Table.from_pandas(X, preserve_index=False)
    if kind == "polars":
        frame = pytest.importorskip("polars").from_pandas(X)
    found = sf.partial_dependence(model, frame, "kind")
    assert found.grids[0].tolist() == ["u", "v", "w"]
    for name, value in zip("uvw", found.values, strict=True):
        assert value == pytest.approx(model.predict(X.assign(kind=name)).mean())
    importance = sf.permutation_importance(model, frame, y, random_state=0)
    assert importance.names[importance.ranking[0]] == "a b"


def test_rows_are_weighted_and_drawn():
    X, y = table()
    model = sf.DecisionTreeRegressor(max_depth=3).fit(X, y)
    weight = (np.arange(len(X)) < 50).astype(float)
    found = sf.partial_dependence(model, X, "kind", sample_weight=weight)
    np.testing.assert_allclose(found.values, sf.partial_dependence(model, X[:50], "kind").values)
    few = sf.partial_dependence(model, X, "kind", max_rows=20, random_state=1)
    np.testing.assert_array_equal(
        few.values, sf.partial_dependence(model, X, "kind", max_rows=20, random_state=1).values
    )


def test_an_estimator_of_another_library_and_a_pipeline():
    X, y = table()
    numbers = X[["a b", "z"]].to_numpy()
    line = LinearRegression().fit(numbers, y)
    found = sf.partial_dependence(line, numbers, 0, grid=5)
    np.testing.assert_allclose(np.diff(found.values) / np.diff(found.grids[0]), line.coef_[0])
    pipe = sf.prepared(sf.LinearRegression(), X).fit(X, y)
    assert sf.partial_dependence(pipe, X, ["a b", "kind"], grid=4).values.shape == (4, 3)


def test_importances_are_those_of_scikit_learn():
    X, y = table(400)
    numbers = X[["a b", "z"]].to_numpy()
    model = sf.DecisionTreeRegressor(max_depth=4).fit(numbers, y)
    ours = sf.permutation_importance(model, numbers, y, n_repeats=40, random_state=0)
    other = their_importance(model, numbers, y, n_repeats=40, random_state=0)
    np.testing.assert_allclose(ours.values, other.importances_mean, atol=0.05)
    for interval, value in zip(ours.intervals, ours.values, strict=True):
        assert interval.low < value < interval.high
    assert ours.falls.shape == (2, 40)
    assert str(ours).splitlines()[0].split() == ["column", "importance", "95", "%", "interval"]
    again = sf.permutation_importance(model, numbers, y, n_repeats=40, random_state=0)
    np.testing.assert_array_equal(again.falls, ours.falls)


def test_other_scores_and_weights():
    X, y = table()
    model = sf.DecisionTreeRegressor(max_depth=4).fit(X, y)
    found = sf.permutation_importance(
        model, X, y, columns=["z"], scoring=lambda m, X, y: -np.abs(m.predict(X) - y).mean(), random_state=0
    )
    assert found.names == ("z",)
    assert found.score == pytest.approx(-np.abs(model.predict(X) - y).mean())
    weight = np.ones(len(X))
    weighted = sf.permutation_importance(model, X, y, sample_weight=weight, random_state=0)
    np.testing.assert_allclose(weighted.falls, sf.permutation_importance(model, X, y, random_state=0).falls)


def test_pictures():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = table()
    model = sf.DecisionTreeRegressor(max_depth=4).fit(X, y)
    assert sf.partial_dependence(model, X, "kind").plot().is_named
    two = sf.partial_dependence(model, X, ["a b", "kind"]).plot(ax=False)
    assert list(two.names) == ["kind = u", "kind = v", "kind = w"]
    assert sf.permutation_importance(model, X, y, random_state=0).plot().reference == 0.0


def test_bad_arguments():
    X, y = table()
    model = sf.DecisionTreeRegressor(max_depth=2).fit(X, y)
    with pytest.raises(InvalidData, match=r"no column 'knd'\. Did you mean 'kind'"):
        sf.partial_dependence(model, X, "knd")
    with pytest.raises(InvalidParameter, match="one column or two; got 3"):
        sf.partial_dependence(model, X, ["a b", "kind", "z"])
    with pytest.raises(InvalidData, match="has only missing values"):
        sf.partial_dependence(model, X.assign(z=np.nan), "z")
    with pytest.raises(InvalidParameter, match="n_repeats must be"):
        sf.permutation_importance(model, X, y, n_repeats=0)
    with pytest.raises(InvalidData, match="must be in memory"):
        sf.partial_dependence(model, sf.as_source(X[["z"]]), 0)
