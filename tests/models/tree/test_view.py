"""`tree_`: our trees read by code that was written for scikit-learn's."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_graphviz, export_text, plot_tree

import suffice as sf

matplotlib.use("agg")
pytestmark = pytest.mark.native
IRIS = sf.datasets.load("iris")


def both(kind):
    """Ours and theirs, on rows whose splits have no ties."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=600)
    options = {"max_depth": 3, "min_samples_leaf": 20, "random_state": 1}  # by which theirs settles a tie as ours
    ours, theirs = sf.DecisionTreeRegressor, DecisionTreeRegressor
    if kind == "classes":
        ours, theirs, y = sf.DecisionTreeClassifier, DecisionTreeClassifier, np.digitize(y, [-0.5, 0.5])
    return ours(**options).fit(X, y), theirs(**options).fit(X, y), X


def order(tree):
    """The nodes of a tree from the root on, left before right."""
    found, open_ = [], [0]
    while open_:
        node = open_.pop()
        found.append(node)
        if tree.children_left[node] >= 0:
            open_ += [tree.children_right[node], tree.children_left[node]]
    return np.array(found)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_nodes_are_those_of_scikit_learn(kind):
    ours, theirs, X = both(kind)
    one, other = ours.tree_, theirs.tree_
    for name in ("node_count", "max_depth", "n_leaves", "n_features", "n_outputs", "max_n_classes"):
        assert getattr(one, name) == getattr(other, name), name
    mine, yours = order(one), order(other)
    for name in ("feature", "threshold", "value", "impurity", "n_node_samples", "weighted_n_node_samples"):
        found, known = getattr(one, name)[mine], getattr(other, name)[yours]
        assert found.shape == known.shape
        assert_allclose(found, known, rtol=1e-6, atol=1e-9, err_msg=name)  # their cells are floats
        assert not found.flags.writeable or not getattr(one, name).flags.writeable
    assert_array_equal(one.n_classes, other.n_classes)
    assert_allclose(one.predict(X), other.predict(X.astype(np.float32)), atol=1e-9)
    for normalize in (True, False):
        assert_allclose(
            one.compute_feature_importances(normalize),
            other.compute_feature_importances(normalize=normalize),
            atol=1e-9,
        )


def test_missing_cells():
    X = np.array([[1.0], [2.0], [np.nan], [8.0], [9.0]])
    tree = sf.DecisionTreeRegressor(max_depth=1).fit(X, [0.0, 0.0, 0.0, 5.0, 5.0]).tree_
    assert tree.missing_go_to_left.tolist() == [1, 0, 0]
    assert tree.feature.tolist() == [0, -2, -2]
    assert tree.threshold.tolist() == [5.0, -2.0, -2.0]


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_their_texts_and_pictures_of_our_trees(kind):
    ours, theirs, _ = both(kind)
    with sklearn.config_context(skip_parameter_validation=True):  # which asks for their classes by name
        lines = [[line.split("---")[1] for line in export_text(model).splitlines()] for model in (ours, theirs)]
        rules = [[line for line in own if "feature" in line] for own in lines]
        assert (rules[0], len(lines[0])) == (rules[1], len(lines[1]))  # of their classes alone they name the class
        assert export_graphviz(ours).count("->") == export_graphviz(theirs).count("->")
        texts = [[text.get_text() for text in plot_tree(model, filled=True)] for model in (ours, theirs)]
    assert sorted(texts[0]) == sorted(texts[1])


def test_several_targets():
    X = IRIS.matrix()
    tree = sf.DecisionTreeRegressor(max_depth=2).fit(X[:, :2], X[:, 2:]).tree_
    assert tree.value.shape == (tree.node_count, 2, 1)
    assert (tree.n_outputs, tree.n_classes.tolist()) == (2, [1, 1])


def test_trees_of_forests():
    X, y = IRIS.matrix(), IRIS["species"]
    tree = sf.RandomForestClassifier(3, criterion="entropy", random_state=0).fit(X, y).estimators_[1].tree_
    assert tree.impurity[0] == pytest.approx(np.log2(3), abs=0.1)
    numbers = sf.RandomForestRegressor(2, random_state=0).fit(X[:, :2], X[:, 2]).estimators_[0].tree_
    assert numbers.node_count > 10
    with pytest.raises(AttributeError, match="not known of the trees of a forest"):
        _ = numbers.impurity


def test_sets_of_categories_have_no_thresholds():
    table = pd.DataFrame({"size": [1.0, 2, 3, 4], "colour": ["red", "blue", "red", "blue"]})
    model = sf.DecisionTreeClassifier().fit(table, [0, 1, 0, 1])
    with pytest.raises(AttributeError, match=r"'colour'.* by sets of categories; read trees_"):
        _ = model.tree_


def test_one_class():
    tree = sf.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]).tree_
    assert (tree.node_count, tree.value.tolist(), tree.impurity.tolist()) == (1, [[[1.0]]], [0.0])
