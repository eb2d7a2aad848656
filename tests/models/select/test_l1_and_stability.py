"""Selection by an L1 penalty and by halves of the rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression, lasso_path

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, NothingSelected


def table(n=200, d=10, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 2 * X[:, 1] - X[:, 4] + rng.normal(size=n)


def test_the_strengths_at_which_columns_enter():
    """The least angle at which a slope leaves 0, by scikit-learn's path of the scaled columns."""
    X, y = table()
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    model = sf.L1Selection(sf.Lasso(tol=1e-10, n_alphas=200)).fit(X, y)
    _, coef, _ = lasso_path(scaled, y - y.mean(), alphas=model.path_.alphas, tol=1e-10)
    entered = [model.path_.alphas[np.argmax(row != 0)] if row.any() else 0.0 for row in np.abs(coef) > 1e-7]
    assert_allclose(model.entered_, entered)


def test_units_have_no_say():
    X, y = table()
    unit = 10.0 ** np.arange(-4, 6)
    one, other = sf.L1Selection(sf.Lasso(0.2)).fit(X, y), sf.L1Selection(sf.Lasso(0.2)).fit(X * unit, y)
    assert_array_equal(one.get_support(), other.get_support())
    assert one.get_support(indices=True).tolist() == [1, 4]


def test_so_many_columns():
    X, y = table()
    for count in (1, 2, 5, 10):
        model = sf.L1Selection(n_features_to_select=count).fit(X, y)
        assert model.get_support().sum() == count
        order = np.argsort(-model.entered_, kind="stable")
        assert {1, 4} <= set(order[:2].tolist())


def test_classes_ours_and_others():
    X, y = table(300)
    labels = np.where(y > 0, "up", "down")
    ours = sf.L1Selection(sf.LogisticRegression(C="cv", rule="1se", l1_ratio=1.0)).fit(X, labels)
    assert {1, 4} <= set(ours.get_support(indices=True).tolist())
    theirs = sf.L1Selection(LogisticRegression(l1_ratio=1.0, C=0.05, solver="liblinear")).fit(X, labels)
    assert theirs.get_support(indices=True).tolist() == [1, 4]
    three = np.where(X[:, 2] > 1, "far", labels)
    model = sf.L1Selection(sf.LogisticRegression(C=0.1, l1_ratio=1.0), n_features_to_select=3).fit(X, three)
    assert set(model.get_support(indices=True).tolist()) == {1, 2, 4}
    assert model.path_.coef.ndim == 3


def test_sparse_rows_stay_sparse():
    rng = np.random.default_rng(1)
    X = csr_matrix(np.where(rng.random((300, 40)) < 0.1, rng.normal(size=(300, 40)), 0.0))
    y = 3 * X[:, [7]].toarray()[:, 0] + 0.3 * rng.normal(size=300)
    model = sf.L1Selection().fit(X, y)
    assert model.get_support()[7]
    made = model.transform(X)
    assert made.format == "csr"
    assert made.shape == (300, model.get_support().sum())


def test_at_least_one_column():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    model = sf.L1Selection(sf.Lasso(100.0)).fit(X, y)
    assert model.get_support().sum() == 1
    assert model.get_support()[np.argmax(model.entered_)]


def test_files(tmp_path):
    X, y = table()
    model = sf.L1Selection().fit(X, y)
    sf.save(model, tmp_path / "model.sff")
    again = sf.load(tmp_path / "model.sff")
    assert_array_equal(again.path_.coef, model.path_.coef)
    assert again.path_.plot(ax=False).table()["alpha"].size


def test_few_columns_without_effect_are_chosen():
    """With the bound of 1 the mean number over 12 tables is below 1, by simulation; the true ones are all found."""
    wrong, found = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 40))
        y = X[:, :3].sum(axis=1) + rng.normal(size=120)
        model = sf.StabilitySelection(pairs=8, random_state=seed).fit(X, y)
        wrong.append(model.support_[3:].sum())
        found.append(model.support_[:3].sum())
        assert model.bound_ <= 1.0 + 1e-9
    assert np.mean(wrong) <= 1.0
    assert np.mean(found) == 3.0


def test_any_selector_and_its_frequencies():
    X, y = table(150)
    model = sf.StabilitySelection(sf.ForwardSelection(), pairs=8, random_state=0).fit(X, y)
    assert {1, 4} <= set(model.get_support(indices=True).tolist())
    assert_allclose(model.frequencies_[[1, 4]], 1.0)
    assert model.n_halves_ == 16
    table_ = model.table
    assert np.all(np.diff(table_["frequency"]) <= 0)
    assert "chosen" in model.summary()
    assert model.plot(ax=False).reference == 0.75
    labels = np.where(y > 0, "up", "down")
    by_class = sf.StabilitySelection(sf.L1Selection(sf.LogisticRegression(l1_ratio=1.0)), pairs=5, random_state=0).fit(
        X, labels
    )
    assert by_class.get_support()[1]


def test_halves_are_halves():
    from suffice.data import Chunk
    from suffice.models.select.stability_selection import halves

    X, y = table(101)
    codes = (y > 0).astype(np.int64)
    sizes = []
    for seed in range(50):
        first = halves(Chunk(X, y), seed, codes, "")
        assert abs(first.sum() - 50.5) <= 1.5
        assert abs(first[codes == 0].sum() - (codes == 0).sum() / 2) <= 0.5
        sizes.append(first)
    assert 0.3 < np.mean(sizes) < 0.7
    assert np.all(np.abs(np.mean(sizes, axis=0) - 0.5) < 0.35)


@pytest.mark.filterwarnings("error")
def test_nothing_is_chosen_often():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 30)), rng.normal(size=40)
    with pytest.warns(NothingSelected, match="no column is chosen in 1 of the halves"):
        model = sf.StabilitySelection(threshold=1.0, pairs=10, random_state=0).fit(X, y)
    assert model.get_support().sum() == 1


def test_targets_of_one_column_and_of_classes():
    X, y = table(40)
    alone = sf.L1Selection().fit(X, y)
    with pytest.warns(DataConversionWarning):
        column = sf.L1Selection().fit(X, y[:, None])
    assert_array_equal(column.get_support(), alone.get_support())
    for model in (sf.L1Selection(), sf.StabilitySelection()):
        with pytest.raises(InvalidData, match=r"y must be numbers; .* Labels of classes need a classifier"):
            model.fit(X, np.where(y > 0, "up", "down"))
        with pytest.raises(InvalidData, match="y must have one column"):
            model.fit(X, np.column_stack([y, y]))


def test_refusals():
    X, y = table(40)
    with pytest.raises(InvalidParameter, match="model must be None or a linear model"):
        sf.L1Selection(sf.KMeans()).fit(X, y)
    with pytest.raises(InvalidParameter, match="must have slopes, and DecisionTreeRegressor gives no coef_"):
        sf.L1Selection(sf.DecisionTreeRegressor()).fit(X, y)
    with pytest.raises(InvalidParameter, match="needs a model with a path, such as Lasso, and LogisticRegression"):
        sf.L1Selection(LogisticRegression(), n_features_to_select=2).fit(X, y > 0)
    with pytest.raises(InvalidData, match="at most the number of columns, 10"):
        sf.L1Selection(n_features_to_select=11).fit(X, y)
    with pytest.raises(InvalidParameter, match="selector must be None or a selection"):
        sf.StabilitySelection(sf.Lasso()).fit(X, y)
    with pytest.raises(InvalidParameter, match="threshold must be"):
        sf.StabilitySelection(threshold=0.5).fit(X, y)
    with pytest.raises(InvalidData, match="at least 2 rows that differ"):
        sf.StabilitySelection().fit(np.ones((4, 2)), np.ones(4))
