"""Examples of the course, and what trees must bear."""

import numpy as np
import pandas as pd
import pytest

import suffice as sf

pytestmark = pytest.mark.native
TREES = [sf.DecisionTreeClassifier, sf.DecisionTreeRegressor]
IRIS = sf.datasets.load("iris")


def ratios():
    """Length over width of sepals and of petals."""
    X = IRIS.matrix()
    return np.column_stack([X[:, 0] / X[:, 1], X[:, 2] / X[:, 3]]), IRIS["species"]


def gini(shares):
    return 1 - (shares**2).sum(axis=-1)


def test_gini_of_one_fifty_fifty():
    assert gini(np.array([1, 50, 50]) / 101) == pytest.approx(0.5098, abs=5e-5)


def test_iris_by_ratios():
    """The root cuts sepals at 1.716: (1, 50, 50) on one side. There, sepals gain 0.0187 and petals 0.2039."""
    X, y = ratios()
    tree = sf.DecisionTreeClassifier(max_depth=2).fit(X, y).trees_
    assert (tree.column[0], tree.threshold[0]) == (0, pytest.approx(1.716, abs=5e-4))
    right = tree.left[0] + 1
    counts = tree.value[right] * tree.weight[right]
    assert counts == pytest.approx([1, 50, 50])
    assert gini(tree.value[right]) == pytest.approx(0.50975, abs=5e-6)
    rest = X[:, 0] > tree.threshold[0]
    for column, threshold, gain in ((0, 2.245, 0.0187), (1, 2.725, 0.2039)):
        own = sf.DecisionTreeClassifier(max_depth=1).fit(X[rest][:, [column]], y[rest]).trees_
        assert own.threshold[0] == pytest.approx(threshold, abs=5e-4)
        assert own.gain[0] / 101 == pytest.approx(gain, abs=5e-5)
    assert (tree.column[right], tree.threshold[right]) == (1, pytest.approx(2.725, abs=5e-4))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_exclusive_or(criterion):
    """Every first split gains 0, and growth goes on."""
    X = np.array([[a, b] for a in (0.0, 1) for b in (0.0, 1)] * 5)
    y = X.sum(axis=1) % 2
    model = sf.DecisionTreeClassifier(criterion=criterion).fit(X, y)
    assert model.trees_.gain[0] == pytest.approx(0, abs=1e-12)
    assert (model.score(X, y), model.n_leaves_) == (1, 4)
    assert sf.DecisionTreeRegressor().fit(X, y).n_leaves_ == 4
    assert sf.DecisionTreeClassifier(min_impurity_decrease=1e-6).fit(X, y).n_leaves_ == 1


@pytest.mark.parametrize("cls", TREES)
def test_sorted_values_and_histograms_agree_where_bins_are_values(cls):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 200, size=(1000, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] * rng.uniform(size=1000) > 150).astype(int)
    one, other = (cls(splitter=splitter).fit(X, y).trees_ for splitter in ("best", "histogram"))
    for name in ("column", "left", "threshold", "weight", "value", "gain"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("cls", TREES)
def test_weights_are_repetitions(cls):
    X, y = ratios()
    y = np.unique(y, return_inverse=True)[1]
    times = np.random.default_rng(0).integers(0, 4, size=150)
    one = cls().fit(X, y, times).trees_
    other = cls().fit(np.repeat(X, times, axis=0), np.repeat(y, times)).trees_
    for name in ("column", "left", "threshold", "weight"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_allclose(one.value, other.value, atol=1e-12)  # numbers are scaled by their sums


@pytest.mark.parametrize("cls", TREES)
@pytest.mark.parametrize("splitter", ["best", "histogram"])
def test_any_cut_of_files_gives_the_same_tree(cls, splitter, tmp_path):
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(900, 3)).round(3), columns=list("abc"))
    table["y"] = (table["a"] * table["b"] > rng.normal(size=900)).astype(float)
    whole = cls(splitter=splitter, max_depth=6).fit(table[["a", "b", "c"]], table["y"]).trees_
    for parts in (1, 4, 7):
        folder = tmp_path / f"{parts}"
        folder.mkdir()
        for k, rows in enumerate(np.array_split(np.arange(900), parts)):
            table.iloc[rows].to_parquet(folder / f"{k}.parquet")
        source = sf.scan(str(folder / "*.parquet"), target="y")
        found = cls(splitter=splitter, max_depth=6).fit(source).trees_
        for name in ("column", "left", "threshold", "weight", "value", "gain"):
            np.testing.assert_array_equal(getattr(whole, name), getattr(found, name))


def leaves_of(model):
    return (model.tree_ if isinstance(model, sf.LinearTreeRegressor) else model).n_leaves_


@pytest.mark.parametrize("model", [sf.DecisionTreeClassifier(), sf.DecisionTreeRegressor(), sf.LinearTreeRegressor()])
class TestDifficultTables:
    def test_a_constant_target_is_one_leaf(self, model):
        fitted = model.fit(np.arange(10.0)[:, None], np.ones(10))
        assert leaves_of(fitted) == 1
        assert fitted.predict([[3.0]]).tolist() == [1]

    def test_one_row(self, model):
        assert model.fit([[1.0, 2.0]], [3.0]).predict([[9.0, np.nan]]).tolist() == [3]

    def test_a_column_that_is_missing(self, model):
        X = np.column_stack([np.full(20, np.nan), np.arange(20.0)])
        y = np.repeat([0.0, 1.0], 10)
        assert model.fit(X, y).predict(X).tolist() == y.tolist()

    def test_a_category_never_seen(self, model):
        X = pd.DataFrame({"town": ["Bath", "York", "Ely"] * 8})
        y = np.tile([0.0, 1.0, 0.0], 8)
        fitted = model.fit(X, y)
        assert fitted.predict(X).tolist() == y.tolist()
        assert fitted.predict(pd.DataFrame({"town": ["Oslo"]}))[0] in (0, 1)

    def test_ten_thousand_categories(self, model):
        names = np.array([f"c{k}" for k in range(10_000)])
        X, y = pd.DataFrame({"name": np.tile(names, 2)}), np.tile(np.arange(10_000) % 2, 2)
        fitted = model.fit(X, y)
        assert np.isin(np.round(fitted.predict(X[:5])), [0, 1]).all()

    def test_depth_zero_is_one_leaf(self, model):
        limited = model.set_params(max_depth=0)
        try:
            fitted = limited.fit(np.arange(10.0)[:, None], np.repeat([0.0, 1.0], 5))
            assert leaves_of(fitted) == 1
        finally:
            model.set_params(max_depth=None)

    def test_rows_that_weigh_nothing_do_not_count(self, model):
        X, y = np.arange(20.0)[:, None], np.repeat([0.0, 1.0], 10)
        w = np.where(np.arange(20) % 2, 1.0, 0.0)
        y[::2] = 7.0
        fitted = model.fit(X, y, w)
        assert fitted.predict(X[1::2]).round(9).tolist() == y[1::2].tolist()
        with pytest.raises(sf.errors.InvalidData, match="weight"):
            model.fit(X, y, np.zeros(20))
