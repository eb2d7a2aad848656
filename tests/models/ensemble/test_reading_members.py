"""Single trees of boosting and of isolation forests can be read, and columns explain what boosting predicts."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidParameter

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def iris():
    table = sf.datasets.load("iris")
    return pd.DataFrame(table.matrix(), columns=list(table.features)), table["species"]


def asked(rules, X):
    """What the code of rules says of every row."""
    names = {}
    exec(compile(rules.as_python(), "rules", "exec"), names)
    return [names["predict"](row) for row in X.to_dict("records")]


def test_the_trees_of_boosted_numbers_add_up(rng):
    X = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(["p", "q", "r"], 80)})
    X.loc[::9, "a"] = np.nan
    y = np.where(X["b"] == "q", 3.0, 0.0) + np.nan_to_num(X["a"])
    model = sf.HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=5).fit(X, y)
    steps = np.array([asked(model.rules(tree), X) for tree in range(4)])
    assert_allclose(model._baseline[0] + steps.sum(axis=0), model.predict(X), rtol=1e-12)
    assert str(model.rules(-1)) == str(model.rules(3))
    assert "b in {" in str(model.rules(0))
    assert "a" in model.rules(0).as_sql()


def test_the_trees_of_boosted_classes_take_turns(iris):
    X, y = iris
    model = sf.HistGradientBoostingClassifier(max_iter=3).fit(X, y)
    steps = np.array([asked(model.rules(tree), X) for tree in range(9)]).reshape(3, 3, -1)
    assert_allclose(model._baseline + steps.sum(axis=0).T, model.decision_function(X), rtol=1e-10)
    assert model.plot(tree=4, ax=False).nodes


def test_contributions_of_boosting_sum_up_to_its_predictors(iris):
    X, y = iris
    three = sf.HistGradientBoostingClassifier(max_iter=5).fit(X, y)
    found = three.contributions(X)
    assert found.values.shape == (150, 4, 3)
    assert_allclose(found.predictions, three.decision_function(X), atol=1e-9)
    two = sf.HistGradientBoostingClassifier(max_iter=5).fit(X, y == "setosa")
    assert two.contributions(X).values.shape == (150, 4)
    assert_allclose(two.contributions(X).predictions, two.decision_function(X), atol=1e-9)
    counts = sf.HistGradientBoostingRegressor("poisson", max_iter=5).fit(X, np.arange(150) % 7)
    assert_allclose(np.exp(counts.contributions(X).predictions), counts.predict(X), rtol=1e-9)
    nodes, starts = counts.decision_path(X)
    assert nodes.shape == (150, starts[-1])


def test_a_tree_of_an_isolation_forest(rng):
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    forest = sf.IsolationForest(n_estimators=20, random_state=0).fit(X)
    depths = np.array([asked(forest.rules(tree), X) for tree in range(20)])
    c = 2 * (np.log(59) + 0.5772156649015329) - 2 * 59 / 60
    assert_allclose(-(2 ** (-depths.mean(axis=0) / c)), forest.score_samples(X))
    assert forest.plot(2, ax=False).nodes


def test_trees_that_are_not_there_are_refused(iris):
    X, y = iris
    model = sf.HistGradientBoostingClassifier(max_iter=2).fit(X, y)
    with pytest.raises(InvalidParameter, match=r"say which, as rules\(tree=0\)"):
        model.rules()
    for tree in (6, 1.0, True):
        with pytest.raises(InvalidParameter, match="HistGradientBoostingClassifier: tree must be a number from 0 to 5"):
            model.rules(tree)
    with pytest.raises(InvalidParameter, match="IsolationForest: tree must be a number from 0 to 99"):
        sf.IsolationForest(random_state=0).fit(X).rules(100)
