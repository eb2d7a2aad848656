"""What each column adds to a prediction: Shapley values against their definition."""

from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice import backend
from suffice.errors import MemoryNeeded
from suffice.growth import Trees
from suffice.growth.contributions import mean_value, tree_contributions

pytestmark = pytest.mark.native

both = pytest.mark.parametrize("code", ["native", "portable"])


def table(n=200, d=4, seed=0):
    """Numbers, missing cells, and categories in the last column."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, d - 1)), columns=[f"x{j}" for j in range(d - 1)])
    X["kind"] = rng.choice(["a", "b", "c", "d"], n)
    y = X["x0"] * X["x1"] + (X["kind"] == "b") * X["x0"] + rng.normal(size=n) / 4
    X = X.mask(rng.random(X.shape) < 0.1)
    return X, np.asarray(y)


def said(trees, row, known, node=0):
    """What one tree says of a row of which some columns are known: a node whose column is not goes both ways."""
    left = int(trees.left[node])
    if left < 0:
        return trees.value[node]
    j = int(trees.column[node])
    if j in known:
        x = row[j]
        if np.isnan(x):
            goes = trees.missing_left[node]
        elif trees.words[j]:
            goes = int(trees.sets[int(trees.threshold[node])]) >> int(x) & 1 if x >= 0 else trees.missing_left[node]
        else:
            goes = x <= trees.threshold[node]
        return said(trees, row, known, left if goes else left + 1)
    weight = trees.weight[left : left + 2] / trees.weight[left : left + 2].sum()
    return weight[0] * said(trees, row, known, left) + weight[1] * said(trees, row, known, left + 1)


def shapley(trees, row):
    """By all orders of the columns, (d, q)."""
    d = len(trees.words)
    found = np.zeros((d, trees.value.shape[1]))
    for i in range(d):
        others = [j for j in range(d) if j != i]
        for size in range(d):
            share = factorial(size) * factorial(d - size - 1) / factorial(d)
            for some in combinations(others, size):
                found[i] += share * (said(trees, row, {*some, i}) - said(trees, row, set(some)))
    return found


@both
@pytest.mark.parametrize("depth", [0, 1, 3, None])
def test_they_are_shapley_values(code, depth):
    X, y = table()
    model = sf.DecisionTreeRegressor(max_depth=depth).fit(X, np.column_stack([y, y**2]))
    cells = model._rows(X, lambda chunk: chunk.X)[:12]
    expected = np.array([shapley(model.trees_, row) for row in cells])
    with backend.using(code):
        found = model.contributions(X[:12])
    np.testing.assert_allclose(found.values, expected, atol=1e-12)
    np.testing.assert_allclose(found.base, said(model.trees_, cells[0], set()), atol=1e-12)


@both
def test_they_add_up_to_the_prediction(code):
    X, y = table(300, 6)
    with backend.using(code):
        for model in (sf.DecisionTreeRegressor(), sf.DecisionTreeRegressor(splitter="random", random_state=0)):
            found = model.fit(X, y).contributions(X)
            assert found.values.shape == X.shape
            assert isinstance(found.base, float)
            assert found.names == tuple(X.columns)
            np.testing.assert_allclose(found.predictions, model.predict(X), rtol=0, atol=1e-10)
        classes = np.digitize(y, [-0.5, 0.5])
        model = sf.DecisionTreeClassifier().fit(X, classes)
        found = model.contributions(X)
        assert found.values.shape == (*X.shape, 3)
        assert found.importances().shape == (6, 3)
        np.testing.assert_allclose(found.predictions, model.predict_proba(X), rtol=0, atol=1e-10)


def test_one_class_adds_nothing():
    model = sf.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    found = model.contributions([[3.0]])
    assert found.values.tolist() == [[[0.0]]]
    assert found.base.tolist() == [1.0]


def forest(X, y, count=20, **more):
    parts = [
        sf.DecisionTreeRegressor(splitter="random", random_state=seed, **more).fit(X, y).trees_ for seed in range(count)
    ]
    return Trees.joined(parts), parts


def test_those_of_many_trees_are_the_mean():
    X, y = table(300, 5)
    trees, parts = forest(X, y)
    cells = sf.DecisionTreeRegressor().fit(X, y)._rows(X, lambda chunk: chunk.X)
    found = tree_contributions(trees, cells)
    np.testing.assert_allclose(found, np.mean([tree_contributions(part, cells) for part in parts], axis=0), atol=1e-13)
    np.testing.assert_allclose(mean_value(trees) + found.sum(axis=1), trees.means(cells), rtol=0, atol=1e-10)


def test_the_same_bits_for_any_number_of_threads_and_any_cut():
    X, y = table(1000, 5)
    model = sf.DecisionTreeRegressor().fit(X, y)
    with backend.threads(1):
        one = model.contributions(X).values
    with backend.threads(3):
        np.testing.assert_array_equal(model.contributions(X).values, one)
    np.testing.assert_array_equal(model.contributions(X[37:45]).values, one[37:45])


def test_a_long_chain_of_many_columns_is_exact():
    d = 41
    rng = np.random.default_rng(0)
    X = np.triu(np.ones((d + 1, d)))
    X = np.repeat(X, 3, axis=0)
    y = np.repeat(rng.normal(size=d + 1) * 2.0 ** np.arange(d + 1), 3)
    model = sf.DecisionTreeRegressor().fit(X, y)
    found = model.contributions(X)
    np.testing.assert_allclose(found.predictions, y, rtol=0, atol=1e-10 * np.abs(y).max())


def test_too_deep_trees_are_refused_before_memory_is_taken():
    depth = d = 3000
    nodes = 2 * depth + 1
    left = np.full(nodes, -1, dtype=np.int32)
    left[np.concatenate([[0], 2 * np.arange(depth - 1) + 2])] = 2 * np.arange(depth) + 1
    column = np.full(nodes, -1, dtype=np.int32)
    column[left >= 0] = np.arange(depth)
    zeros = np.zeros(nodes)
    trees = Trees(
        np.array([0, nodes]), column, left, zeros, left < 0, zeros, zeros + 1, np.ones((nodes, 20)),
        zeros[:0].astype(np.uint64), np.zeros(d, dtype=np.int64),
    )  # fmt: skip
    with pytest.raises(MemoryNeeded, match="trees of depth 3000"):
        tree_contributions(trees, np.zeros((1, d)))
