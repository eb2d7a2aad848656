"""Contributions of trees that are no plain binary trees, against the definition of Shapley values."""

from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

import suffice as sf

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def table():
    """Numbers, missing cells and text."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=150), "b": rng.normal(size=150), "kind": rng.choice(list("pqr"), 150)})
    y = np.asarray(X["a"] + (X["kind"] == "q") * X["b"] + rng.normal(size=150) / 4)
    return X.mask(rng.random(X.shape) < 0.1), y


def shapley(said, d):
    """By all sets of columns; `said` is what a model says where these columns are known."""
    found = []
    for i in range(d):
        others = [j for j in range(d) if j != i]
        parts = [
            factorial(size) * factorial(d - size - 1) / factorial(d) * (said({*some, i}) - said(set(some)))
            for size in range(d)
            for some in combinations(others, size)
        ]
        found.append(sum(parts))
    return np.array(found)


@pytest.mark.parametrize("missing", ["fractions", "branch", "learned"])
def test_trees_with_many_branches(table, missing):
    X, y = table
    model = sf.C45Classifier(missing=missing).fit(X, np.digitize(y, [-0.7, 0.7]))
    tree, found = model.tree_, model.contributions(X)
    cells = np.column_stack([X["a"], X["b"], X["kind"].map({"p": 0, "q": 1, "r": 2})]).astype(float)

    def said(row, known, node=0):
        if tree.is_leaf[node]:
            return tree.shares[node]
        children = range(tree.first[node], tree.first[node] + tree.branches[node])
        share = tree.counts[list(children)].sum(axis=1)
        share = share / share.sum()
        if tree.column[node] in known:
            share = np.zeros(len(share))
            for child, own, part in tree.sent(node, row[[tree.column[node]]]):
                share[child - children[0]] += part * len(own)
        return sum(p * said(row, known, child) for p, child in zip(share, children, strict=True) if p > 0)

    for i in (0, 1, *np.flatnonzero(X.isna().any(axis=1))[:4]):
        assert_allclose(found.values[i], shapley(lambda known, i=i: said(cells[i], known), 3), atol=1e-12)
    assert_allclose(found.base, said(cells[0], set()), atol=1e-12)
    assert_allclose(found.predictions, model.predict_proba(X), atol=1e-12)
    assert_allclose(model.decision_path(X).toarray() @ tree.is_leaf, 1.0)


def test_linear_models_in_leaves(table):
    X, y = table
    model = sf.LinearTreeRegressor(max_leaf_nodes=5).fit(X, y)
    trees, found = model.tree_.trees_, model.contributions(X)
    cells = np.column_stack([X["a"], X["b"], X["kind"].map({"p": 0, "q": 1, "r": 2})]).astype(float)
    number = np.cumsum(~trees.is_inner) - 1

    def said(row, known, node=0):
        left = int(trees.left[node])
        if left < 0:
            leaf = number[node]
            moved = np.nan_to_num(row - model.centre_[leaf])
            return model.intercept_[leaf] + sum(moved[j] * model.coef_[leaf, j] for j in known)
        if (j := int(trees.column[node])) not in known:
            mass = trees.weight[left : left + 2] / trees.weight[left : left + 2].sum()
            return mass[0] * said(row, known, left) + mass[1] * said(row, known, left + 1)
        if np.isnan(row[j]):
            goes = trees.missing_left[node]
        elif trees.words[j]:
            goes = int(trees.sets[int(trees.threshold[node])]) >> int(row[j]) & 1
        else:
            goes = row[j] <= trees.threshold[node]
        return said(row, known, left if goes else left + 1)

    for i in (0, 1, *np.flatnonzero(X.isna().any(axis=1))[:4]):
        assert_allclose(found.values[i], shapley(lambda known, i=i: said(cells[i], known), 3), atol=1e-12)
    assert_allclose(found.base, said(cells[0], set()), atol=1e-12)
    assert_allclose(found.predictions, model.predict(X), atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"max_features": 2}, {"max_features": 3, "bootstrap_features": True}])
def test_bagged_trees_of_some_columns(table, options):
    X, y = table
    numbers = sf.BaggingRegressor(n_estimators=7, random_state=0, **options).fit(X, y)
    assert_allclose(numbers.contributions(X).predictions, numbers.predict(X), atol=1e-10)
    classes = sf.BaggingClassifier(n_estimators=7, random_state=0, **options).fit(X, y > 0)
    assert_allclose(classes.contributions(X).predictions, classes.predict_proba(X), atol=1e-10)
    nodes, starts = classes.decision_path(X)
    assert_allclose(nodes[:, starts[:-1]].toarray(), 1)


def test_bags_without_a_class(table):
    X, y = table
    rare = np.where(np.arange(150) == 3, 2, y > 0)
    model = sf.BaggingClassifier(n_estimators=6, random_state=0).fit(X, rare)
    assert any(len(one.classes_) == 2 for one in model.estimators_)
    assert_allclose(model.contributions(X).predictions, model.predict_proba(X), atol=1e-10)


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_boosted_trees(table, classes):
    X, y = table
    model = sf.AdaBoostClassifier(sf.DecisionTreeClassifier(max_depth=2), n_estimators=6)
    model.fit(X, np.digitize(y, [-0.5, 0.5][: classes - 1]))
    assert_allclose(model.contributions(X).predictions, model.decision_function(X), atol=1e-10)


def test_a_column_that_sets_a_row_apart_makes_its_way_shorter(rng):
    X = np.vstack([rng.normal(size=(200, 3)), [[0.0, 12.0, 0.0]]])
    model = sf.IsolationForest(random_state=0).fit(X)
    found = model.contributions(X)
    assert np.argmin(found.values[-1]) == 1
    depth = model.trees_.value[model.trees_.starts[:-1] + model.apply(X), 0]
    assert_allclose(found.predictions, depth.mean(axis=1))


def test_members_that_are_no_trees_have_no_leaves(table):
    X, y = table
    model = sf.BaggingClassifier(LogisticRegression(), 3).fit(X[["a", "b"]].fillna(0), y > 0)
    for name in ("apply", "decision_path", "contributions"):
        assert not hasattr(model, name)
    *_, last = model.staged_predict_proba(X[["a", "b"]].fillna(0))
    assert_allclose(last, model.predict_proba(X[["a", "b"]].fillna(0)))


def test_a_picture_of_a_tree_with_many_branches():
    table = sf.datasets.load("play_tennis").to_frame()
    shown = sf.ID3Classifier().fit(table.drop(columns="play"), table["play"]).plot(ax=False)
    assert [node.edge for node in shown.nodes if node.depth == 1] == ["= overcast", "= rain", "= sunny"]
    assert shown.nodes[0].question == ("outlook", "")
    assert len(sf.ID3Classifier().fit(table.drop(columns="play"), table["play"]).plot(1, ax=False).nodes) == 4
